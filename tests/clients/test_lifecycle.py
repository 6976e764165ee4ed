"""The ends of a session, good and bad, and what is left afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.clients.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.conftest import Live, RealClaude, RealCodex, Stage

pytestmark = pytest.mark.slow

COMMAND = "touch working.txt; sleep 20"


@pytest.fixture
def work(tmp_path: Path, stage: Stage) -> Path:
    """A trusted project, and a daemon that leaves soon."""
    folder = tmp_path / "work"
    folder.mkdir()
    # Also one that a hook starts, where the first has left before a slow client is there.
    stage.more["DMM_IDLE"] = "3"
    assert stage.dmm("init", within=folder).returncode == 0
    assert stage.dmm("daemon", "start", within=folder).returncode == 0
    return folder


def start_claude(stage: Stage, claude: RealClaude, work: Path) -> Live:
    assert stage.dmm("install", "--client", "claude-code", within=work).returncode == 0
    command = {"command": COMMAND, "description": "Work for a while"}
    return claude.start(work, [[("^Bash$", command)], "Done."], "work for a while")


def start_codex(stage: Stage, codex: RealCodex, work: Path) -> Live:
    assert stage.dmm("install", "--client", "codex", within=work).returncode == 0
    return codex.start(work, [[("^exec_command$", {"cmd": COMMAND})], "Done."], "work for a while")


@pytest.fixture(params=["Claude Code", "Codex"])
def live(
    request: pytest.FixtureRequest, stage: Stage, claude: RealClaude, codex: RealCodex, work: Path
) -> Live:
    """A client in the middle of its work."""
    if request.param == "Codex":
        found = start_codex(stage, codex, work)
    else:
        found = start_claude(stage, claude, work)
    wait_for("the work", (work / "working.txt").exists)
    return found


def test_a_client_that_is_asked_to_end_leaves_no_process(
    live: Live, stage: Stage, work: Path, request: pytest.FixtureRequest
) -> None:
    assert stage.processes()
    live.process.terminate()
    live.wait()
    stage.wait_for_silence()
    # Codex ends at once and runs no hook any more.
    ended = "Claude Code" in request.node.name
    assert ("SessionEnded" in stage.kinds(work)) == ended


def test_a_client_that_is_killed_leaves_no_process(live: Live, stage: Stage, work: Path) -> None:
    assert stage.processes()
    live.process.kill()
    live.wait()
    stage.wait_for_silence()
    assert "SessionStarted" in stage.kinds(work)


def test_a_compacted_session_gets_its_memory_again(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    assert stage.dmm("install", "--client", "claude-code", within=work).returncode == 0
    claude(work, ["Hello."], "say hello")
    compacted = claude(work, ["Hello."], "/compact", "--continue")
    assert compacted.exit == 0
    assert "ContextCompacted" in stage.kinds(work)
    again = claude(work, ["Hello.", "Again."], "say it again", "--continue")
    assert "dmm query" in again.main[0].text
