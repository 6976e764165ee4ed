"""A project on a file system that ignores the case of letters, as macOS and Windows have them.

An image is formatted and mounted, which needs root, the tools and a kernel that knows the kind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.conftest import Project, git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Command, MemoryText

pytestmark = pytest.mark.slow
SIZE = 320 << 20
# How each kind is formatted, and whether a folder has to be told to ignore case.
KINDS = {
    "vfat": ["mkfs.vfat"],
    "xfs": ["mkfs.xfs", "-q", "-n", "version=ci"],
    "ext4": ["mkfs.ext4", "-q", "-F", "-O", "casefold", "-E", "encoding=utf8"],
}


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)


def mount(image: Path, place: Path, kind: str) -> str | None:
    """Mount a new file system of a kind; tell why that is not possible."""
    if shutil.which(KINDS[kind][0]) is None:
        return f"{KINDS[kind][0]} is not installed"
    image.write_bytes(b"")
    os.truncate(image, SIZE)
    try:
        run(*KINDS[kind], str(image))
        run("mount", "-t", kind, "-o", "loop", str(image), str(place))
    except subprocess.CalledProcessError as error:
        return f"{kind}: {error.stderr.strip().splitlines()[0]}"
    return None


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("an image can be mounted by root alone")
    mounted, why = tmp_path / "mounted", []
    mounted.mkdir()
    for kind in KINDS:
        reason = mount(tmp_path / f"{kind}.img", mounted, kind)
        if reason is None:
            break
        why.append(reason)
    else:
        pytest.skip(f"no file system that ignores case: {'; '.join(why)}")
    folder = mounted / "work"
    folder.mkdir()
    if kind == "ext4":
        run("chattr", "+F", str(folder))
    yield folder
    run("umount", str(mounted))


@pytest.fixture
def project(place: Path, command: Command, memory_text: MemoryText) -> Project:
    git(place, "init", "-q")
    assert command("init", within=place).returncode == 0
    made = Project(place)
    made.write("project/Retry.md", memory_text("Retry policy", "Retry a failed call three times."))
    return made


def test_case_is_ignored_there(place: Path) -> None:
    (place / "Name").write_text("text")
    assert (place / "nAME").read_text() == "text"


def test_a_memory_is_found_and_found_once(project: Project, command: Command) -> None:
    told = command("query", "how often is a failed call retried", within=project.folder)
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("Retry a failed call three times.") == 1


def test_a_file_renamed_in_its_case_alone_is_the_same_memory(
    project: Project, command: Command
) -> None:
    assert command("reindex", within=project.folder).returncode == 0
    (project.memory / "project" / "Retry.md").rename(project.memory / "project" / "retry.md")
    told = command("query", "how often is a failed call retried", within=project.folder)
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("Retry a failed call three times.") == 1
    assert "project/retry.md" in told.stdout


def test_what_is_recorded_is_kept_and_verified(project: Project, command: Command) -> None:
    assert command("ledger", "fact", "colour", "red", within=project.folder).returncode == 0
    told = command("ledger", "verify", within=project.folder)
    assert told.returncode == 0, told.stderr


def test_all_files_are_valid(project: Project, command: Command) -> None:
    told = command("validate", within=project.folder)
    assert told.returncode == 0, told.stdout + told.stderr
