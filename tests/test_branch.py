"""The branch that is checked out, read without git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dmm.branch import find_branch

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
