"""Only regular files of an expected size are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dmm.reading import read_regular


def test_a_regular_file_is_read_with_its_status(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"12345678")
    data, status = read_regular(file, 8)
    assert (data, status.st_ino) == (b"12345678", file.stat().st_ino)


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"123456789")
    with pytest.raises(OSError, match="larger than"):
        read_regular(file, 8)


@pytest.mark.parametrize("target", ["/dev/zero", "file"])
def test_a_link_is_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "file").write_text("x")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / target)
    with pytest.raises(OSError, match="symbolic links"):
        read_regular(link, 8)


def test_devices_and_pipes_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for odd in (pipe, Path("/dev/zero")):
        with pytest.raises(OSError, match="not a regular file"):
            read_regular(odd, 8)
