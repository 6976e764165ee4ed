"""Where the ledger lives: one for all worktrees of a repository, found without running git."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from dmm.eventlog.place import find_earlier, find_ledger
from dmm.files.repository import find_repository

if TYPE_CHECKING:
    from pathlib import Path

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *who, "-c", "protocol.file.allow=always", *arguments]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    folder = tmp_path / "main"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_a_project_without_git_has_its_own(tmp_path: Path) -> None:
    assert find_ledger(tmp_path / "p" / ".dmm") == tmp_path / "p" / ".dmm" / "ledger.db"


@needs_git
def test_worktrees_share_the_ledger_of_the_main_one(main: Path, tmp_path: Path) -> None:
    git(main, "worktree", "add", "-q", "-b", "one", str(tmp_path / "one"))
    git(main, "worktree", "add", "-q", "-b", "two", str(main / "inside" / "two"))
    wanted = main / ".git" / "dmm" / "ledger.db"
    assert find_ledger(main / ".dmm") == wanted
    assert find_ledger(tmp_path / "one" / ".dmm") == wanted
    assert find_ledger(main / "inside" / "two" / ".dmm") == wanted


@needs_git
def test_a_folder_within_the_repository_keeps_its_place(main: Path, tmp_path: Path) -> None:
    git(main, "worktree", "add", "-q", "-b", "one", str(tmp_path / "one"))
    wanted = main / ".git" / "dmm" / "services" / "api" / "ledger.db"
    assert find_ledger(main / "services" / "api" / ".dmm") == wanted
    assert find_ledger(tmp_path / "one" / "services" / "api" / ".dmm") == wanted


@needs_git
@pytest.mark.parametrize("name", ["shared.git", ".git", ".bare"])
def test_worktrees_of_a_bare_repository_share_the_ledger_in_it(
    main: Path, tmp_path: Path, name: str
) -> None:
    bare = tmp_path / "bare" / name
    git(tmp_path, "clone", "-q", "--bare", str(main), str(bare))
    git(bare, "worktree", "add", "-q", "-b", "one", str(tmp_path / "one"))
    git(bare, "worktree", "add", "-q", "-b", "two", str(tmp_path / "bare" / "two"))
    if name == ".bare":
        (tmp_path / "bare" / ".git").write_text("gitdir: ./.bare\n")
    wanted = bare / "dmm" / "ledger.db"
    assert find_ledger(tmp_path / "one" / ".dmm") == wanted
    assert find_ledger(tmp_path / "bare" / "two" / ".dmm") == wanted


@needs_git
def test_a_repository_with_its_git_folder_elsewhere_has_one_ledger(tmp_path: Path) -> None:
    folder, apart = tmp_path / "work", tmp_path / "apart"
    git(tmp_path, "init", "-q", f"--separate-git-dir={apart}", str(folder))
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(folder, "worktree", "add", "-q", "-b", "one", str(tmp_path / "one"))
    assert find_ledger(folder / ".dmm") == find_ledger(tmp_path / "one" / ".dmm")


@needs_git
def test_a_submodule_has_its_own_and_shares_it_with_its_worktrees(
    main: Path, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "add", "-q", str(main), "part")
    git(outer / "part", "worktree", "add", "-q", "-b", "one", str(tmp_path / "one"))
    module = outer / ".git" / "modules" / "part" / "dmm" / "ledger.db"
    assert find_ledger(outer / ".dmm") == outer / ".git" / "dmm" / "ledger.db"
    assert find_ledger(outer / "part" / ".dmm") == module
    assert find_ledger(tmp_path / "one" / ".dmm") == module


@needs_git
def test_a_path_through_a_link_leads_to_the_same_ledger(main: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(main)
    assert find_ledger(tmp_path / "alias" / ".dmm") == main / ".git" / "dmm" / "ledger.db"


@needs_git
def test_a_worktree_may_name_its_repository_relatively(main: Path, tmp_path: Path) -> None:
    git(main, "worktree", "add", "-q", "-b", "one", str(tmp_path / "one"))
    (tmp_path / "one" / ".git").write_text("gitdir: ../main/.git/worktrees/one\n")
    assert find_ledger(tmp_path / "one" / ".dmm") == main / ".git" / "dmm" / "ledger.db"


@pytest.mark.parametrize("text", ["", "gitdir:", "gitdir: /not/there", "nonsense", "\udcff\0"])
def test_a_git_file_that_leads_nowhere_leaves_the_project_its_own(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / ".git").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert find_ledger(tmp_path / ".dmm") == tmp_path / ".dmm" / "ledger.db"


def test_an_empty_git_folder_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / "a" / ".git").mkdir(parents=True)
    assert find_ledger(tmp_path / "a" / ".dmm") == tmp_path / "a" / ".dmm" / "ledger.db"


@pytest.mark.parametrize(
    ("config", "bare"),
    [
        ("[core]\n\tbare = true\n", True),
        ("[core]\n\tbare\n", True),
        ("[Core]\n\tBare = true\n", True),
        ("[core]\n\tbare = false\n", False),
        ("[core]\n\t# bare = true\n[remote]\n\tbare = true\n", False),
        ("", False),
    ],
)
def test_the_settings_of_git_tell_whether_there_is_a_main_worktree(
    tmp_path: Path, config: str, bare: bool
) -> None:
    folder = tmp_path / "a" / ".git"
    folder.mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/trunk\n")
    (folder / "config").write_text(config)
    home = folder if bare else folder.parent
    earlier = find_earlier(tmp_path / "a" / ".dmm")
    assert earlier[0] == home / ".dmm" / "ledger.db"


@needs_git
@pytest.mark.parametrize("named", ["../../victim", "{victim}", "../../evil/deep"])
def test_settings_that_name_another_worktree_are_not_believed(main: Path, named: str) -> None:
    victim = main.rename(main.with_name("victim"))
    evil = victim.with_name("evil")
    (evil / "deep").mkdir(parents=True)
    git(evil, "init", "-q")
    with (evil / ".git" / "config").open("a") as file:
        file.write(f"[core]\n\tworktree = {named.format(victim=victim)}\n")
    assert find_ledger(evil / ".dmm") == evil / ".dmm" / "ledger.db"
    found = find_repository(evil / ".dmm")
    assert found is not None
    assert not found.vouched


@needs_git
def test_settings_that_name_the_worktree_itself_are_believed(main: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "add", "-q", str(main), "part")
    git(main, "config", "core.worktree", str(main))
    for worktree in (main, outer / "part"):
        found = find_repository(worktree / ".dmm")
        assert found is not None
        assert found.vouched
        assert find_ledger(worktree / ".dmm") == found.common / "dmm" / "ledger.db"
