"""A command line that loads what the asked command needs, and reads every value as typer does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import typer.core
import typer.main

from dmm.cli.commands import COMMANDS, make_app

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Command, MemoryText, Project

LOADED = """
import atexit, sys
from dmm.cli.main import main
atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))
main()
"""
LINES = [
    ["query", "retry policy"],
    ["query", "", "--json"],
    ["query", "retry", "--budget", "300", "--scope", "project", "-v"],
    ["query", "--output", "pack.md", "retry", "--root", "here"],
    ["import", "CLAUDE.md", "AGENTS.md"],
    ["ledger", "fact", "budget", "12"],
    ["ledger", "fact", "budget", "12", "--confidence", "0.5", "--caused-by", "3"],
    ["ledger", "constraint", "Never push", "--priority", "preferred"],
    ["ledger", "decide", "Book it", "--rationale", "near", "--reference", "4", "--reference", "5"],
    ["ledger", "decide", "Book it", "--rationale", "near"],
    ["write", "propose", "--path", "project/a.md", "--file", "note.md", "--reason", "seen"],
    ["write", "propose", "--path", "project/a.md", "--reason", "seen", "--priority", "0.7"],
]
WRONG = [
    ["query"],
    ["ask"],
    ["query", "retry", "--budget", "many"],
    ["query", "retry", "--budget", "-1"],
    ["query", "retry", "--scope", "everything"],
    ["query", "retry", "policy"],
    ["ledger", "fact", "budget"],
    ["ledger", "fact", "budget", "12", "--confidence", "sure"],
]


def read(words: list[str], *, by_typer_alone: bool = False) -> dict[str, Any]:
    """Read a command line down to the values that its command would be called with."""
    command: Any = typer.main.get_group(make_app(words))
    rest = list(words)
    while hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    if by_typer_alone:
        command.__class__ = typer.core.TyperCommand
    values: dict[str, Any] = command.make_context("dmm", rest).params
    return values


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_values_are_read_as_typer_alone_reads_them(words: list[str]) -> None:
    assert read(words) == read(words, by_typer_alone=True)


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_wrong_values_are_refused_in_the_words_of_typer(words: list[str]) -> None:
    told = []
    for by_typer_alone in (False, True):
        with pytest.raises(typer.TyperException) as refused:
            read(words, by_typer_alone=by_typer_alone)
        told.append(str(refused.value))
    assert told[0] == told[1]


def test_a_query_loads_no_other_command_and_no_validation_library(
    project: Project, memory_text: MemoryText, command: Command
) -> None:
    # A file of this moment would be read again by the query, which takes more than looking it up.
    os.utime(project.write("project/retry.md", memory_text()), (1e9, 1e9))
    assert command("reindex", within=project.folder).returncode == 0
    told = command("query", "retry", within=project.folder, script=LOADED)
    assert told.returncode == 0
    loaded = set(told.stderr.split())
    assert loaded >= {"dmm.cli.query", "numpy", "onnxruntime"}
    others = {f"dmm.cli.{place.split('.')[0]}" for place in COMMANDS.values()} - {"dmm.cli.query"}
    assert not loaded & {*others, "pydantic", "rich", "tiktoken", "numpy.ma", "concurrent.futures"}


@pytest.mark.slow
def test_status_loads_neither_rules_nor_token_ranks_nor_the_model(
    project: Project, memory_text: MemoryText, command: Command, home: Path
) -> None:
    project.write("baseline/rules.md", memory_text(scope="baseline"))
    project.trust(home)
    for words in (["ledger", "fact", "region", "eu"], ["query", "retry"]):
        assert command(*words, within=project.folder).returncode == 0
    told = command("status", within=project.folder, script=LOADED)
    assert told.returncode == 0
    loaded = set(told.stderr.split())
    assert loaded >= {"dmm.cli.status", "dmm.project.agenda"}
    assert not loaded & {
        "dmm.rules.language.judge",
        "dmm.rules.commands.calls",
        "tiktoken",
        "onnxruntime",
    }


def test_every_command_can_be_made_alone() -> None:
    everything = typer.main.get_group(make_app()).commands
    assert set(everything) == set(COMMANDS)
    for name in COMMANDS:
        (only,) = typer.main.get_group(make_app([name])).commands
        assert only == name


def test_a_command_of_a_group_is_made_alone_and_helped_as_before() -> None:
    groups: Any = typer.main.get_group(make_app()).commands
    for name, group in groups.items():
        for inner, whole in getattr(group, "commands", {}).items():
            made: Any = typer.main.get_group(make_app([name, inner, "--help"])).commands[name]
            assert list(made.commands) == [inner]
            alone = made.commands[inner]
            assert [p.opts for p in alone.params] == [p.opts for p in whole.params]
            assert (alone.help, made.help) == (whole.help, group.help)


def test_a_group_with_no_such_command_names_them_all() -> None:
    ledger: Any = typer.main.get_group(make_app(["ledger", "fcat"])).commands["ledger"]
    assert {"fact", "constraint", "decide"} < set(ledger.commands)
