"""Slips of a person or an agent: each is told with the way out, and nothing written is lost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import Command, Project

WHY = ("--reason", "from the trial")
LAMP = "# Lamp\n\nThe lamp in the hall is red."


@pytest.fixture
def own(project: Project, home: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("DMM_STATE_DIR", str(home / "state"))
    monkeypatch.delenv("VISUAL", raising=False)
    project.trust(home)
    return project


def propose(typed: Typed, own: Project, operation: str, text: str) -> str:
    line = ("write", operation, "--path", "project/lamp.md", "--content", text, *WHY, "--json")
    return str(json.loads(typed(*line, within=own.folder).out)["seq"])


def create(typed: Typed, own: Project) -> str:
    return propose(typed, own, "create", LAMP)


def paint(typed: Typed, own: Project) -> str:
    return propose(typed, own, "update", LAMP.replace("red", "blue"))


def approve(typed: Typed, own: Project, number: str) -> None:
    typed("review", "approve", number, "--bypass-reviewer", within=own.folder)


def write_editor(own: Project, script: str) -> str:
    path = own.folder / "editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    return f"sh {path}"


def test_an_edited_text_that_is_refused_is_kept(
    typed: Typed, own: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(typed, own)
    monkeypatch.setenv("EDITOR", write_editor(own, 'head -c 70000 /dev/zero | tr "\\0" x > "$1"'))
    told = typed("review", "edit", "1", within=own.folder)
    assert told.status == 2
    kept = re.search(r"; your text is kept in (\S+)\n$", told.err)
    assert kept is not None
    assert Path(kept[1]).read_text() == "x" * 70_000


@pytest.mark.slow
def test_ctrl_c_is_for_the_editor_as_long_as_it_runs(
    typed: Typed, own: Project, command: Command
) -> None:
    create(typed, own)
    editor = write_editor(own, 'kill -INT $PPID; sed -i s/red/white/ "$1"')
    told = command("review", "edit", "1", within=own.folder, env={"EDITOR": editor})
    assert told.returncode == 0
    assert "+The lamp in the hall is white." in typed("review", "show", "1", within=own.folder).out
    ends = write_editor(own, "kill -INT $$")
    told = command("review", "edit", "1", within=own.folder, env={"EDITOR": ends})
    assert told.returncode == 130


def test_what_could_not_be_checked_is_one_line(typed: Typed, own: Project) -> None:
    line = ("write", "create", "--path", "project/lamp.md", "--content", "---\nno fields", *WHY)
    told = typed(*line, within=own.folder)
    assert told.out.count("not checked") == 1
    assert re.search(r"! 6 others +not checked: ", told.out)


def test_a_stale_proposal_offers_no_approval(typed: Typed, own: Project) -> None:
    approve(typed, own, create(typed, own))
    number = paint(typed, own)
    path = own.memory / "project" / "lamp.md"
    path.write_text(path.read_text().replace("red", "white"))
    told = typed("review", "show", number, within=own.folder)
    assert "\nPending: its file has changed since it was proposed\n" in told.out
    assert f"dmm review edit {number}\n" in told.out
    assert "dmm review approve" not in told.out


def test_all_of_a_source_is_undone_after_one_of_them_was(typed: Typed, own: Project) -> None:
    approve(typed, own, create(typed, own))
    number = paint(typed, own)
    approve(typed, own, number)
    assert typed("undo", number, "--yes", within=own.folder).status == 0
    again = typed("undo", number, "--yes", within=own.folder)
    assert f"proposal_{number} is undone, so there is nothing to undo" in again.err
    told = typed("undo", "--source", "cli", "--yes", within=own.folder)
    assert told.status == 0
    assert list(own.memory.rglob("*.md")) == []


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        (["create", *WHY], "the content is missing", "give one of: --content, --file,"),
        (["create", "--content", " ", *WHY], "the text is empty", None),
        (["create", "--content", "x", "--priority", "7", *WHY], "Invalid value for '--prio", "see"),
        (
            ["update", "--content", "x", "--base", "zz", *WHY],
            "the base 'zz' is not the hash of a text",
            "give 8 to 64 digits",
        ),
        (["update", "--content", "x", *WHY], "there is no such memory", "name a file under"),
    ],
)
def test_a_request_that_means_nothing_is_no_proposal(
    line: list[str], what: str, hint: str | None, typed: Typed, own: Project
) -> None:
    told = typed("write", *line, "--path", "project/lamp.md", "--json", within=own.folder)
    assert told.status == 2
    error = json.loads(told.out)["error"]
    assert error["what"].startswith(what)
    assert (error["hint"] or "").startswith(hint or "")
    assert typed("review", "list", "--all", within=own.folder).out.startswith("0 proposals")


def test_the_description_of_a_folder_is_no_memory(typed: Typed, own: Project) -> None:
    line = ("write", "create", "--path", "project/_dir.md", "--content", LAMP, *WHY)
    told = typed(*line, within=own.folder)
    assert (told.status, told.err.splitlines()[0]) == (
        6,
        "dmm: it describes its folder and is not a memory",
    )


def test_a_move_says_where_it_leads(typed: Typed, own: Project) -> None:
    approve(typed, own, create(typed, own))
    line = ("write", "promote", "--path", "project/lamp.md", "--new-scope", "global", *WHY)
    told = typed(*line, within=own.folder)
    assert " pending: promote to global/lamp.md\n" in told.out


def test_a_name_that_is_nearly_right_is_told(typed: Typed, own: Project) -> None:
    approve(typed, own, create(typed, own))
    told = typed("write", "deprecate", "--path", "global/lamp.md", *WHY, within=own.folder)
    assert told.err.endswith("  hint:  did you mean project/lamp.md?\n")


def test_a_text_for_a_conflict_is_taken_whole_or_not_at_all(typed: Typed, own: Project) -> None:
    (own.folder / "text.md").write_bytes(b"# Lamp\n\n\xff")
    line = ("conflicts", "resolve", "1", "--action", "clarify", *WHY, "--file", "text.md")
    told = typed(*line, within=own.folder)
    assert (told.status, told.err.splitlines()[0]) == (2, "dmm: the text is not UTF-8")
