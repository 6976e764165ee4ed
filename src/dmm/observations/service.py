"""Observations, distilled from the ledger, stored and kept current.

The units stand in the file of their index (index/units.py), which can be thrown away: they are made
again from the ledger. In memory are only the episodes that are still open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.observation import name_observation
from dmm.domain.payload import PayloadRedacted
from dmm.errors import IndexBroken, IndexBusy
from dmm.index.store import IndexStore
from dmm.index.units import Reading, UnitStore
from dmm.observations.distil import TYPES, Progress, distil
from dmm.observations.retelling import read_kept, read_retelling, retell, write_kept
from dmm.observations.unfinished import RULES, read_episode, write_episode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dmm.domain.observation import Kind, Observation
    from dmm.eventlog.chain import Head
    from dmm.eventlog.log import EventLog
    from dmm.observations.distil import Distilled
    from dmm.observations.retelling import Retelling
    from dmm.rules.project_ledger import ProjectLedger

# So many events are read at once; each stretch is kept before the next one is begun.
EVERY = 2_048


class Units(Mapping[str, "Observation"]):
    """All units by id, in the order of their first events; each is read when it is asked for."""

    def __init__(self, kept: UnitStore) -> None:
        self.kept = kept

    def __getitem__(self, name: str) -> Observation:
        return self.kept.find([name])[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kept.names())

    def __len__(self) -> int:
        return self.kept.count()


@dataclass(slots=True)
class Observations:
    """All units of recall of one ledger, as they stand at its head.

    `project` is the folder that paths are told relative to. `find_store` gives the file that the
    units stand in and `fix` builds a damaged one anew; without a file that can be written, memory
    holds them.
    """

    project_ledger: ProjectLedger
    project: str = ""
    find_store: Callable[[], IndexStore | None] = lambda: None
    fix: Callable[[IndexBroken], None] | None = None
    _own: IndexStore | None = None
    _kept: UnitStore | None = None
    _left: tuple[Reading, Progress] = field(default_factory=lambda: (Reading(), Progress()))

    def units(self) -> Units:
        """Return all units, current; of the ledger only what is new is read."""
        log = self.project_ledger.reading
        head = log.head()
        try:
            return Units(self._bring_up(log, head))
        except IndexBroken as error:
            if self.fix is None:
                raise
            self.fix(error)
            return Units(self._bring_up(log, head))
        except IndexBusy:
            # Another process is writing for a long time; answer with what was read before.
            return Units(self._open(head))

    @property
    def retold(self) -> frozenset[str]:
        """The units that are told in a model's words."""
        return self.units().kept.retold()

    @property
    def unfinished(self) -> dict[str, int]:
        """The units that may still change, with the newest event that is known of each."""
        kept = self.units().kept
        found = self._progress(kept, kept.reading())
        return {
            name_observation(one.anchor): one.newest for one in found.open.values() if one.anchor
        }

    def find(self, ids: Iterable[str]) -> list[Observation]:
        """Return some units, in the order in which they are named; those unknown are left out."""
        return list(self.units().kept.each(list(dict.fromkeys(ids))))

    def of_day(self, day: str) -> list[Observation]:
        """Return the units of a day, as the ledger tells it: 2026-01-31."""
        return self.units().kept.of_day(day)

    def newest_of(self, kinds: Sequence[Kind]) -> Iterator[Observation]:
        """Return the units of some kinds, the newest first."""
        kept = self.units().kept
        return kept.each(kept.names(kinds)[::-1])

    def _open(self, head: Head) -> UnitStore:
        # An empty ledger makes no file.
        store = self.find_store() if head.seq else None
        if store is None or not store.writable:
            self._own = store = self._own or IndexStore.in_memory()
        if self._kept is None or self._kept.store is not store:
            self._kept = UnitStore(store)
        return self._kept

    def _bring_up(self, log: EventLog, head: Head) -> UnitStore:
        kept = self._open(head)
        at = kept.reading()
        if at != Reading(head.seq, head.hash, at.redaction, RULES, self.project):
            while self._read_on(kept, log, head) < head.seq:
                pass
        return kept

    def _read_on(self, kept: UnitStore, log: EventLog, head: Head) -> int:
        """Read the next stretch, unless another process has; tell up to which event all is read."""
        redaction = log.last_redaction()
        with kept.writing():
            at = kept.reading()
            if not self._follows(at, log, redaction):
                if at.seq:
                    kept.clear()
                at = Reading(0, "", redaction, RULES, self.project)
            stop = min(head.seq, at.seq + EVERY)
            last = log.event(stop)
            if stop <= at.seq or last is None:
                return head.seq
            before = self._progress(kept, at)
            found = distil(log.events_of(TYPES, at.seq, stop), before, root=self.project)
            _keep(kept, found, before)
            _retell(kept, _retellings(log, at.seq, stop, redaction))
            reached = replace(at, seq=stop, hash=last.hash)
            kept.note(reached)
        self._left = reached, found.progress
        return stop

    def _follows(self, at: Reading, log: EventLog, redaction: int) -> bool:
        """Return whether what was read is current: same events, none redacted, same rules."""
        if (at.redaction, at.rules, at.root) != (redaction, RULES, self.project):
            return False
        last = log.event(at.seq)
        return last is not None and last.hash == at.hash

    def _progress(self, kept: UnitStore, at: Reading) -> Progress:
        """Return the open episodes: those at hand, or those that whoever read last has kept."""
        if self._left[0] != at:
            read = ((name, read_episode(text)) for name, text in kept.episodes().items())
            known = {name: one for name, one in read if one is not None}
            self._left = at, Progress(at.seq, known)
        return self._left[1]


def _keep(kept: UnitStore, found: Distilled, before: Progress) -> None:
    """Keep what a stretch made or changed."""
    told = kept.retellings(unit.id for unit in found.units)
    kept.put(_laid_over(unit, told.get(unit.id)) for unit in found.units)
    opened = found.progress.open
    touched = {name: one for name, one in opened.items() if before.open.get(name) is not one}
    kept.keep_episodes(
        {name: write_episode(one) for name, one in touched.items()},
        before.open.keys() - opened.keys(),
    )


def _retellings(log: EventLog, after: int, to: int, redaction: int) -> dict[str, Retelling]:
    """Read what models made of units; what rests on a blanked event is left out."""
    events = log.events_of((EventType.OBSERVATION_MADE,), after, to)
    told = {one.of: one for event in events if (one := read_retelling(event)) is not None}
    if not told:
        return told
    blankings = log.events_of((EventType.PAYLOAD_REDACTED,), 0, redaction)
    blanked = {gone.seq for event in blankings if (gone := PayloadRedacted.read(event))}
    return {name: one for name, one in told.items() if blanked.isdisjoint(one.evidence)}


def _retell(kept: UnitStore, told: dict[str, Retelling]) -> None:
    """Return the units with the texts that models wrote for them."""
    if not told:
        return
    texts = {name: write_kept(one) for name, one in told.items()}
    kept.keep_retellings(texts)
    made = kept.by_rules(told)
    kept.put(_laid_over(unit, texts[name]) for name, unit in made.items())


def _laid_over(unit: Observation, text: str | None) -> tuple[Observation, Observation | None]:
    made = None if text is None else retell(unit, read_kept(text))
    return (unit, None) if made is None else (made, unit)
