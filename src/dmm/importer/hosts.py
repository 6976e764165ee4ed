"""Find the note that has space for a small section."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    Room = Callable[[int], int]


class Seat(NamedTuple):
    """Where a note stands: its source, and the headings above its own."""

    path: str
    branch: tuple[str, ...]


@dataclass(slots=True)
class _Row:
    """Hosts in order; what room one has only becomes less, so whoever fails once is passed by."""

    room: Room
    numbers: list[int] = field(default_factory=list)
    _passed: dict[int, int] = field(default_factory=dict)

    def find(self, need: int, before: int | None = None) -> int | None:
        """Find the first with so much room, and with a number below one that is given."""
        at = self._passed.get(need, 0)
        while at < len(self.numbers):
            number = self.numbers[at]
            if before is not None and number >= before:
                break
            if self.room(number) >= need:
                self._passed[need] = at
                return number
            at += 1
        self._passed[need] = at
        return None


@dataclass(slots=True)
class _Bench:
    """The hosts of one place: of two crumbs the later joins the earlier, so these stand apart."""

    whole: _Row
    crumbs: _Row

    def find(self, need: int, at: int) -> Iterator[int]:
        """Return the first host of each kind for a crumb at a place."""
        for found in (self.whole.find(need), self.crumbs.find(need, before=at)):
            if found is not None:
                yield found


@dataclass(slots=True)
class Hosts:
    """Notes that may take in others; `room` tells how many tokens a host can still take."""

    room: Room
    _by_path: dict[Hashable, dict[str, _Bench]] = field(default_factory=dict)
    _by_branch: dict[tuple[Hashable, Seat], _Bench] = field(default_factory=dict)

    def put(self, number: int, about: Hashable, seat: Seat, *, is_crumb: bool) -> None:
        """Enter a note; numbers have to rise."""
        new = _Bench(_Row(self.room), _Row(self.room)), _Bench(_Row(self.room), _Row(self.room))
        paths = self._by_path.setdefault(about, {})
        for bench in (
            paths.setdefault(seat.path, new[0]),
            self._by_branch.setdefault((about, seat), new[1]),
        ):
            (bench.crumbs if is_crumb else bench.whole).numbers.append(number)

    def find(
        self, about: Hashable, seat: Seat, need: int, at: int, *, in_branch: bool
    ) -> int | None:
        """Find the first host of another source, or also one below the same headings."""
        benches = [
            bench for path, bench in self._by_path.get(about, {}).items() if path != seat.path
        ]
        if in_branch and (about, seat) in self._by_branch:
            benches.append(self._by_branch[about, seat])
        return min((found for bench in benches for found in bench.find(need, at)), default=None)
