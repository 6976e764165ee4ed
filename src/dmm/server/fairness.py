"""Limits that keep laptops from overloading the server: few requests each, one answer for many."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import TYPE_CHECKING, Generic, TypeVar

from dmm.errors import TeamError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable, Iterator

    from dmm.team.chain import LogName

T = TypeVar("T")

# A laptop sends, receives and may be asked to do both by hand at the same time.
MOST_AT_ONCE = 4


class Turnstile:
    """Counts the requests under way by writer."""

    def __init__(self) -> None:
        self._inside: Counter[str] = Counter()

    @contextlib.contextmanager
    def passing(self, writer: str) -> Iterator[None]:
        """Let a request of a writer in for a block; TeamError where enough are."""
        if self._inside[writer] >= MOST_AT_ONCE:
            what = f"this laptop has {MOST_AT_ONCE} requests under way already"
            raise TeamError("busy", what, hint="it is tried again later")
        self._inside[writer] += 1
        try:
            yield
        finally:
            self._inside[writer] -= 1
            if not self._inside[writer]:
                del self._inside[writer]


class Bell:
    """Wakes those who wait for a project when something is pushed to it; one wait per writer."""

    def __init__(self) -> None:
        self._rung: Counter[LogName] = Counter()
        self._waiting: dict[LogName, dict[str, asyncio.Future[bool]]] = {}
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    def close(self) -> None:
        """End all waits, and let nobody wait any more."""
        self._closed = True
        for held in self._waiting.values():
            for one in held.values():
                _settle(one, woken=False)

    def count(self, place: LogName) -> int:
        """Return how often the bell has rung for a project."""
        return self._rung[place]

    def ring(self, place: LogName) -> None:
        """Wake all who wait."""
        self._rung[place] += 1
        for one in self._waiting.pop(place, {}).values():
            _settle(one, woken=True)

    async def wait(self, place: LogName, writer: str, heard: int, seconds: float) -> bool:
        """Wait until the bell rings again, or for so long; False where a later wait takes over.

        `heard` is the count before the log was read: what was pushed since is not missed.
        """
        if self._closed:
            return False
        if self._rung[place] != heard:
            return True
        waiting = self._waiting.setdefault(place, {})
        mine: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        _settle(waiting.get(writer), woken=False)
        waiting[writer] = mine
        try:
            return await asyncio.wait_for(mine, seconds)
        except TimeoutError:
            return True
        finally:
            if waiting.get(writer) is mine:
                del waiting[writer]
            if not waiting and self._waiting.get(place) is waiting:
                del self._waiting[place]


class Together(Generic[T]):
    """Does once what several ask for at the same time."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, asyncio.Task[T]] = {}

    async def get(self, key: Hashable, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """Return what the work gives; whoever asks meanwhile gets the same."""
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.get_running_loop().create_task(work())
            task.add_done_callback(lambda _: self._under_way.pop(key))
        # Whoever goes away does not take it from the others.
        return await asyncio.shield(task)


def _settle(one: asyncio.Future[bool] | None, *, woken: bool) -> None:
    if one is not None and not one.done():
        one.set_result(woken)
