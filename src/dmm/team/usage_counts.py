"""How memories were used, as counts of whole days: numbers, ids and paths, and nobody's words."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from dataclasses import astuple
from typing import TYPE_CHECKING

from dmm.domain.event import EventType, Trust, canonical
from dmm.domain.payload import PackServed, UsageReported
from dmm.domain.usage import OUTCOMES, OWN, Count, DayCounts, key_of
from dmm.team.told import Told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dmm.domain.event import Event
    from dmm.domain.payload import Held
    from dmm.eventlog.log_reader import LogReader

COUNTED = (str(EventType.PACK_SERVED), str(EventType.USAGE_REPORTED))
# So many memories in one event; the most used of a day.
MOST_MEMORIES = 20
LONGEST_NAME = 120
MOST, MOST_OBJECTIONS = 99_999, 99
_LIMITS = (MOST, MOST, MOST_OBJECTIONS, MOST_OBJECTIONS)
_REPORTERS = frozenset(map(str, (Trust.USER, Trust.REVIEWED, Trust.AGENT)))


class _Day:
    """What was counted of one day so far."""

    def __init__(self, day: str) -> None:
        self.day = day
        self.last: Event | None = None
        self._paths: dict[str, Held] = {}
        self._numbers: Counter[tuple[str, str]] = Counter()

    def add(self, event: Event) -> None:
        self.last = event
        for outcome, one in _read_uses(event):
            key = key_of(one.id or "", one.path)
            if max(len(one.path), len(one.id or "")) <= LONGEST_NAME:
                self._paths[key] = one
                self._numbers[key, outcome] += 1

    def tell(self) -> Told | None:
        """Tell the counts; the id is that of the last event, so none is told twice."""
        if self.last is None or not self._paths:
            return None
        busiest = sorted(self._paths, key=lambda key: (-self._numbers[key, OUTCOMES[0]], key))
        rows = [self._row(key) for key in busiest[:MOST_MEMORIES]]
        payload = canonical({"day": self.day, "counts": canonical(rows)})
        return Told(self.last.id, EventType.USAGE_REPORTED, self.last.at, payload)

    def _row(self, key: str) -> list[str | int]:
        held = self._paths[key]
        numbers = zip(OUTCOMES, _LIMITS, strict=True)
        counts = [min(self._numbers[key, outcome], most) for outcome, most in numbers]
        return [held.id or "", held.path, *counts]


def count_days(log: LogReader, since: int, taken: int, head: int) -> Iterator[Told]:
    """Tell the counts of each day that was under way at event `taken` or later and is over now.

    A day is over when an event of a later one is recorded; what is recorded late counts for the
    day on which it is.
    """
    last, before = log.event(head), log.event(taken)
    today = "" if last is None else last.at[:10]
    known = "" if before is None else before.at[:10]
    if known == today:
        return
    for day in _split_days(log.events_of(COUNTED, since, head)):
        told = day.tell() if known <= day.day < today else None
        if told is not None:
            yield told


def _split_days(events: Iterable[Event]) -> Iterator[_Day]:
    """Put events together by their days, in order; a clock that is set back begins no day."""
    found = _Day("")
    for event in events:
        if event.at[:10] > found.day:
            yield found
            found = _Day(event.at[:10])
        found.add(event)
    yield found


def _read_uses(event: Event) -> Iterator[tuple[str, Held]]:
    """Yield the uses of the project's memories that an event tells of."""
    served = PackServed.read(event)
    reported = UsageReported.read(event)
    if served is not None:
        uses = [(OUTCOMES[0], one) for one in served.memories]
    elif reported is not None and event.trust in _REPORTERS:
        uses = [(reported.outcome, one) for one in reported.memories]
    else:
        uses = []
    for outcome, one in uses:
        if outcome in OUTCOMES and one.path and not one.path.startswith(OWN):
            yield outcome, one


def read_counts(told: Mapping[str, str]) -> tuple[Count, ...] | None:
    """Read counts as another laptop told them; None where they are malformed."""
    try:
        dt.date.fromisoformat(told["day"])
        rows = json.loads(told["counts"])
        found = tuple(Count(*row) for row in rows)
    except (KeyError, ValueError, TypeError, RecursionError):
        return None
    return found if len(found) <= MOST_MEMORIES and all(map(_is_count, found)) else None


def _is_count(one: Count) -> bool:
    identity, path, *numbers = astuple(one)
    names = all(isinstance(name, str) and len(name) <= LONGEST_NAME for name in (identity, path))
    counted = zip(numbers, _LIMITS, strict=True)
    fits = all(type(number) is int and 0 <= number <= most for number, most in counted)
    return names and fits and bool(path) and not path.startswith(OWN)


def tell_day(event: str, by: str, told: Mapping[str, str]) -> DayCounts | None:
    """Return the counts that an event of the team's log holds; None where it holds none."""
    counts = read_counts(told)
    return None if counts is None else DayCounts(event, told["day"], by, counts)
