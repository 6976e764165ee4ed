"""The real clients with DMM installed: memory is there, and rules hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Turn
    from tests.conftest import MemoryText, Project

RULE = "Never run git push --force."
MARK = "Lanterns are lit at dusk and never before."
TOPIC = "The retry policy of the payment gateway is four attempts with a growing pause."


@pytest.fixture
def work(new_project: Callable[[str], Project], stage: Stage, memory_text: MemoryText) -> Path:
    """A trusted project with a baseline, a memory and a rule."""
    folder = new_project("work").folder
    (folder / ".dmm" / "memory").rmdir()
    (folder / ".dmm").rmdir()
    assert stage.dmm("init", within=folder).returncode == 0
    memory = folder / ".dmm" / "memory"
    fields = {"scope": "baseline", "id": "mem_2026_01_31_101", "priority": "1.0"}
    (memory / "baseline" / "lanterns.md").write_text(memory_text("Lanterns", MARK, **fields))
    (memory / "project" / "gateway.md").write_text(
        memory_text("Retry policy of the payment gateway", TOPIC, id="mem_2026_01_31_102")
    )
    assert stage.dmm("ledger", "constraint", RULE, within=folder).returncode == 0
    assert stage.dmm("install", within=folder).returncode == 0
    return folder


def test_claude_code_begins_with_boot_and_baseline(claude: RealClaude, work: Path) -> None:
    run = claude(work, ["Hello."], "say hello")
    assert (run.exit, run.stdout) == (0, "Hello.\n")
    assert MARK in run.main[0].text
    assert "dmm query" in run.main[0].text
    assert RULE in run.main[0].text


def test_codex_begins_with_boot_and_baseline(codex: RealCodex, work: Path) -> None:
    run = codex(work, ["Hello."], "say hello")
    assert (run.exit, run.stdout) == (0, "Hello.\n")
    assert MARK in run.main[0].text
    assert RULE in run.main[0].text


def test_a_prompt_brings_the_memories_that_bear_on_it(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    assert stage.dmm("reindex", within=work).returncode == 0
    run = claude(work, ["Four."], "what is the retry policy of the payment gateway?")
    assert TOPIC in run.main[0].text


def test_claude_code_is_denied_a_forbidden_command(claude: RealClaude, work: Path) -> None:
    forbidden = "touch ran.txt && git push --force origin main"
    script: list[Turn] = [
        [("^Bash$", {"command": forbidden, "description": "Push"})],
        "I stop here.",
    ]
    run = claude(work, script, "push it")
    assert run.stdout == "I stop here.\n"
    assert RULE in run.main[1].text
    assert "denied" in run.main[1].text.lower() or "constraint" in run.main[1].text.lower()
    assert not (work / "ran.txt").exists()


def test_codex_is_denied_a_forbidden_command(codex: RealCodex, work: Path) -> None:
    forbidden = "touch ran.txt && git push --force origin main"
    run = codex(work, [[("^exec_command$", {"cmd": forbidden})], "I stop here."], "push it")
    assert run.stdout == "I stop here.\n"
    assert RULE in run.main[1].text
    assert not (work / "ran.txt").exists()


def test_a_harmless_command_runs(claude: RealClaude, work: Path) -> None:
    command = {"command": "touch ran.txt", "description": "Touch"}
    claude(work, [[("^Bash$", command)], "Done."], "touch it")
    assert (work / "ran.txt").exists()


def test_claude_code_is_offered_the_tools_at_once_and_calls_one(
    claude: RealClaude, work: Path
) -> None:
    script: list[Turn] = [[("^mcp__dmm__memory_pack$", {"task": "retry policy"})], "Done."]
    run = claude(work, script, "look it up")
    assert "mcp__dmm__memory_pack" in run.main[0].tools
    assert TOPIC in run.main[1].text


def test_codex_finds_the_tools_and_calls_one(codex: RealCodex, work: Path) -> None:
    search = [("^tool_search$", {"query": "memory pack"})]
    run = codex(work, [search, [("memory_pack$", {"task": "retry policy"})], "Done."], "look it up")
    assert TOPIC in run.main[2].text


def test_a_session_is_recorded_from_its_beginning_to_its_end(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    command = {"command": "echo done", "description": "Echo"}
    claude(work, [[("^Bash$", command)], "Done."], "echo it")
    assert stage.dmm("daemon", "stop", within=work).returncode == 0
    told = json.loads(stage.dmm("ledger", "log", "--json", within=work).stdout)
    kinds = [event["type"] for event in told["events"]]
    order = [kinds.index(kind) for kind in ("SessionStarted", "UserMessageReceived", "ToolUsed")]
    assert order == sorted(order)
    assert "SessionEnded" in kinds


def test_nothing_is_left_in_the_clients_after_an_uninstall(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    assert stage.dmm("install", "--uninstall", within=work).returncode == 0
    run = claude(work, ["Hello."], "say hello")
    assert MARK not in run.main[0].text
    assert not any("dmm" in tool for tool in run.main[0].tools)
