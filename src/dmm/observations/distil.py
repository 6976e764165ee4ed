"""Distil events into observations by rules, identically on every machine.

Each event is looked at once. A session's open episode may still change; its unit keeps its id,
and a later unit of the same id takes the place of the earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import EventType, Trust, least
from dmm.domain.observation import Observation, name_observation
from dmm.domain.payload import TurnEnded
from dmm.observations.episodes import Episode, Said
from dmm.observations.facts import facts_of
from dmm.observations.kinds import kind_of
from dmm.observations.narratives import narrative_of
from dmm.observations.records import (
    label,
    read_message,
    read_record,
    read_settled,
    session_of,
    words_of,
)
from dmm.observations.steps import EDITS, Act, read_steps
from dmm.observations.titles import is_followup, title_of
from dmm.observations.wording import is_nod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dmm.domain.event import Event

MOST_OPEN = 256
MOST_EVIDENCE = 40
MOST_FILES = 40
RECORDS = (
    EventType.DECISION_MADE,
    EventType.DECISION_BLOCKED,
    EventType.FACT_ADDED,
    EventType.CONSTRAINT_ADDED,
    EventType.CONSTRAINT_DEACTIVATED,
    EventType.OBSERVATION_MADE,
)
TOOLS = (EventType.TOOL_USED, EventType.TOOL_FAILED, EventType.TOOL_REQUESTED)
TURNS = (EventType.TURN_ENDED, EventType.SUBAGENT_ENDED)
BOUNDS = (EventType.SESSION_STARTED, EventType.SESSION_ENDED)
TYPES = (*RECORDS, *TOOLS, *TURNS, *BOUNDS, EventType.USER_MESSAGE_RECEIVED)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the ledger was read, and the episodes that are still open, by session."""

    seq: int = 0
    open: Mapping[str, Episode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Distilled:
    """Units in the order of their first events: all that are new, or other than before."""

    units: tuple[Observation, ...]
    progress: Progress


def distil(events: Iterable[Event], start: Progress | None = None, *, root: str = "") -> Distilled:
    """Distil events that follow those read before; `root` is the folder of the project."""
    reading = _Reading(start or Progress(), root)
    for event in events:
        reading.take(event)
    return reading.finish()


def order_of(unit: Observation) -> tuple[int, str]:
    """Return where a unit stands among others."""
    return unit.evidence[0], unit.id


class _Reading:
    """One pass over events."""

    def __init__(self, start: Progress, root: str) -> None:
        self._seq = start.seq
        self._open = dict(start.open)
        self._root = root
        self._touched: set[str] = set()
        self._units: dict[str, Observation] = {}

    def take(self, event: Event) -> None:
        """Take in one event."""
        self._seq = max(self._seq, event.seq)
        _TAKEN.get(event.type, _Reading.leave)(self, event)

    def finish(self) -> Distilled:
        """Return what was found, open episodes as they stand."""
        for session in sorted(self._touched & self._open.keys()):
            self._keep(observe(self._open[session]))
        units = tuple(sorted(self._units.values(), key=order_of))
        return Distilled(units, Progress(self._seq, self._open))

    def _keep(self, unit: Observation | None) -> None:
        if unit is not None:
            self._units[unit.id] = unit

    def _hold(self, session: str, episode: Episode) -> None:
        """Keep an episode as the one touched last; of too many, the one left longest is closed."""
        self._open.pop(session, None)
        self._open[session] = episode
        self._touched.add(session)
        if len(self._open) > MOST_OPEN:
            self._close(next(iter(self._open)))

    def _close(self, session: str) -> None:
        episode = self._open.pop(session, None)
        if episode is not None:
            self._keep(observe(episode))

    def leave(self, event: Event) -> None:
        """Pass over an event that tells nothing."""

    def record(self, event: Event) -> None:
        """Keep what was recorded on purpose."""
        self._keep(read_record(event))

    def end(self, event: Event) -> None:
        """Close the episode of a session that starts or ends."""
        self._close(session_of(event))

    def ask(self, event: Event) -> None:
        """Begin an episode; an acknowledgement or follow-up continues the previous one."""
        session, words = session_of(event), words_of(event)
        nod = is_nod(words)
        self._keep(read_message(event))
        if words and session in self._open and (nod or is_followup(words)):
            return
        self._close(session)
        settled = read_settled(event)
        self._keep(settled)
        anchor = 0 if nod or settled is not None else event.seq
        prompt = None if nod else Said(event.seq, words, label(event))
        self._hold(session, Episode(session, anchor, event.at, event.actor, prompt))

    def work(self, event: Event) -> None:
        """Add a tool call to the episode."""
        episode, steps = self._current(event), read_steps(event, self._root)
        self._hold(episode.session, episode.take(event.seq, steps, label(event)))

    def refuse(self, event: Event) -> None:
        """Add a call that the rules stopped; another one is told when it was made."""
        if read_steps(event, self._root):
            self.work(event)

    def answer(self, event: Event) -> None:
        """Add what the agent said at the end of a turn."""
        self._keep(read_message(event))
        self._keep(read_settled(event))
        told = TurnEnded.read(event)
        if told is not None and told.text is not None:
            episode = self._current(event)
            self._hold(episode.session, episode.hear(Said(event.seq, told.text, label(event))))

    def _current(self, event: Event) -> Episode:
        session = session_of(event)
        return self._open.get(session, Episode(session, 0, event.at, event.actor))


_TAKEN: dict[str, Callable[[_Reading, Event], None]] = {
    **dict.fromkeys(RECORDS, _Reading.record),
    **dict.fromkeys(TOOLS, _Reading.work),
    EventType.TOOL_REQUESTED: _Reading.refuse,
    **dict.fromkeys(TURNS, _Reading.answer),
    **dict.fromkeys(BOUNDS, _Reading.end),
    EventType.USER_MESSAGE_RECEIVED: _Reading.ask,
}


def observe(episode: Episode) -> Observation | None:
    """Make the observation of an episode; None where nothing came of it."""
    kind = kind_of(episode)
    if kind is None or not (title := title_of(episode)):
        return None
    told = facts_of(episode)
    files = (*episode.edited, *episode.looked_at)
    return Observation(
        id=name_observation(episode.anchor),
        kind=kind,
        title=title,
        narrative=narrative_of(episode),
        session=episode.session,
        at=episode.at,
        evidence=_evidence(episode, told.quoted),
        trust=least([episode.trust, Trust.TOOL]) if told.quoted else episode.trust,
        actor=episode.actor,
        facts=told.facts,
        files=tuple(dict.fromkeys(files))[:MOST_FILES],
    )


def _evidence(episode: Episode, quoted: tuple[int, ...]) -> tuple[int, ...]:
    """Choose the events that an observation rests on: words, first edits, ends of commands."""
    words = [one.seq for one in episode.said]
    edits: dict[str, int] = {}
    for step in episode.steps_of(*EDITS):
        edits.setdefault(step.target, step.seq)
    runs = [step.seq for step in episode.steps_of(Act.RUN, Act.REFUSED)]
    chosen = dict.fromkeys([episode.anchor, *words, *quoted, *edits.values(), *runs])
    rest = sorted(list(chosen)[1:MOST_EVIDENCE])
    return (episode.anchor, *rest)
