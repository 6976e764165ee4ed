"""The real clients used by hand on a terminal: what their own commands do to a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.clients.memories import MARK, PROMPT, RULE, TOPIC, furnish
from tests.clients.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.conftest import MemoryText

pytestmark = pytest.mark.slow

ANSWER = "It is four."


@pytest.fixture
def work(tmp_path: Path, stage: Stage, memory_text: MemoryText) -> Path:
    """A trusted project with memories, and a daemon that can answer a prompt."""
    folder = tmp_path / "work"
    furnish(folder, stage, memory_text)
    stage.warm(folder)
    return folder


def sessions_of(stage: Stage, work: Path, kind: str) -> list[tuple[str, str]]:
    """List the sessions that began or ended, each with what led to it."""
    events = [event for event in stage.ledger(work) if event["type"] == kind]
    told = [event["payload"] for event in events]
    sources = [str(one.get("source") or one.get("reason")) for one in told]
    return list(zip([event["session"] for event in events], sources, strict=True))


def test_a_cleared_session_of_claude_code_is_another_one_that_is_told_everything_again(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    assert stage.dmm("install", "--client", "claude-code", within=work).returncode == 0
    hand = claude.open(work, [ANSWER, ANSWER])
    first = hand.ask(PROMPT)
    hand.terminal.enter("/clear")

    def began_again() -> bool:
        return bool(stage.status(work)["events"].get("session_start") == 2)

    wait_for("a second session", began_again, hand.terminal.read)
    # The ledger may know of it before the screen is drawn again.
    wait_for("an empty screen", lambda: hand.rest not in hand.terminal.read(), hand.terminal.read)
    again = hand.ask(PROMPT)
    for text in (MARK, RULE, TOPIC):
        assert text in first.text
        assert text in again.text
    assert stage.status(work)["agents"] == 1
    (before, started), (after, cleared) = sessions_of(stage, work, "SessionStarted")
    assert (started, cleared) == ("startup", "clear")
    assert before != after
    assert sessions_of(stage, work, "SessionEnded") == [(before, "clear")]


def test_a_compacted_session_of_codex_gets_its_memory_again(
    codex: RealCodex, stage: Stage, work: Path
) -> None:
    assert stage.dmm("install", "--client", "codex", within=work).returncode == 0
    hand = codex.open(work, [ANSWER, ANSWER])
    first = hand.ask(PROMPT)
    hand.do("/compact")
    again = hand.ask(PROMPT)
    for text in (MARK, RULE, TOPIC):
        assert text in first.text
        assert text in again.text
    assert stage.status(work)["agents"] == 1
    started = sessions_of(stage, work, "SessionStarted")
    assert [source for _, source in started] == ["startup", "compact"]
    assert len({session for session, _ in started}) == 1
