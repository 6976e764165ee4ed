"""Which files belong to a repository, with Git and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.commits import CommitTree
from dmm.repo.sources import MAX_BYTES, WorkingTree
from dmm.repo.study import blob_hash
from dmm.repo.walk import walk

if TYPE_CHECKING:
    from pathlib import Path

    from tests.repo.conftest import Repository


def paths(tree: WorkingTree) -> list[str]:
    return [entry.path for entry in tree.entries()]


def test_tracked_and_new_files_belong_and_ignored_ones_do_not(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\n")
    repository.write("a.py", "")
    repository.commit("Begin")
    repository.write("new.py", "")
    repository.write("noise.log", "")
    repository.write(".dmm/memory/x.md", "")
    (repository.folder / "link.py").symlink_to("a.py")
    assert paths(WorkingTree(repository.folder)) == [".gitignore", "a.py", "new.py"]


def test_a_project_in_a_subfolder_sees_its_own_files_only(repository: Repository) -> None:
    repository.write("top.py", "")
    repository.write("sub/a.py", "1\n")
    repository.commit("Begin")
    tree = WorkingTree(repository.folder / "sub")
    assert paths(tree) == ["a.py"]
    assert [commit.files for commit in tree.commits(5)] == [("a.py",)]


def test_a_program_that_the_repository_names_is_not_run(repository: Repository) -> None:
    trap = repository.write("trap.sh", f"#!/bin/sh\ntouch {repository.folder}/sprung\n")
    trap.chmod(0o755)
    repository.commit("Begin")
    for name in ("core.fsmonitor", "gpg.program", "core.pager"):
        repository.git("config", name, str(trap))
    repository.git("config", "log.showSignature", "true")
    tree = WorkingTree(repository.folder)
    assert paths(tree) == ["trap.sh"]
    assert len(tree.commits(5)) == 1
    assert not (repository.folder / "sprung").exists()


def test_a_file_is_not_read_through_a_link_or_from_outside(repository: Repository) -> None:
    outside = repository.folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("x", "utf-8")
    (repository.folder / "way").symlink_to(outside)
    (repository.folder / "link.py").symlink_to(outside / "secret.py")
    tree = WorkingTree(repository.folder)
    assert [tree.read(path) for path in ("way/secret.py", "link.py", "none.py")] == [None] * 3


def test_a_file_that_is_too_large_is_not_read(repository: Repository) -> None:
    repository.write("large.py", "x" * (MAX_BYTES + 1))
    assert WorkingTree(repository.folder).read("large.py") is None


def test_a_commit_has_the_files_it_had(repository: Repository) -> None:
    repository.write("a.py", "old\n")
    first = repository.commit("Begin")
    repository.write("a.py", "new\n")
    repository.commit("Go on")
    tree = CommitTree(repository.folder, first)
    (entry,) = tree.entries()
    assert (entry.path, entry.size, entry.blob) == ("a.py", 4, blob_hash(b"old\n"))
    assert tree.read("a.py") == b"old\n"
    assert tree.read("b.py") is None
    assert tree.read("a.py", "0" * 40) is None
    assert [commit.message for commit in tree.commits(5)] == ["Begin"]
    tree.close()


def test_a_commit_that_touches_very_many_files_ties_none(repository: Repository) -> None:
    for number in range(30):
        repository.write(f"{number}.py", "")
    repository.commit("Begin")
    assert WorkingTree(repository.folder).commits(5) == []


def test_without_git_a_walk_heeds_the_ignore_files(tmp_path: Path) -> None:
    rules = "# remark\n*.log\n!keep.log\n/build.py\ncache/\nsub/x.py\n**/deep.py\n"
    (tmp_path / ".gitignore").write_text(rules, "utf-8")
    for name in (
        *("a.py", "a.log", "keep.log", "build.py", "sub/build.py", "sub/x.py", "sub/deep.py"),
        *("cache/a.py", "node_modules/a.js", ".venv/a.py", "sub/cache"),
    ):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        target.write_text("", "utf-8")
    assert list(walk(tmp_path)) == [".gitignore", "a.py", "keep.log", "sub/build.py", "sub/cache"]
    assert paths(WorkingTree(tmp_path)) == list(walk(tmp_path))


IGNORED = (
    *("docs/*.md", "\\#draft", "a/**/b.py", "[!x]?.txt", "[^y]z.txt", "trailing.py ", "*.tmp"),
    *("!/sub/kept.log", "**/deep.py", "logs/**", "/top.py", "in/**/x/**/y.py", "\\*.py", "[", "!"),
)
NAMES = (
    *(
        "docs/a.md",
        "docs/deep/a.md",
        "#draft",
        "a/b.py",
        "a/c/d/b.py",
        "xy.txt",
        "zy.txt",
        "xz.txt",
    ),
    *("trailing.py", "sub/kept.log", "sub/a.tmp", "a.tmp", "sub/deep.py", "logs/a/b.py", "top.py"),
    *(
        "sub/top.py",
        "in/x/y.py",
        "in/a/x/x/b/x/y.py",
        "in/a/b/y.py",
        "*.py",
        "b.py",
        "sub/docs/a.md",
    ),
)


def test_ignore_files_are_read_as_git_reads_them(repository: Repository) -> None:
    repository.write(".gitignore", "\n".join(IGNORED))
    repository.write("sub/.gitignore", "*.log\n!*.tmp\n")
    for name in NAMES:
        repository.write(name, "")
    found = repository.git("ls-files", "--others", "--exclude-standard").splitlines()
    assert sorted(walk(repository.folder)) == found


def test_no_pattern_takes_long(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*a" * 30 + "*b\n" + "**/" * 30 + "b\n", "utf-8")
    (tmp_path / ("a" * 200)).write_text("", "utf-8")
    assert len(list(walk(tmp_path))) == 2


def test_a_broken_pattern_hides_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("[\n!\n///\n**\\\n*.log\n", "utf-8")
    for name in ("a.py", "a.log"):
        (tmp_path / name).write_text("", "utf-8")
    assert list(walk(tmp_path)) == [".gitignore", "a.py"]


def test_an_ignore_file_in_a_folder_counts_below_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.gitignore").write_text("/a.py\n", "utf-8")
    for name in ("a.py", "sub/a.py", "sub/b.py"):
        (tmp_path / name).write_text("", "utf-8")
    assert list(walk(tmp_path)) == ["a.py", "sub/.gitignore", "sub/b.py"]
