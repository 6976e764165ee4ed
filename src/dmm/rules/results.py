"""What the operations on rules and constraints return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mark:
    """On how many calls a rule could not be checked, and why on the last of them."""

    calls: int
    why: str
    where: str
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """Whether the rules of the project are in force; told only where they are not."""

    trusted: bool = True
    in_force: bool = True


@dataclass(frozen=True, slots=True)
class RuleRow(InForce):
    """A rule in brief; `kind` is its place: a file, the ledger or the team's log."""

    id: str
    title: str
    state: str
    level: str
    kind: str
    path: str | None
    seq: int | None
    held: bool = False
    disabled: bool = False
    pending: bool = False
    starter: bool = False
    unchecked: Mark | None = None


@dataclass(frozen=True, slots=True)
class Examples:
    """Calls that a rule stops, and calls that it allows."""

    block: tuple[str, ...]
    allow: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView(RuleRow):
    """A rule with what it does in plain words, its examples and where it comes from.

    `constraint` and `priority` are told to who recorded it as a constraint.
    """

    matches: tuple[str, ...]
    examples: Examples
    why: str
    origin: str | None
    triggered_by: int | None
    note: str = ""
    constraint: str = ""
    priority: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleShown(RuleView):
    """Everything about a rule; one that is proposed says what it becomes once accepted."""

    source: str | None
    stopped: int
    digest: str
    proposes: str = ""
    becomes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAccepted(RuleRow):
    """A rule file that was a proposed constraint until a person accepted it."""

    accepted: int
    constraint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAdopted(RuleRow):
    """A rule file that was a constraint of the ledger."""

    adopted: int


@dataclass(frozen=True, slots=True)
class RuleKept:
    """A constraint that no rule file can express."""

    seq: int
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Adopted:
    """Which constraints are rule files now, and which stayed in the ledger."""

    adopted: tuple[RuleAdopted, ...]
    kept: tuple[RuleKept, ...]


@dataclass(frozen=True, slots=True)
class RuleFault:
    """A rule file that can't be used, with its line."""

    path: str | None
    line: int | None
    what: str
    hint: str | None


@dataclass(frozen=True, slots=True)
class RuleList(InForce):
    """All rules, the most binding first, how many are in force by state, and broken files."""

    rules: tuple[RuleRow, ...]
    counts: Mapping[str, int]
    faults: tuple[RuleFault, ...]


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """The file that a rule would have; `new` is False where one gets its matcher."""

    id: str
    source: str
    new: bool


@dataclass(frozen=True, slots=True)
class Uncompiled:
    """A sentence without a matcher."""

    id: str
    title: str
    origin: str | None


@dataclass(frozen=True, slots=True)
class Uncompileds:
    """The sentences without a matcher, laid out for an agent."""

    sentences: tuple[Uncompiled, ...]
    text: str


@dataclass(frozen=True, slots=True)
class UncheckedRule:
    """A rule that could not be checked on real calls lately, and why on the last of them."""

    id: str
    title: str
    calls: int
    why: str
    where: str
    last: int


@dataclass(frozen=True, slots=True)
class Proved:
    """How the examples of the rule files came out."""

    files: int
    rules: int
    examples: int
    failures: tuple[RuleFault, ...]
    unchecked: tuple[UncheckedRule, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """A call that a rule stopped or asked about."""

    seq: int
    at: str
    call: str
    level: str
    reason: str


@dataclass(frozen=True, slots=True)
class RuleExplained:
    """A rule explained by what it stopped last."""

    id: str
    title: str
    state: str
    matches: tuple[str, ...]
    stopped: int
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True)
class VerdictExplained:
    """A recorded verdict, and the verdict of today's engine."""

    seq: int
    branch: str | None
    decision: str
    recorded: Mapping[str, Any]
    replayed: Mapping[str, Any]
    agrees: bool


@dataclass(frozen=True, slots=True)
class Met:
    """A past decision or call that a rule matches."""

    seq: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What a rule would have blocked in the past."""

    constraint: str
    enforceable: bool
    decisions: int
    tool_calls: int
    would_block: tuple[Met, ...]


@dataclass(frozen=True, slots=True)
class RuleRehearsed(Rehearsed):
    """What a rule would have blocked and asked about in the past."""

    would_ask: tuple[Met, ...]
    calls_blocked: int
    state: str = ""


@dataclass(frozen=True, slots=True)
class CallFinding:
    """A rule that matches a call or a decision."""

    rule: str | None
    seq: int | None
    title: str
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class CallChecked(InForce):
    """The verdict on a call or a decision that was neither run nor recorded."""

    call: str
    outcome: str
    rule: str | None
    seq: int | None
    title: str | None
    reason: str
    suggestion: str | None
    findings: tuple[CallFinding, ...]


@dataclass(frozen=True, slots=True)
class ConstraintRecorded:
    """A recorded constraint, which may have been `existing` already.

    One of an agent's is `pending`; with a matcher it has the `id` of the rule file it would be.
    """

    seq: int
    constraint: str
    priority: str
    triggered_by: int | None = None
    pending: bool = False
    note: str = ""
    id: str = ""
    existing: bool = False
    state: str = ""


@dataclass(frozen=True, slots=True)
class StarterAdded:
    """The starter rules that were added, and how many were there already."""

    added: tuple[ConstraintRecorded, ...]
    present: int
    pending: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class ConstraintBinds:
    """A constraint that a person accepted."""

    seq: int
    accepted: int
    constraint: str


@dataclass(frozen=True, slots=True)
class ConstraintLifted:
    """A constraint that is inactive now; `id` is the name it was called by."""

    seq: int
    deactivated: int
    constraint: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class ConstraintView:
    """A constraint in brief; one in force has the word for what it does."""

    text: str
    priority: str
    active: bool
    seq: int
    id: str = ""
    file: str = ""
    state: str = ""
    pending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingConstraint(ConstraintView):
    """A constraint that no person has accepted yet, with where it came from."""

    trust: str
    actor: str | None
    session: str | None
    tainted: int | None
    digest: str


@dataclass(frozen=True, slots=True)
class PendingConstraints:
    """The constraints that no person has accepted yet."""

    pending: tuple[PendingConstraint, ...]


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that a rule asked about, whole or cut; `digest` identifies it."""

    seq: int
    actor: str
    at: str
    tool: str
    input: Mapping[str, Any]
    cwd: str
    rules: tuple[str, ...]
    digest: str
    partial: bool
