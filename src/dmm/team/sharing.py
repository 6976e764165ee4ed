"""What leaves a laptop: a verdict for every type of event, and the fields of those that do.

The table is an allow-list of types and fields. What it does not name stays private, types of
later versions included. The server refuses whatever the table does not allow. Of what it allows,
rules are always shared, and other kinds where the project's settings name them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.conflicts.records import read_name
from dmm.domain.conflict import Resolution
from dmm.domain.event import PERSONS, EventType, canonical
from dmm.domain.payload import (
    ConflictFound,
    ConflictResolved,
    ConstraintAccepted,
    ConstraintAdded,
    ConstraintDeactivated,
    DecisionRecorded,
    FactAdded,
    ObservationMade,
)
from dmm.domain.proposal import Judge
from dmm.domain.proposal_payload import OfProposal, ProposalMade, ProposalReviewed
from dmm.domain.usage import OWN
from dmm.eventlog.state import FILE
from dmm.rules.language.judge import Priority
from dmm.team.proofs import APPROVED, MAX_PROOF, PROOF, Approval, leave_proof
from dmm.team.told import Told
from dmm.team.usage_counts import count_days, read_counts
from dmm.team.words import is_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from dmm.domain.event import Event
    from dmm.eventlog.log_reader import LogReader

    Find = Callable[[int], Event | None]

# How much one rule may hold; a sentence needs a few hundred characters.
MAX_WORDS = 16 * 1024
MAX_PAYLOAD = MAX_WORDS + MAX_PROOF
# What brings a rule into force, and what ends it.
ADDS = (EventType.CONSTRAINT_ADDED, EventType.CONSTRAINT_ACCEPTED)
LIFTED = EventType.CONSTRAINT_DEACTIVATED


class Kind(StrEnum):
    """What a project may share; the settings name the kinds besides rules."""

    RULES = "rules"
    CONFLICTS = "conflicts"
    DECISIONS = "decisions"
    FACTS = "facts"
    OBSERVATIONS = "observations"
    PROPOSALS = "proposals"
    REVIEWS = "reviews"
    USAGE = "usage"


@dataclass(frozen=True, slots=True)
class Sharing:
    """The verdict on a type of event: the fields that are shared, or why none is."""

    fields: frozenset[str] = frozenset()
    private: str = ""
    kind: Kind = Kind.RULES
    # Another kind that it belongs to, too.
    also: Kind = Kind.RULES

    def is_named(self, kinds: Collection[str]) -> bool:
        """Return whether settings that name some kinds mean this."""
        return self.kind is Kind.RULES or self.kind in kinds or self.also in kinds


_WORK = Sharing(private="what happens in a session stays on the laptop")
_WORDS = Sharing(private="words of the user or of an agent")
_TOOLS = Sharing(private="tool calls hold commands, paths and outputs")
_TASKS = Sharing(private="it holds a task or a question")
_BY_GIT = Sharing(private="memory files travel by Git")
_LOCAL = Sharing(private="it is about this ledger alone")
_FOUND = Sharing(private="every laptop finds it in the files by itself")
_COUNTED = Sharing(private="it holds a task; only how often memories were served is counted")

SHARING: Mapping[EventType, Sharing] = {
    EventType.SESSION_STARTED: _WORK,
    EventType.SESSION_ENDED: _WORK,
    EventType.USER_MESSAGE_RECEIVED: _WORDS,
    EventType.TOOL_REQUESTED: _TOOLS,
    EventType.TOOL_USED: _TOOLS,
    EventType.TOOL_FAILED: _TOOLS,
    EventType.CONTEXT_COMPACTED: _WORDS,
    EventType.TURN_ENDED: _WORDS,
    EventType.SUBAGENT_ENDED: _WORDS,
    EventType.FACT_ADDED: Sharing(frozenset(("key", "value")), kind=Kind.FACTS),
    EventType.CONSTRAINT_ADDED: Sharing(frozenset(("text", "priority"))),
    EventType.CONSTRAINT_ACCEPTED: Sharing(frozenset(("of", "text", "priority"))),
    EventType.CONSTRAINT_DEACTIVATED: Sharing(frozenset(("of",))),
    EventType.DECISION_MADE: Sharing(frozenset(("text",)), kind=Kind.DECISIONS),
    EventType.DECISION_BLOCKED: Sharing(frozenset(("text",)), kind=Kind.DECISIONS),
    EventType.MEMORY_QUERY_ISSUED: _TASKS,
    EventType.PACK_SERVED: _COUNTED,
    EventType.PROPOSAL_MADE: Sharing(frozenset(("operation", "paths")), kind=Kind.PROPOSALS),
    EventType.PROPOSAL_CHECKED: _BY_GIT,
    EventType.PROPOSAL_REVIEWED: Sharing(
        frozenset(("of", "paths", "verdict")), kind=Kind.REVIEWS, also=Kind.PROPOSALS
    ),
    EventType.PROPOSAL_APPLYING: _BY_GIT,
    EventType.PROPOSAL_APPLIED: Sharing(frozenset(("of",)), kind=Kind.PROPOSALS),
    EventType.PROPOSAL_COMMITTED: _BY_GIT,
    EventType.PROPOSAL_FAILED: _BY_GIT,
    EventType.MODEL_CALLED: _WORK,
    # The counts of a day, for which `usage_counts` reads reports and packs; never one report.
    EventType.USAGE_REPORTED: Sharing(frozenset(("day", "counts")), kind=Kind.USAGE),
    EventType.CONFLICT_FOUND: _FOUND,
    EventType.CONFLICT_RESOLVED: Sharing(
        frozenset(("key", "action", "paths")), kind=Kind.CONFLICTS
    ),
    # One that a person names (`dmm team tell`), not what is distilled by itself.
    EventType.OBSERVATION_MADE: Sharing(frozenset(("title", "text")), kind=Kind.OBSERVATIONS),
    EventType.MEMORY_EXPIRED: _BY_GIT,
    EventType.PAYLOAD_REDACTED: _LOCAL,
    EventType.LEDGER_RESTORED: _LOCAL,
    EventType.PASSKEYS_NOTED: _LOCAL,
    EventType.FILES_MERGED: _BY_GIT,
    EventType.CALL_ALLOWED: _TOOLS,
}
# The types to look for in a ledger.
SHARED = tuple(str(kind) for kind, verdict in SHARING.items() if verdict.fields)


def share(event: Event, find: Find, kinds: Collection[str] = ()) -> Told | None:
    """Return an event as it leaves the laptop; None where it stays.

    Only a person's word is shared: on a rule, or of one of the kinds. `find` reads an earlier
    event by its number.
    """
    verdict = SHARING.get(EventType(event.type)) if event.type in SHARED else None
    if verdict is None or event.trust not in PERSONS:
        return None
    told = _tell(event, find) if verdict.is_named(kinds) else None
    if told is None:
        return None
    kept = {name: told[name] for name in sorted(verdict.fields & told.keys())}
    payload = canonical(kept)
    # What the server would refuse is not sent: it would keep back what comes after it.
    fits = len(payload) <= MAX_WORDS and is_shareable(event.type, kept)
    return Told(event.id, event.type, event.at, payload) if fits else None


def tell_new(
    log: LogReader, since: int, start: int, head: int, kinds: Collection[str]
) -> Iterator[Told]:
    """Tell what a ledger holds after event `start`, and the counts of the days that are over."""
    for event in log.events_of(SHARED, start, head):
        told = share(event, log.event, kinds)
        if told is not None:
            yield told
    if Kind.USAGE in kinds:
        yield from count_days(log, since, start, head)


def is_shareable(kind: str, payload: Mapping[str, object]) -> bool:
    """Return whether a device may send this: the type and every field are on the list."""
    if kind not in SHARED:
        return False
    if PROOF in payload:
        if kind not in APPROVED or Approval.read(payload[PROOF]) is None:
            return False
        payload = leave_proof(payload)
    told = {name: one for name, one in payload.items() if isinstance(one, str)}
    verdict = SHARING[EventType(kind)]
    listed = told.keys() == payload.keys() <= verdict.fields
    if not listed or verdict.kind is Kind.RULES:
        return listed and (kind not in ADDS or is_rule(told))
    if told.keys() != verdict.fields or not all(map(is_words, told.values())):
        return False
    return verdict.kind is not Kind.USAGE or read_counts(told) is not None


def is_rule(told: Mapping[str, str]) -> bool:
    """Return whether this is a rule that every laptop can take: its words and its priority."""
    return is_words(told.get("text", "")) and told.get("priority") in list(Priority)


def _tell(event: Event, find: Find) -> dict[str, str] | None:
    match event.type:
        case EventType.CONSTRAINT_ADDED:
            return _tell_rule(event)
        case EventType.CONSTRAINT_ACCEPTED:
            accepted = ConstraintAccepted.read(event)
            target = None if accepted is None else find(accepted.seq)
            rule = None if target is None else _tell_rule(target)
            return None if target is None or rule is None else rule | {"of": target.id}
        case EventType.FACT_ADDED:
            fact = FactAdded.read(event)
            return None if fact is None else {"key": fact.key, "value": fact.value}
        case EventType.DECISION_MADE | EventType.DECISION_BLOCKED:
            decision = DecisionRecorded.read(event)
            return None if decision is None else {"text": decision.text}
        case EventType.PROPOSAL_MADE | EventType.PROPOSAL_REVIEWED | EventType.PROPOSAL_APPLIED:
            return _tell_proposal(event, find)
        case EventType.CONFLICT_RESOLVED:
            return _tell_conflict(event, find)
        case EventType.OBSERVATION_MADE:
            return _tell_observation(event)
    lifted = ConstraintDeactivated.read(event)
    target = None if lifted is None else find(lifted.seq)
    return None if target is None or _tell_rule(target) is None else {"of": target.id}


def _tell_observation(event: Event) -> dict[str, str] | None:
    """Tell one that a person chose for the team; a model's words for one stay."""
    seen = ObservationMade.read(event)
    chosen = seen is not None and seen.of and not seen.model
    return {"title": seen.title, "text": seen.narrative} if seen and chosen else None


def _tell_proposal(event: Event, find: Find) -> dict[str, str] | None:
    """Tell a proposal, or what became of it, and its files; their texts and all reasons stay."""
    own, told = ProposalMade.read(event), OfProposal.read(event)
    target = event if own is not None else None if told is None else find(told.proposal)
    made = None if target is None else ProposalMade.read(target)
    if target is None or made is None:
        return None
    paths = "\n".join(one.path for one in made.edits)
    if own is not None:
        return {"operation": made.operation.value, "paths": paths}
    review = ProposalReviewed.read(event)
    if review is None:
        # Only of a proposal that others know of.
        return {"of": target.id} if target.trust in PERSONS else None
    if review.judge is not Judge.PERSON:
        return None
    return {"of": target.id, "verdict": review.verdict.value, "paths": paths}


def _tell_conflict(event: Event, find: Find) -> dict[str, str] | None:
    """Tell how a person settled a conflict of the project's memories; their words stay."""
    told = ConflictResolved.read(event)
    target = None if told is None else find(read_name(told.id) or 0)
    found = None if target is None else ConflictFound.read(target)
    if told is None or found is None or told.action not in list(Resolution):
        return None
    paths = [one.path for one in found.memories]
    if not found.key or any(path.startswith(OWN) for path in paths):
        return None
    return {"key": found.key, "action": told.action, "paths": "\n".join(paths)}


def _tell_rule(event: Event) -> dict[str, str] | None:
    """Tell a rule in words; one from a file travels by Git, one in a tool's words stays here."""
    told = ConstraintAdded.read(event)
    if told is None or told.tainted is not None:
        return None
    if told.rule is not None and told.rule.get("kind") == FILE:
        return None
    return {"text": told.text, "priority": told.priority or "required"}
