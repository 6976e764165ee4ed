"""A scan shared out among processes: the same answer, whatever becomes of them."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import threading
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.rulebooks import write_memories
from dmm.conflicts.batches import Batch, work
from dmm.conflicts.worker_pool import AT_ONCE, BLOCK, FEWEST_TASKS, WorkerPool, divide, find_workers
from dmm.domain.memory import Confidence, Memory, Scope, Status
from dmm.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.conflicts.batches import Answer, Task
    from dmm.conflicts.worker_pool import Part
    from dmm.domain.conflict import Clash
    from dmm.embed.model import Embedder

    Found = dict[tuple[int, int], Clash]

DAY = dt.date(2026, 1, 31)
NOTES = 30


class Notes:
    """Some generated memories, by number."""

    def __init__(self) -> None:
        self.memories = [
            Memory(
                id=text.id,
                path=text.path,
                title=text.title,
                body=text.content,
                tags=text.tags,
                scope=Scope.PROJECT,
                priority=0.5,
                confidence=Confidence.ACTIVE,
                status=Status.ACTIVE,
            )
            for text in write_memories(NOTES)
        ]
        self.tasks: list[Task] = [(a, b, 0.7, False) for a, b in combinations(range(NOTES), 2)]
        self.known: dict[int, bytes] = {}

    def text(self, number: int) -> Memory:
        return self.memories[number]

    def packed(self, number: int) -> bytes | None:
        return self.known.get(number)

    def compare(self, parts: Iterable[Part]) -> Found:
        """Compare in this process."""
        tasks = tuple(task for part in parts for task in part)
        return told(tasks, work(Batch(tasks, dict(enumerate(self.memories)), {}, (), DAY), {}))


def told(part: Part, answer: Answer) -> Found:
    return {part[place][:2]: clash for place, clash in answer.clashes}


@pytest.fixture
def notes() -> Notes:
    return Notes()


def cut(tasks: list[Task]) -> list[Part]:
    return [tasks[at : at + 60] for at in range(0, len(tasks), 60)]


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def children() -> set[int]:
    # Of this thread, which starts them: others may end while they are looked at.
    mine = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    return set(map(int, mine.read_text().split()))


@pytest.fixture
def started() -> Callable[[], set[int]]:
    """Tell which processes this one started since the test began."""
    # Others may be there: Python keeps one for itself once it has shared work out.
    before = children()
    return lambda: children() - before


@given(
    st.lists(
        st.tuples(st.integers(0, 3 * BLOCK), st.integers(0, 3 * BLOCK), st.none(), st.booleans()),
        max_size=3 * AT_ONCE,
        unique=True,
    )
)
def test_every_task_is_in_one_batch_whatever_their_number(tasks: list[Task]) -> None:
    parts = divide(tasks)
    assert sorted(task for part in parts for task in part) == sorted(tasks)
    assert all(0 < len(part) <= AT_ONCE for part in parts)


def test_two_processes_find_what_one_finds_and_read_each_memory_once_or_twice(
    notes: Notes,
) -> None:
    found: Found = {}
    read: list[int] = []
    with WorkerPool(cut(notes.tasks), notes, DAY, 2) as crew:
        pids = [worker.pid for worker in crew.workers]
        for part, answer in crew.work():
            found |= told(part, answer)
            read += answer.packed
            notes.known |= answer.packed
    assert found == notes.compare([notes.tasks])
    assert found
    assert crew.rest == {}
    assert set(read) == set(range(NOTES))
    assert len(read) <= 2 * NOTES
    assert len(pids) == 2
    assert all(map(is_gone, pids))


def test_the_batch_of_a_process_that_was_killed_is_left_over(notes: Notes) -> None:
    found: Found = {}
    with WorkerPool(cut(notes.tasks), notes, DAY, 1) as crew:
        for part, answer in crew.work():
            found |= told(part, answer)
            os.kill(crew.workers[0].pid, signal.SIGKILL)
    assert crew.rest
    assert found | notes.compare(crew.rest.values()) == notes.compare([notes.tasks])


def test_an_error_in_between_ends_the_processes(notes: Notes) -> None:
    crew = WorkerPool(cut(notes.tasks), notes, DAY, 1)

    def break_off() -> None:
        with crew:
            for _ in crew.work():
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    assert is_gone(crew.workers[0].pid)


def test_where_no_process_can_be_started_all_is_left_over(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with WorkerPool(cut(notes.tasks), notes, DAY, 2) as crew:
        assert list(crew.work()) == []
    assert [task for part in crew.rest.values() for task in part] == notes.tasks


def test_a_program_of_another_version_does_nothing() -> None:
    line = [sys.executable, "-P", "-m", "dmm.conflicts.worker", "0.0.0"]
    ended = subprocess.run(line, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, b"")


def test_little_work_is_done_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_workers(FEWEST_TASKS - 1) == 1
    assert find_workers(FEWEST_TASKS) in (1, 2)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert find_workers(FEWEST_TASKS) == 1


# Started by a shell in the background, a program would ignore the signal.
INTERRUPTED = """
import datetime as dt
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from itertools import combinations
from dmm.domain.memory import Confidence, Memory, Scope, Status
from dmm.conflicts.worker_pool import Crew

class Notes:
    def text(self, number):
        return Memory(f"m{number}", f"project/{number}.md", "Note", "Use Redis. " * 200, (),
                      Scope.PROJECT, 0.5, Confidence.ACTIVE, Status.ACTIVE)
    def packed(self, number):
        return None

parts = [[(a, b, 0.9, False)] for a, b in combinations(range(150), 2)]
with Crew(parts, Notes(), dt.date(2026, 1, 31), 2) as crew:
    for place, _ in enumerate(crew.work()):
        if place == 0:
            print(*(worker.pid for worker in crew.workers), flush=True)
"""


def test_an_interruption_leaves_no_process_behind() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    with program:
        assert program.stdout is not None
        assert program.stderr is not None
        pids = [int(pid) for pid in program.stdout.readline().split()]
        # As from a keyboard: to all processes in front.
        os.killpg(program.pid, signal.SIGINT)
        told_last = program.stderr.read()
    assert told_last.rstrip().endswith("KeyboardInterrupt")
    assert len(pids) == 2
    assert all(map(is_gone, pids))


@pytest.fixture
def filled(project: Project, memory_text: MemoryText, open_project: Opener) -> Dmm:
    def unavailable() -> Embedder:
        raise ModelUnavailable("not here")

    for text in write_memories(NOTES):
        project.write(text.path, memory_text(text.title, text.body, id=text.id))
    dmm = open_project(project, unavailable)
    dmm.indexes.refresh()
    dmm.conflicts.corpus.refresh()
    return dmm


def test_records_are_the_same_with_one_process_and_with_two(
    filled: Dmm, started: Callable[[], set[int]]
) -> None:
    corpus = filled.conflicts.corpus
    pairs = corpus.all_pairs()
    steps: list[tuple[int, int]] = []
    shared = corpus.judge(pairs, lambda done, of: steps.append((done, of)), workers=2)
    # What others have read serves a later comparison here, too.
    again = corpus.judge(pairs)
    corpus.trim()
    assert repr(shared) == repr(again)
    assert shared
    assert steps[-1] == (len(pairs), len(pairs))
    assert started() == set()


def test_records_are_complete_though_all_processes_are_killed(
    filled: Dmm, started: Callable[[], set[int]]
) -> None:
    corpus = filled.conflicts.corpus
    pairs = corpus.all_pairs()

    def kill(_done: int, _of: int) -> None:
        for pid in started():
            os.kill(pid, signal.SIGKILL)

    shared = corpus.judge(pairs, kill, workers=2)
    assert repr(shared) == repr(corpus.judge(pairs))
    assert started() == set()


def test_a_scan_that_is_broken_off_leaves_no_process_behind(
    filled: Dmm, started: Callable[[], set[int]]
) -> None:
    def leave(_done: int, _of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        filled.conflicts.corpus.judge(filled.conflicts.corpus.all_pairs(), leave, workers=2)
    assert started() == set()
