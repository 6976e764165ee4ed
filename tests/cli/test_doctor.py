"""`dmm doctor` as it is typed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Typed

pytestmark = pytest.mark.slow


@pytest.fixture
def patient(typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """A machine of its own, without any client."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("DMM_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("DMM_RUN_DIR", str(tmp_path / "run"))
    return typed


def test_a_connected_project_is_well_from_end_to_end(
    patient: Typed, home: Path, tmp_path: Path
) -> None:
    patient("init", within=tmp_path)
    for client in ("codex", "gemini", "cursor", "opencode"):
        patient("install", "--client", client, within=tmp_path)
    told = patient("doctor", within=tmp_path)
    assert (told.status, told.err) == (0, ""), told.out
    lines = told.out.splitlines()
    assert [line for line in lines if line.endswith(":") and not line.startswith(" ")] == [
        *("Program:", "Project:", "Daemon:", "Clients:", "Proof:")
    ]
    assert "  ok    trust: trusted" in lines
    assert f"  ok    memory: {tmp_path / '.dmm'}" in lines
    for title in ("Codex", "Gemini CLI", "Cursor", "opencode"):
        assert f"  ok    {title} at session start: a session starts with its memory" in lines
        assert (
            f"  ok    {title} denies: a forbidden command is denied, a harmless one is allowed"
            in lines
        )
        assert any(line.startswith(f"  ok    {title} tools: the server answers:") for line in lines)
    assert "  ok    HTTP: the daemon answers over HTTP" in lines
    # That Codex asks its user for trust is nothing that a fix could fix.
    assert lines[-1] == "0 failures, 1 warning"
    # Nothing of the trial is left, and no daemon of this user was started.
    assert not (tmp_path / "run").exists()


def test_a_failure_is_told_with_the_way_out_and_as_data(
    patient: Typed, home: Path, tmp_path: Path
) -> None:
    patient("init", within=tmp_path)
    (tmp_path / ".dmm/memory/project/bad.md").write_text("no front matter")
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").write_text(
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/gone/dmm-hook"}]}]}}'
    )
    said = patient("doctor", within=tmp_path).out.splitlines()
    assert said[-1] == "2 failures, 2 warnings; fix what can be fixed: dmm doctor --fix"
    told = patient("doctor", "--json", within=tmp_path)
    assert told.status == 1
    report = json.loads(told.out)
    assert report["healthy"] is False
    failed = {one["name"]: one for one in report["checks"] if one["level"] == "fail"}
    assert set(failed) == {"files", "Codex hook"}
    assert failed["files"]["way"] == "see them with: dmm validate"
    assert failed["Codex hook"]["told"].startswith("it exited with status 127")


def test_outside_of_a_project_the_machine_is_checked_and_mended(
    patient: Typed, home: Path, tmp_path: Path
) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text(
        '{"mcpServers": {"dmm": {"command": "/gone/dmm-mcp"}}}'
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    told = patient("doctor", "--fix", within=elsewhere)
    lines = told.out.splitlines()
    patient("daemon", "stop", within=elsewhere)
    assert any(line.startswith("  warn  memory: ") for line in lines)
    where = home / ".gemini/settings.json"
    assert f"  ok    Gemini CLI hooks and tools: installed for the user: {where}  (fixed)" in lines
    assert told.status == 0


def test_without_a_client_the_hook_is_proved_under_its_own_name(
    patient: Typed, tmp_path: Path
) -> None:
    patient("init", within=tmp_path)
    told = patient("doctor", within=tmp_path)
    assert told.status == 0, told.out
    lines = told.out.splitlines()
    assert "  ok    the hook at session start: a session starts with its memory" in lines
    assert "Claude Code" not in told.out
    # The hook works, but no agent runs it.
    assert any(line.startswith("  warn  agents: none is connected: ") for line in lines)
    assert lines[-1] == "0 failures, 1 warning"


def test_a_hook_by_name_that_is_not_on_the_path_is_told(
    patient: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient("init", within=tmp_path)
    patient("install", "--scope", "project", "--client", "cursor", within=tmp_path)
    told = patient("doctor", within=tmp_path)
    assert told.status == 1
    gone = "is not on your PATH, so DMM does not run there"
    assert f"  FAIL  Cursor hook: dmm-hook {gone}\n" in told.out
    assert f"  FAIL  Cursor server: dmm-mcp {gone}\n" in told.out
    there = Path(sys.executable).parent
    way = f'run make install in the DMM folder, or: ln -s "{there}/dmm-hook" ~/.local/bin/'
    assert f"        hint: {way}\n" in told.out
    monkeypatch.setenv("PATH", f"{there}:/usr/bin:/bin")
    told = patient("doctor", within=tmp_path)
    assert told.status == 0, told.out
    assert "  ok    Cursor denies: " in told.out


@pytest.mark.parametrize("command", [["daemon"], ["doctor"], ["install"]])
def test_the_help_is_told_in_whole_sentences(
    patient: Typed, tmp_path: Path, command: list[str]
) -> None:
    told = patient(*command, "--help", within=tmp_path).out
    assert not [line for line in told.splitlines()[1:] if line.endswith(("...", "…"))]
