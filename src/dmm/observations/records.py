"""Observations from recorded decisions, facts and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.domain.event import PERSONS, EventType, Trust
from dmm.domain.observation import Kind, Observation, name_message, name_observation
from dmm.domain.payload import (
    ConstraintAdded,
    ConstraintDeactivated,
    DecisionBlocked,
    DecisionMade,
    FactAdded,
    HookReport,
    ObservationMade,
    Words,
)
from dmm.domain.recorded import Payload
from dmm.observations.facts import decisions_in
from dmm.observations.titles import LONGEST_TITLE, title_of_decision, title_of_text
from dmm.observations.wording import clip, clip_clause, is_nod, squeeze, stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.event import Event

MOST_REFERENCES = 20
# How the narratives of records begin; what a message settles begins with its own words.
DECIDED = "Decided: "
BLOCKED = "Blocked: "
RULE = "Rule ("
PROPOSED = "proposed by an agent"


def label(event: Event) -> Trust:
    """Read the trust of an event; one that is unknown is trusted least."""
    try:
        return Trust(event.trust)
    except ValueError:
        return Trust.THIRD_PARTY


def session_of(event: Event) -> str:
    """Return the session of an event; empty where it belongs to none."""
    return event.session or ""


def words_of(event: Event) -> str:
    """Return what somebody said; empty where that is not known."""
    told = Words.read(event)
    return "" if told is None else told.text or ""


def read_message(event: Event) -> Observation | None:
    """Make a unit of what somebody said, word for word; a mere nod is none."""
    text, speaker = words_of(event), event.get("speaker")
    if is_nod(text):
        return None
    return Observation(
        id=name_message(event.seq),
        kind=Kind.MESSAGE,
        title=title_of_text(text),
        narrative=text.removeprefix(f"{speaker}: ") if speaker else text,
        session=session_of(event),
        at=event.at,
        evidence=(event.seq,),
        trust=label(event),
        actor=speaker_of(event),
    )


def speaker_of(event: Event) -> str:
    """Return who spoke; where only an agent says that the user did, it is named as well."""
    told = HookReport.read(event)
    speaker = "" if told is None else squeeze(told.speaker)
    if speaker:
        return clip(speaker, LONGEST_TITLE)
    if event.type != EventType.USER_MESSAGE_RECEIVED:
        return event.actor
    return "user" if event.trust == Trust.USER else f"user ({event.actor})"


def read_settled(event: Event) -> Observation | None:
    """Make an observation of what a message settles, in its own words."""
    found = decisions_in(words_of(event))
    if not found:
        return None
    title = title_of_decision(found[0])
    return _observed(event, Kind.DECISION, title, " ".join(found), tuple(found))


def read_record(event: Event) -> Observation | None:
    """Make an observation of a decision, a fact or a rule that was recorded on purpose."""
    told = Payload.read(event)
    reader = _READERS.get(type(told))
    said = [getattr(told, name, "-") for name in _SAID]
    return reader(event, told) if reader is not None and all(map(str.strip, said)) else None


def _decision(event: Event, made: DecisionMade) -> Observation:
    why = (made.rationale or "").strip()
    told = f"{DECIDED}{_with_reason(made.text.strip(), why)}"
    return _observed(event, Kind.DECISION, made.text.strip(), told, (made.text.strip(), why))


def _blocked(event: Event, made: DecisionBlocked) -> Observation:
    text, reason = made.text.strip(), made.verdict.get("reason")
    why = squeeze(reason) if isinstance(reason, str) else ""
    told = f"{BLOCKED}{_with_reason(text, why)}"
    return _observed(event, Kind.DECISION, f"{BLOCKED}{text}", told, (f"blocked: {text}", why))


def _fact(event: Event, added: FactAdded) -> Observation:
    line, sure = f"{added.key.strip()}: {added.value.strip()}", added.confidence
    doubt = f" (confidence {sure})" if sure is not None and sure < 1 else ""
    return _observed(event, Kind.DISCOVERY, line, stopped(line + doubt), (line,))


def _constraint(event: Event, added: ConstraintAdded) -> Observation:
    text, priority = added.text.strip(), (added.priority or "").strip() or "required"
    if label(event) in PERSONS:
        told = f"{RULE}{priority}): {stopped(text)}"
        return _observed(event, Kind.DECISION, text, told, (text,))
    # Whether a person accepted it later is said elsewhere; nobody should read it as a rule here.
    told = f"{RULE}{priority}, {PROPOSED}): {stopped(text)}"
    return _observed(event, Kind.DECISION, f"Rule {PROPOSED}: {text}", told, (text,))


def _lifted(event: Event, lifted: ConstraintDeactivated) -> Observation:
    line = f"Constraint {lifted.seq} is inactive"
    return _observed(event, Kind.DECISION, line, f"{line}.", ())


def _seen(event: Event, made: ObservationMade) -> Observation:
    text = made.text.strip()
    return _observed(event, _NAMED.get(made.kind.strip(), Kind.DISCOVERY), text, text, ())


def _observed(
    event: Event, kind: Kind, title: str, narrative: str, facts: tuple[str, ...]
) -> Observation:
    links = [seq for seq in event.references if seq != event.seq]
    return Observation(
        id=name_observation(event.seq),
        kind=kind,
        title=clip_clause(squeeze(title).rstrip("."), LONGEST_TITLE),
        narrative=narrative,
        session=session_of(event),
        at=event.at,
        evidence=(event.seq, *dict.fromkeys(links[:MOST_REFERENCES])),
        trust=label(event),
        actor=speaker_of(event),
        facts=tuple(squeeze(fact) for fact in facts if fact),
    )


def _with_reason(text: str, why: str) -> str:
    return stopped(text) + (f" Why: {stopped(why)}" if why else "")


# What a record may say; where one of these is blank, it says nothing.
_SAID = ("text", "key", "value")
_NAMED = {str(kind): kind for kind in Kind if kind is not Kind.MESSAGE}
_READERS: dict[type, Callable[[Event, Any], Observation]] = {
    DecisionMade: _decision,
    DecisionBlocked: _blocked,
    FactAdded: _fact,
    ConstraintAdded: _constraint,
    ConstraintDeactivated: _lifted,
    ObservationMade: _seen,
}
