"""What `dmm init` makes, and what it leaves alone."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from dmm.config import read_config
from dmm.embed.tokens import TokenCounter
from dmm.errors import StorageError, UsageError
from dmm.files.roots import Root, find_root
from dmm.project.init import set_up

if TYPE_CHECKING:
    from pathlib import Path

DAY = dt.date(2026, 1, 31)
FOLDERS = (
    "memory/baseline/",
    "memory/global/",
    "memory/agent/",
    "memory/project/",
    "memory/ephemeral/",
    "memory/deprecated/",
    "rules/",
    "index/",
    "packs/",
)
FILES = (".gitignore", "BOOT.md", "policy.md", "daemon.config.json")
EXAMPLES = (
    "memory/baseline/hard_constraints.md",
    "memory/baseline/identity.md",
    "memory/global/writing_memories.md",
    "memory/agent/using_memory.md",
    "memory/project/_dir.md",
    "memory/project/keeping_memory.md",
    "memory/ephemeral/replace_the_examples.md",
)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_a_new_project_gets_every_folder_file_and_example(tmp_path: Path) -> None:
    report = set_up(tmp_path, day=DAY)
    assert report.folder == tmp_path / ".dmm"
    assert report.created == (*FOLDERS, *FILES, *EXAMPLES)
    assert report.kept == ()
    assert set(contents(report.folder)) == {*FILES, *EXAMPLES}
    assert all((report.folder / folder).is_dir() for folder in FOLDERS)


def test_the_new_folder_is_found_and_its_settings_are_the_defaults(tmp_path: Path) -> None:
    report = set_up(tmp_path, day=DAY)
    assert find_root(tmp_path, None, tmp_path / "home") == Root(report.folder.resolve())
    assert read_config(report.folder / "daemon.config.json").retrieval.default_budget == 2000


def test_every_example_is_a_sound_memory_of_recommended_size(tmp_path: Path) -> None:
    tree = Root(set_up(tmp_path, day=DAY).folder).tree
    memories = [tree.load(stamp.path).memory for stamp in tree.scan().stamps]
    assert sorted(memory.id for memory in memories) == [
        f"mem_2026_01_31_{number:03d}" for number in range(1, 7)
    ]
    assert {memory.created for memory in memories} == {DAY}
    assert [memory.expires for memory in memories if memory.expires] == [dt.date(2026, 3, 2)]
    assert {str(memory.scope) for memory in memories} == {
        "baseline",
        "global",
        "agent",
        "project",
        "ephemeral",
    }
    count = TokenCounter().count
    for memory in memories:
        assert "@" not in memory.body
        if memory.scope != "baseline":
            assert 300 <= count(memory.body) <= 800, memory.path


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    before = contents(set_up(tmp_path, day=DAY).folder)
    again = set_up(tmp_path, day=dt.date(2027, 5, 5))
    assert again.created == ()
    assert again.kept == FILES
    assert contents(again.folder) == before


def test_deleted_examples_stay_deleted_while_any_memory_is_there(tmp_path: Path) -> None:
    folder = set_up(tmp_path, day=DAY).folder
    for path in EXAMPLES[2:]:
        (folder / path).unlink()
    assert set_up(tmp_path, day=DAY).created == ()
    assert set(contents(folder)) == {*FILES, *EXAMPLES[:2]}


def test_a_file_of_the_user_is_kept_and_only_what_is_missing_is_made(tmp_path: Path) -> None:
    folder = tmp_path / ".dmm"
    (folder / "memory" / "project").mkdir(parents=True)
    (folder / "BOOT.md").write_text("mine")
    (folder / "memory" / "project" / "broken.md").write_bytes(b"\xff not a memory")
    report = set_up(tmp_path, day=DAY)
    assert report.kept == ("BOOT.md",)
    assert report.created == (
        *(name for name in FOLDERS if name != "memory/project/"),
        *(name for name in FILES if name != "BOOT.md"),
    )
    assert (folder / "BOOT.md").read_text() == "mine"


def test_a_descriptor_of_the_user_is_kept(tmp_path: Path) -> None:
    descriptor = tmp_path / ".dmm" / "memory" / "project" / "_dir.md"
    descriptor.parent.mkdir(parents=True)
    descriptor.write_text("my own words")
    assert "memory/project/_dir.md" in set_up(tmp_path, day=DAY).kept
    assert descriptor.read_text() == "my own words"


def test_a_link_in_the_place_of_a_file_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.md"
    (tmp_path / ".dmm").mkdir()
    (tmp_path / ".dmm" / "BOOT.md").symlink_to(elsewhere)
    assert set_up(tmp_path, day=DAY).kept == ("BOOT.md",)
    assert not elsewhere.exists()


def test_a_missing_project_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such folder"):
        set_up(tmp_path / "nowhere", day=DAY)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_reported_with_its_path(tmp_path: Path) -> None:
    (tmp_path / ".dmm").write_text("a file")
    with pytest.raises(StorageError, match=r"\.dmm: could not make the memory folder"):
        set_up(tmp_path, day=DAY)
