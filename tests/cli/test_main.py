"""The dmm command as a whole: help, version, where it looks, and how it fails."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Command, Project

COMMANDS = [
    *("init", "import", "install", "doctor", "demo"),
    *("remember", "forget", "query", "ask", "write", "review", "conflicts", "undo", "validate"),
    *("feedback", "lifecycle", "reindex", "export", "export-usage"),
    *("rules", "check", "trust"),
    *("status", "ui", "cost", "search", "timeline", "get", "ledger", "import-sessions"),
    *("digest", "distil", "redact"),
    *("diff", "merge"),
    *("team", "server"),
    *("daemon", "serve", "completion"),
]


@pytest.mark.parametrize("arguments", [["--help"], *([name, "-h"] for name in COMMANDS)])
def test_help_fits_a_terminal_of_80_columns(
    arguments: list[str], typed: Typed, tmp_path: Path
) -> None:
    told = typed(*arguments, within=tmp_path)
    assert told.status == 0
    assert told.out.startswith("Usage: dmm ")
    assert max(map(len, told.out.splitlines())) <= 80
    assert not re.search(r"<(list|str|int|float|Path)\b", told.out)


@pytest.mark.parametrize("group", ["review", "conflicts", "rules"])
def test_the_help_of_a_group_says_what_it_does_alone(
    group: str, typed: Typed, tmp_path: Path
) -> None:
    told = typed(group, "--help", within=tmp_path)
    assert re.search(r"Without a command [a-z ]+ listed\.", told.out)


def test_every_command_is_in_the_help(typed: Typed, tmp_path: Path) -> None:
    told = typed(within=tmp_path)
    assert told.status == 2
    assert [line.split()[0] for line in _list_commands(told.out + told.err)] == COMMANDS


def _list_commands(shown: str) -> list[str]:
    """List the lines of a help's commands, under whatever headings."""
    listed = shown.partition("--help ")[2].splitlines()[1:]
    return [line for line in listed if line.startswith("  ")]


@pytest.mark.parametrize(
    "group",
    [
        [],
        ["write"],
        ["review"],
        ["conflicts"],
        ["daemon"],
        ["ledger"],
        ["rules"],
        ["team"],
        ["server"],
    ],
)
def test_no_summary_in_a_list_of_commands_is_cut_off(
    group: list[str], typed: Typed, tmp_path: Path
) -> None:
    told = typed(*group, "--help", within=tmp_path)
    commands = _list_commands(told.out)
    assert commands
    assert not [line for line in commands if line.endswith("...") or not line.endswith(".")]


def test_the_version_is_the_installed_one(typed: Typed, tmp_path: Path) -> None:
    for flag in ("--version", "-V"):
        told = typed(flag, within=tmp_path)
    assert (told.status, told.out) == (0, f"dmm {version('dynamic-markdown-memory')}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["query"],
        ["ask"],
        ["query", "x", "--budget", "-1"],
        ["query", "x", "--baseline-budget", "-1"],
        ["query", "x", "--budget", "many"],
        ["query", "x", "--scope", "universe"],
        ["query", "x", "--nonsense"],
    ],
)
def test_a_wrong_command_line_is_explained_on_the_error_stream(
    arguments: list[str], typed: Typed, lantern: Project
) -> None:
    told = typed(*arguments, within=lantern.folder)
    assert (told.status, told.out) == (2, "")
    assert "Usage: dmm" in told.err
    assert "Error: " in told.err


@pytest.mark.parametrize(
    ("arguments", "what", "hint"),
    [
        (["query", "x", "--budget=-5"], "Invalid value for '--budget': ", "see dmm query"),
        (["query", "x", "--scope", "bogus"], "Invalid value for '--scope': ", "see dmm"),
        (["query", "x", "--nonsense"], "No such option: --nonsense", "see dmm query --help"),
        (["ledger", "at"], "Missing argument 'SEQ'", "see dmm ledger at --help"),
        (
            ["query", "deploy", "prod"],
            "Got unexpected extra argument",
            "quote text with several words",
        ),
        (["nonsense"], "No such command 'nonsense'", "see dmm --help"),
    ],
)
def test_a_wrong_command_line_is_data_where_data_was_asked_for(
    arguments: list[str], what: str, hint: str, typed: Typed, lantern: Project
) -> None:
    told = typed(*arguments, "--json", within=lantern.folder)
    assert (told.status, told.err) == (2, "")
    error = json.loads(told.out)["error"]
    assert (error["code"], error["where"]) == ("usage", None)
    assert error["what"].startswith(what)
    assert error["hint"].startswith(hint)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["query", "deploy", "prod"], "dmm query"),
        (["ledger", "decide", "book", "it", "--rationale", "near"], "dmm ledger decide"),
        (["ledger", "fact", "budget", "3000", "EUR"], "dmm ledger fact"),
    ],
)
def test_words_without_quotes_are_told_about_quotes(
    arguments: list[str], name: str, typed: Typed, lantern: Project
) -> None:
    told = typed(*arguments, within=lantern.folder)
    assert (told.status, told.out) == (2, "")
    assert told.err.endswith(f'  hint: quote text with several words: {name} "several words"\n')


def test_quotes_are_no_way_out_where_there_is_no_text(typed: Typed, lantern: Project) -> None:
    told = typed("status", "all", within=lantern.folder)
    assert told.status == 2
    assert "quotes" not in told.err


def test_outside_a_project_the_way_in_is_shown(typed: Typed, tmp_path: Path) -> None:
    told = typed("query", "x", within=tmp_path)
    assert (told.status, told.out) == (5, "")
    assert told.err == (
        "dmm: no .dmm folder here or above\n"
        f"  where: {tmp_path}\n"
        "  hint:  create one in your project's folder with: dmm init\n"
    )


def test_an_error_is_data_where_data_was_asked_for(typed: Typed, tmp_path: Path) -> None:
    told = typed("query", "x", "--json", within=tmp_path)
    assert told.status == 5
    assert told.err == ""
    assert json.loads(told.out) == {
        "error": {
            "code": "no_root",
            "what": "no .dmm folder here or above",
            "where": str(tmp_path),
            "hint": "create one in your project's folder with: dmm init",
        }
    }


def test_the_project_is_found_from_below_or_named(
    typed: Typed, lantern: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = typed("query", "", within=lantern.folder / "lantern")
    assert below.status == 0
    for root in (lantern.folder, lantern.dmm):
        assert typed("query", "", "--root", str(root), within=tmp_path).out == below.out
    monkeypatch.setenv("DMM_ROOT", str(lantern.folder))
    assert typed("query", "", within=tmp_path).out == below.out
    told = typed("query", "", "--root", str(tmp_path), within=lantern.folder)
    assert told.status == 5
    assert f"hint:  create one with: dmm init --root {tmp_path}\n" in told.err


def test_an_unknown_setting_is_named(typed: Typed, shop: Project) -> None:
    settings = shop.dmm / "daemon.config.json"
    settings.write_text('{"retrieval": {"budgett": 5}}')
    told = typed("query", "x", within=shop.folder)
    assert (told.status, told.out) == (4, "")
    assert told.err == (
        "dmm: unknown key\n"
        f"  where: {settings}: retrieval.budgett\n"
        "  hint:  remove it or correct its name\n"
    )


@pytest.mark.parametrize("arguments", [["query", "x"], ["init"]])
def test_a_working_directory_that_is_gone_is_told(
    arguments: list[str], command: Command, tmp_path: Path
) -> None:
    script = "import os; os.rmdir(os.getcwd()); from dmm.cli.main import main; main()"
    (tmp_path / "gone").mkdir()
    told = command(*arguments, within=tmp_path / "gone", script=script)
    assert (told.returncode, told.stdout) == (5, "")
    assert told.stderr == (
        "dmm: the working directory no longer exists\n"
        "  hint:  change to an existing folder, or name one with --root\n"
    )


def test_what_the_system_refuses_is_one_message(
    typed: Typed, shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(shop.folder / "missing"))
    monkeypatch.setattr("tempfile.tempdir", str(shop.folder / "missing"))
    told = typed("validate", "--staged", within=shop.folder)
    assert (told.status, told.out) == (9, "")
    assert told.err.startswith("dmm: operating system error: No such file or directory\n  where: ")


def test_a_locale_without_umlauts_changes_no_byte(command: Command, lantern: Project) -> None:
    locale = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    told = command("query", "", within=lantern.folder, env=locale)
    usual = command("query", "", within=lantern.folder)
    assert (told.stderr, told.returncode) == ("", 0)
    assert told.stdout == usual.stdout


def test_bytes_that_are_no_text_in_a_task_do_no_harm(command: Command, shop: Project) -> None:
    task = os.fsdecode(b"login \xff now")
    locale = {"LC_ALL": "C.UTF-8"}
    told = command("query", task, "--output", "pack.md", within=shop.folder, env=locale)
    assert told.returncode == 0
    assert (shop.folder / "pack.md").read_text().splitlines()[2] == 'Task: "login ? now"'
    assert command("query", task, "--json", within=shop.folder, env=locale).returncode == 0


def test_the_version_is_told_without_loading_the_command_line() -> None:
    code = "import sys; from dmm.cli.quick import run_quickly as run\nrun(['-V'])\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print('typer' in sys.modules)"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == f"dmm {version('dynamic-markdown-memory')}\nFalse\n"
