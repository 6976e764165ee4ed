"""The branch that is checked out, read without git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dmm.branch import find_branch, find_checkout

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/feature/cart\n")
    return folder


def test_the_branch_is_read_from_any_folder_below(repository: Path) -> None:
    below = repository / "src" / "deep"
    below.mkdir(parents=True)
    assert find_branch(repository) == find_branch(below) == "feature/cart"


def test_a_worktree_has_its_own(repository: Path, tmp_path: Path) -> None:
    own = repository / ".git" / "worktrees" / "second"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/topic\n")
    second = tmp_path / "second"
    second.mkdir()
    (second / ".git").write_text(f"gitdir: {own}\n")
    assert find_branch(second) == "topic"
    (second / ".git").write_text("gitdir: nowhere\n")
    assert find_branch(second) is None


def test_a_commit_that_is_checked_out_is_no_branch(repository: Path) -> None:
    (repository / ".git" / "HEAD").write_text("0" * 40 + "\n")
    assert find_branch(repository) is None


def test_what_can_not_be_read_is_no_branch_and_is_not_waited_for(
    repository: Path, tmp_path: Path
) -> None:
    (repository / ".git" / "HEAD").unlink()
    os.mkfifo(repository / ".git" / "HEAD")
    assert find_branch(repository) is None
    assert find_branch(tmp_path / "gone") is None


def test_paths_are_relative_to_the_worktree_that_a_call_is_made_in(
    repository: Path, tmp_path: Path
) -> None:
    own = repository / ".git" / "worktrees" / "second"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/topic\n")
    (own / "commondir").write_text("../..\n")
    second, strange = tmp_path / "second", tmp_path / "strange"
    for folder in (second / "deep", strange, repository / "app"):
        folder.mkdir(parents=True)
    (second / ".git").write_text(f"gitdir: {own}\n")
    project = str(repository)
    assert find_checkout(project, None) == project
    assert find_checkout(project, f"{project}/src") == project
    assert find_checkout(project, str(second / "deep")) == str(second)
    assert find_checkout(f"{project}/app", str(second / "deep")) == str(second / "app")
    assert find_checkout(project, str(strange)) == project
    assert find_checkout(project, str(tmp_path / "gone")) == str(tmp_path / "gone")
