"""Several processes at once, and processes that die: what was acknowledged is there, once."""

from __future__ import annotations

import random
import signal
from typing import TYPE_CHECKING

import pytest

from dmm.eventlog.log import EventLog
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.eventlog.conftest import Waiting

    Start = Callable[..., Waiting]

pytestmark = pytest.mark.slow

# Appends events under ids that tell who and which; each is printed when it is acknowledged.
WRITER = """
import sys
from pathlib import Path
from dmm.domain.event import Draft
from dmm.eventlog.log import EventLog
path, name, first, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
print("ready", flush=True)
sys.stdin.readline()
log = EventLog.open(path)
for number in range(first, first + count):
    payload = {"text": f"{name} {number} " + "x" * (number % 700)}
    draft = Draft("UserMessageReceived", payload, f"{name}-{number}", "2026-01-31T12:00:00Z")
    (event,) = log.append([draft])
    print(number, event.seq, flush=True)
log.close()
"""


@pytest.fixture
def start(launch: type[Waiting], path: Path) -> Start:
    return lambda first, count, name="w": launch(WRITER, path, name, str(first), str(count))


def finish(process: Waiting) -> int:
    with process:
        process.communicate()
    return process.returncode


def acknowledged(lines: list[str]) -> dict[int, int]:
    """Read which number was told to have which seq; a line that was cut short was never told."""
    whole = [line.split() for line in lines if line.endswith("\n")]
    return {int(number): int(seq) for number, seq in whole}


def test_processes_that_append_at_once_lose_and_double_nothing(
    start: Start, path: Path, slow: bool
) -> None:
    writers, count = (16, 1_000) if slow else (8, 60)
    processes = [start(0, count, f"w{n}") for n in range(writers)]
    for process in processes:
        process.tell()
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * writers
    told = {
        f"w{writer}-{number}": seq
        for writer, out in enumerate(outputs)
        for number, seq in acknowledged(out.splitlines(keepends=True)).items()
    }
    log = EventLog.open(path)
    assert {event.id: event.seq for event in log.events()} == told
    assert sorted(told.values()) == list(range(1, writers * count + 1))
    result = verify(log.raw())
    assert (result.valid, result.events) == (True, writers * count)
    assert log.damage() == ()
    log.close()


OPENER = """
import sys
from pathlib import Path
from dmm.domain.event import Draft
from dmm.eventlog.log import EventLog
print("ready", flush=True)
sys.stdin.readline()
log = EventLog.open(Path(sys.argv[1]))
log.append([Draft("A", {}, sys.argv[2], "2026-01-31T12:00:00Z")])
log.close()
"""


def test_processes_may_make_the_ledger_at_the_same_moment(
    launch: type[Waiting], tmp_path: Path, slow: bool
) -> None:
    for attempt in range(40 if slow else 4):
        path = tmp_path / str(attempt) / "ledger.db"
        processes = [launch(OPENER, path, str(number)) for number in range(10)]
        for process in processes:
            process.tell()
        assert [finish(process) for process in processes] == [0] * 10
        log = EventLog.open(path)
        assert {event.id for event in log.events()} == {str(number) for number in range(10)}
        log.close()


def killed_after(process: Waiting, lines: int, spin: int) -> list[str]:
    """Kill a writer a little after it acknowledged some events; give all lines it wrote."""
    assert process.stdout is not None
    process.tell()
    read = [process.stdout.readline() for _ in range(lines)]
    for _ in range(spin):
        pass
    process.send_signal(signal.SIGKILL)
    read += process.stdout.readlines()
    process.wait()
    return read


@pytest.fixture
def moments(slow: bool) -> Iterator[tuple[int, int]]:
    chance = random.Random(20_260_131)
    return ((chance.randrange(12), chance.randrange(60_000)) for _ in range(200 if slow else 30))


def test_what_a_killed_writer_acknowledged_is_kept(
    start: Start, path: Path, moments: Iterator[tuple[int, int]]
) -> None:
    done = kills = 0
    for lines, spin in moments:
        with start(done, 1_000) as process:
            told = acknowledged(killed_after(process, lines, spin))
        assert process.returncode == -signal.SIGKILL
        kills += 1
        log = EventLog.open(path)
        stored = {event.id: event.seq for event in log.events()}
        assert {f"w-{number}": seq for number, seq in told.items()}.items() <= stored.items()
        # At most one more was committed and not told any more.
        assert len(stored) - (done + len(told)) in (0, 1)
        assert verify(log.raw()).valid
        log.close()
        # The next writer tries the last one again, as a hook would.
        done = max(len(stored) - 1, 0)
    log = EventLog.open(path)
    assert [event.id for event in log.events()] == [f"w-{n}" for n in range(log.head().seq)]
    assert log.damage() == ()
    log.close()
    assert kills >= 30


def test_a_second_and_a_third_try_after_a_crash_are_recorded_once(start: Start, path: Path) -> None:
    with start(0, 5) as process:
        killed_after(process, 3, 0)
    for _ in range(2):
        with start(0, 5) as process:
            process.tell()
            out, _ = process.communicate()
        assert acknowledged(out.splitlines(keepends=True)) == {n: n + 1 for n in range(5)}
    log = EventLog.open(path)
    assert [event.id for event in log.events()] == [f"w-{n}" for n in range(5)]
    log.close()


def test_a_backup_made_while_others_write_is_whole(
    start: Start, path: Path, tmp_path: Path
) -> None:
    with start(0, 400) as process:
        assert process.stdout is not None
        process.tell()
        for _ in range(50):
            process.stdout.readline()
        log = EventLog.open(path)
        before = log.head().seq
        heads = [log.backup(tmp_path / f"copy{number}.db") for number in range(3)]
        after = log.head().seq
        log.close()
        process.communicate()
    assert process.returncode == 0
    for number, head in enumerate(heads):
        copy = EventLog.open(tmp_path / f"copy{number}.db")
        result = verify(copy.raw())
        assert (result.valid, result.events, result.head) == (True, head.seq, head.hash)
        assert before <= head.seq <= after
        copy.close()
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"copy0.db", "copy1.db", "copy2.db", "store"}
