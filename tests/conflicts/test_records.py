"""Conflicts told by events: found, settled, gone, and never again where a person said so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.records import (
    FOLDED,
    Records,
    Status,
    digest_memory,
    fold,
    key_of,
    name_conflict,
    read_name,
)
from dmm.domain.conflict import ConflictType, Method, Side
from dmm.domain.event import Event, EventType, Trust

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewNote

FOUND: dict[str, Any] = {
    "id": "conflict_1",
    "type": "numeric_clash",
    "confidence": 0.9,
    "memories": [
        {"id": "mem_a", "path": "project/a.md", "summary": "30 seconds"},
        {"id": "mem_b", "path": "project/b.md", "summary": "10 seconds"},
    ],
    "description": "two values",
    "suggestion": "keep the newer",
    "methods": ["tags", "rules"],
    "quotes": ["It is 30 seconds.", "It is 10 seconds."],
    "key": "the key",
}
REVIEW = {"judge": "person", "reason": "so be it"}


def event(seq: int, kind: str, trust: str = "user", **payload: Any) -> Event:
    at = f"2026-01-31T10:00:{seq:02d}+00:00"
    return Event(seq, f"id-{seq}", kind, 1, at, "user", "cli", trust, None, None, (), payload)


def found(seq: int = 1, **changed: Any) -> Event:
    return event(seq, EventType.CONFLICT_FOUND, **(FOUND | changed))


def resolved(seq: int, action: str, trust: str = "user", **more: Any) -> Event:
    told = {"id": "conflict_1", "action": action, "reason": "because", "proposals": []} | more
    return event(seq, EventType.CONFLICT_RESOLVED, trust, **told)


def status_after(*events: Event) -> Status:
    return fold([found(), *events]).conflicts[1].status


def test_a_conflict_found_is_unresolved_and_keeps_what_was_said() -> None:
    (record,) = fold([found()]).open
    assert record.id == "conflict_1"
    assert record.type is ConflictType.NUMERIC
    assert record.sides == (
        Side("mem_a", "project/a.md", "30 seconds"),
        Side("mem_b", "project/b.md", "10 seconds"),
    )
    assert record.methods == (Method.TAGS, Method.RULES)
    assert record.quotes == ("It is 30 seconds.", "It is 10 seconds.")
    assert (record.status, record.confidence, record.key) == (Status.UNRESOLVED, 0.9, "the key")
    assert record.ids == {"mem_a", "mem_b"}


def test_a_resolution_counts_when_all_of_its_proposals_are_applied() -> None:
    proposed = resolved(4, "clarify", proposals=[2, 3], target="mem_a")
    first = event(5, EventType.PROPOSAL_APPLIED, proposal=2, applying=1)
    second = event(6, EventType.PROPOSAL_APPLIED, proposal=3, applying=1)
    assert status_after(proposed) is Status.PROPOSED
    assert status_after(proposed, first) is Status.PROPOSED
    assert status_after(proposed, first, second) is Status.RESOLVED


def test_a_proposal_that_was_applied_at_once_resolves_at_once() -> None:
    applied = event(2, EventType.PROPOSAL_APPLIED, proposal=2, applying=1)
    assert status_after(applied, resolved(3, "deprecate", proposals=[2])) is Status.RESOLVED


def test_a_rejected_proposal_leaves_the_conflict_as_it_was() -> None:
    rejected = event(3, EventType.PROPOSAL_REVIEWED, proposal=2, **REVIEW, verdict="rejected")
    records = fold([found(), resolved(2, "deprecate", proposals=[2], target="mem_a"), rejected])
    assert records.conflicts[1] == fold([found()]).conflicts[1]


def test_an_approval_alone_resolves_nothing() -> None:
    approved = event(3, EventType.PROPOSAL_REVIEWED, proposal=2, **REVIEW, verdict="approved")
    assert status_after(resolved(2, "deprecate", proposals=[2]), approved) is Status.PROPOSED


def test_what_a_person_wants_to_live_with_is_remembered_by_its_key() -> None:
    records = fold([found(), resolved(2, "intentional")])
    assert records.open == []
    assert records.accepted == {"the key"}


@pytest.mark.parametrize("trust", [Trust.AGENT, Trust.TOOL, Trust.THIRD_PARTY])
def test_an_agent_can_not_declare_a_conflict_intentional(trust: str) -> None:
    assert status_after(resolved(2, "intentional", trust)) is Status.UNRESOLVED


def test_a_conflict_that_is_gone_is_resolved_but_not_accepted() -> None:
    records = fold([found(), resolved(2, "gone", "agent")])
    assert (records.open, records.accepted) == ([], frozenset())
    assert records.conflicts[1].action == "gone"


def test_a_resolved_conflict_is_not_resolved_again() -> None:
    records = fold([found(), resolved(2, "gone"), resolved(3, "intentional")])
    assert records.conflicts[1].action == "gone"


@pytest.mark.parametrize(
    "broken",
    [
        found(memories=[]),
        found(memories=[{"id": 1}, {"id": 2}]),
        found(memories="none"),
        found(type="quarrel"),
        replace(found(), payload=None),
        replace(found(), version=2),
        resolved(1, "shrug"),
        resolved(1, "gone", id="conflict_77"),
        resolved(1, "gone", id=None),
        event(1, EventType.PROPOSAL_APPLIED, proposal="2"),
        event(1, "Unheard"),
    ],
)
def test_what_can_not_be_understood_changes_nothing(broken: Event) -> None:
    assert fold([broken]) == Records(seq=1)


def test_values_of_the_wrong_kind_are_replaced_by_plain_ones() -> None:
    told = found(confidence="high", quotes=["one"], methods=["tags", "magic"], description=7)
    record = fold([told]).conflicts[1]
    assert (record.confidence, record.quotes, record.methods, record.description) == (
        0.0,
        ("", ""),
        (Method.TAGS,),
        "",
    )


LOG = [
    found(1),
    resolved(2, "deprecate", proposals=[3]),
    event(4, EventType.PROPOSAL_REVIEWED, proposal=3, **REVIEW, verdict="rejected"),
    resolved(5, "merge", proposals=[6]),
    event(7, EventType.PROPOSAL_APPLIED, proposal=6, applying=1),
    found(8, key="other"),
    resolved(9, "intentional", id="conflict_8"),
]


@given(st.integers(0, len(LOG)))
def test_folding_in_two_parts_gives_what_folding_at_once_gives(cut: int) -> None:
    begun = fold(LOG[:cut])
    before = fold(LOG[:cut])
    assert fold(LOG[cut:], begun, to=9) == fold(LOG, to=9)
    assert begun == before


def test_only_four_kinds_of_events_have_to_be_read() -> None:
    assert FOLDED == ("ConflictFound", "ConflictResolved", "ProposalApplied", "ProposalReviewed")


def test_the_key_names_both_texts_in_either_order_and_changes_with_them(note: NewNote) -> None:
    one, other = note("30 seconds", "Timeouts"), note("10 seconds", "Timeouts", id="mem_b")
    assert key_of(one, other) == key_of(other, one)
    assert key_of(one, other) != key_of(note("31 seconds", "Timeouts"), other)
    assert key_of(one, other) == key_of(note("30 seconds\n", "Timeouts", usage_count=7), other)
    assert digest_memory(one) != digest_memory(note("30 seconds", "Other"))


def test_a_conflict_is_named_by_the_number_of_its_event() -> None:
    assert name_conflict(12) == "conflict_12"
    assert [read_name(name) for name in ("conflict_12", " 12 ", "12x", "", "conflict_")] == [
        12,
        12,
        None,
        None,
        None,
    ]
