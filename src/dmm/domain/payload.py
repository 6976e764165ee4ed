"""The payload of each type of event: one class per type, read and written by its fields alone.

Events keep what is stored as it is: types and keys that are unknown here survive untouched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from dmm.domain.conflict import ConflictType, Method, Side
from dmm.domain.event import EventType
from dmm.domain.frozen import frozen
from dmm.domain.receipt_payload import KeptReceipt
from dmm.domain.recorded import Payload, recorded


@recorded()
class HookReport(Payload):
    """What every report of a hook or a transcript may tell; `late` is one that was spooled."""

    agent: str = ""
    speaker: str = ""
    turn: str = ""
    redacted: Mapping[str, int] = field(default_factory=dict)
    late: bool = False
    branch: str | None = None


@recorded(EventType.SESSION_STARTED)
class SessionStarted(HookReport):
    """A session began."""

    client: str = ""
    cwd: str = ""
    source: str = ""


@recorded(EventType.SESSION_ENDED)
class SessionEnded(HookReport):
    """A session ended."""

    reason: str = ""


@recorded(EventType.CONTEXT_COMPACTED)
class ContextCompacted(HookReport):
    """A session's context is about to be emptied, or was; `stage` says which."""

    stage: str = ""
    trigger: str = ""
    text: str = ""


@recorded(EventType.USER_MESSAGE_RECEIVED, EventType.TURN_ENDED, EventType.SUBAGENT_ENDED)
class Words(HookReport):
    """What somebody said; None where that is not known."""

    text: str | None = None


@recorded(EventType.USER_MESSAGE_RECEIVED)
class UserMessageReceived(Words):
    """The user said something."""


@recorded(EventType.TURN_ENDED)
class TurnEnded(Words):
    """An agent answered."""


@recorded(EventType.SUBAGENT_ENDED)
class SubagentEnded(Words):
    """A subagent answered."""


@recorded(EventType.TOOL_REQUESTED, EventType.TOOL_USED, EventType.TOOL_FAILED)
class ToolCalled(HookReport):
    """A tool call: `text` tells it in one line, `summary` did so once.

    `outcome` is read from the whole output.
    """

    input: Mapping[str, Any] | None
    tool: str = ""
    cwd: str = ""
    text: str = ""
    summary: str = ""
    call: str = ""
    milliseconds: int | None = None
    exit: int | None = None
    output: str = ""
    outcome: str | None = None
    unfinished: bool = False

    @property
    def said(self) -> str:
        """What the tool printed, or why it failed."""
        return self.output

    @property
    def status(self) -> int | None:
        """The exit status; a call that failed has one that is not 0."""
        return self.exit


@recorded(EventType.TOOL_REQUESTED)
class ToolRequested(ToolCalled):
    """A client asked whether a call may be made; `place` is the checkout whose rules it met.

    Where a rule asks, `digest` names the call; `allowed` is the event that let it through.
    """

    verdict: Mapping[str, Any] = field(default_factory=dict)
    place: str | None = None
    digest: str = ""
    allowed: int | None = None


@recorded(EventType.TOOL_USED)
class ToolUsed(ToolCalled):
    """A call was made."""


@recorded(EventType.TOOL_FAILED)
class ToolFailed(ToolCalled):
    """A call failed."""

    error: str = ""

    @property
    def said(self) -> str:
        """Why it failed."""
        return self.error

    @property
    def status(self) -> int | None:
        """The exit status, which is not 0."""
        return self.exit or 1


@recorded(EventType.FACT_ADDED)
class FactAdded(Payload):
    """A fact was recorded."""

    key: str
    value: str
    confidence: float | None


@recorded(EventType.CONSTRAINT_ADDED)
class ConstraintAdded(Payload):
    """A constraint was recorded; `rule` is what it was compiled to.

    `since` is the last decision that it guards, `tainted` the tool event whose words it repeats,
    `replaces` the constraint that stood in the same file before.
    """

    text: str
    priority: str | None
    rule: Mapping[str, Any] | None
    triggered_by: int | None = None
    since: int = 0
    tainted: int | None = None
    replaces: int | None = None


@recorded(EventType.CONSTRAINT_ACCEPTED)
class ConstraintAccepted(Payload):
    """A person accepted a constraint."""

    seq: int


@recorded(EventType.CONSTRAINT_DEACTIVATED)
class ConstraintDeactivated(Payload):
    """A constraint was lifted; one from a file tells why, and which rule it was."""

    seq: int
    reason: str | None = None
    id: str | None = None
    path: str | None = None


@recorded(EventType.DECISION_MADE, EventType.DECISION_BLOCKED)
class DecisionRecorded(Payload):
    """A decision was checked; `applied` are the constraints whose look-ups it used up."""

    text: str
    rationale: str | None
    references: tuple[int, ...]
    status: str | None
    verdict: Mapping[str, Any]
    applied: tuple[int, ...]
    place: str | None = None


@recorded(EventType.DECISION_MADE)
class DecisionMade(DecisionRecorded):
    """A decision was committed."""


@recorded(EventType.DECISION_BLOCKED)
class DecisionBlocked(DecisionRecorded):
    """A decision was blocked."""


@recorded(EventType.MEMORY_QUERY_ISSUED)
class MemoryQueryIssued(Payload):
    """The ledger was searched; `text` held the question once."""

    question: str | None
    scope: str | None
    text: str = ""


@frozen
class Held:
    """A memory as a pack or a report names it; a briefing is known by its hash alone."""

    path: str = ""
    id: str | None = None
    hash: str | None = None


@recorded(EventType.PACK_SERVED)
class PackServed(Payload):
    """A pack was served, or a briefing, or what was added to a prompt; old ones lack a receipt."""

    task: str | None
    retrieved: tuple[Held, ...]
    baseline: tuple[Held, ...] | None = None
    constraints: tuple[int, ...] | None = None
    budget: int | None = None
    tokens: int | None = None
    briefing: str | None = None
    files: tuple[str, ...] = ()
    agent: str = ""
    receipt: KeptReceipt | None = None

    @property
    def memories(self) -> tuple[Held, ...]:
        """The memories that were served, the baseline first; a briefing is none."""
        return tuple(one for one in (*(self.baseline or ()), *self.retrieved) if one.path)


@recorded(EventType.USAGE_REPORTED)
class UsageReported(Payload):
    """Somebody said how memories fared."""

    memories: tuple[Held, ...]
    outcome: str
    context: str | None


@recorded(EventType.MODEL_CALLED)
class ModelCalled(Payload):
    """A chat model was asked; nothing that was said is part of it."""

    purpose: str
    provider: str | None
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    outcome: str | None
    milliseconds: int | None
    proposal: int | None = None
    observations: tuple[str, ...] | None = None
    estimated: bool = False


@recorded(EventType.CONFLICT_FOUND)
class ConflictFound(Payload):
    """Two memories were found to clash."""

    id: str | None
    type: ConflictType
    confidence: float | None
    memories: tuple[Side, ...]
    description: str | None
    suggestion: str | None
    methods: tuple[Method, ...]
    quotes: tuple[str, ...]
    key: str | None


@recorded(EventType.CONFLICT_RESOLVED)
class ConflictResolved(Payload):
    """A conflict was settled, is to be settled by proposals, or is gone."""

    id: str
    action: str
    reason: str | None
    proposals: tuple[int, ...]
    target: str | None = None


@recorded(EventType.OBSERVATION_MADE)
class ObservationMade(Payload):
    """Something was observed (`text`), or a model found other words for an observation (`of`)."""

    text: str = ""
    kind: str = ""
    of: str = ""
    title: str = ""
    narrative: str = ""
    facts: tuple[str, ...] | None = None
    model: str = ""


@recorded(EventType.MEMORY_EXPIRED)
class MemoryExpired(Payload):
    """A memory expired, and a proposal asks what to do."""

    id: str | None
    path: str
    expires: str
    proposal: int | None


@recorded(EventType.PAYLOAD_REDACTED)
class PayloadRedacted(Payload):
    """The payload of an event was blanked."""

    seq: int
    reason: str | None


@recorded(EventType.LEDGER_RESTORED)
class LedgerRestored(Payload):
    """The ledger goes on from a backup that ended at an event."""

    seq: int
    missing: int | None


@recorded(EventType.PASSKEYS_NOTED)
class PasskeysNoted(Payload):
    """The passkeys that confirm decisions, by their marks; a person did without those given up."""

    passkeys: tuple[str, ...]
    given_up: tuple[str, ...] = ()


@recorded(EventType.FILES_MERGED)
class FilesMerged(Payload):
    """Conflict markers of Git were resolved: files merged, with both versions kept, or left."""

    merged: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@recorded(EventType.CALL_ALLOWED)
class CallAllowed(Payload):
    """A person lets a call through once: `of` is the event that asked, `digest` names the call."""

    of: int
    digest: str
