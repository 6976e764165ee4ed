"""Names of which only one is taken for a job, and words that say the contrary of another."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.policy.synonyms import opposites_of, rivals_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.policy.rules import Term

# One row for each job; a name of two words is written with "_" between them.
_JOBS_TEXT = """
python java javascript typescript go rust ruby php scala kotlin swift perl elixir haskell clojure
c# c++ cobol lua dart fortran bash erlang ocaml groovy; postgresql mysql mariadb sqlite mongodb
oracle cassandra dynamodb couchdb cockroachdb mssql firestore neo4j; redis memcached hazelcast;
kafka rabbitmq sqs nats activemq pulsar kinesis; elasticsearch opensearch solr algolia
meilisearch; aws azure gcp heroku digitalocean; terraform pulumi cloudformation; jenkins circleci
travis gitlab_ci github_actions teamcity buildkite; react vue angular svelte ember solid preact
jquery; jest vitest mocha jasmine; pytest unittest nose; cypress playwright selenium puppeteer;
npm yarn pnpm bun; pip poetry uv conda pipenv; maven gradle bazel; webpack vite rollup parcel
esbuild; eslint biome tslint; black yapf autopep8; flask django fastapi rails spring express
laravel; docker podman; kubernetes nomad ecs swarm; rest graphql grpc soap; json plaintext yaml
xml toml csv ini protobuf avro; http https; ssh telnet; sftp ftp scp; bcrypt argon2 scrypt md5
sha1 crc32; aes-256 des rc4 3des; slack teams discord email whatsapp telegram; zoom webex
google_meet; stripe paypal braintree adyen; postgis mapbox; jira trello asana linear; figma
sketch; git svn mercurial; okta auth0 cognito keycloak; datadog newrelic splunk; s3 gcs; nginx
apache caddy haproxy; tabs spaces; tab space; english german french spanish italian portuguese
dutch japanese chinese korean polish russian; train plane flight bus car taxi ferry metro subway
tram; aisle window middle; economy business; usd eur gbp jpy chf cad aud; dollars euros pounds
yen; celsius fahrenheit kelvin; metric imperial; kilometers miles; kilograms pounds; utc localtime
pst pdt est edt cet cest ist jst bst pacific_time eastern_time central_time mountain_time
local_time berlin_time london_time paris_time tokyo_time european_time indian_time standard_time
server_time; us-east-1 us-east-2 us-west-1 us-west-2 eu-west-1 eu-west-2 eu-west-3 eu-central-1
eu-central-2 eu-north-1 eu-south-1 ap-south-1 ap-southeast-1 ap-southeast-2 ap-northeast-1
ap-northeast-2 ca-central-1 sa-east-1 us-central1 us-east1 us-west1 europe-west1 europe-west2
europe-west3 europe-west4 asia-east1 westeurope northeurope eastus westus; camelcase snakecase
pascalcase kebabcase; main master develop; production staging development; squash rebase; integers
floats strings; integer float string; blue red green yellow purple orange; monday tuesday
wednesday thursday friday saturday sunday; january february march april june july august september
october november december; gas electric diesel; weekday weekend; north south east west; left
right; front back rear; upper lower; first second third; primary secondary; cash card
cheque; dark light
"""
_CONTRARY_TEXT = """
authentication: anonymous unauthenticated anonymously
authenticated: anonymous unauthenticated anonymously
login: anonymous anonymously
encrypt: plaintext unencrypted cleartext
encryption: plaintext unencrypted cleartext
hash: plaintext unhashed reversible
hashed: plaintext unhashed
reversible: irreversible permanent one-way oneway
reverse: irreversible
idempotent: nonidempotent
deterministic: random nondeterministic flaky randomized
stateless: stateful
immutable: mutable
readonly: writable writeable
synchronous: asynchronous async
asynchronous: synchronous blocking sync
optional: mandatory required
private: public publicly
internal: external public publicly
confidential: public publicly
closed: open
close: open
shut: open
lock: unlocked
locked: unlocked open
lowercase: uppercase
uppercase: lowercase
static: dynamic
strict: loose lax
nullable: nonnull
halal: pork bacon ham alcohol
kosher: pork bacon ham shrimp lobster
gluten-free: wheat barley rye
sterile: unsterile unsterilized
backward: breaking
compatible: breaking incompatible
paginated: unpaginated unbounded
bounded: unbounded unlimited
responsive: fixed-width
offline: online
online: offline
indoors: outdoors outside
ergonomic: standard
metric: imperial feet inch mile pound ounce yard gallon fahrenheit
imperial: metric metre meter kilometre kilometer kilogram litre celsius
enabled: disabled
enable: disable
encrypted: decrypted plaintext unencrypted cleartext
clear: blocked obstructed
sealed: unsealed open
anonymous: identifiable named
in-person: remote virtual online
"""


def _jobs() -> tuple[frozenset[str], ...]:
    rows = [row.split() for row in _JOBS_TEXT.split(";")]
    return tuple(frozenset(name.replace("_", " ") for name in row) for row in rows)


def _contraries() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in _CONTRARY_TEXT.strip().splitlines():
        word, _, others = line.partition(": ")
        table[word] = frozenset(others.split())
    return table


_JOBS = _jobs()
_CONTRARY = _contraries()
_PREFIXES = ("un", "non", "in", "ir", "im", "il", "dis")
_SHORTEST = 4
_NONE: frozenset[str] = frozenset()


def names_of(words: Sequence[Term]) -> frozenset[str]:
    """The names that these words may be: each of them, and neighbours taken together."""
    joined = {f"{left.text}{mark}{right.text}" for left, right in pairwise(words) for mark in "- "}
    return _NONE.union(*(item.forms for item in words)) | joined


@lru_cache(maxsize=4_096)
def rival_names(names: frozenset[str]) -> frozenset[str]:
    """Names of other choices for the job that one of these names is a choice for."""
    plain = names | {name.lstrip("=") for name in names}
    rows = [row for row in _JOBS if row & plain]
    return _NONE.union(*rows) - plain | rivals_of(names)


def has_contrary(word: str) -> bool:
    """Whether the word is a state whose contrary is listed."""
    return word in _CONTRARY


@lru_cache(maxsize=4_096)
def contraries_of(forms: frozenset[str]) -> frozenset[str]:
    """Words that say the contrary of these forms, by table or by prefix."""
    plain = {form.lstrip("=") for form in forms}
    listed = _NONE.union(*(_CONTRARY.get(form, _NONE) for form in plain))
    words = {form for form in plain if form.isalpha() and len(form) >= _SHORTEST}
    made = {
        prefix + word
        for word in words
        for prefix in _PREFIXES
        if len(word) > _SHORTEST or prefix in ("un", "non")
    }
    made |= {word.removeprefix("non") for word in words if word.startswith("non")}
    return (listed | made | opposites_of(forms)) - forms
