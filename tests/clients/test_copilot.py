"""GitHub Copilot CLI: its events are read, and the real program with DMM installed obeys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.clients.conftest import KEY, Run
from tests.clients.memories import MARK, RULE, furnish

from dmm.importer.sources import SourceKind, is_user_level, recognise
from dmm.rules.commands.calls import ToolCall, read_call
from dmm.sessions.payload import HookEvent, parse_payload
from dmm.sessions.reply import Reply, write_reply

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.clients.conftest import Stage
    from tests.clients.scripted import Turn
    from tests.conftest import MemoryText

PROGRAM = "node_modules/@github/copilot-linux-x64/copilot"
FORBIDDEN = "touch pushed.txt && git push --force origin main"
ENDED = "\n<shellId: 0 completed with exit code 1>"


def read(event: str, tool: str = "Bash", **more: Any) -> HookEvent:
    """Read an event as the real program sends it."""
    told = {
        "hook_event_name": event,
        "session_id": "a2d1c497-6c9c-46b7-a921-15d29f985b6f",
        "timestamp": "2026-11-16T12:37:34.319Z",
        "cwd": "/w",
        "tool_name": tool,
        "tool_input": {"command": "make"},
    }
    return parse_payload("copilot", json.dumps(told | more).encode())


def test_a_command_that_failed_is_known_by_what_it_printed() -> None:
    result = {"result_type": "success", "text_result_for_llm": f"no rule{ENDED}"}
    done = read("PostToolUse", tool_result=result)
    assert (done.kind, done.exit_status, done.output) == ("tool_done", 1, f"no rule{ENDED}")
    assert done.unique
    quoted = {"result_type": "success", "text_result_for_llm": f"{ENDED}\nsaid the log"}
    assert read("PostToolUse", tool_result=quoted).exit_status is None
    failed = read("PostToolUseFailure", error="it is gone")
    assert (failed.kind, failed.output) == ("tool_failed", "it is gone")


def test_a_tool_of_a_server_gets_the_name_that_rules_know() -> None:
    event = read("PreToolUse", "github-mcp-server-create_issue")
    assert event.tool == "mcp__github-mcp-server__create_issue"
    facts = read_call(ToolCall(event.tool, event.input, "/w"))
    assert facts.mcp == ("github-mcp-server", "create_issue")
    assert read("PreToolUse", "web_fetch").tool == "web_fetch"


def test_answers_are_flat() -> None:
    asked = read("PreToolUse")
    assert json.loads(write_reply(asked, Reply(decision="ask", reason="no", context="c"))) == {
        "additionalContext": "c",
        "permissionDecision": "ask",
        "permissionDecisionReason": "no",
    }
    begun = read("SessionStart", source="new")
    assert json.loads(write_reply(begun, Reply(context="c"))) == {"additionalContext": "c"}
    assert write_reply(read("Stop"), Reply(context="c")) == b""


def test_its_instructions_are_known() -> None:
    assert recognise(".github/copilot-instructions.md") is SourceKind.COPILOT
    assert recognise(".github/instructions/web.instructions.md") is SourceKind.COPILOT
    assert is_user_level("~/.copilot/copilot-instructions.md")


def run(stage: Stage, program: Path, within: Path, script: Sequence[Turn], *more: str) -> Run:
    """Run the real program with one prompt and a model of one's own, which needs no account."""
    model = stage.serve(script)
    env = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_BASE_URL": model.address,
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "claude-sonnet-4",
    }
    line = [str(program), "-p", "say hello", "--allow-all-tools", *more]
    return stage.start(line, within=within, env=env, model=model).wait()


@pytest.fixture(scope="module")
def program(clients_folder: Path) -> Path:
    return clients_folder / PROGRAM


@pytest.fixture(scope="module")
def work(
    tmp_path_factory: pytest.TempPathFactory,
    shared_stage: Stage,
    memory_text: MemoryText,
    program: Path,
) -> Path:
    """A trusted project with memories; the real program is on the PATH."""
    folder = tmp_path_factory.mktemp("copilot") / "work"
    furnish(folder, shared_stage, memory_text)
    shared_stage.programs.append(program.parent)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["user", "project"])
def test_the_real_program_has_memory_obeys_rules_and_finds_the_tools(
    shared_stage: Stage, program: Path, work: Path, scope: str
) -> None:
    install = ("install", "--client", "copilot", "--scope", scope)
    assert shared_stage.dmm(*install, within=work).returncode == 0
    shared_stage.warm(work)
    script: list[Turn] = [
        [("^bash$", {"command": FORBIDDEN, "description": "Push"})],
        [("^bash$", {"command": f"touch {scope}.txt; false", "description": "Touch"})],
        [("^dmm-memory_pack$", {"task": "retry policy"})],
        "I stop here.",
    ]
    before = len(shared_stage.ledger(work))
    done = run(shared_stage, program, work, script, "--trust-folder")
    events = shared_stage.ledger(work)[before:]
    assert shared_stage.dmm(*install, "--uninstall", within=work).returncode == 0
    assert done.exit == 0, done.stderr
    first, last = done.main[0].text, done.main[-1].text
    assert MARK in first
    assert RULE in first
    assert "Denied by preToolUse hook: DMM constraint" in last
    assert "# DMM Memory Pack" in last
    assert not (work / "pushed.txt").exists()
    assert (work / f"{scope}.txt").exists()
    used = [one["payload"] for one in events if one["type"] == "ToolUsed"]
    assert [(one["tool"], one.get("exit")) for one in used] == [
        ("Bash", 1),
        ("mcp__dmm__memory_pack", None),
    ]
    kinds = [one["type"] for one in events]
    # The client runs its hooks of the start and of the first prompt at the same time.
    assert {"SessionStarted", "UserMessageReceived"} < set(kinds[:3])
    assert kinds[-1] == "SessionEnded"


@pytest.mark.slow
def test_the_shell_of_the_real_program_is_known_as_an_agents(
    shared_stage: Stage, program: Path, work: Path
) -> None:
    script: list[Turn] = [
        [("^bash$", {"command": "dmm trust --yes", "description": "Trust"})],
        "I stop here.",
    ]
    done = run(shared_stage, program, work, script)
    assert "COPILOT_CLI is set" in done.main[-1].text
