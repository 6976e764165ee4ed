"""Proof by running: what is configured, and whether it does its work."""

from __future__ import annotations

import contextlib
import datetime as dt
import http.server
import json
import os
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from dmm.clients import launch
from dmm.clients.codex import OWN_EVENTS
from dmm.clients.place import Place
from dmm.clients.registry import all_clients, find_client
from dmm.errors import DaemonError
from dmm.install import trial
from dmm.install.service import Installation
from dmm.install.trial import Trial, ask_http, decision_of
from dmm.project.client_checks import MARK, Wired, Wiring, own_hook, prove, prove_http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dmm.project.doctor import Check

DENY = '{"hookSpecificOutput":{"permissionDecision":"deny"}}'


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


@pytest.fixture
def wiring(home: Path, tmp_path: Path) -> Wiring:
    project = tmp_path / "work"
    project.mkdir()
    place = Place(home, {"PATH": ""}, platform="linux")
    inside = Place(home, {"PATH": ""}, project, "linux")
    return Wiring(
        {
            "user": Installation(place, launch.here(), now),
            "project": Installation(inside, launch.anywhere(), now),
        }
    )


def found(checks: list[Check]) -> dict[str, tuple[str, str]]:
    return {check.name: (check.level, check.told) for check in checks}


def test_a_client_that_is_here_and_not_connected_is_a_warning(wiring: Wiring, home: Path) -> None:
    (home / ".cursor").mkdir()
    (check,) = wiring.check()
    assert (check.level, check.way) == ("warn", "dmm install --client cursor")
    assert wiring.wired() == []


def test_a_machine_without_clients_is_told_that_nothing_is_connected(wiring: Wiring) -> None:
    (only,) = wiring.check()
    assert (only.level, only.way) == ("warn", "dmm install")


def test_a_connected_client_is_well_and_its_commands_are_known(wiring: Wiring, home: Path) -> None:
    wiring.scopes["user"].apply(["gemini"], "user")
    (check,) = wiring.check()
    told = f"installed for the user: {home / '.gemini/settings.json'}"
    assert (check.level, check.told) == ("ok", told)
    hook, server = wiring.wired()
    assert (hook.kind, hook.line) == ("hook", launch.here().hook_line("gemini"))
    assert server.kind == "server"
    assert server.line == launch.join(launch.here().server_words("gemini"))


def test_tools_that_could_not_be_connected_are_a_warning(wiring: Wiring) -> None:
    # Only Claude Code itself may write the file of its tools, and it is not on the PATH.
    wiring.scopes["user"].apply(["claude-code"], "user")
    told = found(list(wiring.check()))
    assert told["Claude Code hooks"][0] == "ok"
    assert told["Claude Code tools"][0] == "warn"
    assert told["Claude Code tools"][1].startswith("not installed: ")


def test_an_older_entry_is_brought_up_to_date_by_a_fix(wiring: Wiring, home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"dmm": {"command": "/gone/dmm-mcp"}}}')
    (check,) = wiring.check()
    assert (check.level, check.told) == ("warn", f"differs from what this version writes: {path}")
    assert check.fix is not None
    check.fix()
    assert {one.level for one in wiring.check()} == {"ok"}


def test_a_file_that_can_not_be_read_fails(wiring: Wiring, home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text("{")
    (check,) = wiring.check()
    assert check.level == "fail"
    assert wiring.wired() == []


def test_hooks_in_both_scopes_are_told(wiring: Wiring) -> None:
    for scope in ("user", "project"):
        wiring.scopes[scope].apply(["gemini"], scope)
    assert found(list(wiring.check()))["Gemini CLI hooks"][0] == "warn"


def test_hooks_that_are_switched_off_or_come_twice_are_told(wiring: Wiring, home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"disableAllHooks": true, "enabledPlugins": {"dmm@somewhere": true}}')
    wiring.scopes["user"].apply(["claude-code"], "user")
    checks = list(wiring.check())
    assert ("fail", f"all hooks are switched off: disableAllHooks in {path}") in [
        (check.level, check.told) for check in checks
    ]
    assert found(checks)["Claude Code plugin"][0] == "warn"


def test_codex_must_be_told_to_trust_the_hooks(wiring: Wiring, home: Path) -> None:
    wiring.scopes["user"].apply(["codex"], "user")
    assert found(list(wiring.check()))["Codex trust"][0] == "warn"
    settings = home / ".codex" / "config.toml"
    states = "".join(
        f'[hooks.state."{home}/.codex/hooks.json:event_{number}:0:0"]\ntrusted_hash = "x"\n'
        for number in range(len(OWN_EVENTS))
    )
    settings.write_text(settings.read_text() + states)
    assert found(list(wiring.check()))["Codex trust"][0] == "ok"


# The commands themselves, with stand-ins


@pytest.fixture
def stand_in(tmp_path: Path) -> Callable[[str], str]:
    def write(script: str) -> str:
        path = tmp_path / "stand_in.py"
        path.write_text("import json, sys, time\n" + script)
        return launch.join([sys.executable, str(path)])

    return write


def prove_one(tmp_path: Path, kind: str, line: str) -> dict[str, tuple[str, str]]:
    one = Wired(find_client("codex"), kind, line)
    return found(list(prove(Trial(tmp_path, os.environ), [one])))


HOOK = f"""
event = json.load(sys.stdin)
if event["hook_event_name"] == "SessionStart":
    print({MARK!r})
elif "--force" in event["tool_input"]["command"]:
    print({DENY!r})
"""


def test_a_hook_that_brings_memory_and_denies_is_proved(
    stand_in: Callable[[str], str], tmp_path: Path
) -> None:
    assert prove_one(tmp_path, "hook", stand_in(HOOK)) == {
        "Codex at session start": ("ok", "a session starts with its memory"),
        "Codex denies": ("ok", "a forbidden command is denied, a harmless one is allowed"),
    }


@pytest.mark.parametrize(
    ("script", "denies"),
    [
        ("", "a forbidden command was not denied (it said: nothing)"),
        ("print('[]')", "a forbidden command was not denied (it said: nothing)"),
        ('print(\'{"permission": "ask"}\')', "a forbidden command was not denied (it said: ask)"),
        (f"print({DENY!r})", "a harmless command was denied"),
    ],
)
def test_a_hook_that_does_not_do_its_work_fails(
    stand_in: Callable[[str], str], tmp_path: Path, script: str, denies: str
) -> None:
    line = stand_in(script)
    assert prove_one(tmp_path, "hook", line) == {
        "Codex at session start": ("fail", f"the hook runs but returns no memory: {line}"),
        "Codex denies": ("fail", denies),
    }


def test_a_hook_that_is_gone_or_fails_or_hangs_is_told(
    stand_in: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level, told = prove_one(tmp_path, "hook", "/gone/dmm-hook")["Codex hook"]
    assert level == "fail"
    assert told.startswith("it exited with status 127: ")
    failing = stand_in("sys.exit('no good')")
    told = prove_one(tmp_path, "hook", failing)["Codex hook"][1]
    assert told == f"it exited with status 1: no good: {failing}"
    monkeypatch.setattr(trial, "PATIENCE", 1.0)
    hanging = stand_in("time.sleep(600)")
    told = prove_one(tmp_path, "hook", hanging)["Codex hook"][1]
    assert told == f"it gave no answer within 1 s: {hanging}"


SERVER = """
asked = json.loads(sys.stdin.readline())
about = {"name": "memory", "version": "3"}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"serverInfo": about}}))
"""


def test_a_server_that_answers_is_proved_and_another_is_not(
    stand_in: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = stand_in(SERVER)
    assert prove_one(tmp_path, "server", line) == {
        "Codex tools": ("ok", "the server answers: memory 3")
    }
    line = stand_in("print('hello')")
    refused = ("fail", f"it does not answer as an MCP server: {line}")
    assert prove_one(tmp_path, "server", line) == {"Codex server": refused}
    monkeypatch.setattr(trial, "PATIENCE", 1.0)
    line = stand_in("time.sleep(600)")
    assert prove_one(tmp_path, "server", line) == {"Codex server": refused}


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        (DENY, "deny"),
        ('{"decision": "deny", "reason": "r"}', "deny"),
        ('{"permission": "deny"}', "deny"),
        ('{"deny": "r"}', "deny"),
        ('{"hookSpecificOutput": {"additionalContext": "c"}}', None),
        ("", None),
        ("[1]", None),
    ],
)
def test_a_decision_is_read_in_every_clients_form(answer: str, decision: str | None) -> None:
    assert decision_of(answer) == decision


def test_events_are_told_in_the_words_of_each_client(
    stand_in: Callable[[str], str], tmp_path: Path
) -> None:
    line = stand_in("sys.stdout.write(sys.stdin.read())")
    place = Trial(tmp_path, os.environ)
    told = {
        client.name: (
            json.loads(place.begin(line, client.name))["hook_event_name"],
            json.loads(place.request(line, client.name, "ls", 1))["hook_event_name"],
            json.loads(place.request(line, client.name, "ls", 1))["tool_name"],
        )
        for client in all_clients()
        if "SessionStart" in client.events or "sessionStart" in client.events
    }
    assert told == {
        "claude-code": ("SessionStart", "PreToolUse", "Bash"),
        "codex": ("SessionStart", "PreToolUse", "Bash"),
        "copilot": ("SessionStart", "PreToolUse", "Bash"),
        "cursor": ("sessionStart", "preToolUse", "Shell"),
        "gemini": ("SessionStart", "BeforeTool", "run_shell_command"),
        "opencode": ("SessionStart", "PreToolUse", "bash"),
    }


def test_without_a_configured_hook_that_of_this_installation_is_proved(wiring: Wiring) -> None:
    own = own_hook(wiring.scopes["user"])
    assert own.title == "the hook"
    assert (own.kind, own.line) == ("hook", launch.here().hook_line("claude-code"))


@contextlib.contextmanager
def serving(folder: Path, status: int) -> Iterator[int]:
    """Answer every request with one status, on a port that the run folder tells."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            good = self.headers["Authorization"] == "Bearer abc" and self.path == "/v1/health"
            self.send_response(status if good else 401)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        port = server.server_address[1]
        (folder / "daemon.json").write_text(json.dumps({"port": port, "token": "abc"}))
        yield port
        server.shutdown()
        thread.join()


def test_http_is_asked_at_the_port_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, 200) as port:
        assert ask_http(tmp_path) == port
        place = Trial(tmp_path, {"DMM_RUN_DIR": str(tmp_path)})
        (check,) = prove_http(place)
        assert (check.level, check.told) == ("ok", "the daemon answers over HTTP")
    with pytest.raises(DaemonError, match=f"nothing answers on port {port}"):
        ask_http(tmp_path)
    with serving(tmp_path, 500), pytest.raises(DaemonError, match="answers with status 500"):
        ask_http(tmp_path)
    (tmp_path / "daemon.json").write_text('{"port": null}')
    with pytest.raises(DaemonError, match="reports no port"):
        ask_http(tmp_path)
    monkeypatch.setattr(trial, "TOLD_WITHIN", 0.1)
    with pytest.raises(DaemonError, match="reports no port"):
        place.ask_http()
