"""Only regular files of an expected size are read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from dmm.reading import MAX_SCRIPT, read_regular, read_script


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


def test_a_script_is_found_as_a_shell_would_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "x.sh").write_text("echo é\n", encoding="utf-8")
    (tmp_path / "link").symlink_to("bin/x.sh")
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("bin/x.sh", "./link", "bin/../link", str(tmp_path / "link"), "~/bin/x.sh"):
        assert read_script(str(tmp_path), path) == "echo é\n"
    assert read_script(None, "bin/x.sh") is None
    assert read_script("relative", "bin/x.sh") is None


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no folder for shared memory here")
def test_a_file_in_shared_memory_is_a_file() -> None:
    with tempfile.NamedTemporaryFile("w", dir="/dev/shm") as script:
        script.write("git push --force\n")
        script.flush()
        assert read_script("/", script.name) == "git push --force\n"


def test_what_is_no_readable_file_gives_no_script(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to-pipe").symlink_to("pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "zero").symlink_to("/dev/zero")
    odd = ("missing", "pipe", "to-pipe", "loop", "zero", ".", "/proc/self/environ", "a\0b", "")
    assert [read_script(str(tmp_path), path) for path in odd] == [None] * len(odd)


def test_of_a_long_script_the_beginning_is_read(tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x" * (MAX_SCRIPT + 10))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0")
    assert read_script(str(tmp_path), "long") == "x" * MAX_SCRIPT
    assert read_script(str(tmp_path), "binary") == "\ufffd\ufffd\0"
