"""Request and response models for writing memory over HTTP.

Pydantic reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from dmm.domain.memory import Scope
from dmm.http.models import WRITTEN, Decided, InProject, Seq, Told, Whole
from dmm.lifecycle.service import LONGEST_CONTEXT, MOST_REPORTED
from dmm.redaction.inputs import LONGEST_TEXT
from dmm.review.service import LONGEST_REASON

LONGEST_PATH = 1_000
LONGEST_NAME = 200
MOST_NAMES = 50
# In bytes a proposal is held to less; this keeps what nobody would read from being looked at.
LONGEST_CONTENT = 64 * 1024

FilePath = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_PATH,
        pattern=WRITTEN,
        description="A file under .dmm/memory, such as project/auth/sessions.md.",
    ),
]
Reason = Annotated[str, Field(min_length=1, max_length=LONGEST_REASON, pattern=WRITTEN)]
Said = Annotated[str, Field(max_length=LONGEST_REASON)]
Content = Annotated[str, Field(max_length=LONGEST_CONTENT)]
Seen = Annotated[
    str,
    Field(
        pattern="^[0-9a-f]{8,64}$",
        description="The digest shown with the proposal, or a prefix of it.",
    ),
]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=WRITTEN)]
Names = Annotated[list[Name], Field(max_length=MOST_NAMES)]


class Proposing(InProject):
    """A change of memory; without an operation, a file that is there is updated, else created."""

    path: FilePath
    reason: Reason
    operation: Literal["create", "update", "deprecate", "promote", "demote"] | None = None
    content: Content | None = None
    patch: Content | None = None
    base: Annotated[str, Field(pattern="^[0-9a-f]{8,64}$")] | None = None
    new_scope: Annotated[Scope | None, Field(strict=False)] = None
    to: FilePath | None = None
    tags: Names = Field(default_factory=list)
    priority: Annotated[float, Field(ge=0, le=1)] | None = None
    expires: Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] | None = None
    supersedes: Names = Field(default_factory=list)
    related: Names = Field(default_factory=list)
    evidence: Annotated[list[Seq], Field(max_length=MOST_NAMES)] = Field(default_factory=list)
    source: Literal["user", "agent", "tool", "third_party"] | None = None


class Note(Decided):
    """A note to remember; `replaces` names the memory whose text it takes."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_CONTENT, pattern=WRITTEN)]
    replaces: Name | None = None
    anyway: bool = False
    source: Literal["user", "agent", "tool", "third_party"] | None = None


class Forgetting(Decided):
    """A memory to forget, by its path, its id or words; `seen` is the digest of its text."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_PATH, pattern=WRITTEN)]
    reason: Said = ""
    seen: Whole | None = None


class Processing(InProject):
    """A proposal to be put to the reviewer agent."""


class Approval(Decided):
    """A person's yes; it can insist where checks speak against it."""

    reason: Said = ""
    bypass_reviewer: bool = False
    seen: Seen | None = None


class Rejection(Decided):
    """A person's no."""

    reason: Reason
    seen: Seen | None = None


class Change(Decided):
    """A person's text in the place of the proposed one."""

    content: Content
    reason: Said = ""
    seen: Seen | None = None


class Undo(Decided):
    """Which writes to take back: one by its number, or all of a session or a source.

    `seen` is the digest of the preview; that of one proposal is the proposal's own.
    """

    seq: Seq | None = None
    session: Name | None = None
    source: Name | None = None
    reason: Said = ""
    preview: bool = False
    seen: Whole | None = None


class Feedback(InProject):
    """How memories fared, named by id or path."""

    memories: Annotated[list[Name], Field(min_length=1, max_length=MOST_REPORTED)]
    outcome: Literal["helped", "wrong", "outdated"]
    context: Annotated[str, Field(max_length=LONGEST_CONTEXT)] = ""


class Flag(InProject):
    """Two memories that do not go together, by id or path."""

    ids: Annotated[list[Name], Field(min_length=2, max_length=2)]
    description: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=WRITTEN)]


class Resolving(Decided):
    """How a conflict is to be settled; `content` is a new text, or one for each id.

    `seen` is the digest that was shown with the conflict.
    """

    action: Literal["deprecate", "merge", "clarify", "intentional"]
    reason: Reason
    target: Name | None = None
    content: Content | dict[str, Content] | None = None
    seen: Whole | None = None


class ShownTold(Told):
    """Everything about one proposal."""

    id: str
    status: str
    checks: list[dict[str, Any]]
    reviews: list[dict[str, Any]]
    digest: str
    edits: list[dict[str, Any]]
    diff: list[str]
    neighbours: list[dict[str, object]]
    conflicts: list[dict[str, object]]
    body: list[dict[str, object]]


class PreviewTold(Told):
    """What would be said to a change; `text` and `body` are None and empty for a deletion."""

    path: str
    operation: str
    checks: list[dict[str, object]]
    diff: list[str]
    tier: str
    why: str
    neighbours: list[dict[str, object]]
    conflicts: list[dict[str, object]]
    digest: str
    body: list[dict[str, object]]


class ConflictSideTold(Told):
    """One memory of a conflict; `text` is null where its file is gone."""

    path: str
    title: str
    text: str | None
    quote: str
    body: list[dict[str, object]]


class ConflictShownTold(Told):
    """One conflict with both texts."""

    conflict_id: str
    type: str
    status: str
    sides: list[ConflictSideTold]
