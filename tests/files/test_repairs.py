"""What `dmm validate --fix` fixes, byte by byte, and what it never touches."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.report import Repair
from dmm.errors import MemoryFileError
from dmm.files import markdown, repairs
from dmm.files.edits import carry_out
from dmm.files.repairs import repair
from dmm.files.tree import MemoryTree

if TYPE_CHECKING:
    from pathlib import Path

DAY = dt.date(2026, 1, 31)
NEW = "mem_2026_01_31_001"
SOUND = f"""---
id: {NEW}
tags: [a]
scope: project
priority: 0.5
confidence: active
status: active
---

# Title

Text.
"""


def fix(text: str, path: str = "project/some_note.md") -> tuple[str, tuple[str, ...]]:
    fixed = repairs.fix(path, text, NEW, DAY)
    return fixed.text, fixed.what


def tree_with(folder: Path, files: dict[str, bytes]) -> MemoryTree:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return MemoryTree(folder)


def test_a_sound_file_stays_as_it_is() -> None:
    assert fix(SOUND) == (SOUND, ())


def test_a_text_without_front_matter_gets_a_complete_one_above_it() -> None:
    text, what = fix("# No jobs\n\nText.\n", "project/auth/db/no_jobs.md")
    assert what == ("front matter added",)
    assert text == (
        f"---\nid: {NEW}\ntags: [auth, db]\nscope: project\npriority: 0.5\nconfidence: active\n"
        "status: active\ncreated: 2026-01-31\n---\n\n# No jobs\n\nText.\n"
    )


def test_a_file_right_below_its_scope_gets_the_scope_as_its_tag() -> None:
    assert "\ntags: [global]\nscope: global\n" in fix("# T\n\nText.\n", "global/x.md")[0]


def test_an_archived_text_becomes_a_deprecated_project_memory() -> None:
    text, _ = fix("# T\n\nText.\n", "deprecated/auth/x.md")
    assert "\ntags: [auth]\nscope: project\n" in text
    assert "\nstatus: deprecated\n" in text


def test_a_text_without_anything_gets_front_matter_and_title() -> None:
    text, what = fix("Just words.\n", "project/no_background-jobs.md")
    assert what == ("front matter added", "title added: No Background Jobs")
    assert text.endswith("---\n\n# No Background Jobs\n\nJust words.\n")
    assert markdown.parse("project/x.md", text).memory.title == "No Background Jobs"


def test_missing_fields_are_added_behind_the_others_and_comments_stay() -> None:
    source = SOUND.replace("tags: [a]\n", "# why\n").replace(
        "priority: 0.5", "priority: 0.9  # high"
    )
    text, what = fix(source, "project/auth/x.md")
    assert what == ("added tags: [auth]",)
    assert text == source.replace("status: active\n", "status: active\ntags: [auth]\n")


def test_an_empty_front_matter_is_filled() -> None:
    text, what = fix("---\n---\n# T\n\nText.\n")
    assert what == (
        f"added id: {NEW}, tags: [project], scope: project, priority: 0.5,"
        " confidence: active, status: active",
    )
    assert markdown.parse("project/x.md", text).memory.id == NEW


@pytest.mark.parametrize("written", ["agent", "'agent'", '"agent"', "[agent]", "nonsense"])
def test_a_scope_that_does_not_agree_is_set_to_the_folder_and_nothing_else(written: str) -> None:
    source = SOUND.replace("scope: project\n", f"scope: {written}  # why\n\n")
    text, what = fix(source)
    assert what == ("scope set to project",)
    assert text == source.replace(written, "project", 1)


def test_a_scope_without_a_value_is_set_too() -> None:
    source = SOUND.replace("scope: project", "scope:")
    assert fix(source) == (SOUND, ("scope set to project",))


def test_a_deprecated_memory_keeps_the_scope_it_had() -> None:
    source = SOUND.replace("scope: project", "scope: agent")
    assert fix(source, "deprecated/x.md") == (source, ())


def test_a_missing_title_is_made_of_the_file_name_before_the_first_text() -> None:
    source = SOUND.replace("# Title\n\n", "")
    text, what = fix(source)
    assert what == ("title added: Some Note",)
    assert text == SOUND.replace("# Title", "# Some Note")


def test_a_title_in_a_code_fence_is_no_title() -> None:
    source = SOUND.replace("# Title\n\nText.", "```\n# Title\n```")
    assert fix(source)[0] == source.replace("```\n#", "# Some Note\n\n```\n#")


def test_windows_line_ends_stay_in_every_repair() -> None:
    source = (
        SOUND.replace("# Title\n\n", "")
        .replace("tags: [a]\n", "")
        .replace("scope: project", "scope: agent")
    )
    text, what = fix(source.replace("\n", "\r\n"))
    assert what == ("added tags: [project]", "scope set to project", "title added: Some Note")
    assert text == fix(source)[0].replace("\n", "\r\n")
    assert text.count("\n") == text.count("\r\n")


def test_the_body_keeps_mixed_line_ends() -> None:
    source = SOUND.replace("tags: [a]\n", "") + "one\r\ntwo\n"
    assert fix(source)[0].endswith("Text.\none\r\ntwo\n")


def test_a_byte_order_mark_is_removed() -> None:
    assert fix("\ufeff" + SOUND) == (SOUND, ("byte order mark removed",))


@pytest.mark.parametrize(
    "source",
    [
        SOUND.replace("tags: [a]", "tags: [a"),
        SOUND.replace("tags: [a]", "tags: &x [a]"),
        SOUND.replace("tags: [a]", "id: twice"),
        "\ufeff" + SOUND.replace("tags: [a]", "tags: [a"),
        "---\nid: x\n",
        "---\n- a list\n---\n\nText.\n",
        "\n" + SOUND,
        "",
        "  \n\n",
        SOUND.replace("\n", "\r"),
        f"---\n{{id: {NEW}}}\n---\n\n# T\n\nText.\n",
        SOUND.replace("priority: 0.5", "priority: high"),
        SOUND.replace("# Title\n\nText.\n", ""),
    ],
)
def test_what_could_only_be_guessed_is_left_alone(source: str) -> None:
    assert fix(source) == (source, ())


LINES = (
    *("---", "id: x", "tags: [a]", "scope: agent", "status: active", "# T", "a: b", "text", ""),
    *("  - x", "\ufeff", "cites:", "```", "=", "- a", "created: 2026-01-01", "é", "{a: b}"),
)


@given(st.lists(st.sampled_from(LINES), max_size=14), st.sampled_from(["\n", "\r\n", "\r"]))
def test_no_line_of_any_text_is_ever_lost_and_a_second_repair_finds_nothing(
    lines: list[str], newline: str
) -> None:
    source = newline.join(lines)
    text, what = fix(source)
    assert (text != source) == bool(what)
    left = iter(text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    kept = [line.replace("\ufeff", "") for line in lines if line != "scope: agent"]
    assert all(any(line == other for other in left) for line in kept)
    assert fix(text) == (text, ())


def fix_all(tree: MemoryTree, files: dict[str, bytes]) -> list[Repair]:
    return repair(files, DAY, lambda edit, _what: carry_out(tree, edit))


def test_files_without_ids_get_free_ones_also_beside_a_faulty_file(tmp_path: Path) -> None:
    files = {
        "project/a.md": b"# A\n\nText.\n",
        "project/b.md": b"# B\n\nText.\n",
        "project/c.md": SOUND.replace("priority: 0.5", "priority: high").encode(),
    }
    tree = tree_with(tmp_path, files)
    assert fix_all(tree, files) == [
        Repair("project/a.md", "front matter added"),
        Repair("project/b.md", "front matter added"),
    ]
    assert tree.load("project/a.md").memory.id == "mem_2026_01_31_002"
    assert tree.load("project/b.md").memory.id == "mem_2026_01_31_003"
    assert tree.read("project/c.md") == files["project/c.md"]


def test_a_file_that_stays_faulty_does_not_share_its_new_id(tmp_path: Path) -> None:
    faulty = SOUND.replace(f"id: {NEW}\n", "").replace("0.5", "high").encode()
    files = {"project/a.md": faulty, "project/b.md": faulty}
    assert fix_all(tree_with(tmp_path, files), files) == [
        Repair("project/a.md", "added id: mem_2026_01_31_001"),
        Repair("project/b.md", "added id: mem_2026_01_31_002"),
    ]


def test_of_files_with_one_id_the_oldest_keeps_it(tmp_path: Path) -> None:
    files = {
        "project/a.md": SOUND.encode(),
        "project/b.md": SOUND.replace(
            "status: active", "status: active\ncreated: 2026-01-02"
        ).encode(),
        "project/c.md": SOUND.replace(f"id: {NEW}", f'id: "{NEW}"  # mine').encode(),
        "project/d.md": SOUND.replace(NEW, f"{NEW}a").encode(),
    }
    tree = tree_with(tmp_path, files)
    assert fix_all(tree, files) == [
        Repair("project/a.md", f"id {NEW} was taken; it is now {NEW}b"),
        Repair("project/c.md", f"id {NEW} was taken; it is now {NEW}c"),
    ]
    assert tree.read("project/c.md") == SOUND.replace(f"id: {NEW}", f"id: {NEW}c  # mine").encode()
    assert tree.read("project/b.md") == files["project/b.md"]


def test_a_file_changed_since_it_was_read_is_not_overwritten(tmp_path: Path) -> None:
    tree = tree_with(tmp_path, {"project/a.md": b"# Newer\n\nText.\n"})
    assert fix_all(tree, {"project/a.md": b"# Older\n\nText.\n"}) == [
        Repair(
            "project/a.md",
            "not repaired: another process has just changed it",
            applied=False,
        )
    ]
    assert tree.read("project/a.md") == b"# Newer\n\nText.\n"


def test_a_file_removed_since_it_was_read_does_not_come_back(tmp_path: Path) -> None:
    tree = tree_with(tmp_path, {"project/b.md": b"# B\n\nText.\n"})
    files = {"project/a.md": b"# A\n\nText.\n", "project/b.md": b"# B\n\nText.\n"}
    gone, fixed = fix_all(tree, files)
    assert gone == Repair(
        "project/a.md", "not repaired: another process has just changed it", applied=False
    )
    assert fixed == Repair("project/b.md", "front matter added")
    with pytest.raises(MemoryFileError):
        tree.read("project/a.md")


@pytest.mark.parametrize("data", [b"\x00\x01binary", "Gr\xfc\xdfe".encode("latin-1")])
def test_bytes_that_are_no_text_stay(tmp_path: Path, data: bytes) -> None:
    tree = tree_with(tmp_path, {"project/a.md": data})
    assert fix_all(tree, {"project/a.md": data}) == []
    assert tree.read("project/a.md") == data
