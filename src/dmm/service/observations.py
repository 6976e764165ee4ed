"""Observations as the services use them: distilled from the ledger, held, and kept current."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.observation import name_observation
from dmm.ledger.chain import Head
from dmm.observations.distil import TYPES, Progress, distil, merge
from dmm.observations.retelling import read_retelling, retell_all
from dmm.observations.snapshots import CODE, Stretch, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dmm.domain.observation import Observation
    from dmm.ledger.log import EventLog
    from dmm.observations.retelling import Retelling
    from dmm.service.chronicle import Chronicle

RETOLD = (EventType.OBSERVATION_MADE, EventType.PAYLOAD_REDACTED)
EVERY = 2_048
# The ledger keeps one snapshot for an event; those of others stand at multiples of a half of this.
BESIDE = EVERY // 4


@dataclass(slots=True)
class _Held:
    """What was read up to an event; `fresh` is what came since the last place of a snapshot."""

    units: dict[str, Observation] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    head: Head = field(default_factory=Head)
    redaction: int = 0
    fresh: dict[str, Observation] = field(default_factory=dict)


@dataclass(slots=True)
class _Retold:
    """What models made of units, up to an event; `made` are the units, the retellings, both."""

    seq: int = 0
    known: dict[str, Retelling] = field(default_factory=dict)
    blanked: set[int] = field(default_factory=set)
    made: dict[str, tuple[Observation, Retelling, Observation]] = field(default_factory=dict)


@dataclass(slots=True)
class Observations:
    """All units of recall of one ledger, as they stand at its head.

    `project` is the folder that paths are told relative to.
    """

    chronicle: Chronicle
    project: str = ""
    _held: _Held = field(default_factory=_Held)
    _retold: _Retold = field(default_factory=_Retold)
    _units: dict[str, Observation] = field(default_factory=dict)

    def units(self) -> Mapping[str, Observation]:
        """Give all units by id, in the order of their first events; only what is new is read."""
        log = self.chronicle.reading
        head = log.head()
        if head != self._held.head:
            redaction = log.last_redaction()
            last = log.event(self._held.head.seq)
            goes_on = last is not None and last.hash == self._held.head.hash
            if not goes_on or redaction != self._held.redaction:
                self._held = _restore(log, head.seq, self.project)
                self._retold = _Retold()
            self._held.redaction = redaction
            self._advance(log, head)
            self._retell(log, head)
        return self._units

    @property
    def retold(self) -> frozenset[str]:
        """The units that are told in a model's words."""
        self.units()
        return frozenset(self._retold.made)

    @property
    def unfinished(self) -> dict[str, int]:
        """The units that may still change, with the newest event that is known of each."""
        self.units()
        return {
            name_observation(one.anchor): one.newest
            for one in self._held.progress.open.values()
            if one.anchor
        }

    def _advance(self, log: EventLog, head: Head) -> None:
        """Read up to an event; on a long way snapshots are left for the next time."""
        held, snapshots = self._held, []
        at = held.head.seq
        made: dict[str, Observation] = {}
        while at < head.seq:
            stop = min(head.seq, _next_place(at))
            found = distil(log.events_of(TYPES, at, stop), held.progress, root=self.project)
            held.progress, at = found.progress, stop
            for kept in (made, held.fresh):
                kept.update((unit.id, unit) for unit in found.units)
            if _is_place(stop) and (last := log.event(stop)) is not None:
                units = tuple(held.fresh.values())
                start = max(0, stop - EVERY)
                stretch = Stretch(start, last.hash, self.project, units, held.progress)
                snapshots.append((stop, pack(stretch)))
                held.fresh = {}
        held.units = merge(held.units, made.values())
        held.head = head
        if snapshots:
            log.keep_snapshots(snapshots, CODE, held.redaction)

    def _retell(self, log: EventLog, head: Head) -> None:
        """Lay the words of models over the units; what rests on a blanked event is left out."""
        retold = self._retold
        for event in log.events_of(RETOLD, retold.seq, head.seq):
            told = read_retelling(event)
            if told is not None:
                retold.known[told.of] = told
            elif event.type == EventType.PAYLOAD_REDACTED:
                retold.blanked.add(event.get("seq"))
        retold.seq = head.seq
        held = self._held.units
        known = {
            name: told
            for name, told in retold.known.items()
            if retold.blanked.isdisjoint(told.evidence)
        }
        retold.made = retell_all(held, known, retold.made)
        made = {name: one[2] for name, one in retold.made.items()}
        self._units = {**held, **made} if made else held

    def find(self, ids: Iterable[str]) -> list[Observation]:
        """Give some units, in the order in which they are named; those unknown are left out."""
        held = self.units()
        return [held[name] for name in dict.fromkeys(ids) if name in held]

    def of_day(self, day: str) -> list[Observation]:
        """Give the units of a day, as the ledger tells it: 2026-01-31."""
        return [unit for unit in self.units().values() if unit.day == day]


def _next_place(seq: int) -> int:
    """Tell where the next snapshot stands after an event."""
    return ((seq - BESIDE) // EVERY + 1) * EVERY + BESIDE


def _is_place(seq: int) -> bool:
    return seq % EVERY == BESIDE


def _restore(log: EventLog, to: int, root: str) -> _Held:
    """Begin with the snapshots that follow one another without a gap, all of this very chain."""
    held = _Held()
    units: dict[str, Observation] = {}
    for seq, data in log.snapshots(CODE):
        stretch = None if data is None else unpack(data)
        last = log.event(seq)
        if stretch is None or last is None or seq > to:
            break
        if (stretch.start, stretch.end, stretch.root) != (held.head.seq, last.hash, root):
            break
        units.update((unit.id, unit) for unit in stretch.units)
        held.progress, held.head = stretch.progress, Head(seq, last.hash)
    held.units = merge({}, units.values())
    return held
