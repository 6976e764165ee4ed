"""`dmm remember` and `dmm forget` as they are typed."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Project

NOTE = "Use pnpm, not npm, to install packages."
PATH = "project/build/pnpm_not_npm_install_packages.md"


@pytest.fixture
def own(project: Project, home: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("DMM_STATE_DIR", str(home / "state"))
    for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"):
        monkeypatch.delenv(name, raising=False)
    project.trust(home)
    return project


def test_one_line_is_remembered_and_forgotten(typed: Typed, own: Project) -> None:
    told = typed("remember", NOTE, within=own.folder)
    assert (told.status, told.err) == (0, "")
    assert told.out == (
        f"Remembered: {PATH}\n  tags: build, pnpm, npm, install\n  undo: dmm undo 1\n"
    )
    told = typed("forget", "pnpm", within=own.folder)
    assert told.out.startswith(f"Forgotten: {PATH} (Use pnpm")
    assert "status: deprecated" in (own.memory / PATH).read_text()


def test_a_note_that_reads_like_a_rule_is_told_how_to_become_one(
    typed: Typed, own: Project
) -> None:
    told = typed("remember", "Never print in src/, use the logger.", within=own.folder)
    assert "  rule: agents are not held to a note; to enforce it: dmm rules add TEXT\n" in told.out


def test_what_is_known_is_shown_with_the_ways_out(typed: Typed, own: Project) -> None:
    typed("remember", NOTE, within=own.folder)
    told = typed("remember", NOTE, within=own.folder)
    assert told.status == 1
    assert told.out.splitlines() == [
        f"Not remembered: the same text as {PATH}",
        f"  read it:    .dmm/memory/{PATH}",
        f"  replace it: dmm remember --replace {PATH} TEXT",
        "  keep both:  dmm remember --anyway TEXT",
    ]
    data = json.loads(typed("remember", NOTE, "--json", within=own.folder).out)
    assert (data["status"], data["failed"][0]["other"]) == ("refused", PATH)


def test_a_clash_is_told_once_with_the_conflict_to_look_at(typed: Typed, own: Project) -> None:
    typed("remember", "Uploads are limited to 10 MB.", within=own.folder)
    told = typed("remember", "Uploads are limited to 25 MB.", within=own.folder)
    lines = told.out.splitlines()
    (note,) = [line for line in lines if line.startswith("  note: ")]
    assert note.startswith("  note: numeric clash with project/notes/uploads")
    (see,) = [line for line in lines if line.startswith("  see:  dmm conflicts show ")]
    shown = typed(*see.split()[2:], within=own.folder)
    assert shown.out.startswith(f"conflict_{see.split()[-1]}  numeric clash")


def test_an_agents_shell_only_proposes(
    typed: Typed, own: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    told = typed("remember", NOTE, within=own.folder)
    assert told.status == 0
    assert told.out.startswith(f"proposal_1 pending: {PATH}\n")
    assert "  see:  dmm review show 1\n" in told.out
    assert not (own.memory / PATH).exists()


def test_a_note_can_come_from_standard_input(
    typed: Typed, own: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NOTE.encode())))
    assert typed("remember", "-", within=own.folder).out.startswith(f"Remembered: {PATH}\n")


def test_without_a_terminal_several_matches_are_listed(typed: Typed, own: Project) -> None:
    typed("remember", "The staging database is reset every Sunday.", within=own.folder)
    typed("remember", "The staging cluster has three nodes.", within=own.folder)
    told = typed("forget", "staging", within=own.folder)
    assert told.status == 1
    assert told.out.startswith("Several memories may be meant; name one by its path:\n")
    assert len(told.out.splitlines()) == 5
    told = typed("forget", ".dmm/memory/project/staging_cluster_nodes.md", within=own.folder)
    assert (told.status, told.out.partition(";")[0]) == (1, "Another memory may be meant")


def test_at_a_terminal_the_person_chooses(
    typed: Typed, own: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("remember", "The staging database is reset every Sunday.", within=own.folder)
    typed("remember", "The staging cluster has three nodes.", within=own.folder)

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal("\n"))
    told = typed("forget", "staging", within=own.folder)
    assert told.out.endswith("Nothing was forgotten.\n")
    monkeypatch.setattr(sys, "stdin", Terminal("2\n"))
    told = typed("forget", "staging", within=own.folder)
    assert "Forgotten: project/" in told.out


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_note_is_a_usage_error(typed: Typed, own: Project, text: str) -> None:
    told = typed("remember", text, within=own.folder)
    assert (told.status, told.err.splitlines()[0]) == (2, "dmm: the text is empty")


def test_words_without_quotes_are_explained(typed: Typed, own: Project) -> None:
    told = typed("remember", "use", "pnpm", within=own.folder)
    assert told.status == 2
    assert 'dmm remember "several words"' in told.err


def test_a_rule_that_is_about_the_same_is_shown_with_the_note(typed: Typed, own: Project) -> None:
    typed("rules", "add", "Use pnpm, not npm", within=own.folder)
    told = typed("remember", "Use bun, not npm", within=own.folder)
    assert told.status == 0
    said = " ".join(told.out.split())
    assert 'note: the rule use-pnpm-not-npm is about the same and stays enforced: "Use' in said
    assert typed("remember", "use pnpm not npm", within=own.folder).status == 1
