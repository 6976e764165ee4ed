"""Writes are whole or not at all, whatever the system refuses on the way."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.errors import FileExists, StorageError
from dmm.files import durable

if TYPE_CHECKING:
    from collections.abc import Callable

OLD, NEW = b"old content", b"new content, longer than the old"
FULL = "the disk is full: free some space and retry"


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


class FailingCalls:
    """Lets the n-th of all watched system calls fail, and records their names."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fail_at: int, error: BaseException) -> None:
        self.names: list[str] = []
        for name in ("open", "write", "fsync", "replace", "link", "mkdir"):
            self._wrap(monkeypatch, name, fail_at, error)

    def _wrap(
        self, monkeypatch: pytest.MonkeyPatch, name: str, fail_at: int, error: BaseException
    ) -> None:
        real: Callable[..., Any] = getattr(os, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self.names.append(name)
            if len(self.names) == fail_at:
                raise error
            return real(*args, **kwargs)

        monkeypatch.setattr(os, name, call)


def calls_of(action: Callable[[], object]) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        calls = FailingCalls(patch, 0, OSError())
        action()
    return calls.names


def test_a_write_replaces_the_content_and_keeps_the_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(OLD)
    path.chmod(0o600)
    durable.write_atomic(path, NEW)
    assert path.read_bytes() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names_in(tmp_path) == ["a.md"]


def test_a_durable_write_syncs_the_file_before_and_the_folder_after_the_rename(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.md"
    wanted = ["open", "write", "fsync", "replace", "open", "fsync"]
    assert calls_of(lambda: durable.write_atomic(path, NEW)) == wanted
    assert calls_of(lambda: durable.write_atomic(path, NEW, durable=False)) == [
        "open",
        "write",
        "replace",
    ]


def test_every_new_folder_is_synced_into_the_one_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda fd: synced.append(str(Path(f"/proc/self/fd/{fd}").readlink()))
    )
    durable.make_folder(tmp_path / "a" / "b")
    durable.make_folder(tmp_path / "a" / "b")
    assert synced == [str(tmp_path), str(tmp_path / "a")]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_write_that_fails_anywhere_leaves_the_old_or_the_new_content(
    tmp_path: Path, code: int
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(OLD)
    for step in range(1, 7):
        with pytest.MonkeyPatch.context() as patch:
            calls = FailingCalls(patch, step, OSError(code, os.strerror(code)))
            with pytest.raises(StorageError) as raised:
                durable.write_atomic(path, NEW)
        renamed = "replace" in calls.names[:-1]
        assert path.read_bytes() == (NEW if renamed else OLD)
        assert names_in(tmp_path) == ["a.md"]
        assert str(raised.value) == f"{path}: could not write the file: {os.strerror(code)}"
        assert raised.value.hint == (FULL if code == errno.ENOSPC else None)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_create_that_fails_anywhere_leaves_nothing_behind(tmp_path: Path, code: int) -> None:
    path = tmp_path / "a.md"
    steps = len(calls_of(lambda: durable.create(path, NEW)))
    assert steps == 6
    path.unlink()
    for step in range(1, steps + 1):
        with pytest.MonkeyPatch.context() as patch:
            FailingCalls(patch, step, OSError(code, os.strerror(code)))
            with pytest.raises(StorageError) as raised:
                durable.create(path, NEW)
        assert names_in(tmp_path) == []
        assert str(raised.value) == f"{path}: could not create the file: {os.strerror(code)}"


@pytest.mark.parametrize("write", [durable.write_atomic, durable.create])
def test_an_interrupted_write_leaves_no_temporary_file(
    tmp_path: Path, write: Callable[[Path, bytes], None]
) -> None:
    for step in (2, 3, 4):
        with pytest.MonkeyPatch.context() as patch:
            FailingCalls(patch, step, KeyboardInterrupt())
            with pytest.raises(KeyboardInterrupt):
                write(tmp_path / "a.md", NEW)
        assert names_in(tmp_path) == []


def test_a_derived_file_is_written_without_waiting_for_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "pack.md"
    path.write_bytes(OLD)
    assert calls_of(lambda: durable.write_derived(path, NEW)) == ["open", "write", "replace"]
    assert path.read_bytes() == NEW
    with pytest.MonkeyPatch.context() as patch:
        FailingCalls(patch, 3, OSError(errno.EIO, os.strerror(errno.EIO)))
        with pytest.raises(StorageError, match="could not write the file"):
            durable.write_derived(path, OLD)
    assert names_in(tmp_path) == []


def test_a_system_that_writes_little_at_a_time_gets_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:3]))
    durable.write_atomic(tmp_path / "a.md", NEW)
    assert (tmp_path / "a.md").read_bytes() == NEW


def test_a_create_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(OLD)
    with pytest.raises(FileExists) as raised:
        durable.create(path, NEW)
    assert str(raised.value) == f"{path}: the file already exists"
    assert path.read_bytes() == OLD
    assert names_in(tmp_path) == ["a.md"]


@pytest.fixture
def no_hard_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("no_hard_links")
def test_a_file_system_without_hard_links_can_be_written_too(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    durable.create(path, NEW)
    assert path.read_bytes() == NEW
    with pytest.raises(FileExists):
        durable.create(path, OLD)
    assert path.read_bytes() == NEW
    assert names_in(tmp_path) == ["a.md"]


@pytest.mark.usefixtures("no_hard_links")
def test_a_claimed_name_is_given_up_when_the_content_can_not_follow(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "no")))
        with pytest.raises(StorageError):
            durable.create(tmp_path / "a.md", NEW)
    assert names_in(tmp_path) == []


def test_an_unwritable_place_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError) as raised:
        durable.make_folder(tmp_path / "file" / "folder")
    assert (
        str(raised.value) == f"{tmp_path}/file/folder: could not create the folder: Not a directory"
    )
    error = PermissionError(errno.EACCES, "Permission denied")
    with pytest.raises(StorageError) as raised, durable.translated(tmp_path, "do it"):
        raise error
    assert raised.value.hint == "check the owner and permissions of the folder"


def test_a_full_disk_keeps_the_old_content(small_disk: Path) -> None:
    path = small_disk / "a.md"
    durable.write_atomic(path, OLD)
    with pytest.raises(StorageError) as raised:
        durable.write_atomic(path, bytes(400_000))
    assert raised.value.hint == FULL
    assert path.read_bytes() == OLD
    assert names_in(small_disk) == ["a.md"]
