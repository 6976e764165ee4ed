"""A power cut under a real file system: only what the disk was told to flush is there afterwards.

The ledger lies on an ext4 image whose file lies on a second ext4 image. The outer file system is
shut down without a flush, so what the inner one wrote to its disk and did not flush is lost, as it
is in the cache of a disk. Then both are mounted anew, each replaying its journal.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from dmm.eventlog.log import EventLog
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

ROUNDS = 12
EVENTS = 150
MEGABYTE = 1 << 20
# EXT4_IOC_SHUTDOWN, and the flag for not even flushing the journal.
SHUT_DOWN, WITHOUT_FLUSH = 0x8004587D, struct.pack("I", 2)
WRITER = """
import os, sys
from pathlib import Path
from dmm.domain.event import Draft
from dmm.eventlog.log import EventLog
log = EventLog.open(Path(sys.argv[1]))
log._connection.pragma("synchronous", sys.argv[2])
log._connection.pragma("wal_autocheckpoint", 40)
number = log.head().seq
while True:
    number += 1
    text = "x" * (37 * number % 5000)
    log.append([Draft("A", {"text": text}, f"e-{number}", "2026-01-31T12:00:00Z")])
    os.write(1, b".")
"""


@dataclass(frozen=True)
class Machine:
    """A disk with a cache that loses its content with the power, and a file system on it."""

    folder: Path
    options: str = "loop"

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def ledger(self) -> Path:
        return self.home / "store" / "ledger.db"

    def build(self) -> None:
        try:
            self._build()
        except subprocess.CalledProcessError as error:
            pytest.skip(f"{error.cmd[0]} is not possible here: {error.stderr.strip()}")

    def _build(self) -> None:
        for place in (self.disk, self.home):
            place.mkdir(parents=True)
        self.format(self.folder / "disk.img", 64)
        self.mount(self.folder / "disk.img", self.disk, "loop")
        self.format(self.disk / "home.img", 32)
        run("sync", "-f", str(self.disk))
        self.mount(self.disk / "home.img", self.home, self.options)

    def format(self, image: Path, size: int) -> None:
        # Written in full, so that a later write changes no block map of the file system around it.
        image.write_bytes(bytes(size * MEGABYTE))
        run("mkfs.ext4", "-q", "-F", str(image))

    def mount(self, image: Path, place: Path, options: str) -> None:
        run("mount", "-t", "ext4", "-o", options, str(image), str(place))

    def cut_power(self) -> None:
        handle = os.open(self.disk, os.O_RDONLY)
        try:
            fcntl.ioctl(handle, SHUT_DOWN, WITHOUT_FLUSH)
        finally:
            os.close(handle)

    def restart(self) -> None:
        self.unmount()
        self.mount(self.folder / "disk.img", self.disk, "loop")
        self.mount(self.disk / "home.img", self.home, self.options)

    def unmount(self) -> None:
        for place in (self.home, self.disk):
            if place.is_mount():
                run("umount", str(place))


def run(*command: str) -> None:
    subprocess.run(command, capture_output=True, text=True, check=True)


@pytest.fixture
def images(tmp_path: Path, slow: bool) -> Iterator[Path]:
    if not slow:
        pytest.skip("mounts images as root; DMM_SLOW_TESTS=1 runs it")
    missing = [name for name in ("mount", "umount", "mkfs.ext4") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        pytest.skip(f"images can't be mounted: {', '.join(missing) or 'this is not root'}")
    yield tmp_path
    for folder in tmp_path.iterdir():
        Machine(folder).unmount()


def write_until_the_power_fails(machine: Machine, synchronous: str, after: int) -> int:
    """Append until some events are acknowledged, cut the power, and count all that were."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(machine.ledger), synchronous],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=own,
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stderr is not None
        acknowledged = 0
        while acknowledged < after and (told := writer.stdout.read(1)):
            acknowledged += len(told)
        try:
            machine.cut_power()
        except OSError as error:
            writer.kill()
            pytest.skip(f"a file system can't be shut down here: {error}")
        if synchronous != "FULL" or "barrier=0" in machine.options:
            # It would hardly notice that the disk is gone.
            writer.kill()
        rest, fault = writer.communicate()
        assert acknowledged >= after, fault.decode()
    return acknowledged + len(rest)


def look(machine: Machine) -> int:
    """Start again and count the events that are there; those are whole."""
    machine.restart()
    if not machine.ledger.exists():
        return 0
    with contextlib.closing(EventLog.open(machine.ledger)) as log:
        stored = [event.id for event in log.events()]
        assert stored == [f"e-{number}" for number in range(1, len(stored) + 1)]
        assert verify(log.raw()).valid
        assert log.damage() == ()
    return len(stored)


def losses(machine: Machine, synchronous: str) -> Iterator[int]:
    """Cut the power again and again; tell each time how many acknowledged events are gone."""
    chance = random.Random(1)
    machine.build()
    stored = 0
    for _ in range(ROUNDS):
        after = chance.randint(1, EVENTS)
        kept = stored + write_until_the_power_fails(machine, synchronous, after)
        stored = look(machine)
        yield max(0, kept - stored)


def test_nothing_acknowledged_is_lost_with_the_cache_of_the_disk(images: Path) -> None:
    assert list(losses(Machine(images / "sound"), "FULL")) == [0] * ROUNDS


@pytest.mark.parametrize(
    ("synchronous", "options"), [("NORMAL", "loop"), ("FULL", "loop,barrier=0")]
)
def test_a_loss_would_be_seen_where_something_is_not_flushed(
    images: Path, synchronous: str, options: str
) -> None:
    assert any(losses(Machine(images / "unsound", options), synchronous))
