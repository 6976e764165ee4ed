"""The words that show a text's subject, and whether others fit."""

from __future__ import annotations

from dataclasses import dataclass

from dmm.index.analysis import analyze
from dmm.text.stem import stem

SHORTEST_ROOT = 4
LONGEST_ROOT = 12

# Words of any text about software: sharing them says nothing about the subject.
_COMMON_TEXT = """
use run make need work want get set add new old one two three time way thing name value see keep
put take give go come look find show tell say know think call change write read file line code
project system software user team people person day week month year part case point kind type
number list order example reason note rule step first last next same other another many much more
most few some any every each all both only also just even still again always never must should
may might could would will shall now then here there up down out over under above below between
after before while during since until without within through about into onto per via not no yes
good bad better best right wrong true false high low long short small large big little full empty
start stop begin end open close create delete remove update check ensure follow avoid prefer
because therefore so thus however instead rather than than if when where who what which why how
done doing being been are was were have has had having it its they them their we our you your he
she his her this that these those against such like very too own able available possible
default usual common general specific single different decision context consequence background
detail problem issue solution option choice approach current currently existing main important
self itself whole entire entirely exactly simply really actually already later once twice soon
mean happen become let lead leave stay seem turn try help bring hold stand allow require provide
include contain belong apply exist matter depend expect handle support result result come
memory memories document documentation page section item entry text word sentence title
"""

# Words that belong to one area of work: a tag of the area goes with a text that uses the others.
_AREAS_TEXT = """
auth authentication authorization login logout session cookie jwt token oauth oidc sso password
    credential permission role identity signin saml mfa 2fa csrf bearer rbac acl hash bcrypt argon2
database db sql postgres postgresql mysql sqlite query table row column index schema migration
    transaction orm alembic sqlalchemy persistence storage join lock vacuum replica mongo flyway
api rest http https endpoint request response route router handler graphql grpc openapi status
    header payload client webhook versioning pagination idempotency json backend
test testing pytest jest vitest fixture mock coverage assertion suite flaky e2e unit integration
    ci regression qa playwright cypress snapshot hypothesis
build compile compiler bundler webpack vite package dependency lockfile npm pnpm yarn pip cargo
    gradle maven makefile toolchain wheel artifact registry monorepo workspace tooling node
deploy deployment release rollout rollback staging production environment kubernetes k8s docker
    container helm terraform infra infrastructure ops devops cluster image pod canary server
logging log logs metric metrics tracing trace monitoring alert alerting observability dashboard
    telemetry opentelemetry prometheus grafana incident oncall sentry debugging
performance latency throughput cache caching memoization profiling speed slow fast optimization
    timeout benchmark redis ttl concurrency load rate limit throttling scaling
security secret encryption tls ssl certificate vulnerability xss injection sanitize audit key
    vault compliance privacy gdpr firewall cve hardening redaction
frontend ui ux css html component react vue svelte angular browser dom style design accessibility
    layout button form page widget storybook tailwind typescript javascript i18n localization
git commit branch merge rebase pull push repository repo tag changelog review pr workflow hook
    monorepo version versioning history squash conflict
queue job worker message broker kafka rabbitmq celery event stream consumer producer async retry
    scheduler cron background task topic partition dead-letter messaging
error exception failure crash bug retry fault resilience handling traceback panic fallback
    timeout recovery debugging troubleshooting
billing payment invoice price subscription refund currency money tax stripe checkout order ledger
    accounting finance
style convention naming formatting lint linter ruff eslint prettier black mypy typing types
    conventions quality guideline standards
architecture module layer boundary domain service pattern ddd hexagonal monolith microservice
    interface design adr structure coupling
data pipeline etl batch warehouse parquet csv analytics dataset import export spark airflow
ml model training inference embedding vector llm prompt dataset gpu ai agent retrieval
file filesystem path directory upload download storage s3 bucket disk backup restore archive
email mail smtp notification sms push template mailer
network dns tcp udp socket proxy gateway port ip vpn load-balancer nginx tls
docs documentation readme guide onboarding tutorial wiki manual knowledge writing
time date timezone utc clock calendar timestamp schedule expiry dst
search index ranking bm25 fulltext elasticsearch lucene relevance query
config configuration setting settings env environment flag feature toggle yaml dotenv
mobile ios android app swift kotlin flutter apk store
"""


def _areas() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    row = ""
    for line in _AREAS_TEXT.strip("\n").splitlines():
        row = row if line.startswith(" ") else line.split()[0]
        for word in line.split():
            table.setdefault(stem(word), set()).add(f"@{row}")
    return {word: frozenset(rows) for word, rows in table.items()}


_COMMON = frozenset(stem(word) for word in _COMMON_TEXT.split())
_AREAS = _areas()
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The telling words of a text: their stems, and the areas they belong to."""

    terms: frozenset[str]
    areas: frozenset[str]
    roots: frozenset[str]

    def covers(self, word: str) -> bool:
        """Whether a word, or one close to it, is said here."""
        return any(self._holds(term) for term in analyze(word))

    def touches(self, word: str) -> bool:
        """Whether a word is of an area that this text is about."""
        return self.covers(word) or any(
            not areas_of(term).isdisjoint(self.areas) for term in analyze(word)
        )

    def shared(self, other: Vocabulary) -> int:
        """How many telling words two texts have in common."""
        return len(self.terms & other.terms)

    def _holds(self, term: str) -> bool:
        if term in self.terms:
            return True
        if len(term) < SHORTEST_ROOT:
            return False
        starts = (term[:n] for n in range(SHORTEST_ROOT, min(len(term), LONGEST_ROOT) + 1))
        return term[:LONGEST_ROOT] in self.roots or any(s in self.terms for s in starts)


def read_vocabulary(text: str) -> Vocabulary:
    """Collect the telling words of a text."""
    terms = frozenset(telling_words(text))
    roots = frozenset(
        term[:n] for term in terms for n in range(SHORTEST_ROOT, min(len(term), LONGEST_ROOT) + 1)
    )
    return Vocabulary(terms, _NOTHING.union(*map(areas_of, terms)), roots)


def telling_words(text: str) -> list[str]:
    """The stems of a text without those that stand in any text, in order."""
    return [term for term in analyze(text) if term not in _COMMON and not term.isdigit()]


def areas_of(term: str) -> frozenset[str]:
    """The areas of work that a stem belongs to."""
    return _AREAS.get(term, _NOTHING)
