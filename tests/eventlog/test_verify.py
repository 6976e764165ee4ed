"""Verification: every kind of tampering is found, at the first event that is not as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Draft
from dmm.eventlog.chain import GENESIS, Head, hash_payload, link
from dmm.eventlog.log import EventLog
from dmm.eventlog.verify import Anchor, Verification, verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.eventlog.conftest import Drafts, Forger

FOLLOW = "it does not follow from the event before it"
COLUMNS = "id, type, version, at, actor, source, trust, session, caused_by, refs, payload"


@pytest.fixture
def ten(log: EventLog, draft: Drafts) -> EventLog:
    log.append([draft(text=f"number {number}") for number in range(1, 11)])
    return log


def anchors(log: EventLog, *seqs: int) -> list[Anchor]:
    rows = list(log.raw())
    return [Anchor(seq, rows[seq - 1][13], ledger=rows[0][13]) for seq in seqs]


def found(log: EventLog, known: list[Anchor] | None = None) -> tuple[int | None, str | None]:
    result = verify(log.raw(), known or [])
    assert result.valid == (result.first_bad is None)
    return result.first_bad, result.reason


def test_a_log_that_nobody_touched_is_valid(ten: EventLog) -> None:
    head = ten.head()
    assert verify(ten.raw(), anchors(ten, 1, 5, 10)) == Verification(10, 0, head.hash, anchors=3)
    assert verify([]) == Verification(0, 0, GENESIS)


def test_the_chain_is_made_as_the_format_says() -> None:
    log = EventLog.in_memory()
    (event,) = log.append([Draft("A", {"b": 1}, "id", "now", session=None, caused_by=None)])
    payload = hash_payload('{"b":1}')
    text = f"{GENESIS}1:12:id1:A1:13:now4:user3:cli4:user--2:[]64:{payload}"
    assert event.hash == hash_payload(text)
    assert log.head() == Head(1, event.hash)


def test_no_two_lists_of_columns_have_the_same_hash() -> None:
    lists = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("abc", None), ("1:a", "bc"), (None,)]
    assert len({link(GENESIS, columns) for columns in lists}) == len(lists)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
COLUMNS_OF_AN_EVENT = st.tuples(
    *(NUMBERS, TEXTS, TEXTS, NUMBERS, TEXTS, TEXTS, TEXTS, TEXTS),
    *(st.none() | TEXTS, st.none() | NUMBERS, TEXTS, TEXTS),
)
ANYTHING = st.none() | TEXTS | NUMBERS | st.binary(max_size=9) | st.floats()


@given(COLUMNS_OF_AN_EVENT | st.tuples(*[ANYTHING] * 12) | st.lists(ANYTHING, max_size=14))
def test_columns_are_chained_with_their_lengths_whatever_they_hold(columns: Sequence[Any]) -> None:
    told = ["-" if one is None else f"{len(str(one).encode())}:{one}" for one in columns]
    assert link(GENESIS, columns) == hash_payload(GENESIS + "".join(told))


@pytest.mark.parametrize("place", range(12))
@pytest.mark.parametrize("forged", [b"", b"abc", 0, 1.5, None, ""])
def test_a_column_of_another_kind_has_another_hash(place: int, forged: Any) -> None:
    columns: list[Any] = [1, "id", "A", 1, "now", "user", "cli", "user", "s", 1, "[]", "f" * 64]
    changed = [*columns[:place], forged, *columns[place + 1 :]]
    assert link(GENESIS, changed) != link(GENESIS, columns)


@pytest.mark.parametrize(
    ("statement", "first_bad", "reason"),
    [
        ("UPDATE events SET payload = '{}' WHERE seq = 4", 4, "its payload was edited"),
        ("UPDATE events SET id = 'x' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET type = 'FactAdded' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET version = 2 WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET at = '1999' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET actor = 'agent' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET source = 'x' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET trust = 'reviewed' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET session = NULL WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET caused_by = 1 WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET refs = '[1]' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET refs = '[ ]' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET refs = 'no list' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET payload_hash = 'x' WHERE seq = 4", 4, "its payload was edited"),
        ("UPDATE events SET hash = 'x' WHERE seq = 4", 4, FOLLOW),
        ("UPDATE events SET hash = 'x' WHERE seq = 10", 10, FOLLOW),
        ("UPDATE events SET actor = 'x' WHERE seq IN (3, 7)", 3, FOLLOW),
        (
            "UPDATE events SET payload = NULL WHERE seq = 4",
            4,
            "its payload is missing without a record of redaction",
        ),
        ("DELETE FROM events WHERE seq = 1", 1, "event 1 is missing"),
        ("DELETE FROM events WHERE seq = 4", 4, "event 4 is missing"),
        ("DELETE FROM events WHERE seq BETWEEN 4 AND 8", 4, "event 4 is missing"),
    ],
)
def test_an_edit_is_found_at_the_event_it_was_made_to(
    ten: EventLog, forge: Forger, statement: str, first_bad: int, reason: str
) -> None:
    forge(statement)
    assert found(ten) == (first_bad, reason)


def test_an_event_that_was_taken_out_is_found_though_the_rest_moved_up(
    ten: EventLog, forge: Forger
) -> None:
    forge("DELETE FROM events WHERE seq = 4", "UPDATE events SET seq = seq - 1 WHERE seq > 4")
    assert found(ten) == (4, FOLLOW)


def test_swapped_events_are_found_at_the_first(ten: EventLog, forge: Forger) -> None:
    forge(
        "UPDATE events SET seq = -1 WHERE seq = 4",
        "UPDATE events SET seq = 4 WHERE seq = 7",
        "UPDATE events SET seq = 7 WHERE seq = -1",
    )
    assert found(ten) == (4, FOLLOW)


def test_swapped_payloads_are_found_at_the_first(ten: EventLog, forge: Forger) -> None:
    forge(
        "UPDATE events SET payload = (SELECT o.payload FROM events o WHERE o.seq = 11 - events.seq)"
        " WHERE seq IN (4, 7)",
    )
    assert found(ten) == (4, "its payload was edited")


def test_an_event_that_was_put_in_between_is_found(ten: EventLog, forge: Forger) -> None:
    forge(
        "UPDATE events SET seq = -seq WHERE seq > 4",
        "UPDATE events SET seq = 1 - seq WHERE seq < 0",
        f"INSERT INTO events SELECT 5, 'new', {COLUMNS[4:]}, payload_hash, hash FROM events "
        "WHERE seq = 4",
    )
    assert found(ten) == (5, FOLLOW)


def test_an_event_that_was_put_at_the_end_without_its_hash_is_found(
    ten: EventLog, forge: Forger
) -> None:
    forge(
        f"INSERT INTO events SELECT 11, 'new', {COLUMNS[4:]}, payload_hash, hash FROM events "
        "WHERE seq = 10"
    )
    assert found(ten) == (11, FOLLOW)


def test_a_cut_tail_is_found_through_the_anchor(ten: EventLog, forge: Forger) -> None:
    known = anchors(ten, 3, 9)
    forge("DELETE FROM events WHERE seq > 6")
    assert found(ten) == (None, None)
    assert found(ten, known) == (7, "the log was anchored at 9 and is now shorter")


def test_a_log_that_was_written_anew_is_found_at_the_anchor(ten: EventLog, forge: Forger) -> None:
    known = anchors(ten, 4, 8)
    previous = ""
    statements = []
    for row in list(ten.raw()):
        if row[0] < 6:
            previous = row[13]
            continue
        text = json.dumps({"text": "forged"})
        previous = link(previous, (*row[:11], hash_payload(text)))
        statements.append(
            f"UPDATE events SET payload = '{text}', payload_hash = '{hash_payload(text)}', "
            f"hash = '{previous}' WHERE seq = {row[0]}"
        )
    forge(*statements)
    assert found(ten) == (None, None)
    assert found(ten, known) == (8, "it is not the event that was anchored here")


def test_two_anchors_of_one_event_can_not_both_be_right(ten: EventLog) -> None:
    known = [*anchors(ten, 5), Anchor(5, "f" * 64)]
    assert found(ten, known) == (5, "it is not the event that was anchored here")


def test_anchors_of_other_ledgers_are_counted_and_no_fault(ten: EventLog) -> None:
    other = Anchor(5, "f" * 64, ledger="e" * 64)
    result = verify(ten.raw(), [*anchors(ten, 5), other])
    assert (result.valid, result.anchors, result.foreign) == (True, 1, 1)
    assert verify([], [other]).valid


def test_a_blanked_payload_with_its_record_is_no_fault(ten: EventLog, draft: Drafts) -> None:
    ten.blank(4, draft.redaction(4))
    assert verify(ten.raw()) == Verification(11, 1, ten.head().hash)


def test_a_payload_that_is_put_back_is_checked(ten: EventLog, draft: Drafts, forge: Forger) -> None:
    ten.blank(4, draft.redaction(4))
    forge('UPDATE events SET payload = \'{"text":"other"}\' WHERE seq = 4')
    assert found(ten) == (4, "its payload was edited")


def test_a_malformed_record_of_blanking_explains_nothing(
    ten: EventLog, draft: Drafts, forge: Forger
) -> None:
    ten.append([draft("PayloadRedacted", seq=[4]), draft("PayloadRedacted")])
    assert found(ten) == (None, None)
    forge("UPDATE events SET payload = NULL WHERE seq = 4")
    assert found(ten) == (4, "its payload is missing without a record of redaction")
