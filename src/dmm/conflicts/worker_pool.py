"""A large scan shared out among processes of our own; what one of them loses is left over.

They are programs started anew, never copies of this process, which may have threads. Each is asked
by a thread of this process, one batch at a time. A batch that was lost with its process stays in
`rest`: whoever shared it out does it then.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

from dmm import VERSION
from dmm.conflicts.batches import Answer, Batch

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from dmm.conflicts.batches import Task
    from dmm.domain.memory import Memory

    Part = Sequence[Task]

MOST_WORKERS = 2
# A process needs about a quarter of a second to start: as long as so many pairs need.
FEWEST_TASKS = 4_000
AT_ONCE = 256
# What a process holds of so many memories takes about 100 MB.
MOST_HELD = 4_000
BLOCK = MOST_HELD // 2
ENDS_WITHIN = 2.0
LOST = (OSError, EOFError, pickle.UnpicklingError)


class Supply(Protocol):
    """Where a process gets what it needs of memories."""

    def text(self, number: int) -> Memory:
        """Give a memory that is to be read."""

    def packed(self, number: int) -> bytes | None:
        """Give what was read of a memory, if it was."""


def find_workers(tasks: int) -> int:
    """Tell among how many processes so many tasks are shared out; one is this process alone."""
    if tasks < FEWEST_TASKS or os.name != "posix":
        return 1
    if getattr(sys, "frozen", False) or not sys.executable:
        # There is no interpreter that could be started.
        return 1
    return min(MOST_WORKERS, _count_cpus())


def _count_cpus() -> int:
    """Count those that this process may use, where the system tells."""
    told = getattr(os, "sched_getaffinity", None)
    return (os.cpu_count() or 1) if told is None else len(told(0))


def divide(tasks: Sequence[Task]) -> list[Part]:
    """Cut tasks into batches, those together that need the same memories.

    Two blocks of memories fit into a process; from one square of the table to the next, one of
    the two stays.
    """

    def square(task: Task) -> tuple[int, int]:
        row, column = sorted((task[0] // BLOCK, task[1] // BLOCK))
        return row, -column if row % 2 else column

    ordered = sorted(tasks, key=square)
    return [ordered[at : at + AT_ONCE] for at in range(0, len(ordered), AT_ONCE)]


class Worker:
    """A process that compares, and what it is known to hold."""

    def __init__(self) -> None:
        # -P: the folder one stands in may hold modules of the same names. In a session of its
        # own it hears nothing of an interruption by keys: this process ends it.
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-P", "-m", "dmm.conflicts.worker", VERSION],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._held: dict[int, None] = {}

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ask(self, part: Part, supply: Supply, today: dt.date) -> Answer:
        """Have some pairs compared; raises one of LOST where the process is gone."""
        requests, answers = self._process.stdin, self._process.stdout
        if requests is None or answers is None:
            raise EOFError
        pickle.dump(self._batch(part, supply, today), requests, pickle.HIGHEST_PROTOCOL)
        requests.flush()
        answer: Answer = pickle.load(answers)  # noqa: S301 - from the process we started
        return answer

    def _batch(self, part: Part, supply: Supply, today: dt.date) -> Batch:
        wanted = dict.fromkeys(number for task in part for number in task[:2])
        new = [number for number in wanted if number not in self._held]
        for number in wanted:
            # What was needed last is forgotten last.
            self._held.pop(number, None)
            self._held[number] = None
        gone = tuple(islice(self._held, max(0, len(self._held) - MOST_HELD)))
        for number in gone:
            del self._held[number]
        packed = {number: known for number in new if (known := supply.packed(number)) is not None}
        texts = {number: supply.text(number) for number in new if number not in packed}
        return Batch(tuple(part), texts, packed, gone, today)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def close(self) -> None:
        """Let the process end, which it does when it gets no more; it is gone afterwards."""
        for pipe in (self._process.stdin, self._process.stdout):
            # What was not sent yet is lost with the process.
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        try:
            self._process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class WorkerPool:
    """Some processes that share a list of batches; all are gone when it is left."""

    def __init__(self, parts: Sequence[Part], supply: Supply, today: dt.date, count: int) -> None:
        self.rest = dict(enumerate(parts))
        self.workers: list[Worker] = []
        self._supply = supply
        self._today = today
        self._count = count
        self._waiting = deque(self.rest)
        self._done: SimpleQueue[tuple[int, Answer] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> WorkerPool:
        # Where no process can be started, or no more, those that run do the work, or nobody.
        with contextlib.suppress(OSError):
            for _ in range(self._count):
                self.workers.append(Worker())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            for worker in self.workers:
                worker.kill()
        self._waiting.clear()
        for thread in self._threads:
            thread.join()
        for worker in self.workers:
            worker.close()

    def work(self) -> Iterator[tuple[Part, Answer]]:
        """Give the batches as they get done; those that are lost stay in `rest`."""
        # From both ends towards the middle: each needs other memories for as long as can be.
        takes = self._waiting.popleft, self._waiting.pop
        for place, worker in enumerate(self.workers):
            take = takes[place % len(takes)]
            thread = threading.Thread(target=self._attend, args=(worker, take), daemon=True)
            self._threads.append(thread)
            thread.start()
        running = len(self._threads)
        while running:
            done = self._done.get()
            if done is None:
                running -= 1
                continue
            number, answer = done
            yield self.rest.pop(number), answer

    def _attend(self, worker: Worker, take: Callable[[], int]) -> None:
        """Hand batches to a process while there are some and it lives."""
        try:
            while True:
                number = take()
                answer = worker.ask(self.rest[number], self._supply, self._today)
                self._done.put((number, answer))
        except (IndexError, *LOST):
            # None is left, or the process is gone.
            return
        finally:
            self._done.put(None)
