"""Windsurf: its events are read, and a call is blocked by the exit status of the hook."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dmm.hook
from dmm.clients import launch
from dmm.clients.base import ASK_FIRST, BLOCKING
from dmm.clients.launch import Launch
from dmm.clients.place import Place
from dmm.errors import UsageError
from dmm.files.trusted import FILE_NAME, TrustStore
from dmm.importer.sources import SourceKind, is_user_level, read_front_matter, recognise
from dmm.install.service import Installation
from dmm.install.trial import Trial, decision_of
from dmm.sessions.payload import HookEvent, parse_payload
from dmm.sessions.reply import Reply, write_reply

if TYPE_CHECKING:
    from tests.conftest import Project

ENTRY = Path(dmm.hook.__path__[0]) / "__main__.py"
FIXED = Launch(("py", "hook/__main__.py"), ("py", "dmm/mcp_stdio/__main__.py"))


def read(event: str, **info: Any) -> HookEvent:
    """Read an event in the form that the documentation of Cascade gives."""
    told = {
        "agent_action_name": event,
        "trajectory_id": "conversation-1",
        "execution_id": "turn-1",
        "timestamp": "2026-01-31T10:00:00Z",
        "tool_info": info,
    }
    return parse_payload("windsurf", json.dumps(told).encode())


@pytest.mark.parametrize(
    ("event", "info", "tool", "given"),
    [
        ("pre_run_command", {"command_line": "npm i", "cwd": "/w"}, "Bash", {"command": "npm i"}),
        (
            "pre_write_code",
            {"file_path": "/w/a.py", "edits": [{"old_string": "a", "new_string": "b"}]},
            "Edit",
            {"file_path": "/w/a.py", "edits": [{"old_string": "a", "new_string": "b"}]},
        ),
        ("pre_read_code", {"file_path": "/w/a.py"}, "Read", {"file_path": "/w/a.py"}),
        (
            "pre_mcp_tool_use",
            {
                "mcp_server_name": "github",
                "mcp_tool_name": "create_issue",
                "mcp_tool_arguments": {"title": "Bug"},
            },
            "mcp__github__create_issue",
            {"title": "Bug"},
        ),
    ],
)
def test_a_call_is_read_with_its_tool_and_input(
    event: str, info: dict[str, Any], tool: str, given: dict[str, Any]
) -> None:
    asked, done = read(event, **info), read(event.replace("pre", "post"), **info)
    assert (asked.kind, done.kind) == ("tool_request", "tool_done")
    assert (asked.tool, asked.input) == (done.tool, done.input) == (tool, given)
    assert (asked.session, asked.turn, asked.unique) == ("conversation-1", "turn-1", True)
    assert asked.cwd == info.get("cwd", "")
    assert asked.key != done.key


def test_prompts_results_and_responses_are_read() -> None:
    assert read("pre_user_prompt", user_prompt="run echo").prompt == "run echo"
    assert read("post_cascade_response", response="Done.").output == "Done."
    call = {"mcp_server_name": "s", "mcp_tool_name": "t", "mcp_result": "[]"}
    assert read("post_mcp_tool_use", **call).output == "[]"


def test_only_a_refusal_is_told_and_it_blocks() -> None:
    asked = read("pre_run_command", command_line="git push --force")
    assert write_reply(asked, Reply(decision="deny", reason="no")) == BLOCKING + b"no"
    assert write_reply(asked, Reply(decision="ask", reason="no")) == BLOCKING + (
        f"no {ASK_FIRST}".encode()
    )
    for silent in (Reply(), Reply(context="c"), Reply(warning="w"), Reply(notice="n")):
        assert write_reply(asked, silent) == b""
    prompt = read("pre_user_prompt", user_prompt="x")
    assert write_reply(prompt, Reply(decision="deny", reason="no", context="c")) == b""


def test_the_hook_says_the_reason_on_standard_error_and_ends_with_status_2(
    project: Project, tmp_path: Path
) -> None:
    own = tmp_path / "home" / ".dmm" / "daemon.config.json"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({"enforcement": {"on_failure": "deny"}}))
    state = tmp_path / "state"
    TrustStore(state / FILE_NAME).trust(project.dmm)
    told = {"agent_action_name": "pre_run_command", "trajectory_id": "s", "tool_info": {}}
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ENTRY), "--client", "windsurf"],
        input=json.dumps(told).encode(),
        cwd=project.folder,
        env={
            "HOME": str(tmp_path / "home"),
            "DMM_STATE_DIR": str(state),
            "DMM_RUN_DIR": "/proc/none",
            "PATH": os.environ["PATH"],
        },
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"DMM could not check this call" in done.stderr


def test_doctor_reads_a_block_by_the_exit_status(tmp_path: Path) -> None:
    script = "import sys; told = sys.stdin.read(); print('no', file=sys.stderr)"
    script += '; sys.exit(2 if \'"command_line": "rm"\' in told else 0)'
    line = launch.join([sys.executable, "-c", script])
    trial = Trial(tmp_path, os.environ)
    assert decision_of(trial.request(line, "windsurf", "rm", 1)) == "deny"
    assert decision_of(trial.request(line, "windsurf", "ls", 2)) is None
    with pytest.raises(UsageError, match="status 2"):
        trial.request(line.replace("if", "if True or"), "cursor", "rm", 3)


def test_hooks_and_servers_are_written_where_windsurf_looks(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    for folder in (home, work):
        folder.mkdir()
    place = Place(home, {"PATH": ""}, work, "linux")

    def now() -> dt.datetime:
        return dt.datetime(2026, 1, 31, tzinfo=dt.UTC)

    Installation(place, FIXED, now).apply(["windsurf"], "user")
    folder = home / ".codeium" / "windsurf"
    hooks = json.loads((folder / "hooks.json").read_text())
    line = "py hook/__main__.py --client windsurf"
    assert hooks["hooks"]["pre_run_command"] == [{"command": line, "show_output": False}]
    assert list(hooks) == ["hooks"]
    server = {"command": "py", "args": ["dmm/mcp_stdio/__main__.py", "--client", "windsurf"]}
    assert json.loads((folder / "mcp_config.json").read_text()) == {"mcpServers": {"dmm": server}}

    shared = Installation(place, launch.anywhere(), now)
    assert [one.where for one in shared.apply(["windsurf"], "project").outcomes] == [
        str(work / ".windsurf" / "hooks.json")
    ]


def test_rules_of_windsurf_are_instruction_files() -> None:
    assert recognise(".windsurf/rules/style.md") is SourceKind.CURSOR_RULE
    assert recognise("web/.windsurfrules") is SourceKind.CURSOR_RULES
    personal = "/home/ada/.codeium/windsurf/memories/global_rules.md"
    assert recognise(personal) is SourceKind.CURSOR_RULES
    assert is_user_level(personal)
    assert read_front_matter(["---", "trigger: always_on", "---", "x"]).always
    assert read_front_matter(["---", "trigger: glob", "globs: '*.ts'", "---"]).globs == ("*.ts",)
    assert not read_front_matter(["---", "trigger: manual", "---"]).always
