"""A pack that was served can be explained later, from the ledger alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import EventType
from dmm.domain.pack import QueryRequest
from dmm.errors import UsageError
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

TASK = "how many failed login attempts are allowed"


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    opened = open_project(shop)
    opened.indexes.sync()
    opened.ledger.add_fact("framework", "none")
    return opened


def test_a_pack_is_shown_with_the_figures_of_its_receipt(dmm: Dmm) -> None:
    answer = dmm.packs.query(QueryRequest(TASK, budget=1_500, explain=True))
    pack, seq = answer.pack, dmm.project_ledger.reading.head().seq
    shown = dmm.served_packs.show(seq)
    lines = {one.path: one for one in pack.receipt.candidates}
    assert [one.path for one in shown.entries] == list(pack.included_paths)
    assert [one.title for one in shown.entries] == [
        one.title for one in (*pack.baseline_entries, *pack.retrieved_entries)
    ]
    for told, entry in zip(shown.entries, pack.baseline_entries, strict=False):
        assert (told.lanes, told.tokens) == (("baseline",), entry.token_count)
    retrieved = shown.entries[len(pack.baseline_entries) :]
    assert retrieved
    for told in retrieved:
        line = lines[told.path]
        assert (told.score, told.lanes) == (round(line.score, 3), line.lanes)
    assert (shown.tokens.baseline, shown.tokens.retrieved, shown.tokens.total) == (
        pack.baseline_tokens,
        pack.retrieved_tokens,
        pack.total_tokens,
    )
    others = [one for one in pack.receipt.candidates if not one.included]
    left_out = [one for one in others if one.score >= 0.0005]
    assert [(one.path, one.reason) for one in shown.excluded] == [
        (one.path, one.reason.value) for one in left_out[:20]
    ]
    assert shown.excluded_more == len(others) - len(shown.excluded)
    assert (shown.task, shown.budget, shown.why, shown.receipt) == (TASK, 1_500, "asked", True)
    assert shown.memory_tokens == dmm.indexes.snapshot().memory_tokens


def test_what_is_kept_does_not_depend_on_whether_somebody_asked_to_explain(dmm: Dmm) -> None:
    for explain in (False, True):
        dmm.packs.query(QueryRequest(TASK, budget=900, explain=explain))
    head = dmm.project_ledger.reading.head().seq
    plain, explained = (dmm.served_packs.show(head - back) for back in (1, 0))
    assert plain.entries == explained.entries
    assert plain.excluded == explained.excluded
    assert plain.excluded_more == explained.excluded_more


def test_packs_are_listed_from_the_newest_back(dmm: Dmm) -> None:
    for task in ("sessions", "passwords", "deployment"):
        dmm.packs.query(QueryRequest(task))
    assert [one.task for one in dmm.served_packs.newest(2).packs] == ["deployment", "passwords"]
    last = dmm.served_packs.newest(1).packs[0].seq
    before = dmm.served_packs.newest(9, before=last).packs
    assert [one.task for one in before] == ["passwords", "sessions"]


def test_a_pack_of_an_older_version_says_that_it_has_no_receipt(dmm: Dmm) -> None:
    ledger = dmm.project_ledger
    old = {"task": "x", "tokens": 30, "retrieved": [{"path": "project/gone.md", "hash": "0"}]}
    seq = ledger.record(ledger.draft_of(EventType.PACK_SERVED, old)).seq
    shown = dmm.served_packs.show(seq)
    assert (shown.receipt, shown.excluded, shown.tokens.baseline) == (False, (), None)
    (entry,) = shown.entries
    assert (entry.path, entry.title, entry.score) == ("project/gone.md", "project/gone.md", None)


def test_an_old_receipt_that_lists_an_entry_as_left_out_too_is_told_once(dmm: Dmm) -> None:
    ledger = dmm.project_ledger
    old = {
        "task": "x",
        "tokens": 30,
        "retrieved": [{"path": "project/a.md", "hash": "0"}],
        "receipt": {
            "found": ["0.790 s 30"],
            "excluded": ["0.860 f 30 project/a.md", "0.820 f 20 project/b.md"],
        },
    }
    seq = ledger.record(ledger.draft_of(EventType.PACK_SERVED, old)).seq
    shown = dmm.served_packs.show(seq)
    assert [one.path for one in shown.entries] == ["project/a.md"]
    assert [(one.path, one.reason, one.why) for one in shown.excluded] == [
        ("project/b.md", "below_floor", "too little of it is about the task, whatever its score")
    ]


def test_another_event_is_not_a_pack(dmm: Dmm) -> None:
    for seq in (1, 99):
        with pytest.raises(UsageError, match=f"event {seq} is not a pack"):
            dmm.served_packs.show(seq)


def test_what_a_pack_was_served_for_is_told(dmm: Dmm) -> None:
    ledger = dmm.project_ledger.as_actor(Actor("claude-code", "hook", session="s-1"))
    kinds: dict[str, dict[str, Any]] = {
        "start": {"briefing": "abc", "retrieved": [{"hash": "abc"}]},
        "prompt": {"task": "x", "retrieved": []},
        "files": {"files": ["a.py"], "retrieved": []},
    }
    for why, payload in kinds.items():
        seq = ledger.record(ledger.draft_of(EventType.PACK_SERVED, payload)).seq
        shown = dmm.served_packs.show(seq)
        assert (shown.why, shown.session, shown.client) == (why, "s-1", "claude-code")
        assert shown.entries == ()
