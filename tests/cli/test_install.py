"""`dmm install` as it is typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.main import get_command

from dmm.cli.commands import COMMANDS, INSTEAD, make_app

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed


@pytest.fixture
def bare(typed: Typed, home: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """A machine without any client."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "")
    return typed


def test_a_client_that_is_here_is_connected_and_told_about(
    bare: Typed, home: Path, tmp_path: Path
) -> None:
    (home / ".codex").mkdir()
    told = bare("install", within=tmp_path)
    assert (told.status, told.err) == (0, "")
    assert told.out.splitlines() == [
        "1 client detected:",
        f"  Codex ({home / '.codex'})",
        "",
        "Codex, hooks: installed",
        f"  {home / '.codex/hooks.json'}",
        "Codex, tools: installed",
        f"  {home / '.codex/config.toml'}",
        "",
        "Next:",
        "  - start Codex and trust the dmm hooks when it asks, or open /hooks there; until"
        " then it skips them",
        "  - in each project: dmm init (once), then check with: dmm doctor",
    ]
    again = bare("install", within=tmp_path).out.splitlines()
    assert again[3:] == [
        "Codex, hooks: already installed",
        f"  {home / '.codex/hooks.json'}",
        "Codex, tools: already installed",
        f"  {home / '.codex/config.toml'}",
    ]


def test_no_client_at_all_is_said(bare: Typed, tmp_path: Path) -> None:
    told = bare("install", within=tmp_path)
    assert told.status == 0
    assert told.out == (
        "No client detected. Name one with --client, or all with --client all:\n"
        "  claude-code, codex, copilot, cursor, gemini, opencode, vscode, windsurf\n"
    )


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["uninstall"], "dmm install --uninstall"),
        (["rules", "remove", "x"], "dmm rules disable RULE"),
        (["rm", "x"], "dmm forget MEMORY, dmm rules disable RULE, dmm undo N"),
        (["write", "delete", "x"], "dmm forget MEMORY, dmm rules disable RULE, dmm undo N"),
        (["help"], "dmm --help"),
        (["config"], "edit .dmm/daemon.config.json, then accept it: dmm trust"),
        (["rules", "help"], "dmm rules --help"),
    ],
)
def test_the_way_out_is_told_to_whoever_guesses_its_name(
    bare: Typed, tmp_path: Path, words: list[str], hint: str
) -> None:
    told = bare(*words, within=tmp_path)
    word = next(one for one in words if one not in COMMANDS)
    lines = [f"dmm: no such command: {word}", f"  hint:  {hint}"]
    assert (told.status, told.err.splitlines()) == (2, lines)


def test_every_command_that_is_named_instead_exists() -> None:
    ways = {way for named in INSTEAD.values() for way in named if not way.startswith("-")}
    commands = vars(get_command(make_app()))["commands"]
    for way in ways:
        name, _, rest = way.partition(" ")
        inner = vars(commands[name]).get("commands")
        assert inner is None or rest.split()[0] in inner


def test_a_dry_run_shows_every_line_and_writes_none(
    bare: Typed, home: Path, tmp_path: Path
) -> None:
    told = bare("install", "--client", "cursor", "--dry-run", within=tmp_path)
    lines = told.out.splitlines()
    assert lines[0] == "Cursor, hooks: would be installed"
    assert f"    +++ {home / '.cursor/mcp.json'}" in lines
    assert lines[-1] == "Nothing was written."
    assert not (home / ".cursor").exists()


def test_the_project_gets_its_files_from_anywhere_in_it(bare: Typed, tmp_path: Path) -> None:
    bare("init", within=tmp_path)
    inner = tmp_path / "src"
    inner.mkdir()
    told = bare(
        "install", "--scope", "project", "--client", "vscode", "--client", "codex", within=inner
    )
    assert told.status == 0
    assert (tmp_path / ".vscode/mcp.json").is_file()
    assert (tmp_path / ".codex/hooks.json").is_file()
    gone = bare("install", "--scope", "project", "--uninstall", "--client", "all", within=inner)
    assert "VS Code, tools: removed" in gone.out
    assert "Cursor, tools: no DMM entries" in gone.out
    assert gone.out.splitlines()[-1] == (
        "Your memories stay: .dmm in each project, and ~/.dmm. Restart the clients."
    )
    assert not (tmp_path / ".vscode/mcp.json").exists()


def test_without_a_project_the_project_scope_is_refused(bare: Typed, tmp_path: Path) -> None:
    told = bare("install", "--scope", "project", within=tmp_path)
    assert told.status == 5
    assert "no .dmm folder here or above" in told.err


def test_what_could_not_be_done_is_told_with_the_lines_to_paste(
    bare: Typed, home: Path, tmp_path: Path
) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text("not json")
    told = bare("install", "--client", "cursor", within=tmp_path)
    assert told.status == 1
    lines = told.out.splitlines()
    at = lines.index("Cursor, tools: NOT DONE")
    assert lines[at + 1 : at + 5] == [
        f"  {home / '.cursor/mcp.json'}",
        "  why: left as it is: line 1: 'not' is not a value",
        "  hint: put this in by hand, beside what is there:",
        "  {",
    ]


def test_the_report_is_data_too(bare: Typed, home: Path, tmp_path: Path) -> None:
    told = json.loads(bare("install", "--client", "gemini", "--json", within=tmp_path).out)
    assert [one["client"] for one in told["noticed"]] == [
        *("claude-code", "codex", "copilot", "cursor", "gemini", "opencode", "vscode", "windsurf")
    ]
    (outcome,) = told["outcomes"]
    assert outcome["result"] == "installed"
    assert outcome["where"] == str(home / ".gemini/settings.json")
    assert told["dry"] is False


def test_a_client_nobody_knows_is_refused(bare: Typed, tmp_path: Path) -> None:
    told = bare("install", "--client", "emacs", within=tmp_path)
    assert told.status == 2
    assert "emacs" in told.err
