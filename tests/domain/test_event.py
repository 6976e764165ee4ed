"""Events: ids that sort by time, one form of JSON, and the least trusted of some labels."""

from __future__ import annotations

import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Draft, Event, EventType, Trust, canonical, least, new_id

MILLISECONDS = st.integers(0, (1 << 48) - 1)
RANDOMNESS = st.binary(min_size=10, max_size=16)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)  # fmt: skip


def test_an_id_is_a_uuid_of_version_7_that_tells_its_time() -> None:
    text = new_id(0x0123456789AB, bytes(10))
    assert text == "01234567-89ab-7000-8000-000000000000"
    assert new_id(0x0123456789AB, b"\xff" * 10) == "01234567-89ab-7fff-bfff-ffffffffffff"
    assert uuid.UUID(text).version == 7
    assert uuid.UUID(text).variant == uuid.RFC_4122


@given(MILLISECONDS, MILLISECONDS, RANDOMNESS, RANDOMNESS)
def test_ids_sort_as_text_in_the_order_of_their_time(
    one: int, other: int, chance: bytes, more: bytes
) -> None:
    if one != other:
        assert (new_id(one, chance) < new_id(other, more)) == (one < other)


@given(MILLISECONDS, st.binary(min_size=10, max_size=10), st.binary(min_size=10, max_size=10))
def test_an_id_holds_74_bits_of_chance(time: int, chance: bytes, other: bytes) -> None:
    # Six of the eighty bits give way to the version and the variant.
    used = [int.from_bytes(one) & ~(0b111111 << 62) for one in (chance, other)]
    assert (new_id(time, chance) == new_id(time, other)) == (used[0] == used[1])


@pytest.mark.parametrize(("time", "chance"), [(-1, bytes(10)), (1 << 48, bytes(10)), (0, bytes(9))])
def test_an_id_needs_a_time_and_enough_chance(time: int, chance: bytes) -> None:
    with pytest.raises(ValueError, match="48 bits and 10 random bytes"):
        new_id(time, chance)


def test_canonical_json_is_sorted_tight_and_plain_ascii() -> None:
    assert (
        canonical({"b": [1, 2.5, None], "a": "é\ud800"})
        == '{"a":"\\u00e9\\ud800","b":[1,2.5,null]}'
    )


@given(PLAIN)
def test_canonical_json_is_the_same_after_a_reading(value: object) -> None:
    assert canonical(json.loads(canonical(value))) == canonical(value)


def test_canonical_json_has_no_words_for_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


def test_the_least_trusted_label_wins() -> None:
    assert least([Trust.USER, Trust.TOOL, Trust.AGENT]) is Trust.TOOL
    assert least([Trust.REVIEWED]) is Trust.REVIEWED
    assert least([]) is Trust.THIRD_PARTY


def test_a_value_of_a_blanked_payload_is_as_if_absent() -> None:
    draft = Draft("FactAdded", {"key": "a"}, "1", "2026-01-31T00:00:00Z")
    fields = ("1", "FactAdded", 1, draft.at, "user", "cli", "user", None, None, ())
    assert Event(1, *fields, payload=draft.payload).get("key") == "a"
    assert Event(1, *fields, payload=None).get("key", "none") == "none"


def test_the_names_of_events_are_part_of_the_format() -> None:
    assert {str(kind) for kind in EventType} == {
        *("SessionStarted", "SessionEnded", "UserMessageReceived", "ToolRequested", "ToolUsed"),
        *("ContextCompacted", "TurnEnded", "SubagentEnded"),
        *("ToolFailed", "FactAdded", "ConstraintAdded", "ConstraintDeactivated", "DecisionMade"),
        *("DecisionBlocked", "MemoryQueryIssued", "PackServed", "ProposalMade"),
        *("ProposalChecked", "ProposalReviewed", "ProposalApplying", "ProposalApplied"),
        *("ProposalCommitted", "ProposalFailed", "ModelCalled", "UsageReported", "ConflictFound"),
        *("ConflictResolved", "ObservationMade", "MemoryExpired", "PayloadRedacted"),
        *("ConstraintAccepted", "LedgerRestored", "PasskeysNoted", "FilesMerged", "CallAllowed"),
    }
