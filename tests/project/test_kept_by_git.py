"""What Git ignores is lost in a clone: init prevents it, and every check names it."""

from __future__ import annotations

import datetime as dt
import subprocess
from typing import TYPE_CHECKING

import pytest

from dmm.files.commits import find_ignored
from dmm.project.doctor import _check_git
from dmm.project.init import set_up

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import MemoryText, Opener, Project

LOST = "project/build/notes.md"


@pytest.fixture
def ignoring(project: Project, memory_text: MemoryText) -> Project:
    """A repository that ignores every folder called build, and a memory in one."""
    subprocess.run(["git", "init", "-q", str(project.folder)], check=True)
    (project.folder / ".gitignore").write_text("build/\n")
    (project.dmm / ".gitignore").unlink(missing_ok=True)
    project.write(LOST, memory_text("Build", "It is built with make.", id="mem_2026_01_31_001"))
    kept = memory_text("Mail", "Mail is queued.", id="mem_2026_01_31_002")
    project.write("project/mail.md", kept)
    return project


def test_validate_and_status_name_what_git_ignores(ignoring: Project, open_project: Opener) -> None:
    dmm = open_project(ignoring)
    findings = [one for one in dmm.validation.check().findings if one.check == "ignored"]
    assert [(one.path, one.message) for one in findings] == [
        (LOST, "Git ignores it (.gitignore:1: build/)")
    ]
    assert [one.path for one in dmm.overview.describe().ignored] == [LOST]


def test_the_doctor_has_git_keep_it(ignoring: Project, open_project: Opener) -> None:
    (check,) = _check_git(ignoring.dmm, open_project(ignoring).overview.describe().ignored)
    assert (check.level, check.fix is None) == ("fail", False)
    assert check.told == f"a clone would lose {LOST}: Git ignores it (.gitignore:1: build/)"
    assert check.fix is not None
    check.fix()
    (after,) = _check_git(ignoring.dmm, open_project(ignoring).overview.describe().ignored)
    assert after.level == "ok"


def test_a_memory_that_is_kept_out_of_git_as_a_whole_is_no_fault(
    ignoring: Project, open_project: Opener
) -> None:
    (ignoring.folder / ".gitignore").write_text(".dmm/\n")
    assert open_project(ignoring).overview.describe().ignored == ()


def test_a_new_project_keeps_its_memory_whatever_the_repository_ignores(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("build/\nmemory/\n*.md\nrules\n")
    set_up(tmp_path, day=dt.date(2026, 1, 31))
    paths = ["BOOT.md", "memory/project/build/a.md", "memory/baseline/b.md", "rules/c.md"]
    derived = ["index/embeddings.db", "packs/x.md", "ledger.db"]
    assert set(find_ignored(tmp_path / ".dmm", [*paths, *derived])) == set(derived)
