"""The metrics of a project over time: tokens compared with all memory, stops, the queue."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.project.activity import DayTally

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.memories.catalogue import Catalogues
    from dmm.packs.baselines import Baselines
    from dmm.project.activity_projection import ActivityProjection
    from dmm.review.store import ProposalStore
    from dmm.rules.project_ledger import ProjectLedger

HOUR = dt.timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class DayRow:
    """One day; `monolith` is what its packs would have taken with all memory in each of them."""

    day: str
    packs: int
    tokens: int
    monolith: int
    blocked: int
    asked: int
    proposals: int
    applied: int


@dataclass(frozen=True, slots=True)
class Now:
    """How a project stands; the age of the oldest pending proposal is None without one."""

    memories: int
    indexed: int
    baseline_tokens: int
    baseline_budget: int
    monolith_tokens: int
    queue: int
    queue_oldest_hours: float | None
    events: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The days, the oldest first, and how things stand."""

    days: tuple[DayRow, ...]
    now: Now


@dataclass(frozen=True, slots=True)
class Metrics:
    """Reads the figures of one project; nothing is recorded."""

    project_ledger: ProjectLedger
    activity: ActivityProjection
    catalogues: Catalogues
    baselines: Baselines
    proposals: ProposalStore
    baseline_budget: int
    today: Callable[[], dt.date]

    def report(self, days: int) -> Figures:
        """Report the last days and how things stand."""
        now = self._now()
        counted = self.activity.current().days
        last = self.today()
        wanted = [(last - dt.timedelta(days=back)).isoformat() for back in reversed(range(days))]
        rows = (_row(day, counted.get(day, DayTally()), now.monolith_tokens) for day in wanted)
        return Figures(tuple(rows), now)

    def _now(self) -> Now:
        catalogue = self.catalogues.current()
        waiting = [one for one in self.proposals.queue().proposals.values() if one.is_open]
        oldest = min((one.at for one in waiting), default=None)
        return Now(
            catalogue.in_force,
            len(catalogue.memories),
            self.baselines.compile().tokens,
            self.baseline_budget,
            catalogue.tokens,
            len(waiting),
            None if oldest is None else self._hours_since(oldest),
            self.project_ledger.reading.head().seq,
        )

    def _hours_since(self, at: str) -> float:
        passed = self.project_ledger.now() - dt.datetime.fromisoformat(at)
        return round(passed / HOUR, 1)


def _row(day: str, tally: DayTally, today: int) -> DayRow:
    """Make the row of a day; packs without a receipt count with the memory of today."""
    monolith = tally.monolith + (tally.packs - tally.measured) * today
    stops = (tally.blocked, tally.asked, tally.proposals, tally.applied)
    return DayRow(day, tally.packs, tally.tokens, monolith, *stops)
