"""What leaves a laptop: a verdict for every type of event, and the fields of those that do.

The table is an allow-list of types and fields. What it does not name stays private, types of
later versions included. The server refuses whatever the table does not allow. Of what it allows,
rules are always shared, and other kinds where the project's settings name them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.domain.event import PERSONS, EventType, canonical
from dmm.domain.hidden import find_hidden
from dmm.domain.payload import (
    ConstraintAccepted,
    ConstraintAdded,
    ConstraintDeactivated,
    DecisionRecorded,
    FactAdded,
)
from dmm.domain.proposal import Judge
from dmm.domain.proposal_payload import ProposalMade, ProposalReviewed
from dmm.eventlog.state import FILE
from dmm.redaction.inputs import LONGEST
from dmm.rules.language.judge import Priority

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from dmm.domain.event import Event

    Find = Callable[[int], Event | None]

# How much one rule may hold; a sentence needs a few hundred characters.
MAX_PAYLOAD = 16 * 1024
_SURROGATE = re.compile("[\ud800-\udfff]")
# What brings a rule into force, and what ends it.
ADDS = (EventType.CONSTRAINT_ADDED, EventType.CONSTRAINT_ACCEPTED)
LIFTED = EventType.CONSTRAINT_DEACTIVATED


class Kind(StrEnum):
    """What a project may share; the settings name the kinds besides rules."""

    RULES = "rules"
    DECISIONS = "decisions"
    FACTS = "facts"
    REVIEWS = "reviews"


@dataclass(frozen=True, slots=True)
class Sharing:
    """The verdict on a type of event: the fields that are shared, or why none is."""

    fields: frozenset[str] = frozenset()
    private: str = ""
    kind: Kind = Kind.RULES


@dataclass(frozen=True, slots=True)
class Told:
    """An event in the form that is shared; references are ids, since numbers are local."""

    id: str
    type: str
    at: str
    payload: str


_WORK = Sharing(private="what happens in a session stays on the laptop")
_WORDS = Sharing(private="words of the user or of an agent")
_TOOLS = Sharing(private="tool calls hold commands, paths and outputs")
_TASKS = Sharing(private="it holds a task or a question")
_BY_GIT = Sharing(private="memory files travel by Git")
_LOCAL = Sharing(private="it is about this ledger alone")
_LATER = Sharing(private="nothing on other laptops uses it yet")

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
    EventType.PACK_SERVED: _TASKS,
    EventType.PROPOSAL_MADE: _BY_GIT,
    EventType.PROPOSAL_CHECKED: _BY_GIT,
    EventType.PROPOSAL_REVIEWED: Sharing(frozenset(("of", "paths", "verdict")), kind=Kind.REVIEWS),
    EventType.PROPOSAL_APPLYING: _BY_GIT,
    EventType.PROPOSAL_APPLIED: _BY_GIT,
    EventType.PROPOSAL_COMMITTED: _BY_GIT,
    EventType.PROPOSAL_FAILED: _BY_GIT,
    EventType.MODEL_CALLED: _WORK,
    EventType.USAGE_REPORTED: _TASKS,
    EventType.CONFLICT_FOUND: _LATER,
    EventType.CONFLICT_RESOLVED: _LATER,
    EventType.OBSERVATION_MADE: _WORK,
    EventType.MEMORY_EXPIRED: _BY_GIT,
    EventType.PAYLOAD_REDACTED: _LOCAL,
    EventType.LEDGER_RESTORED: _LOCAL,
    EventType.PASSKEYS_NOTED: _LOCAL,
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
    if verdict.kind is not Kind.RULES and verdict.kind not in kinds:
        return None
    told = _tell(event, find)
    if told is None:
        return None
    kept = {name: told[name] for name in sorted(verdict.fields & told.keys())}
    payload = canonical(kept)
    # What the server would refuse is not sent: it would keep back what comes after it.
    fits = len(payload) <= MAX_PAYLOAD and is_shareable(event.type, kept)
    return Told(event.id, event.type, event.at, payload) if fits else None


def is_shareable(kind: str, payload: Mapping[str, object]) -> bool:
    """Return whether a device may send this: the type and every field are on the list."""
    if kind not in SHARED:
        return False
    told = {name: one for name, one in payload.items() if isinstance(one, str)}
    verdict = SHARING[EventType(kind)]
    listed = told.keys() == payload.keys() <= verdict.fields
    if not listed or verdict.kind is Kind.RULES:
        return listed and (kind not in ADDS or is_rule(told))
    return told.keys() == verdict.fields and all(map(is_words, told.values()))


def is_rule(told: Mapping[str, str]) -> bool:
    """Return whether this is a rule that every laptop can take: its words and its priority."""
    return is_words(told.get("text", "")) and told.get("priority") in list(Priority)


def is_words(text: str) -> bool:
    """Return whether a text can be shown on every laptop: there, not too long, nothing hidden."""
    if not text.strip() or len(text) > LONGEST["constraint"] or find_hidden(text):
        return False
    return _SURROGATE.search(text) is None


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
        case EventType.PROPOSAL_REVIEWED:
            return _tell_review(event, find)
    lifted = ConstraintDeactivated.read(event)
    target = None if lifted is None else find(lifted.seq)
    return None if target is None or _tell_rule(target) is None else {"of": target.id}


def _tell_review(event: Event, find: Find) -> dict[str, str] | None:
    """Tell a verdict and which files it is about; their texts and its reason stay."""
    review = ProposalReviewed.read(event)
    target = None if review is None else find(review.proposal)
    made = None if target is None else ProposalMade.read(target)
    if review is None or review.judge is not Judge.PERSON or target is None or made is None:
        return None
    paths = "\n".join(one.path for one in made.edits)
    return {"of": target.id, "verdict": review.verdict.value, "paths": paths}


def _tell_rule(event: Event) -> dict[str, str] | None:
    """Tell a rule in words; one from a file travels by Git, one in a tool's words stays here."""
    told = ConstraintAdded.read(event)
    if told is None or told.tainted is not None:
        return None
    if told.rule is not None and told.rule.get("kind") == FILE:
        return None
    return {"text": told.text, "priority": told.priority or "required"}
