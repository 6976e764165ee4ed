"""Files for this user alone, whatever the umask and whatever was there before."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from dmm.private import make_private_file, make_private_folder, tighten

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=[0o022, 0o000, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_is_made_for_this_user_and_those_above_it_as_usual(
    tmp_path: Path, umask: int
) -> None:
    folder = tmp_path / "above" / "index"
    make_private_folder(folder)
    assert mode(folder) == 0o700
    assert mode(folder.parent) == 0o777 & ~umask


def test_a_file_is_made_for_this_user_and_an_existing_one_keeps_its_content(
    tmp_path: Path, umask: int
) -> None:
    make_private_file(tmp_path / "new")
    assert (mode(tmp_path / "new"), (tmp_path / "new").read_bytes()) == (0o600, b"")
    old = tmp_path / "old"
    old.write_text("content")
    old.chmod(0o664)
    make_private_file(old)
    assert (mode(old), old.read_text()) == (0o600, "content")


def test_an_open_folder_is_closed_with_the_files_in_it_and_nothing_else(tmp_path: Path) -> None:
    folder, outside = tmp_path / "index", tmp_path / "outside"
    (folder / "inner").mkdir(parents=True)
    outside.write_text("mine")
    outside.chmod(0o644)
    (folder / "kept.json").write_text("{}")
    (folder / "kept.json").chmod(0o644)
    (folder / "link").symlink_to(outside)
    os.mkfifo(folder / "pipe")
    folder.chmod(0o755)
    make_private_folder(folder)
    assert (mode(folder), mode(folder / "kept.json"), mode(outside)) == (0o700, 0o600, 0o644)


def test_a_link_is_left_as_it_is(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o755)
    (tmp_path / "index").symlink_to(elsewhere)
    make_private_folder(tmp_path / "index")
    tighten(tmp_path / "index")
    assert mode(elsewhere) == 0o755


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("not a folder")
    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "index")


def test_what_belongs_to_somebody_else_is_used_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    folder = tmp_path / "index"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "file").write_text("content")
    (folder / "file").chmod(0o644)
    monkeypatch.setattr("pathlib.Path.chmod", refuse)
    make_private_folder(folder)
    make_private_file(folder / "file")
    assert mode(folder / "file") == 0o644


def test_what_its_owner_made_read_only_stays_so(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    folder.mkdir()
    (folder / "file").write_text("content")
    (folder / "file").chmod(0o444)
    folder.chmod(0o555)
    make_private_folder(folder)
    assert (mode(folder), mode(folder / "file")) == (0o500, 0o400)
    folder.chmod(0o700)
