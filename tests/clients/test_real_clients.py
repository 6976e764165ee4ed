"""The real clients speak with the scripted model, before DMM comes into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex
import pytest

pytestmark = pytest.mark.slow


def test_claude_code_runs_a_script_to_its_end(claude: RealClaude, tmp_path: Path) -> None:
    command = {"command": "echo made > made.txt", "description": "Make a file"}
    run = claude(tmp_path, [[("^Bash$", command)], "All done."], "make the file")
    assert (run.exit, run.stdout) == (0, "All done.\n")
    assert (tmp_path / "made.txt").read_text() == "made\n"
    first, second = run.main
    assert "make the file" in first.text
    assert "Bash" in first.tools
    assert len(second.text) > len(first.text)


def test_codex_runs_a_script_to_its_end(codex: RealCodex, tmp_path: Path) -> None:
    command = {"cmd": "echo made > made.txt"}
    run = codex(tmp_path, [[("^exec_command$", command)], "All done."], "make the file")
    assert (run.exit, run.stdout) == (0, "All done.\n")
    assert (tmp_path / "made.txt").read_text() == "made\n"
    first, second = run.main
    assert "make the file" in first.text
    assert "exec_command" in first.tools
    assert len(second.text) > len(first.text)


def test_a_client_reaches_nothing_but_its_model(claude: RealClaude, tmp_path: Path) -> None:
    look = {"command": "cat /proc/net/route /proc/net/dev", "description": "Look"}
    run = claude(tmp_path, [[("^Bash$", look)], "Seen."], "look at the network")
    assert "lo:" in run.main[1].text
    assert "eth0" not in run.main[1].text
