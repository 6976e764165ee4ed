"""What sessions were given is read from the ledger: how much, when and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.cli.format.costs import cost_lines, summarise
from dmm.domain.event import EventType, Trust
from dmm.domain.pack import QueryRequest
from dmm.errors import UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.mcp.cost import count_own

if TYPE_CHECKING:
    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

HELD = [{"path": "project/auth/reset.md", "id": "mem_2026_01_01_001", "hash": "a"}]


def record(dmm: Dmm, session: str | None, source: str = "hook") -> None:
    """Record a session as hooks and tools do: its start, two prompts, one of them answered."""
    trust = Trust.USER if source == "cli" else Trust.AGENT
    actor = Actor("claude-code", source=source, trust=trust, session=session)
    ledger = dmm.as_actor(actor).project_ledger
    start = {"task": "", "briefing": "b", "tokens": 210, "retrieved": [{"hash": "b"}]}
    prompt = {"task": "add password reset", "budget": 1200, "tokens": 480, "retrieved": HELD}
    asked = {"text": "add password reset"}
    for kind, payload in (
        (EventType.PACK_SERVED, start),
        (EventType.USER_MESSAGE_RECEIVED, asked),
        (EventType.PACK_SERVED, prompt),
        (EventType.USER_MESSAGE_RECEIVED, {"text": "thanks"}),
    ):
        ledger.record(ledger.draft_of(kind, payload))


@pytest.fixture
def dmm(project: Project, open_project: Opener) -> Dmm:
    return open_project(project)


def test_a_session_is_shown_with_what_was_given_and_why(dmm: Dmm) -> None:
    dmm.notes.remember("Use pnpm, not npm, to install packages.")
    record(dmm, "3f2a9c81-0000")
    report = dmm.costs.report()
    (one,) = report.sessions
    assert (one.tokens, one.prompts, one.client) == (690, 2, "claude-code")
    assert [(part.why, part.tokens) for part in one.injections] == [("start", 210), ("prompt", 480)]
    assert one.injections[1].paths == ("project/auth/reset.md",)
    assert report.memories == 1
    assert report.memory_tokens > 20
    lines = list(cost_lines(report, [("5 tools", 500), ("BOOT", 180)], [("baseline", 1200)]))
    assert lines[0] == "Fixed per session: 680 tokens: 5 tools 500, BOOT 180"
    assert lines[1] == "Your project:      1,200 tokens: baseline 1,200"
    assert lines[2].endswith("tokens if the memory were always loaded")
    assert lines[4].startswith("690 tokens in session 3f2a9c81 (claude-code, ")
    assert "1 of 2 prompts got memory" in " ".join(lines[4:6])
    assert any(line.endswith('480  prompt "add password reset"') for line in lines)
    assert lines[-1].strip() == "project/auth/reset.md"
    assert max(map(len, lines)) <= 80


def test_what_a_file_brought_is_no_prompt(dmm: Dmm) -> None:
    record(dmm, "3f2a9c81-0000")
    actor = Actor("claude-code", source="hook", trust=Trust.AGENT, session="3f2a9c81-0000")
    ledger = dmm.as_actor(actor).project_ledger
    brought = {"task": "", "files": ["src/auth.ts"], "tokens": 90, "retrieved": HELD}
    for _ in range(2):
        ledger.record(ledger.draft_of(EventType.PACK_SERVED, brought))
    (one,) = dmm.costs.report().sessions
    assert "1 of 2 prompts got memory" in summarise(one)
    lines = list(cost_lines(dmm.costs.report(), [], []))
    assert sum(line.endswith("    90  file src/auth.ts") for line in lines) == 2


def test_the_newest_session_comes_first_and_one_can_be_chosen(dmm: Dmm) -> None:
    record(dmm, "aaaa-1")
    record(dmm, "bbbb-2")
    record(dmm, None, source="mcp")
    record(dmm, None, source="cli")
    assert [one.session for one in dmm.costs.report().sessions] == ["", "bbbb-2", "aaaa-1"]
    assert [one.session for one in dmm.costs.report(session="aa").sessions] == ["aaaa-1"]
    last = dmm.costs.last()
    assert last is not None
    assert summarise(last).startswith("690 tokens in session bbbb-2 ")
    with pytest.raises(UsageError, match="no session id starts with"):
        dmm.costs.report(session="zz")


def test_without_a_session_only_the_fixed_cost_is_shown(dmm: Dmm) -> None:
    assert dmm.costs.last() is None
    lines = list(cost_lines(dmm.costs.report(), [("BOOT", 180)], []))
    assert lines[-1] == "No session has been given anything yet."


def test_the_rules_count_as_a_pack_shows_them(dmm: Dmm) -> None:
    for number in range(30):
        dmm.ledger.add_constraint(f"never call the service number {number} of the old platform")
    shown = dmm.packs.query(QueryRequest("call the service")).pack.constraints
    told = dict(count_own(dmm))
    assert 0 < told["rules"] == sum(one.token_count for one in shown) <= 400
