"""A power cut at any moment: what was synced is there, of the rest any part, torn or not at all.

The writes and syncs of a writer are recorded with strace and played back up to the cut; each
acknowledgement is a write to the standard output among them.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dmm.eventlog.log import EventLog
from dmm.eventlog.verify import verify

pytestmark = pytest.mark.slow

EVENTS = 40
SECTOR = 512
# Where the processor has no `unlink` (ARM), the C library calls `unlinkat`.
CALLS = "trace=pwrite64,fdatasync,fsync,ftruncate,?unlink,unlinkat,write"
# It ends without closing: a close would write everything out.
WRITER = """
import os, sys
from pathlib import Path
from dmm.domain.event import Draft
from dmm.eventlog.log import EventLog
log = EventLog.open(Path(sys.argv[1]))
log._connection.pragma("synchronous", sys.argv[2])
log._connection.pragma("wal_autocheckpoint", 40)
for number in range(int(sys.argv[3])):
    draft = Draft("A", {"text": "x" * 37 * number}, f"e-{number}", "2026-01-31T12:00:00Z")
    log.append([draft])
    os.write(1, b"kept %d" % number)
os._exit(0)
"""
LINE = re.compile(
    r"""(?:\d+\s+)?(\w+)
    \( (?:(?:\d+|AT_FDCWD)<([^>]*)>)? (?:,\s)? (?:"([^"]*)")? (?:,\s)? (\d+)? (?:,\s(\d+))? \)
    \s+=\s""",
    re.VERBOSE,
)


@dataclass
class Disk:
    """Files as they are on the disk, and the changes that no sync has brought there yet."""

    files: dict[str, bytearray] = field(default_factory=dict)
    pending: dict[str, list[tuple[int, bytes | None]]] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    acknowledged: int = 0

    def apply(self, step: re.Match[str]) -> None:
        call, path, data, one, other = step.groups()
        name = Path(_decode(path).decode()).name
        if call == "write":
            self.acknowledged += _decode(data).startswith(b"kept ")
        elif call == "pwrite64":
            self.pending.setdefault(name, []).append((int(other), _decode(data)))
        elif call == "ftruncate":
            self.pending.setdefault(name, []).append((int(one), None))
        elif call in ("unlink", "unlinkat"):
            self.removed.append(Path(_decode(data).decode()).name)
        elif name == "store":
            self.remove(self.removed)
            self.removed.clear()
        else:
            for change in self.pending.pop(name, []):
                self.change(name, *change)

    def remove(self, names: list[str]) -> None:
        for name in names:
            self.files.pop(name, None)

    def change(self, name: str, place: int, data: bytes | None) -> None:
        content = self.files.setdefault(name, bytearray())
        if data is None:
            del content[place:]
            content.extend(bytes(place - len(content)))
        else:
            content.extend(bytes(max(0, place - len(content))))
            content[place : place + len(data)] = data

    def cut_power(self, chance: random.Random) -> None:
        """Let any of the changes reach the disk that were on their way."""
        self.remove([name for name in self.removed if chance.random() < 0.5])
        for name, changes in self.pending.items():
            for place, data in changes:
                if chance.random() < 0.5:
                    torn = chance.random() < 0.3 and data is not None
                    kept = data[: SECTOR * chance.randrange(8)] if torn and data else data
                    self.change(name, place, kept)


def _decode(text: str | None) -> bytes:
    text = text or ""
    return bytes.fromhex(text.replace("\\x", "")) if "\\x" in text else text.encode()


def record(folder: Path, synchronous: str) -> list[re.Match[str]]:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace, store = folder / "trace", folder / "store" / "ledger.db"
    options = ["-f", "-y", "-xx", "-s", "1000000", "-o", str(trace), "-e", CALLS]
    command = [sys.executable, "-c", WRITER, str(store), synchronous, str(EVENTS)]
    own = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        ["strace", *options, *command], capture_output=True, text=True, check=False, env=own
    )
    if "ptrace" in done.stderr.lower():
        pytest.skip(f"strace is not allowed: {done.stderr.strip()[:80]}")
    assert done.returncode == 0, done.stderr
    found = [LINE.match(line) for line in trace.read_text().splitlines()]
    steps = [step for step in found if step and step[1] in CALLS]
    names = {Path(_decode(step[2]).decode()).name for step in steps}
    assert {"ledger.db", "ledger.db-wal"} <= names
    return steps


def lost(steps: list[re.Match[str]], cut: int, folder: Path, chance: random.Random) -> int:
    """Cut the power after some steps; tell how many acknowledged events are gone."""
    disk = Disk()
    for step in steps[:cut]:
        disk.apply(step)
    disk.cut_power(chance)
    folder.mkdir()
    for name, content in disk.files.items():
        if name.startswith("ledger.db") and not name.endswith("-shm"):
            (folder / name).write_bytes(content)
    log = EventLog.open(folder / "ledger.db")
    stored = [event.id for event in log.events()]
    assert stored == [f"e-{number}" for number in range(len(stored))]
    assert verify(log.raw()).valid
    assert log.damage() == ()
    log.close()
    shutil.rmtree(folder)
    return max(0, disk.acknowledged - len(stored))


def cuts(steps: list[re.Match[str]], slow: bool, chance: random.Random) -> list[int]:
    if slow:
        return [*range(len(steps) + 1)] * 4
    return sorted(chance.sample(range(len(steps) + 1), 60))


@pytest.mark.parametrize(
    "line",
    [
        r'77 unlink("\x2f\x73\x2f\x61") = 0',
        r'77 unlinkat(AT_FDCWD<\x2f\x74>, "\x2f\x73\x2f\x61", 0) = 0',
    ],
)
def test_a_removed_file_is_seen_whichever_call_removed_it(line: str) -> None:
    step = LINE.match(line)
    assert step is not None
    disk = Disk()
    disk.apply(step)
    assert disk.removed == ["a"]


def test_a_power_cut_loses_nothing_that_was_acknowledged(tmp_path: Path, slow: bool) -> None:
    chance = random.Random(1)
    steps = record(tmp_path, "FULL")
    for cut in cuts(steps, slow, chance):
        assert lost(steps, cut, tmp_path / "after", chance) == 0, cut


def test_the_cuts_would_show_a_loss_where_commits_are_not_synced(
    tmp_path: Path, slow: bool
) -> None:
    chance = random.Random(2)
    steps = record(tmp_path, "NORMAL")
    losses = [lost(steps, cut, tmp_path / "after", chance) for cut in cuts(steps, slow, chance)]
    assert max(losses) > 0
