"""Rivals: things of which a project takes one for a job, and words that say the contrary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dmm.conflicts.vocabulary import concept_of, concepts, forms_of, joined_lines
from dmm.rules.language.wordsets import word_set


@dataclass(frozen=True, slots=True)
class Family:
    """Choices for one job; `sole`: one at a time; `contrary`: two that deny each other."""

    name: str
    sole: bool
    contrary: bool
    roles: frozenset[str]
    about: str


# name [!] (what it is about) roles: members. `!` marks a job that one member alone can have.
_CHOICES_TEXT = """
package-manager ! (package manager) install dependency lockfile package-manager: npm yarn pnpm bun
python-packages ! (Python package manager) install dependency lockfile virtualenv package-manager:
  pip poetry uv conda pipenv pdm hatch
javascript-tests ! (test runner) test unit runner: jest vitest mocha jasmine ava
python-tests ! (test runner) test unit runner: pytest unittest nose nose2
e2e-tests ! (end-to-end test tool) e2e test: cypress playwright selenium puppeteer testcafe
  webdriverio
python-format ! (formatter) format: black yapf autopep8
javascript-format ! (formatter) format lint: prettier biome standardjs dprint
python-lint ! (linter) lint: ruff flake8 pylint
type-checker ! (type checker) typecheck type: mypy pyright pyre pytype
indent ! (indentation) indent: tab space
quotes ! (quotes) quote string: singlequote doublequote
database (database) database store data persistence primary: postgresql=postgres mysql mariadb
  sqlite mongodb=mongo oracle mssql=sqlserver dynamodb cockroachdb cassandra couchdb firestore
  couchbase
cache (cache store) cache session store: redis memcached memcache hazelcast valkey
python-web (web framework) framework web api: flask django fastapi starlette bottle tornado
  litestar
javascript-web (web framework) framework frontend ui: react vue angular svelte solid preact
javascript-server (server framework) framework api: express fastify koa nestjs hapi hono
meta-framework (framework) framework: nextjs=next.js nuxt remix gatsby sveltekit astro
state-store (state library) state: redux zustand mobx recoil jotai vuex pinia
bundler ! (bundler) build: webpack vite rollup parcel esbuild turbopack
js-lint ! (linter) lint: eslint oxlint jshint tslint
css (styling) style css: tailwind=tailwindcss bootstrap styled-components css-modules sass emotion
  bulma
http-client (HTTP client) http request client: requests httpx aiohttp urllib3 axios ky got
  superagent
python-cli ! (argument parser) cli argument command parse: argparse click typer docopt
js-cli ! (argument parser) cli argument command parse: commander yargs oclif
go-cli ! (argument parser) cli argument command parse: cobra kingpin
rust-cli ! (argument parser) cli argument command parse: clap structopt
go-web (web framework) framework web api server: gin echo fiber chi
rust-web (web framework) framework web api server: axum actix rocket warp
java-web (web framework) framework web api: springboot quarkus micronaut dropwizard
rust-async ! (async runtime) async runtime: tokio async-std smol
java-json (JSON library) json serialize parse: jackson gson moshi
python-json (JSON library) json serialize parse: orjson ujson simplejson msgspec
data-frame (data frames) data frame table: pandas polars
flags ! (feature-flag service) feature-flag: launchdarkly unleash flagsmith growthbook configcat
object-store (object store) store bucket object state file: s3 gcs minio blobstorage
proxy ! (proxy) proxy route traffic load-balancer: nginx caddy traefik haproxy envoy
update-bot ! (update bot) dependency update: renovate dependabot
scheduler (scheduler) job cron workflow: airflow dagster prefect luigi temporal
realtime (push channel) push update event client: websocket sse polling
compression (compression) gzip compress: gzip brotli zstd lz4 snappy
docs-tool ! (documentation tool) document site: sphinx mkdocs docusaurus
mobile-kit (mobile framework) mobile app: reactnative flutter ionic
java-build ! (build tool) build: maven gradle ant bazel sbt
orm (data access) orm query database: sqlalchemy peewee prisma sequelize typeorm drizzle knex
  hibernate rawsql
migrations-tool ! (migration tool) migration: alembic flyway liquibase
api-style (API style) api interface communicate service: rest graphql grpc soap thrift trpc
cloud (cloud provider) cloud deploy: aws=amazon gcp azure hetzner digitalocean heroku
orchestration (orchestration) deploy container: kubernetes nomad ecs swarm compose
ci-server ! (CI system) ci pipeline build: github-actions=githubactions jenkins circleci travis
  gitlab-ci=gitlabci buildkite teamcity
infra-code ! (infrastructure tool) infrastructure provision: terraform pulumi cloudformation
  ansible cdk opentofu
container-tool (container tool) container build: docker podman buildah
message-broker (message broker) queue event message broker: kafka rabbitmq sqs nats pulsar
  activemq kinesis pubsub
search (search backend) search: elasticsearch opensearch solr meilisearch algolia typesense
monitoring (monitoring) monitor metric alert: prometheus datadog newrelic grafana cloudwatch
  splunk
error-tracking (error tracking) error report: sentry rollbar bugsnag honeybadger
python-log (logging library) log: loguru structlog
java-log (logging library) log: log4j logback
js-log (logging library) log: winston pino bunyan
password-hash ! (password hash) password hash: bcrypt argon2=argon2id scrypt pbkdf2 md5 sha1
  sha256
session (session strategy) session auth login: jwt servercookie
token-storage (token storage) token store: localstorage cookie sessionstorage
auth-method (authentication) auth api: apikey basicauth oauth bearer saml ldap
naming ! (naming style) name: snakecase camelcase pascalcase kebabcase screamingcase
number-of-nouns ! (naming style) table name endpoint: singular plural
branching ! (branch model) branch workflow: trunk-based=trunkbased gitflow github-flow=githubflow
merge-style ! (merge style) merge pr history: squash rebase mergecommit
base-branch ! (base branch) branch pr merge feature target: mainbranch developbranch trunk master
versioning ! (version scheme) version release: semver calver
license ! (licence) license: mit apache-2.0=apache gpl agpl lgpl bsd mpl proprietary
line-ending ! (line ending) line ending: lf crlf
timezone (time zone) timestamp time date timezone: utc localtime
time-format (time format) timestamp date time: iso8601 epoch
key-type (key type) id key primary table: uuid autoincrement ulid snowflake nanoid
money-type (money type) money store column: cent decimal float
pagination (pagination) pagination list endpoint: cursor offset
deletion (deletion) delete row: softdelete harddelete
repo-layout ! (repository layout) repository: monorepo polyrepo
rollout (rollout) deploy release: canary bluegreen rolling=rolling-update bigbang
retry-delay (retry delay) retry backoff: exponential constantdelay
imports ! (import style) import: absoluteimport relativeimport
exports ! (export style) export: defaultexport namedexport
react-style ! (component style) component: functional classcomponent
secret-place (place of secrets) secret store config: vault secretsmanager parameterstore env-var
  env-file hardcode
data-format (data format) format config payload message: json yaml toml xml protobuf cbor csv avro
  msgpack parquet ini plaintext
log-level (log level) loglevel log: debug info warning error trace
editor (editor) editor: vscode intellij vim emacs pycharm
chat (chat tool) chat message notify channel: slack teams discord mattermost
tracker ! (issue tracker) ticket: jira linear trello asana github-issues=githubissues
weekday (day) day: monday tuesday wednesday thursday friday saturday sunday
error-style (error style) error return: raise result-type=result errorcode
language (language) write implement: python javascript typescript golang rust java kotlin swift
  ruby php scala elixir c++ c# c dart perl haskell
transport ! (transport) traffic request call: plainhttp=cleartext https=tls=mtls
config-source (configuration source) config read setting: env-var env-file yaml toml ini configmap
  consul
shell (shell) shell script: bash zsh fish powershell
template (templates) template: jinja jinja2 handlebars mustache ejs
validation (validation library) validate schema: pydantic marshmallow zod yup joi ajv
queue-worker (job queue) job queue worker: celery rq sidekiq bullmq dramatiq resque
date-library (date library) date: moment dayjs luxon date-fns
node-manager ! (version manager) version: nvm volta asdf fnm mise
os-base (base image) image container: alpine debian ubuntu distroless slim
lock-style (locking) lock row update: optimistic pessimistic
id-place (place) path: header querystring
"""

# Two words of which one says what the other denies.
_CONTRARIES_TEXT = """
enable disable
public private
sync async
automatically manually
ascending descending
eager lazy
mutable readonly
writable readonly
lowercase uppercase
encrypt plaintext
stateful stateless
parallel sequential
optin optout
include exclude
strict lenient
inclusive exclusive
visible hidden
online offline
static dynamic
increase decrease
before after
blocklist allowlist
present absent
top bottom
shared separate
dark light
high low
small large
early late
internal external
local remote
temporary permanent
horizontal vertical
open closed
omit null
relative absolute
anonymize plaintext
sign unsigned
lock unlock
inherit override
nullable notnull
incoming outgoing
verbose quiet
expand collapse
persistent ephemeral
ordered unordered
"""


def _families() -> tuple[dict[str, tuple[tuple[str, str], ...]], dict[str, Family]]:
    members: dict[str, list[tuple[str, str]]] = {}
    families: dict[str, Family] = {}
    for line in joined_lines(_CHOICES_TEXT):
        head, _, tail = line.partition("):")[0], "", line.rpartition(": ")[2]
        label, _, rest = head.partition("(")
        about, _, _ = rest.partition(")")
        roles = line.partition(")")[2].rpartition(":")[0].split()
        name = label.replace("!", "").strip()
        families[name] = Family(name, "!" in label, False, concepts(" ".join(roles)), about)
        for entry in tail.split():
            first, *same = entry.split("=")
            for word in (first, *same):
                members.setdefault(word, []).append((name, first))
    for line in _CONTRARIES_TEXT.strip().splitlines():
        one, other = line.split()
        name = f"{one}/{other}"
        families[name] = Family(name, True, True, frozenset(), f"{one} or {other}")
        members.setdefault(one, []).append((name, one))
        members.setdefault(other, []).append((name, other))
    return {word: tuple(places) for word, places in members.items()}, families


_MEMBERS, FAMILIES = _families()


# Everyday words that name a choice only as a name, or right after "use" and "with".
_EVERYDAY = word_set(
    """requests express solid next go got ky swift teams linear ant result slim header info error
    debug trace warning rolling bottle black space pull single rest c poetry nose standard
    compose spring raise cookie remix emotion hatch got open static delete click echo fiber
    chi rocket warp commander envoy unleash temporal snappy smol prefect gin clap polling"""
)
_BEFORE_CHOICE = word_set("use with via library over prefer adopt import called")


def is_everyday(text: str) -> bool:
    """Whether a word also has an everyday meaning, so that it alone does not name a choice."""
    return text in _EVERYDAY


def leads_to_choice(concept: str) -> bool:
    """Whether the word before makes an everyday word a choice: "use requests"."""
    return concept in _BEFORE_CHOICE


@lru_cache(maxsize=16_384)
def places_of(text: str, concept: str) -> tuple[tuple[str, str], ...]:
    """The families that a word belongs to, each with the member it is there."""
    found = _MEMBERS.get(concept) or _MEMBERS.get(text)
    if found is None:
        found = next((_MEMBERS[form] for form in sorted(forms_of(text)) if form in _MEMBERS), None)
    if found is None and text.endswith("ally"):
        found = _MEMBERS.get(text[:-4])
    if found is None and text.endswith(".js"):
        found = _MEMBERS.get(text[:-3])
    if found is None and text.endswith("js"):
        found = _MEMBERS.get(text[:-2])
    return found or ()


def is_choice(text: str) -> bool:
    """Whether a word names one of the things that compete for a job, and hardly anything else."""
    return not is_everyday(text) and any(
        not FAMILIES[family].contrary for family, _ in places_of(text, concept_of(text))
    )
