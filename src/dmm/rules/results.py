"""What the operations on rules and constraints return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dmm.domain.frozen import frozen


@frozen
class Mark:
    """On how many calls a rule could not be checked, and why on the last of them."""

    calls: int
    why: str
    where: str
    last: int


@frozen(kw_only=True)
class InForce:
    """Whether the rules of the project are in force; told only where they are not."""

    trusted: bool = True
    in_force: bool = True


@frozen
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


@frozen
class Examples:
    """Calls that a rule stops, and calls that it allows."""

    block: tuple[str, ...]
    allow: tuple[str, ...]


@frozen(kw_only=True)
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


@frozen(kw_only=True)
class RuleShown(RuleView):
    """Everything about a rule; one that is proposed says what it becomes once accepted."""

    source: str | None
    stopped: int
    digest: str
    proposes: str = ""
    becomes: str = ""


@frozen(kw_only=True)
class RuleAccepted(RuleRow):
    """A rule file that was a proposed constraint until a person accepted it."""

    accepted: int
    constraint: str


@frozen(kw_only=True)
class RuleAdopted(RuleRow):
    """A rule file that was a constraint of the ledger."""

    adopted: int


@frozen
class RuleKept:
    """A constraint that no rule file can express."""

    seq: int
    title: str
    why: str


@frozen
class Adopted:
    """Which constraints are rule files now, and which stayed in the ledger."""

    adopted: tuple[RuleAdopted, ...]
    kept: tuple[RuleKept, ...]


@frozen
class RuleFault:
    """A rule file that can't be used, with its line."""

    path: str | None
    line: int | None
    what: str
    hint: str | None


@frozen
class RuleList(InForce):
    """All rules, the most binding first, how many are in force by state, and broken files."""

    rules: tuple[RuleRow, ...]
    counts: Mapping[str, int]
    faults: tuple[RuleFault, ...]


@frozen
class RuleDraft:
    """The file that a rule would have; `new` is False where one gets its matcher."""

    id: str
    source: str
    new: bool


@frozen
class Uncompiled:
    """A sentence without a matcher."""

    id: str
    title: str
    origin: str | None


@frozen
class Uncompileds:
    """The sentences without a matcher, laid out for an agent."""

    sentences: tuple[Uncompiled, ...]
    text: str


@frozen
class UncheckedRule:
    """A rule that could not be checked on real calls lately, and why on the last of them."""

    id: str
    title: str
    calls: int
    why: str
    where: str
    last: int


@frozen
class Proved:
    """How the examples of the rule files came out."""

    files: int
    rules: int
    examples: int
    failures: tuple[RuleFault, ...]
    unchecked: tuple[UncheckedRule, ...]


@frozen
class Stop:
    """A call that a rule stopped or asked about."""

    seq: int
    at: str
    call: str
    level: str
    reason: str


@frozen
class RuleExplained:
    """A rule explained by what it stopped last."""

    id: str
    title: str
    state: str
    matches: tuple[str, ...]
    stopped: int
    stops: tuple[Stop, ...]


@frozen
class VerdictExplained:
    """A recorded verdict, and the verdict of today's engine."""

    seq: int
    branch: str | None
    decision: str
    recorded: Mapping[str, Any]
    replayed: Mapping[str, Any]
    agrees: bool


@frozen
class Met:
    """A past decision or call that a rule matches."""

    seq: int
    text: str
    reason: str


@frozen
class Rehearsed:
    """What a rule would have blocked in the past."""

    constraint: str
    enforceable: bool
    decisions: int
    tool_calls: int
    would_block: tuple[Met, ...]


@frozen
class RuleRehearsed(Rehearsed):
    """What a rule would have blocked and asked about in the past."""

    would_ask: tuple[Met, ...]
    calls_blocked: int
    state: str = ""


@frozen
class CallFinding:
    """A rule that matches a call or a decision."""

    rule: str | None
    seq: int | None
    title: str
    outcome: str
    reason: str


@frozen
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


@frozen
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


@frozen
class StarterAdded:
    """The starter rules that were added, and how many were there already."""

    added: tuple[ConstraintRecorded, ...]
    present: int
    pending: bool = False
    note: str = ""


@frozen
class ConstraintBinds:
    """A constraint that a person accepted."""

    seq: int
    accepted: int
    constraint: str


@frozen
class ConstraintLifted:
    """A constraint that is inactive now; `id` is the name it was called by."""

    seq: int
    deactivated: int
    constraint: str
    id: str = ""


@frozen
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


@frozen(kw_only=True)
class PendingConstraint(ConstraintView):
    """A constraint that no person has accepted yet, with where it came from."""

    trust: str
    actor: str | None
    session: str | None
    tainted: int | None
    digest: str


@frozen
class PendingConstraints:
    """The constraints that no person has accepted yet."""

    pending: tuple[PendingConstraint, ...]


@frozen
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
