"""The lock: one holder at a time, across processes, free again when the holder dies."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from dmm.errors import IndexBusy, StorageError
from dmm.files.lock import exclusive, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOLDER = """
import sys
from pathlib import Path
from dmm.files.lock import exclusive, in_turn
with exclusive(Path(sys.argv[1]), what="busy"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "index.lock"


@pytest.fixture
def holder(lock: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLDER, str(lock)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_told_who_holds_the_lock(
    lock: Path, holder: subprocess.Popen[str]
) -> None:
    with pytest.raises(IndexBusy) as raised, exclusive(lock, what="another process is indexing"):
        pytest.fail("both hold the lock")
    assert str(raised.value) == f"{lock}: another process is indexing (process {holder.pid})"
    assert raised.value.hint == "wait until it has finished, then retry"


def test_the_lock_is_free_when_its_holder_is_killed(
    lock: Path, holder: subprocess.Popen[str]
) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with exclusive(lock, what="busy"):
        assert lock.read_text() == str(os.getpid())


def test_the_lock_is_free_after_the_block_also_when_it_fails(lock: Path) -> None:
    error = ValueError("inside")
    with pytest.raises(ValueError, match="inside"), exclusive(lock, what="busy"):
        raise error
    with exclusive(lock, what="busy"):
        assert lock.exists()
    assert lock.exists()


def test_an_error_of_the_block_is_not_taken_for_one_of_the_lock(lock: Path) -> None:
    error = OSError(errno.EIO, "inside")
    with pytest.raises(OSError, match="inside"), exclusive(lock, what="busy"):
        raise error


def test_nonsense_in_the_lock_file_is_not_shown(lock: Path, holder: subprocess.Popen[str]) -> None:
    lock.write_bytes(b"\xff\x1b[31m")
    with pytest.raises(IndexBusy) as raised, exclusive(lock, what="busy"):
        pytest.fail("both hold the lock")
    assert raised.value.what == "busy"


def test_a_link_is_not_written_through(tmp_path: Path, lock: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    lock.symlink_to(precious)
    with pytest.raises(StorageError, match="could not open the lock file"):
        exclusive(lock, what="busy").__enter__()
    assert precious.read_text() == "mine"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    lock = tmp_path / "none" / "index.lock"
    with pytest.raises(StorageError) as raised:
        exclusive(lock, what="busy").__enter__()
    assert str(raised.value) == f"{lock}: could not open the lock file: No such file or directory"


def test_a_full_disk_is_told_as_such(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(StorageError) as raised:
        exclusive(lock, what="busy").__enter__()
    assert str(raised.value) == f"{lock}: could not take the lock: No space left on device"
    assert raised.value.hint == "the disk is full: free some space and retry"


def test_whoever_waits_goes_before_one_who_takes_the_lock_again_and_again(lock: Path) -> None:
    order: list[str] = []
    waits = threading.Event()

    def wait_for_it() -> None:
        waits.set()
        with in_turn(lock, what="busy", patience=20.0):
            order.append("waiter")

    waiter = threading.Thread(target=wait_for_it)
    with in_turn(lock, what="busy"):
        waiter.start()
        waits.wait()
        while True:
            # The one who waits holds the second lock from now on.
            try:
                with exclusive(lock.with_suffix(".turn"), what="busy"):
                    pass
            except IndexBusy:
                break
    with in_turn(lock, what="busy", patience=20.0):
        order.append("again")
    waiter.join()
    assert order == ["waiter", "again"]


def test_in_turn_is_refused_like_the_lock_itself(lock: Path, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(IndexBusy) as raised, in_turn(lock, what="another process is indexing"):
        pytest.fail("both hold the lock")
    assert str(raised.value) == f"{lock}: another process is indexing (process {holder.pid})"
    with exclusive(lock.with_suffix(".turn"), what="busy"):
        assert lock.exists()


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_no_lock_and_nobody_waits_for_it(lock: Path, kind: str) -> None:
    os.mkfifo(lock) if kind == "pipe" else lock.mkdir()
    with pytest.raises(StorageError, match=r"could not (take the lock|open the lock file)"):
        in_turn(lock, what="busy").__enter__()
