"""Commits of memory files: those that were written, in the repository they lie in."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from dmm.errors import StorageError
from dmm.files import commits
from dmm.files.commits import commit


def git(folder: Path, *arguments: str) -> str:
    line = ["git", "-C", str(folder), *arguments]
    return subprocess.run(line, check=True, capture_output=True, encoding="utf-8").stdout


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def make(folder: Path) -> Path:
    """Make a repository with a memory folder in it."""
    git(folder.parent, "init", "--quiet", str(folder))
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")
    (folder / ".dmm" / "memory" / "project").mkdir(parents=True)
    return folder


def write(folder: Path, name: str, text: str = "text\n") -> Path:
    path = folder / ".dmm" / "memory" / "project" / name
    path.write_text(text)
    return path


def hold(folder: Path, name: str, behind: str = "") -> None:
    """Give the repository a hook that runs for an hour, in a process of its own."""
    hook = folder / ".git" / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\nsh -c 'echo $$ > started; exec sleep 3600' {behind}\n"
        "while [ ! -s started ]; do :; done\n"
    )
    hook.chmod(0o755)


def hook(folder: Path, script: str) -> None:
    path = folder / ".git" / "hooks" / "pre-commit"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def is_alive(process: int) -> bool:
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rpartition(") ")[2][0] != "Z"


def files_of_head(folder: Path) -> list[str]:
    shown = git(folder, "show", "--name-only", "--format=", "-z", "HEAD")
    return [name.rpartition("/")[2] for name in shown.strip("\0").split("\0")]


def test_what_is_staged_beside_it_stays_staged(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    (work / "code.py").write_text("x = 1\n")
    git(work, "add", "code.py")
    made = commit(work / ".dmm", [write(work, "a.md")], "Memory: create\n\nReviewed-by: ana")
    assert made == git(work, "rev-parse", "HEAD").strip()
    assert files_of_head(work) == ["a.md"]
    assert git(work, "status", "--short", "--", "code.py") == "A  code.py\n"


def test_the_signs_of_a_pattern_in_a_name_are_taken_as_they_are(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    star = write(work, "*.md")
    commit(work / ".dmm", [star, write(work, "a.md")], "both")
    write(work, "a.md", "a draft that nobody has approved\n")
    star.unlink()
    commit(work / ".dmm", [star], "undo")
    assert files_of_head(work) == ["*.md"]
    assert git(work, "status", "--short").startswith(" M .dmm/memory/project/a.md")


def test_the_repository_of_a_hook_that_started_it_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, other = make(tmp_path / "work"), make(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    made = commit(work / ".dmm", [write(work, "a.md")], "Memory: create")
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert made == git(work, "rev-parse", "HEAD").strip()
    assert git(other, "rev-list", "--all") == ""


def test_a_folder_that_no_repository_holds_is_told(tmp_path: Path) -> None:
    (tmp_path / ".dmm" / "memory" / "project").mkdir(parents=True)
    with pytest.raises(StorageError, match="this folder is not in a Git repository"):
        commit(tmp_path / ".dmm", [write(tmp_path, "a.md")], "Memory: create")


def test_a_repository_that_does_not_know_the_folder_gets_no_commit(tmp_path: Path) -> None:
    other = make(tmp_path / "other")
    (tmp_path / "work" / ".dmm" / "memory" / "project").mkdir(parents=True)
    (tmp_path / "work" / ".git").write_text(f"gitdir: {other / '.git'}\n")
    path = write(tmp_path / "work", "a.md")
    with pytest.raises(StorageError, match="this folder is not in a Git repository"):
        commit(tmp_path / "work" / ".dmm", [path], "Memory: create")
    assert git(other, "rev-list", "--all") == ""


def test_a_second_worktree_and_a_head_without_branch_get_their_commits(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    commit(work / ".dmm", [write(work, "a.md")], "first")
    git(work, "worktree", "add", "--quiet", "--detach", str(tmp_path / "second"))
    second = tmp_path / "second"
    made = commit(second / ".dmm", [write(second, "b.md")], "second \ud800")
    assert made == git(second, "rev-parse", "HEAD").strip()
    assert git(second, "log", "-1", "--format=%s") == "second ?\n"
    assert files_of_head(work) == ["a.md"]


def test_without_a_name_of_the_user_git_says_what_is_missing(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    git(work, "config", "user.useConfigOnly", "true")
    git(work, "config", "--unset", "user.email")
    with pytest.raises(StorageError, match="git commit failed"):
        commit(work / ".dmm", [write(work, "a.md")], "Memory: create")


def test_what_a_hook_refuses_is_not_left_staged(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    known = write(work, "known.md")
    commit(work / ".dmm", [known], "first")
    hook = work / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    words = "tabs are not allowed here " * 30
    hook.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 1\n")
    hook.chmod(0o755)
    (work / "code.py").write_text("x = 1\n")
    git(work, "add", "code.py")
    known.write_text("changed\n")
    with pytest.raises(StorageError) as refused:
        commit(work / ".dmm", [known, write(work, "new.md")], "second")
    said = refused.value.what
    assert said.startswith("git commit failed: tabs are not allowed here tabs are")
    assert said.removesuffix(" ...").rpartition(" ")[2] in words.split()
    assert len(said) < 330
    assert git(work, "status", "--short").splitlines() == [
        " M .dmm/memory/project/known.md",
        "A  code.py",
        "?? .dmm/memory/project/new.md",
    ]


def test_a_hook_that_takes_too_long_is_ended_and_leaves_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = make(tmp_path / "work")
    hold(work, "pre-commit")
    monkeypatch.setattr(commits, "DEADLINE", 2.0)
    with pytest.raises(
        StorageError, match=r"git commit took longer than 2 s and was stopped \(a repository hook"
    ):
        commit(work / ".dmm", [write(work, "a.md")], "Memory: create")
    assert not is_alive(int((work / "started").read_text()))
    assert list((work / ".git").glob("*.lock")) == []
    (work / ".git" / "hooks" / "pre-commit").unlink()
    assert commit(work / ".dmm", [write(work, "b.md")], "second") is not None
    assert files_of_head(work) == ["b.md"]


def test_a_hook_that_outlasts_its_commit_does_not_make_it_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = make(tmp_path / "work")
    hold(work, "post-commit")
    monkeypatch.setattr(commits, "DEADLINE", 2.0)
    made = commit(work / ".dmm", [write(work, "a.md")], "Memory: create")
    assert made == git(work, "rev-parse", "HEAD").strip()
    assert not is_alive(int((work / "started").read_text()))


def test_what_a_hook_leaves_running_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = make(tmp_path / "work")
    hold(work, "post-commit", "&")
    assert commit(work / ".dmm", [write(work, "a.md")], "Memory: create") is not None
    left = int((work / "started").read_text())
    assert is_alive(left)
    os.kill(left, signal.SIGKILL)


@pytest.mark.parametrize("staged", [False, True])
def test_a_file_that_was_never_committed_goes_without_a_commit(
    tmp_path: Path, *, staged: bool
) -> None:
    work = make(tmp_path / "work")
    commit(work / ".dmm", [write(work, "known.md")], "first")
    path = write(work, "never.md")
    if staged:
        git(work, "add", str(path))
    path.unlink()
    assert commit(work / ".dmm", [path], "undo") is None
    assert git(work, "status", "--short") == ""
    moved = write(work, "moved.md")
    assert commit(work / ".dmm", [path, moved], "move") is not None
    assert files_of_head(work) == ["moved.md"]


def test_a_merge_that_waits_for_its_end_is_left_as_it_is(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    merged, clash = write(work, "merged.md"), write(work, "clash.md")
    commit(work / ".dmm", [merged, clash], "first")
    git(work, "checkout", "--quiet", "-b", "theirs")
    write(work, "merged.md", "theirs\n")
    write(work, "clash.md", "theirs\n")
    git(work, "commit", "--quiet", "--all", "--message=theirs")
    git(work, "checkout", "--quiet", "-")
    write(work, "clash.md", "ours\n")
    git(work, "commit", "--quiet", "--all", "--message=ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(work, "merge", "theirs")
    before = git(work, "ls-files", "--stage")
    merged.write_text("theirs\nand more\n")
    clash.write_text("both\n")
    for paths in ([merged], [clash], [write(work, "new.md")]):
        with pytest.raises(StorageError, match="a merge is in progress in this repository"):
            commit(work / ".dmm", paths, "Memory: update")
    assert git(work, "ls-files", "--stage") == before
    assert git(work, "status", "--short").splitlines() == [
        "UU .dmm/memory/project/clash.md",
        "MM .dmm/memory/project/merged.md",
        "?? .dmm/memory/project/new.md",
    ]


def test_during_a_bisection_no_commit_is_made_that_its_end_would_leave_behind(
    tmp_path: Path,
) -> None:
    work = make(tmp_path / "work")
    commit(work / ".dmm", [write(work, "a.md")], "first")
    git(work, "bisect", "start")
    with pytest.raises(StorageError, match="a bisection is in progress"):
        commit(work / ".dmm", [write(work, "b.md")], "second")


def test_what_the_user_had_staged_of_a_file_is_staged_again_when_a_hook_refuses(
    tmp_path: Path,
) -> None:
    work = make(tmp_path / "work")
    path, gone, out = (write(work, name) for name in ("a.md", "gone.md", "out.md"))
    commit(work / ".dmm", [path, gone, out], "first")
    hook(work, "exit 1")
    path.write_text("staged by hand\n")
    gone.write_text("staged by hand\n")
    git(work, "add", ".dmm")
    git(work, "rm", "--quiet", "--cached", str(out))
    before = git(work, "ls-files", "--stage")
    path.write_text("approved\n")
    gone.unlink()
    with pytest.raises(StorageError, match="git commit failed"):
        commit(work / ".dmm", [path, gone, out, write(work, "new.md")], "second")
    assert git(work, "ls-files", "--stage") == before


def test_a_hook_that_refuses_the_first_commit_of_all_leaves_nothing_staged(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    hook(work, "exit 1")
    told = r"git commit failed: status 1, no message \(a repository hook\?\)"
    with pytest.raises(StorageError, match=told):
        commit(work / ".dmm", [write(work, "a.md")], "first")
    assert git(work, "ls-files") == ""


def test_whoever_breaks_off_while_a_hook_runs_leaves_nothing_staged(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    hold(work, "pre-commit")

    def interrupt() -> None:
        while not (work / "started").exists():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        commit(work / ".dmm", [write(work, "a.md")], "first")
    assert git(work, "ls-files") == ""


def test_a_hook_that_takes_the_text_back_and_refuses_has_made_no_commit(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    path = write(work, "a.md", "old\n")
    commit(work / ".dmm", [path], "first")
    hook(work, "echo old > .dmm/memory/project/a.md; exit 1")
    path.write_text("new\n")
    with pytest.raises(StorageError, match="git commit failed"):
        commit(work / ".dmm", [path], "second")
    assert git(work, "log", "--format=%s") == "first\n"


def test_what_a_hook_has_put_in_shape_is_not_taken_back_by_the_next_commit(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    path = write(work, "a.md", "old\n")
    commit(work / ".dmm", [path], "first")
    hook(work, "echo shaped > .dmm/memory/project/a.md; git add .dmm")
    path.write_text("new\n")
    assert commit(work / ".dmm", [path], "second") is not None
    assert git(work, "show", "HEAD:.dmm/memory/project/a.md") == "shaped\n"
    assert git(work, "status", "--short") == ""


def test_files_that_the_user_keeps_out_of_git_stay_out(tmp_path: Path) -> None:
    work = make(tmp_path / "work")
    known = write(work, "known.md")
    commit(work / ".dmm", [known], "first")
    (work / ".git" / "info" / "exclude").write_text("private*\n")
    private = write(work, "private.md")
    assert commit(work / ".dmm", [private], "second") is None
    assert commits.are_ignored(work / ".dmm", [private])
    assert not commits.are_ignored(work / ".dmm", [known, private])
    known.unlink()
    assert commit(work / ".dmm", [known, private], "moved") is not None
    assert files_of_head(work) == ["known.md"]
    assert git(work, "status", "--short") == ""
