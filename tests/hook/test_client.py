"""The hook reads what it needs from a payload, finds the project, and never gets in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import dmm.hook
from dmm import endpoint, losses
from dmm.clients.registry import NAMES, find_client
from dmm.hook import client, spool

if TYPE_CHECKING:
    from tests.conftest import Project

ENTRY = Path(dmm.hook.__path__[0]) / "__main__.py"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's state of its own, with no background process and none to be started."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DMM_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("DMM_RUN_DIR", str(tmp_path / "run"))
    monkeypatch.setattr(endpoint, "POSSIBLE", False)
    # The limit would end the process that runs the tests.
    monkeypatch.setattr(client, "limit", lambda *_: None)
    return tmp_path / "state"


def payload_in(folder: Path, **fields: object) -> bytes:
    told = {"cwd": str(folder), "hook_event_name": "Stop", "session_id": "s"} | fields
    return json.dumps(told).encode()


def test_the_event_is_named_without_reading_the_payload() -> None:
    claude = find_client("claude-code")
    told = b'{"a": 1, "hook_event_name": "PreToolUse", "b": 2}'
    assert client.kind_of(claude, told) == "tool_request"
    assert client.kind_of(claude, b'{"hook_event_name":"Stop"}') == "turn_end"
    # Cursor runs the hooks of Claude Code, and writes the names in its own way.
    assert client.kind_of(claude, b'{"hook_event_name":"sessionStart"}') == "session_start"
    for broken in (b"", b"{}", b'{"hook_event_name"', b'"hook_event_name": 3}'):
        assert client.kind_of(claude, broken) == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_call_of_any_client_is_known_as_one(name: str) -> None:
    known = find_client(name)
    for event, kind in known.known_events.items():
        told = json.dumps({"tool": 1, known.keys.event[0]: event}).encode()
        assert client.may_be_call(known, told) == (kind == "tool_request")
        assert client.kind_of(known, told) == kind
    assert client.may_be_call(find_client("claude-code"), b'{"x": "preToolUse"}')


def test_the_project_is_where_the_agent_began_or_is_told_to_be(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = project.folder / "src" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert client.find_root(payload_in(deep)) == str(project.dmm)
    assert client.find_root(payload_in(tmp_path)) is None
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project.folder))
    assert client.find_root(payload_in(tmp_path)) == str(project.dmm)
    (deep / ".dmm" / "memory").mkdir(parents=True)
    assert client.find_root(payload_in(deep)) == str(project.dmm)
    (deep / ".dmm" / "memory").rmdir()
    monkeypatch.delenv("CLAUDE_PROJECT_DIR")
    monkeypatch.chdir(deep)
    assert client.find_root(b"not even JSON") == str(project.dmm)


def test_a_named_root_wins_and_must_be_there(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (project.folder, project.dmm):
        monkeypatch.setenv("DMM_ROOT", str(name))
        assert client.find_root(b"{}") == str(project.dmm)
    monkeypatch.setenv("DMM_ROOT", str(tmp_path / "nowhere"))
    assert client.find_root(payload_in(project.folder)) is None


def test_the_users_own_memory_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".dmm" / "memory").mkdir(parents=True)
    (home / "work").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "work")
    assert client.find_root(payload_in(home / "work")) is None
    assert client.find_root(payload_in(home)) == str(home / ".dmm")


def test_without_a_project_nothing_is_said_started_or_kept(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    client.run(["--client", "codex"], payload_in(tmp_path))
    assert not state.exists()


def test_what_nobody_takes_is_kept_without_its_secrets(state: Path, project: Project) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    body = payload_in(project.folder, prompt=f"use {secret} please", hook_event_name="Stop")
    client.run(["--client", "codex"], body)
    (kept,) = (state / "spool").glob("*.event")
    data = kept.read_bytes()
    assert secret.encode() not in data
    assert data.startswith(b"DMM1 codex ")
    _, name, root, _ = data.split(b"\n", 3)
    assert name.split(b"-")[1] == str(os.getpid()).encode()
    assert root == os.fsencode(project.dmm)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert (state / "spool").stat().st_mode & 0o777 == 0o700


def test_a_payload_that_is_no_json_is_kept_without_its_secrets_too(
    state: Path, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.folder)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    client.run([], f'{{"cut off": "{secret}'.encode())
    (kept,) = (state / "spool").glob("*.event")
    assert secret.encode() not in kept.read_bytes()
    assert kept.read_bytes().startswith(b"DMM1 unknown ")


def test_what_finds_no_room_is_counted(
    state: Path, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "LARGEST", 100)
    for _ in range(3):
        client.run([], payload_in(project.folder, prompt="x" * 200))
    assert [path.name for path in (state / "spool").iterdir()] == ["lost"]
    assert losses.count() == 3


@pytest.mark.parametrize("text", ["", "no JSON at all", "\0\0\0", "[" * 5000])
def test_the_process_ends_well_and_silently_whatever_it_reads(
    text: str, project: Project, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ENTRY), "--client", "claude-code"],
        input=text,
        cwd=project.folder,
        env={"HOME": str(tmp_path), "DMM_STATE_DIR": "/proc/nowhere", "DMM_RUN_DIR": "/proc/none"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", NAMES)
def test_the_hook_loads_nothing_heavy(name: str) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from dmm.hook import client\n"
        f"client.longest(client.peek_client({name!r}), b'{{}}')\n"
        "print(*sorted(name for name in sys.modules if name.startswith('dmm')))\n"
        "print(*(set(sys.modules) & {'json', 're', 'enum', 'pathlib', 'typing', 'dataclasses'}))"
    )
    line = [sys.executable, "-I", "-S", "-c", script, str(ENTRY.parent.parent.parent)]
    told = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=60, check=True)
    own, heavy = told.stdout.splitlines()
    known = f"dmm.clients.{name.replace('-', '_')}"
    # Some clients take over what Claude Code has.
    assert set(own.split()) - {"dmm.clients.claude_code", known} == {
        "dmm",
        "dmm.clients",
        "dmm.clients.base",
        "dmm.clients.registry",
        "dmm.domain",
        "dmm.domain.value",
        "dmm.endpoint",
        "dmm.hook",
        "dmm.hook.client",
    }
    assert heavy == ""


def test_it_says_what_it_is_for() -> None:
    line = [sys.executable, "-I", "-S", str(ENTRY), "--help"]
    told = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert told.stdout.startswith("usage: dmm-hook --client NAME")


def test_a_link_to_the_memory_of_another_project_is_not_followed(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / ".dmm").symlink_to(project.dmm)
    monkeypatch.chdir(evil)
    assert client.find_root(payload_in(evil)) is None
