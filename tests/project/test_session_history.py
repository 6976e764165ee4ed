"""Sessions are shown as they ran: prompts, packs, stops with the words that matched, and cost."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.pack import QueryRequest
from dmm.errors import UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.project import activity_projection, session_history
from dmm.project.activity import Activity, fold
from dmm.project.activity_projection import CODE, ActivityProjection, pack, unpack
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver
from dmm.sessions.supplement import supplement

if TYPE_CHECKING:
    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

PROMPT = "how many failed login attempts are allowed"
PASSWORD = "s3cr3tPassw0rdX9"


def hook(dmm: Dmm, event: str, session: str = "s", **fields: Any) -> None:
    """Have an event happen as a client's hook reports it."""
    told = {"session_id": session, "cwd": "/srv/shop", "hook_event_name": event} | fields
    delivery = deliver(parse_payload("claude-code", json.dumps(told).encode()))
    called = delivery.event
    ruling = dmm.sessions.judge(called) if called.tool and "Pre" in called.event else None
    dmm.sessions.attend(delivery, ruling)
    if event == "UserPromptSubmit":
        added = supplement(dmm.packs, called.prompt, dmm.sessions.known(session))
        if added.entries:
            dmm.sessions.give(delivery, added)


def bash(dmm: Dmm, command: str, number: int, event: str = "PreToolUse", **fields: Any) -> None:
    given: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": f"t{number}",
    }
    hook(dmm, event, **given, **fields)


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    opened = open_project(shop)
    opened.ledger.add_constraint("never run git push --force")
    return opened


def run_session(dmm: Dmm) -> None:
    hook(dmm, "SessionStart", source="startup")
    hook(dmm, "UserPromptSubmit", prompt=PROMPT)
    bash(dmm, "make test", 1)
    bash(dmm, "make test", 1, "PostToolUse", tool_response={"stdout": "3 passed"})
    bash(dmm, "cd api && git push --force origin main", 2)
    hook(dmm, "Stop", last_assistant_message="Five attempts.")
    hook(dmm, "SessionEnd", reason="exit")


def test_a_session_is_told_from_its_start_to_its_end(dmm: Dmm) -> None:
    run_session(dmm)
    story = dmm.session_history.show("s")
    kinds = [one.kind for one in story.entries]
    assert kinds == ["start", "pack", "prompt", "pack", "call", "block", "note", "end"]
    row = story.session
    assert (row.client, row.open, row.prompts, row.calls) == ("claude-code", False, 1, 2)
    assert (row.blocked, row.asked, row.packs) == (1, 0, 2)
    assert row.tokens == story.cost.injected == sum(one.tokens or 0 for one in story.entries)
    assert [(one.why, one.count) for one in story.cost.items] == [("start", 1), ("prompt", 1)]
    prompt, given = story.entries[2:4]
    assert prompt.detail == PROMPT
    assert given.pack == given.seq
    shown = dmm.served_packs.show(given.seq)
    assert "project/auth/login_throttle.md" in [one.path for one in shown.entries]
    assert (shown.why, shown.receipt, shown.task) == ("prompt", True, PROMPT)


def test_a_stop_names_the_rule_and_the_words_that_matched(dmm: Dmm) -> None:
    run_session(dmm)
    (stop,) = [one for one in dmm.session_history.show("s").entries if one.kind == "block"]
    assert (stop.rule, stop.matched) == ("1", "git push --force origin main")
    assert "never run git push --force" in stop.detail


def test_words_that_were_redacted_are_not_guessed(dmm: Dmm) -> None:
    bash(dmm, f"PGPASSWORD={PASSWORD} git push --force", 1)
    (stop,) = dmm.session_history.show("s").entries
    assert (stop.kind, stop.matched) == ("block", None)


def test_what_a_prompt_was_not_given_again_is_in_its_receipt(dmm: Dmm) -> None:
    hook(dmm, "UserPromptSubmit", prompt=PROMPT)
    hook(dmm, "UserPromptSubmit", prompt=f"{PROMPT}, and where are sessions stored?")
    first, second = (dmm.served_packs.show(one.seq) for one in reversed(_packs(dmm)))
    given = {one.path for one in first.entries}
    again = {one.path for one in second.excluded if one.reason == "given_before"}
    assert again
    assert again <= given
    assert given.isdisjoint(one.path for one in second.entries)


def _packs(dmm: Dmm) -> list[Any]:
    return list(dmm.served_packs.newest(2).packs)


def test_sessions_are_listed_by_their_newest_event(dmm: Dmm) -> None:
    for number, name in enumerate(("a", "b", "a")):
        hook(dmm, "UserPromptSubmit", session=name, prompt=f"thanks {number}")
    rows = dmm.session_history.list(9).sessions
    assert [(one.id, one.prompts, one.open) for one in rows] == [("a", 2, True), ("b", 1, True)]
    head = dmm.project_ledger.reading.head().seq
    assert [one.id for one in dmm.session_history.list(9, before=head).sessions] == ["b"]
    assert [one.id for one in dmm.session_history.list(1).sessions] == ["a"]


def test_only_what_is_new_is_told_after_an_event(dmm: Dmm) -> None:
    run_session(dmm)
    entries = dmm.session_history.show("s").entries
    assert dmm.session_history.show("s", after=entries[4].seq).entries == entries[5:]


def test_a_session_that_went_quiet_is_not_open(dmm: Dmm, monkeypatch: pytest.MonkeyPatch) -> None:
    hook(dmm, "UserPromptSubmit", prompt="thanks")
    assert dmm.session_history.list(1).sessions[0].open
    monkeypatch.setattr(session_history, "QUIET", dt.timedelta(hours=-1))
    assert not dmm.session_history.list(1).sessions[0].open


def test_a_session_that_never_was_is_refused(dmm: Dmm) -> None:
    with pytest.raises(UsageError, match="there is no such session"):
        dmm.session_history.show("nobody")


def test_counting_goes_on_from_a_snapshot_and_gives_the_same(
    dmm: Dmm, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_session(dmm)
    ledger = dmm.project_ledger
    log = ledger.log
    whole = fold(log.events(), Activity(), log.head().seq)
    monkeypatch.setattr(activity_projection, "EVERY", 4)
    monkeypatch.setattr(activity_projection, "BESIDE", 1)
    assert ActivityProjection(ledger).current() == whole
    kept = [seq for seq, _ in log.snapshots(CODE)]
    assert kept == [3, 7]
    assert ActivityProjection(ledger).current() == whole
    assert unpack(pack(whole), whole.seq) == whole
    assert unpack(pack(whole), whole.seq + 1) is None
    assert unpack(b"nonsense", 1) is None


def test_figures_are_counted_by_day(dmm: Dmm) -> None:
    run_session(dmm)
    dmm.packs.query(QueryRequest("sessions"))
    hook(dmm, "UserPromptSubmit", session="b", prompt="thanks")
    ledger = dmm.project_ledger.as_actor(Actor())
    figures = dmm.metrics.report(7)
    assert len(figures.days) == 7
    last = figures.days[-1]
    assert last.day == ledger.now().date().isoformat()
    assert (last.packs, last.blocked, last.asked) == (3, 1, 0)
    assert last.tokens == sum(one.tokens for one in dmm.served_packs.newest(9).packs)
    whole = dmm.indexes.snapshot().memory_tokens
    assert figures.now.monolith_tokens == whole
    assert last.monolith == 3 * whole
    assert figures.now.events == ledger.reading.head().seq
    assert figures.now.baseline_tokens > 0
    assert (figures.now.queue, figures.now.queue_oldest_hours) == (0, None)
    dmm.proposals.create("project/first.md", "# A note\n\nIt says something new.", "to see it")
    now = dmm.metrics.report(1)
    assert (now.now.queue, now.now.queue_oldest_hours, now.days[0].proposals) == (1, 0.0, 1)


def test_a_memory_knows_the_packs_it_was_in(dmm: Dmm) -> None:
    for _ in range(2):
        dmm.packs.query(QueryRequest(PROMPT))
    packs = [one.seq for one in reversed(dmm.served_packs.newest(2).packs)]
    memories = dmm.base.activity.current().memories.values()
    assert any(one.packs == tuple(packs) and one.days[0][1] == 2 for one in memories)
