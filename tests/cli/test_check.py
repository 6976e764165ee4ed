"""dmm check: exit statuses that a script can rely on, for every kind of call."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Told, Typed
    from tests.conftest import Project

RULES = {
    "no-force": "---\nmatch: {command: git push --force}\n---\n# Never force push\n",
    "ask-tag": "---\nlevel: ask\nmatch: {command: git tag}\n---\n# Ask before tagging\n",
    "warn-ls": "---\nlevel: warn\nmatch: {command: ls}\n---\n# Prefer the Glob tool\n",
    "generated": "---\nmatch: {path: 'generated/**'}\n---\n# Leave generated files alone\n",
    "no-deploy": "---\nmatch: {tool: 'mcp__*__deploy'}\n---\n# Never deploy\n",
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def place(project: Project, typed: Typed) -> Path:
    folder = project.folder / ".dmm" / "rules"
    folder.mkdir(parents=True)
    for name, text in RULES.items():
        (folder / f"{name}.md").write_text(text)
    typed("trust", "--yes", within=project.folder)
    return project.folder


def check(typed: Typed, place: Path, *arguments: str) -> Told:
    return typed("check", *arguments, within=place)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["git push"], 0, "allowed: git push\n"),
        (["ls"], 0, "warned: ls\n"),
        (["git push -f"], 3, "denied: git push -f\n"),
        (["git tag v1"], 4, "asks: git tag v1\n"),
        (["--read", "generated/a.py"], 0, "allowed: Read generated/a.py\n"),
        (["--edit", "generated/a.py", "--old", "a", "--new", "b"], 3, "denied: Edit generated/"),
        (["--tool", "mcp__ci__deploy", "--input", "{}"], 3, "denied: mcp__ci__deploy\n"),
        (["--decision", "Write the changelog"], 0, "allowed: Write the changelog\n"),
    ],
)
def test_the_status_tells_the_outcome(
    typed: Typed, place: Path, arguments: list[str], status: int, said: str
) -> None:
    told = check(typed, place, *arguments)
    assert (told.status, told.err) == (status, "")
    assert told.out.startswith(said)


def test_the_text_of_a_written_file_is_standard_input(
    typed: Typed, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("x = 1\n"))
    assert check(typed, place, "--write", "generated/a.py").status == 3
    monkeypatch.setattr(sys, "stdin", io.StringIO("x = 1\n"))
    assert check(typed, place, "--write", "src/a.py").status == 0


def test_a_denial_names_the_rule_the_reason_and_where_to_look(typed: Typed, place: Path) -> None:
    told = check(typed, place, "git push --force origin main")
    assert "rule no-force" in told.out
    assert "  see:    dmm rules show no-force\n" in told.out
    data = json.loads(check(typed, place, "git push -f", "--json").out)
    assert (data["outcome"], data["rule"], data["title"]) == (
        "denied",
        "no-force",
        "Never force push",
    )


@pytest.mark.parametrize(
    "wrong",
    [
        *([], ["ls", "--read", "a"], ["--input", "{}"], ["--tool", "x", "--input", "["]),
        *(["a", "b"], ["--edit", "a"], ["--edit", "a", "--old", "x"], ["--edit", "a", "--new", ""]),
        *(["ls", "--old", "x"], [""], ["--decision", " "]),
    ],
)
def test_a_wrong_line_is_no_answer(typed: Typed, place: Path, wrong: list[str]) -> None:
    assert check(typed, place, *wrong).status == 2


def test_errors_name_options_as_they_are_typed(typed: Typed, place: Path) -> None:
    told = check(typed, place).err
    assert "give one call: a command, --write, --read, --edit, --tool or --decision\n" in told
    assert "--edit needs --old and --new" in check(typed, place, "--edit", "a").err


def test_on_a_terminal_it_says_that_the_text_is_read(
    typed: Typed, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("x = 1\n"))
    told = check(typed, place, "--write", "generated/a.py")
    assert told.status == 3
    assert "reading the text from standard input" in told.err


def test_an_allowed_call_breaks_no_rule(typed: Typed, place: Path) -> None:
    told = check(typed, place, "git push").out
    assert told == "allowed: git push\n  reason: no active rule is broken\n"


def test_all_broken_rules_are_named(typed: Typed, place: Path) -> None:
    told = check(typed, place, "ls && git tag v1 && git push -f").out
    assert "  reason: rule no-force " in told
    assert "  also:   rule ask-tag (asks): Ask before tagging\n" in told
    assert "  also:   rule warn-ls (warned): Prefer the Glob tool\n" in told
    assert told.count("no-force") == 2


def test_the_help_names_every_status(typed: Typed, place: Path) -> None:
    told = " ".join(check(typed, place, "--help").out.split())
    assert "5 outside a project" in told


def test_settings_that_can_not_be_read_are_no_answer_either(typed: Typed, place: Path) -> None:
    (place / ".dmm" / "daemon.config.json").write_text("{")
    typed("trust", "--yes", within=place)
    assert check(typed, place, "ls").status != 4


def test_nothing_is_recorded(typed: Typed, place: Path) -> None:
    before = typed("ledger", "log", within=place).out
    check(typed, place, "git push -f")
    assert typed("ledger", "log", within=place).out == before


def test_a_folder_without_memory_is_said_to_be_one(typed: Typed, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert check(typed, empty, "ls").status == 5


def test_where_the_project_is_not_trusted_every_answer_says_that_nothing_is_in_force(
    typed: Typed, place: Path
) -> None:
    typed("trust", "--revoke", within=place)
    denied = check(typed, place, "git push -f")
    assert denied.status == 3
    assert "nothing is active here until this project is trusted (dmm trust)" in denied.out
    told = json.loads(check(typed, place, "git push -f", "--json").out)
    assert (told["outcome"], told["trusted"], told["in_force"]) == ("denied", False, False)
    first = "Inactive: this project is not trusted yet (dmm trust)\n"
    assert typed("rules", within=place).out.startswith(first)
    shown = typed("rules", "show", "no-force", within=place).out
    assert shown.startswith(first)
    assert "enforced (once this project is trusted)" in shown
    assert typed("rules", "add", "never use npm", within=place).out.startswith(first)
    for command in (["rules"], ["rules", "show", "no-force"], ["rules", "add", "never use yarn"]):
        told = json.loads(typed(*command, "--json", within=place).out)
        assert (told["trusted"], told["in_force"]) == (False, False)


def test_in_a_trusted_project_nothing_is_said_of_trust(typed: Typed, place: Path) -> None:
    assert "trusted" not in typed("rules", within=place).out
    assert "trusted" not in check(typed, place, "git push -f").out


def test_trust_names_broken_rule_files_instead_of_saying_that_they_hold(
    typed: Typed, place: Path
) -> None:
    rules = place / ".dmm" / "rules"
    (rules / "no-force.md").write_text("---\nmatch: {comand: git push}\n---\n# Never push\n")
    wrong = "---\nmatch: {command: npm}\nexamples:\n  block:\n    - yarn add a\n---\n# No npm\n"
    (rules / "no-npm.md").write_text(wrong)
    told = typed("trust", "--yes", within=place).out
    assert "changes are active from now on" not in told
    assert "enforced: No npm" not in told
    assert "rules/no-force.md is broken and inactive: rules/no-force.md:2" in told
    assert "rules/no-npm.md is broken and inactive: rules/no-npm.md:5" in told
    assert check(typed, place, "git push -f").status == 3
    (rules / "no-yarn.md").write_text("---\nmatch: {command: yarn}\n---\n# No yarn\n")
    (rules / "no-npm.md").write_text(wrong + "\nUse pnpm.\n")
    told = typed("trust", "--yes", within=place).out
    assert "The other changes are active from now on." in told
    assert "rules/no-npm.md is broken and inactive" in told
    assert check(typed, place, "yarn add a").status == 3
