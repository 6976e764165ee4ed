"""Observations from recorded decisions, facts and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import EventType, Trust
from dmm.domain.observation import Kind, Observation, name_message, name_observation
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
    text = event.get("text")
    if not isinstance(text, str) or is_nod(text):
        return None
    return Observation(
        id=name_message(event.seq),
        kind=Kind.MESSAGE,
        title=title_of_text(text),
        narrative=_words_of(event, text),
        session=event.session or "",
        at=event.at,
        evidence=(event.seq,),
        trust=label(event),
        actor=speaker_of(event),
    )


def speaker_of(event: Event) -> str:
    """Tell who spoke; where only an agent says that the user did, it is named as well."""
    named = event.get("speaker")
    if isinstance(named, str) and named.strip():
        return clip(squeeze(named), LONGEST_TITLE)
    if event.type != EventType.USER_MESSAGE_RECEIVED:
        return event.actor
    return "user" if event.trust == Trust.USER else f"user ({event.actor})"


def _words_of(event: Event, text: str) -> str:
    """Give what was said without the name that a transcript puts before it."""
    named = event.get("speaker")
    return text.removeprefix(f"{named}: ") if named and isinstance(named, str) else text


def read_settled(event: Event) -> Observation | None:
    """Make an observation of what a message settles, in its own words."""
    text = event.get("text")
    found = decisions_in(text) if isinstance(text, str) else []
    if not found:
        return None
    title = title_of_decision(found[0])
    return _observed(event, Kind.DECISION, title, " ".join(found), tuple(found))


def read_record(event: Event) -> Observation | None:
    """Make an observation of a decision, a fact or a rule that was recorded on purpose."""
    read = _READERS.get(event.type)
    return None if read is None or event.payload is None else read(event)


def _text(event: Event, name: str) -> str:
    value = event.get(name)
    return value.strip() if isinstance(value, str) else ""


def _decision(event: Event) -> Observation | None:
    text, why = _text(event, "text"), _text(event, "rationale")
    if not text:
        return None
    told = f"{DECIDED}{_stopped(text)}" + (f" Why: {_stopped(why)}" if why else "")
    return _observed(event, Kind.DECISION, text, told, (text, why) if why else (text,))


def _blocked(event: Event) -> Observation | None:
    text, verdict = _text(event, "text"), event.get("verdict")
    if not text:
        return None
    reason = verdict.get("reason") if isinstance(verdict, dict) else None
    why = squeeze(reason) if isinstance(reason, str) else ""
    told = f"{BLOCKED}{_stopped(text)}" + (f" Why: {_stopped(why)}" if why else "")
    facts = (f"blocked: {text}", *([why] if why else []))
    return _observed(event, Kind.DECISION, f"{BLOCKED}{text}", told, facts)


def _fact(event: Event) -> Observation | None:
    key, value = _text(event, "key"), _text(event, "value")
    if not key or not value:
        return None
    line = f"{key}: {value}"
    sure = event.get("confidence")
    doubt = f" (confidence {sure})" if isinstance(sure, float) and sure < 1 else ""
    return _observed(event, Kind.DISCOVERY, line, _stopped(line + doubt), (line,))


def _constraint(event: Event) -> Observation | None:
    text, priority = _text(event, "text"), _text(event, "priority")
    if not text:
        return None
    told = f"{RULE}{priority or 'required'}): {_stopped(text)}"
    return _observed(event, Kind.DECISION, text, told, (text,))


def _lifted(event: Event) -> Observation | None:
    seq = event.get("seq")
    if type(seq) is not int:
        return None
    line = f"Constraint {seq} is inactive"
    return _observed(event, Kind.DECISION, line, f"{line}.", ())


def _seen(event: Event) -> Observation | None:
    text, named = _text(event, "text"), _text(event, "kind")
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


_READERS: dict[str, Callable[[Event], Observation | None]] = {
    EventType.DECISION_MADE: _decision,
    EventType.DECISION_BLOCKED: _blocked,
    EventType.FACT_ADDED: _fact,
    EventType.CONSTRAINT_ADDED: _constraint,
    EventType.CONSTRAINT_DEACTIVATED: _lifted,
    EventType.OBSERVATION_MADE: _seen,
}
