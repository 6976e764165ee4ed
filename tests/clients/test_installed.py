"""The real clients with DMM installed: memory is there, and rules hold."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.clients.memories import MARK, PROMPT, RULE, TOPIC, furnish

if TYPE_CHECKING:
    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Turn
    from tests.conftest import MemoryText

# Codex begins without a server that is slow to come up, unless it is told to wait.
WAITING = ("-c", "mcp_servers.dmm.required=true")


@pytest.fixture
def work(tmp_path: Path, stage: Stage, memory_text: MemoryText) -> Path:
    """A trusted project with memories, and DMM in both clients."""
    folder = tmp_path / "work"
    furnish(folder, stage, memory_text)
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
    stage.warm(work)
    run = claude(work, ["Four."], PROMPT)
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
    script: list[Turn] = [search, [("memory_pack$", {"task": "retry policy"})], "Done."]
    run = codex(work, script, "look it up", *WAITING)
    assert TOPIC in run.main[2].text


@pytest.mark.parametrize("name", ["XDG_RUNTIME_DIR", "DMM_RUN_DIR"])
def test_hooks_and_tools_of_codex_meet_in_one_daemon_and_one_session(
    codex: RealCodex, stage: Stage, work: Path, name: str
) -> None:
    folder = Path(tempfile.mkdtemp(prefix="dmm-run-"))
    stage.more[name] = str(folder)
    search = [("^tool_search$", {"query": "add fact"})]
    fact = [("add_fact$", {"key": "budget", "value": "900 EUR"})]
    codex(work, [search, fact, "Done."], "write it down", *WAITING)
    daemons = [line for line in stage.processes() if "dmm.daemon" in line]
    events = {event["type"]: event for event in stage.ledger(work)}
    stage.stop_daemons()
    shutil.rmtree(folder)
    assert len(daemons) == 1
    assert events["FactAdded"]["session"] == events["SessionStarted"]["session"]


def test_a_session_is_recorded_from_its_beginning_to_its_end(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    command = {"command": "echo done", "description": "Echo"}
    claude(work, [[("^Bash$", command)], "Done."], "echo it")
    assert stage.dmm("daemon", "stop", within=work).returncode == 0
    kinds = stage.kinds(work)
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
