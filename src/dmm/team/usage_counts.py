"""How memories were used, as counts of whole days: only numbers, ids and paths."""

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
from dmm.team.words import is_words

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
        self._at = ""
        self._paths: dict[str, Held] = {}
        self._numbers: Counter[tuple[str, str]] = Counter()

    def add(self, event: Event) -> None:
        self.last = event
        # The latest time, so that a clock that is set back tells no day before it has come.
        self._at = max(self._at, event.at)
        for outcome, one in _read_uses(event):
            key = key_of(one.id or "", one.path)
            if _is_named(one.id or "", one.path):
                self._paths[key] = one
                self._numbers[key, outcome] += 1

    def tell(self) -> Told | None:
        """Tell the counts; the id is that of the last event, so none is told twice."""
        if self.last is None or not self._paths:
            return None
        busiest = sorted(self._paths, key=lambda key: (-self._numbers[key, OUTCOMES[0]], key))
        rows = [self._row(key) for key in busiest[:MOST_MEMORIES]]
        # Long names may be too many for one event, which the server would refuse.
        while not is_words(canonical(rows)):
            rows.pop()
        payload = canonical({"day": self.day, "counts": canonical(rows)})
        return Told(self.last.id, EventType.USAGE_REPORTED, self._at, payload)

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
        rows = json.loads(told["counts"])
        found = tuple(Count(*row) for row in rows)
    except (KeyError, ValueError, TypeError, RecursionError):
        return None
    if len(found) > MOST_MEMORIES or not all(map(_is_count, found)):
        return None
    once = len({key_of(one.id, one.path) for one in found}) == len(found)
    return found if once and _is_day(told.get("day", "")) else None


def _is_day(text: str) -> bool:
    """Return whether this is a day in the one form that sorts by time."""
    try:
        return dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_named(identity: str, path: str) -> bool:
    """Return whether a memory has a path, and maybe an id, that every laptop can show."""
    names = (identity, path) if identity else (path,)
    return all(len(one) <= LONGEST_NAME and is_words(one) for one in names)


def _is_count(one: Count) -> bool:
    identity, path, *numbers = astuple(one)
    if not (isinstance(identity, str) and isinstance(path, str) and _is_named(identity, path)):
        return False
    counted = zip(numbers, _LIMITS, strict=True)
    fits = all(type(number) is int and 0 <= number <= most for number, most in counted)
    return fits and not path.startswith(OWN)


def tell_day(event: str, at: str, by: str, told: Mapping[str, str]) -> DayCounts | None:
    """Return the counts that an event of the team's log holds; None where it holds none.

    A day that had not begun when the event was made was not counted.
    """
    counts, made = read_counts(told), at[:10]
    if counts is None or not _is_day(made) or told["day"] > made:
        return None
    return DayCounts(event, told["day"], by, counts)
