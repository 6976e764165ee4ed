"""Request and response models of the HTTP surface.

Pydantic reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from dmm.domain.memory import Scope
from dmm.packs.service import MAX_QUERY_CHARACTERS
from dmm.redaction.inputs import LONGEST, LONGEST_TEXT

LARGEST = 2**63 - 1
LARGEST_BUDGET = 10_000_000
MOST_REFERENCES = 1_000
LONGEST_SESSION = 200
# Something other than blanks.
WRITTEN = r"[^\s\x1c-\x1f\x85]"


def _whole(value: object) -> object:
    """Read 3.0 as 3, as JSON Schema does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Seq = Annotated[
    int,
    Field(ge=0, le=LARGEST, description="The number of an event."),
    BeforeValidator(_whole),
]
Budget = Annotated[
    int,
    Field(ge=0, le=LARGEST_BUDGET, description="A number of tokens."),
    BeforeValidator(_whole),
]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=WRITTEN)]
Rule = Annotated[str, Field(min_length=1, max_length=LONGEST["constraint"], pattern=WRITTEN)]
Root = Annotated[
    str | None,
    Field(description="The project: the absolute path of its folder or of a subfolder."),
]
Priority = Literal["required", "preferred", "learned"]


class Request(BaseModel):
    """A request: every field is known, and no value is turned into another kind."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class InProject(Request):
    """A request to one project, which need not be named where only one is open."""

    root: Root = None


class Query(InProject):
    """What a pack is asked for."""

    query: Annotated[str, Field(max_length=MAX_QUERY_CHARACTERS, description="The task.")]
    budget: Budget | None = None
    baseline_budget: Budget | None = None
    scope_filter: Annotated[Scope | None, Field(strict=False)] = None
    exclude_ephemeral: bool = False
    include_deprecated: bool = False
    precise: bool = False
    explain: bool = False
    verbose: bool = False
    record: Annotated[bool, Field(description="False for a try that counts as nothing.")] = True


class Reindex(InProject):
    """What is to be indexed: changes, or everything anew."""

    full: bool = False


class Fact(InProject):
    """A fact to record."""

    key: Annotated[str, Field(min_length=1, max_length=LONGEST["key"], pattern=WRITTEN)]
    value: Text
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    caused_by: Seq | None = None


Part = Annotated[str, Field(min_length=1, max_length=8_192, description="In base64url.")]
Confirmed = Annotated[str, Field(min_length=1, max_length=100)]


class Credential(Request):
    """What a passkey answered to the challenge of a confirmation."""

    id: Part
    client_data: Part
    authenticator_data: Part
    signature: Part


class ProofGiven(Request):
    """That a person decides: a confirmation, with the code of a terminal or a passkey's answer."""

    confirmation: Confirmed
    code: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    credential: Credential | None = None


Whole = Annotated[
    str, Field(pattern="^[0-9a-f]{64}$", description="The whole digest of what was shown.")
]


class Decided(InProject):
    """Something that a person decides."""

    proof: ProofGiven | None = None


class Constraint(Decided):
    """A constraint to record; a learned one names the event that taught it."""

    text: Rule
    priority: Priority = "required"
    triggered_by: Seq | None = None
    match: dict[str, Any] | list[Any] | None = None
    examples: dict[str, Any] | None = None


class Decision(InProject):
    """A decision to check and record."""

    text: Text
    rationale: Text
    references: Annotated[list[Seq], Field(max_length=MOST_REFERENCES)] = []


class Question(InProject):
    """Something to look up in the ledger."""

    question: Text
    scope: Literal["facts", "constraints", "decisions", "all"] = "all"


class Simulation(InProject):
    """A decision to try as if a constraint had been there."""

    inject_constraint: Rule
    at_seq: Seq
    then_decide: Text
    priority: Priority = "required"


class Rehearsal(InProject):
    """A constraint to hold the past against."""

    text: Rule
    priority: Priority = "required"


class Login(Request):
    """A one-time code."""

    code: Annotated[str, Field(min_length=1, max_length=200)]


class Told(BaseModel):
    """An answer; what it holds beyond the fields named here may grow."""

    model_config = ConfigDict(extra="allow")


class ErrorBody(Told):
    """What went wrong, where, and the way out."""

    code: str
    what: str
    where: str | None
    hint: str | None


class Failure(Told):
    """The body of every error response."""

    error: ErrorBody


class SessionTold(Told):
    """An open session; its secret is in the cookie alone."""

    status: Literal["open"]


class SignInTold(Told):
    """Whether this browser is signed in; `sessions` counts all browsers that are."""

    signed_in: bool
    since: str | None
    sessions: int
    passkey: dict[str, int | bool]
    confirm: Literal["passkey", "code", "none"]


class NotSignedInTold(Told):
    """What a browser is told that is not signed in."""

    signed_in: Literal[False]


class SignedOutTold(Told):
    """How many sessions were ended."""

    ended: int


class PackTold(Told):
    """A pack as data; FORMAT.md has all of it."""

    format: int
    query: str
    budget: int
    total_tokens: int
    baseline_entries: list[dict[str, Any]]
    retrieved_entries: list[dict[str, Any]]
    included_paths: list[str]
    excluded_paths: list[str]
    notices: list[str]


class QueryTold(Told):
    """A pack, as data and as an agent reads it."""

    pack: PackTold
    pack_markdown: str
    stats: dict[str, Any]


class HealthTold(Told):
    """Whether the daemon is well."""

    status: str
    uptime: float
    indexed_count: int


class ProjectTold(Told):
    """One open project."""

    root: str
    memory_root: str
    indexed_memories: int
    baseline_tokens: int
    last_reindex: str | None
    watcher_active: bool


class StatusTold(Told):
    """The daemon, the project that was asked for, and all that are open."""

    daemon_version: str
    memory_root: str | None
    indexed_memories: int
    baseline_tokens: int
    last_reindex: str | None
    watcher_active: bool
    projects: list[ProjectTold]


class ProjectsTold(Told):
    """The projects that can be chosen: each has `root`, `name`, `trusted` and `open`."""

    projects: list[dict[str, object]]


class ReindexTold(Told):
    """What indexing did."""

    reindexed: int
    errors: int
    duration_ms: int


class HistogramTold(Told):
    """How many events there were when; `head` is the newest."""

    head: int
    buckets: list[dict[str, object]]
