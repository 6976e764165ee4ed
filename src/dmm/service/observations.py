"""Observations as the services use them: distilled from the ledger, held, and kept current."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.ledger.chain import Head
from dmm.observations.distil import TYPES, Progress, distil, merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dmm.domain.observation import Observation
    from dmm.service.chronicle import Chronicle


@dataclass(slots=True)
class Observations:
    """All units of recall of one ledger, as they stand at its head.

    `project` is the folder that paths are told relative to.
    """

    chronicle: Chronicle
    project: str = ""
    _units: dict[str, Observation] = field(default_factory=dict)
    _progress: Progress = field(default_factory=Progress)
    _head: Head = field(default_factory=Head)
    _redaction: int = 0

    def units(self) -> Mapping[str, Observation]:
        """Give all units by id, in the order of their first events; only what is new is read."""
        log = self.chronicle.reading
        head = log.head()
        if head != self._head:
            redaction = log.last_redaction()
            last = log.event(self._head.seq)
            goes_on = last is not None and last.hash == self._head.hash
            if not goes_on or redaction != self._redaction:
                self._units, self._progress, self._head = {}, Progress(), Head()
            events = log.events_of(TYPES, self._head.seq, head.seq)
            found = distil(events, self._progress, root=self.project)
            self._units = merge(self._units, found.units)
            self._progress, self._head, self._redaction = found.progress, head, redaction
        return self._units

    def find(self, ids: Iterable[str]) -> list[Observation]:
        """Give some units, in the order in which they are named; those unknown are left out."""
        held = self.units()
        return [held[name] for name in dict.fromkeys(ids) if name in held]

    def of_day(self, day: str) -> list[Observation]:
        """Give the units of a day, as the ledger tells it: 2026-01-31."""
        return [unit for unit in self.units().values() if unit.day == day]
