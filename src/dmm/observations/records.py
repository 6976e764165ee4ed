"""Observations from recorded decisions, facts and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.domain.event import EventType, Trust
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
from dmm.observations.wording import clip, clip_clause, is_nod, squeeze

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.event import Event

MOST_REFERENCES = 20
# How the narratives of records begin; what a message settles begins with its own words.
DECIDED = "Decided: "
BLOCKED = "Blocked: "
RULE = "Rule ("


def label(event: Event) -> Trust:
    """Read the trust of an event; one that is unknown is trusted least."""
    try:
        return Trust(event.trust)
    except ValueError:
        return Trust.THIRD_PARTY


def read_message(event: Event) -> Observation | None:
    """Make a unit of what somebody said, word for word; a mere nod is none."""
    told = Words.read(event)
    if told is None or told.text is None or is_nod(told.text):
        return None
    return Observation(
        id=name_message(event.seq),
        kind=Kind.MESSAGE,
        title=title_of_text(told.text),
        narrative=told.text.removeprefix(f"{told.speaker}: ") if told.speaker else told.text,
        session=event.session or "",
        at=event.at,
        evidence=(event.seq,),
        trust=label(event),
        actor=speaker_of(event),
    )


def speaker_of(event: Event) -> str:
    """Return who spoke; where only an agent says that the user did, it is named as well."""
    told = HookReport.read(event)
    if told is not None and told.speaker.strip():
        return clip(squeeze(told.speaker), LONGEST_TITLE)
    if event.type != EventType.USER_MESSAGE_RECEIVED:
        return event.actor
    return "user" if event.trust == Trust.USER else f"user ({event.actor})"


def read_settled(event: Event) -> Observation | None:
    """Make an observation of what a message settles, in its own words."""
    told = Words.read(event)
    found = decisions_in(told.text or "") if told is not None else []
    if not found:
        return None
    title = title_of_decision(found[0])
    return _observed(event, Kind.DECISION, title, " ".join(found), tuple(found))


def read_record(event: Event) -> Observation | None:
    """Make an observation of a decision, a fact or a rule that was recorded on purpose."""
    told = Payload.read(event)
    reader = _READERS.get(type(told))
    return None if reader is None else reader(event, told)


def _decision(event: Event, made: DecisionMade) -> Observation | None:
    text, why = made.text.strip(), (made.rationale or "").strip()
    if not text:
        return None
    told = f"{DECIDED}{_stopped(text)}" + (f" Why: {_stopped(why)}" if why else "")
    return _observed(event, Kind.DECISION, text, told, (text, why) if why else (text,))


def _blocked(event: Event, made: DecisionBlocked) -> Observation | None:
    text, reason = made.text.strip(), made.verdict.get("reason")
    if not text:
        return None
    why = squeeze(reason) if isinstance(reason, str) else ""
    told = f"{BLOCKED}{_stopped(text)}" + (f" Why: {_stopped(why)}" if why else "")
    facts = (f"blocked: {text}", *([why] if why else []))
    return _observed(event, Kind.DECISION, f"{BLOCKED}{text}", told, facts)


def _fact(event: Event, added: FactAdded) -> Observation | None:
    key, value, sure = added.key.strip(), added.value.strip(), added.confidence
    if not key or not value:
        return None
    line = f"{key}: {value}"
    doubt = f" (confidence {sure})" if sure is not None and sure < 1 else ""
    return _observed(event, Kind.DISCOVERY, line, _stopped(line + doubt), (line,))


def _constraint(event: Event, added: ConstraintAdded) -> Observation | None:
    text, priority = added.text.strip(), (added.priority or "").strip()
    if not text:
        return None
    told = f"{RULE}{priority or 'required'}): {_stopped(text)}"
    return _observed(event, Kind.DECISION, text, told, (text,))


def _lifted(event: Event, lifted: ConstraintDeactivated) -> Observation | None:
    line = f"Constraint {lifted.seq} is inactive"
    return _observed(event, Kind.DECISION, line, f"{line}.", ())


def _seen(event: Event, made: ObservationMade) -> Observation | None:
    text, named = made.text.strip(), made.kind.strip()
    known = named in list(Kind) and named != Kind.MESSAGE
    kind = Kind(named) if known else Kind.DISCOVERY
    return _observed(event, kind, text, text, ()) if text else None


def _observed(
    event: Event, kind: Kind, title: str, narrative: str, facts: tuple[str, ...]
) -> Observation:
    links = [seq for seq in event.references if seq != event.seq]
    return Observation(
        id=name_observation(event.seq),
        kind=kind,
        title=clip_clause(squeeze(title).rstrip("."), LONGEST_TITLE),
        narrative=narrative,
        session=event.session or "",
        at=event.at,
        evidence=(event.seq, *dict.fromkeys(links[:MOST_REFERENCES])),
        trust=label(event),
        actor=speaker_of(event),
        facts=tuple(squeeze(fact) for fact in facts),
    )


def _stopped(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


_READERS: dict[type, Callable[[Event, Any], Observation | None]] = {
    DecisionMade: _decision,
    DecisionBlocked: _blocked,
    FactAdded: _fact,
    ConstraintAdded: _constraint,
    ConstraintDeactivated: _lifted,
    ObservationMade: _seen,
}
