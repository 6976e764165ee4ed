"""Canonical JSON, made quickly: the same bytes and the same refusals as the plain way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import EventType, Trust, canonical
from dmm.eventlog import encoding
from dmm.eventlog.encoding import encode

PLAIN = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
FINITE = PLAIN.filter(lambda one: one not in (float("inf"), float("-inf")))
DATA = st.recursive(
    FINITE,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(), inner)
        | st.dictionaries(st.integers() | st.booleans(), inner)
    ),
)


@given(DATA)
def test_any_data_is_written_in_the_one_form(value: Any) -> None:
    assert encode(value) == canonical(value)


def test_names_of_kinds_are_written_as_texts() -> None:
    value = {"type": EventType.TOOL_USED, "trust": Trust.USER, "text": "ü\u2028\ud800\0"}
    assert encode(value) == canonical(value)


def circle() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def depth() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [{1, 2}, {"x": object()}, {"x": 1, 2: "y"}, {(1,): 2}, float("nan"), circle(), depth()],
    ids=["set", "object", "mixed keys", "tuple as key", "nan", "circle", "depth"],
)
def test_what_is_no_plain_data_is_refused_in_the_same_words(value: Any) -> None:
    with pytest.raises((TypeError, ValueError, RecursionError)) as wanted:
        canonical(value)
    for _ in range(2):
        with pytest.raises(wanted.type) as raised:
            encode(value)
        assert str(raised.value) == str(wanted.value)


@pytest.mark.parametrize("made", [None, lambda _one: None], ids=["none", "another form"])
def test_an_encoder_that_json_does_not_make_is_done_without(
    monkeypatch: pytest.MonkeyPatch, made: object
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("json.encoder.c_make_encoder", made)
        assert encoding._make_encoder() is None
    monkeypatch.setattr(encoding, "_ENCODE", None)
    assert encode({"b": 1, "a": "é"}) == '{"a":"\\u00e9","b":1}'
