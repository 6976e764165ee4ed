from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Event, Trust
from dmm.domain.proposal import (
    Check,
    CheckName,
    Edit,
    Judge,
    Operation,
    Outcome,
    ProposalStatus,
    Verdict,
)
from dmm.review.queue import Queue, fold

MADE: dict[str, Any] = {
    "operation": "create",
    "edits": [{"path": "project/a.md", "before": None, "after": "text"}],
    "reason": "learnt while fixing the export",
    "trust": "agent",
    "evidence": [1],
    "undoes": [],
    "origin": "",
}
CHECK = {"name": "schema", "outcome": "fail", "text": "no title", "hard": True, "other": "x.md"}
HASHES = [{"path": "project/a.md", "before": None, "after": "0" * 64}]
OTHER_TEXT = [{"path": "project/a.md", "before": None, "after": "better text"}]


def record(seq: int, type_: str, payload: dict[str, Any] | None, **changes: Any) -> Event:
    values: dict[str, Any] = {
        "seq": seq,
        "id": str(seq),
        "type": type_,
        "version": 1,
        "at": f"2026-01-01T00:00:{seq % 60:02d}Z",
        "actor": "claude",
        "source": "mcp",
        "trust": "agent",
        "session": "s1",
        "caused_by": None,
        "references": (),
        "payload": payload,
    }
    return Event(**(values | changes))


def made(seq: int, **changes: Any) -> Event:
    return record(seq, "ProposalMade", MADE | changes)


def reviewed(seq: int, proposal: int, verdict: str, **changes: Any) -> Event:
    payload = {
        "proposal": proposal,
        "judge": "person",
        "verdict": verdict,
        "reason": "looked at it",
        "remarks": {"schema": "fine"},
    }
    trust = "user" if (payload | changes)["judge"] == "person" else "agent"
    return record(seq, "ProposalReviewed", payload | changes, actor="ana", trust=trust)


def begun(seq: int, proposal: int) -> Event:
    return record(seq, "ProposalApplying", {"proposal": proposal, "edits": HASHES})


def done(seq: int, proposal: int, applying: int, **changes: Any) -> Event:
    payload = {"proposal": proposal, "applying": applying, "trust": "agent"}
    return record(seq, "ProposalApplied", payload | changes)


def carried_out(seq: int, **changes: Any) -> list[Event]:
    return [made(seq, **changes), begun(seq + 1, seq), done(seq + 2, seq, seq + 1)]


def test_a_made_proposal_is_pending_and_holds_what_its_event_says() -> None:
    queue = fold([made(7)])
    proposal = queue.proposals[7]
    assert queue.seq == 7
    assert queue.open == [proposal]
    assert proposal.id == "proposal_7"
    assert proposal.operation is Operation.CREATE
    assert proposal.edits == (Edit("project/a.md", None, "text"),)
    assert (proposal.proposer, proposal.source, proposal.session) == ("claude", "mcp", "s1")
    assert proposal.trust is Trust.AGENT
    assert proposal.evidence == (1,)
    assert proposal.standing is ProposalStatus.PENDING


def test_a_proposal_is_trusted_no_more_than_the_event_that_made_it() -> None:
    event = record(1, "ProposalMade", MADE | {"trust": "user"}, trust="tool")
    assert fold([event]).proposals[1].trust is Trust.TOOL


def test_checks_replace_those_before() -> None:
    first = record(2, "ProposalChecked", {"proposal": 1, "checks": [CHECK]})
    assert fold([made(1), first]).proposals[1].checks == (
        Check(CheckName.SCHEMA, Outcome.FAIL, "no title", hard=True, other="x.md"),
    )
    second = record(3, "ProposalChecked", {"proposal": 1, "checks": []})
    assert fold([made(1), first, second]).proposals[1].checks == ()


def test_an_approval_is_kept_and_the_proposal_waits_until_it_is_applied() -> None:
    proposal = fold([made(1), reviewed(2, 1, "approved", confidence=0.9)]).proposals[1]
    assert proposal.standing is ProposalStatus.PENDING
    (review,) = proposal.reviews
    assert (review.judge, review.verdict, review.by) == (Judge.PERSON, Verdict.APPROVED, "ana")
    assert review.confidence == 0.9
    assert review.remarks == (("schema", "fine"),)


def test_an_agent_can_not_record_the_verdict_of_a_person() -> None:
    told = reviewed(2, 1, "approved").payload
    queue = fold([made(1), record(2, "ProposalReviewed", told, actor="user", trust="agent")])
    assert queue.proposals[1].reviews == ()


def test_a_rejected_proposal_can_never_be_applied() -> None:
    queue = fold([made(1), reviewed(2, 1, "rejected"), begun(3, 1), done(4, 1, 3)])
    assert queue.proposals[1].standing is ProposalStatus.REJECTED
    assert queue.open == []


def test_a_modified_review_replaces_the_edits_and_the_checks_of_the_old_text_are_void() -> None:
    checked = record(2, "ProposalChecked", {"proposal": 1, "checks": [CHECK]})
    proposal = fold([made(1), checked, reviewed(3, 1, "modified", edits=OTHER_TEXT)]).proposals[1]
    assert proposal.edits == (Edit("project/a.md", None, "better text"),)
    assert proposal.checks == ()
    assert proposal.standing is ProposalStatus.PENDING


def test_a_review_can_not_send_a_proposal_to_another_file() -> None:
    elsewhere = [{"path": "baseline/a.md", "before": None, "after": "text"}]
    queue = fold([made(1), reviewed(2, 1, "modified", edits=elsewhere)])
    assert queue.proposals[1].edits == (Edit("project/a.md", None, "text"),)
    assert queue.proposals[1].reviews == ()


def test_an_application_that_did_not_end_is_found() -> None:
    queue = fold([made(1), begun(2, 1)])
    assert queue.proposals[1].standing is ProposalStatus.APPLYING
    assert queue.proposals[1].applying == 2
    assert queue.open == []


def test_an_application_ends_applied_or_back_in_the_queue() -> None:
    applied = fold([made(1), begun(2, 1), done(3, 1, 2, commit="abc")]).proposals[1]
    assert (applied.standing, applied.applied, applied.commit) == (ProposalStatus.APPLIED, 3, "abc")
    failed = record(3, "ProposalFailed", {"proposal": 1, "applying": 2, "reason": "disk full"})
    back = fold([made(1), begun(2, 1), failed]).proposals[1]
    assert (back.standing, back.applying, back.failure) == (
        ProposalStatus.PENDING,
        None,
        "disk full",
    )
    again = fold([made(1), begun(2, 1), failed, begun(4, 1), done(5, 1, 4)]).proposals[1]
    assert (again.standing, again.failure) == (ProposalStatus.APPLIED, None)


def test_a_proposal_is_applied_once_and_by_the_application_that_began() -> None:
    events = [made(1), begun(2, 1), begun(3, 1), done(4, 1, 3), done(5, 1, 2), done(6, 1, 2)]
    assert fold(events).proposals[1].applied == 5


def test_a_verdict_after_the_application_began_changes_nothing() -> None:
    events = [made(1), begun(2, 1), reviewed(3, 1, "rejected"), done(4, 1, 2)]
    proposal = fold([*events, reviewed(5, 1, "rejected")]).proposals[1]
    assert proposal.standing is ProposalStatus.APPLIED
    assert proposal.reviews == ()


def test_an_applied_undo_marks_what_it_takes_back() -> None:
    waiting = [*carried_out(1), made(4, operation="undo", undoes=[1])]
    assert fold(waiting).proposals[1].standing is ProposalStatus.APPLIED
    undone = fold([*waiting, begun(5, 4), done(6, 4, 5)]).proposals[1]
    assert (undone.standing, undone.undone_by) == (ProposalStatus.UNDONE, 4)


def test_an_undo_that_is_taken_back_brings_its_work_again() -> None:
    events = [
        *carried_out(1),
        *carried_out(4, operation="undo", undoes=[1]),
        *carried_out(7, operation="undo", undoes=[4]),
    ]
    proposals = fold(events).proposals
    assert (proposals[1].standing, proposals[1].undone_by) == (ProposalStatus.APPLIED, None)
    assert (proposals[4].standing, proposals[4].undone_by) == (ProposalStatus.UNDONE, 7)
    again = fold([*events, *carried_out(10, operation="undo", undoes=[7])]).proposals
    assert (again[1].standing, again[1].undone_by) == (ProposalStatus.UNDONE, 4)


def test_only_an_undo_takes_back() -> None:
    events = [*carried_out(1), *carried_out(4, undoes=[1])]
    assert fold(events).proposals[1].standing is ProposalStatus.APPLIED


@pytest.mark.parametrize(
    "change",
    [
        {"operation": "explode"},
        {"operation": None},
        {"edits": []},
        {"edits": "all"},
        {"edits": [{"path": 7, "before": None, "after": "x"}]},
        {"edits": [{"path": "project/a.md", "before": None, "after": None}]},
        {"edits": [{"path": "project/a.md", "before": 1, "after": "x"}]},
        {"edits": MADE["edits"] * 2},
        {"reason": None},
        {"trust": "boss"},
        {"trust": None},
        {"evidence": ["1"]},
        {"evidence": [True]},
        {"undoes": [99]},
        {"origin": 5},
    ],
)
def test_a_malformed_proposal_changes_nothing(change: dict[str, Any]) -> None:
    assert fold([made(3, **change)]) == Queue(3, {})


@pytest.mark.parametrize(
    ("type_", "payload"),
    [
        ("ProposalChecked", {"proposal": 9, "checks": []}),
        ("ProposalChecked", {"proposal": True, "checks": []}),
        ("ProposalChecked", {"proposal": 1, "checks": [CHECK | {"hard": "yes"}]}),
        ("ProposalChecked", {"proposal": 1, "checks": [CHECK | {"name": "mood"}]}),
        ("ProposalReviewed", {"proposal": 1, "judge": "agent", "verdict": "approved"}),
        ("ProposalReviewed", {"proposal": 1, "judge": "person", "verdict": "APPROVED"}),
        (
            "ProposalReviewed",
            {
                "proposal": 1,
                "judge": "person",
                "verdict": "approved",
                "reason": "",
                "confidence": 2,
            },
        ),
        (
            "ProposalReviewed",
            {"proposal": 1, "judge": "person", "verdict": "modified", "reason": ""},
        ),
        ("ProposalApplying", {"proposal": 1}),
        ("ProposalApplied", {"proposal": 1, "applying": None}),
        ("ProposalFailed", {"proposal": 1, "applying": None, "reason": "x"}),
        ("ProposalCommitted", {"proposal": 1, "applying": None, "commit": "c0ffee"}),
        ("SomethingNew", {"proposal": 1}),
        ("ProposalApplying", None),
    ],
)
def test_events_that_are_malformed_unknown_or_blanked_change_nothing(
    type_: str, payload: dict[str, Any] | None
) -> None:
    before = fold([made(1)])
    assert fold([record(2, type_, payload)], before) == Queue(2, before.proposals)


def test_a_commit_that_comes_after_the_write_is_told_once_and_of_that_write_alone() -> None:
    waits = fold([made(1), begun(2, 1), done(3, 1, 2, uncommitted=True)])
    assert (waits.proposals[1].uncommitted, waits.proposals[1].commit) == (True, None)
    told = {"proposal": 1, "applying": 2, "commit": "c0ffee"}
    queue = fold([record(4, "ProposalCommitted", told)], waits)
    assert (queue.proposals[1].uncommitted, queue.proposals[1].commit) == (False, "c0ffee")
    for wrong in (told | {"applying": 9}, told | {"proposal": 9}, told | {"commit": 7}):
        assert fold([record(4, "ProposalCommitted", wrong)], waits).proposals == waits.proposals
    again = fold([record(5, "ProposalCommitted", told | {"commit": "facade"})], queue)
    assert again.proposals == queue.proposals


def test_an_event_of_a_later_version_changes_nothing() -> None:
    assert fold([record(1, "ProposalMade", MADE, version=2)]).proposals == {}


def test_events_that_the_queue_already_holds_are_passed_over() -> None:
    events = [made(1), begun(2, 1)]
    assert fold(events, fold(events)) == fold(events)


def test_folding_leaves_the_queue_it_started_from_as_it_was() -> None:
    start = fold([made(1)])
    fold([begun(2, 1)], start)
    assert start.proposals[1].standing is ProposalStatus.PENDING


NUMBERS = st.integers(min_value=1, max_value=12)
PAYLOADS = st.one_of(
    st.builds(
        lambda operation, undoes: ("ProposalMade", {"operation": operation, "undoes": undoes}),
        st.sampled_from(["create", "update", "undo", "nonsense"]),
        st.lists(NUMBERS, max_size=2),
    ),
    st.builds(
        lambda type_, proposal, applying, verdict: (
            type_,
            {
                "proposal": proposal,
                "applying": applying,
                "verdict": verdict,
                "judge": "reviewer",
                "edits": OTHER_TEXT,
                "checks": [CHECK],
                "trust": "agent",
                "reason": "so",
                "uncommitted": True,
            },
        ),
        st.sampled_from(
            [
                "ProposalChecked",
                "ProposalReviewed",
                "ProposalApplying",
                "ProposalApplied",
                "ProposalCommitted",
                "ProposalFailed",
                "Unknown",
            ]
        ),
        NUMBERS,
        NUMBERS,
        st.sampled_from(["approved", "rejected", "modified", "undecided", "?"]),
    ),
)


@given(st.lists(PAYLOADS, max_size=40), st.integers(min_value=0, max_value=40))
def test_folding_in_two_cuts_is_folding_at_once(
    told: list[tuple[str, dict[str, Any]]], cut: int
) -> None:
    events = [
        record(seq, type_, MADE | payload if type_ == "ProposalMade" else payload)
        for seq, (type_, payload) in enumerate(told, start=1)
    ]
    assert fold(events[cut:], fold(events[:cut])) == fold(events)
