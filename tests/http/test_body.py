"""JSON is taken only where every reader finds the same in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.http.body import DEEPEST, refuse_json

whole = st.integers(-(2**63) + 1, 2**63 - 1)
plain = st.none() | st.booleans() | whole | st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(exclude_categories=["Cs"]))
values: st.SearchStrategy[Any] = st.recursive(
    plain | text, lambda part: st.lists(part) | st.dictionaries(text, part), max_leaves=20
)


@given(values, st.booleans())
def test_plain_data_is_taken(value: Any, ascii_only: bool) -> None:
    assert refuse_json(json.dumps(value, ensure_ascii=ascii_only).encode()) is None


@given(st.binary(max_size=60))
def test_any_bytes_are_taken_or_refused_in_words(data: bytes) -> None:
    refusal = refuse_json(data)
    if refusal is None:
        json.dumps(json.loads(data), allow_nan=False, ensure_ascii=False).encode("utf-8")
    else:
        assert (refusal.status, refusal.code) == (400, "bad_json")
        assert len(refusal.what) < 150


def nested(depth: int) -> bytes:
    return b"[" * depth + b"1" + b"]" * depth


def test_depth_has_a_limit() -> None:
    assert refuse_json(nested(DEEPEST)) is None
    for depth in (DEEPEST + 1, 800, 900, 1_000, 5_000, 500_000):
        refusal = refuse_json(nested(depth))
        assert refusal is not None
        assert refusal.what.endswith("nested too deeply")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"a": 1, "a": 1}', "a key is listed twice"),
        (b'[{"b": {"a": 1, "\\u0061": 2}}]', "a key is listed twice"),
        (b"[9223372036854775808]", "a number is too large"),
        (b"[-9223372036854775809]", "a number is too large"),
        (b"[1e400]", "a number is too large"),
        (b"[0." + b"1" * 70 + b"]", "a number is too large"),
        (b"[NaN]", "NaN is not a number"),
        (b"[-Infinity]", "-Infinity is not a number"),
        (rb'["\ud83d"]', "a text contains an unpaired surrogate"),
        (rb'{"\ude00": 1}', "a text contains an unpaired surrogate"),
        (b'"\xc3\x28"', "it is not UTF-8"),
        (b"[1,]", "Expecting value at line 1 column 4"),
    ],
)
def test_the_reason_is_told(data: bytes, why: str) -> None:
    refusal = refuse_json(data)
    assert refusal is not None
    assert refusal.what == f"the body can't be read as JSON: {why}"


def test_a_whole_character_of_two_halves_is_one() -> None:
    assert refuse_json(rb'["\ud83d\ude00"]') is None
