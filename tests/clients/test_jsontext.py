"""JSON edited in place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.clients import jsontext

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(max_size=5).filter(lambda key: key != "ours"), VALUES)
LISTS = st.dictionaries(
    st.text(max_size=5), st.lists(VALUES, min_size=1, max_size=3), min_size=1, max_size=3
)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


@given(DOCUMENTS, INDENTS, VALUES)
def test_what_is_put_in_can_be_taken_out_without_a_trace(
    document: dict[str, object], indent: int | str | None, value: object
) -> None:
    text = json.dumps(document, indent=indent) + "\n"
    added = jsontext.put(text, ("ours", "entry"), value)
    assert jsontext.read(added) == json.loads(added) == document | {"ours": {"entry": value}}
    assert jsontext.drop(added, ("ours",)) == text


@given(LISTS, INDENTS)
def test_an_item_joins_the_others_and_leaves_them_again(
    document: dict[str, list[object]], indent: int | str | None
) -> None:
    text = json.dumps(document, indent=indent)
    for key, items in document.items():
        added = jsontext.append(text, (key,), {"ours": 1})
        assert json.loads(added) == document | {key: [*items, {"ours": 1}]}
        assert jsontext.drop(added, (key, len(items))) == text


@given(DOCUMENTS.filter(bool), INDENTS)
def test_any_member_can_be_taken_out(document: dict[str, object], indent: int | str | None) -> None:
    text = json.dumps(document, indent=indent)
    for key in document:
        left = {other: value for other, value in document.items() if other != key}
        assert json.loads(jsontext.drop(text, (key,))) == left


COMMENTED = """\
// Mine, written by hand.
{
    "theme": "dark", // not light
    /* servers */
    "servers": {
        "other": {"command": "x"}, // stays
    },
}
"""


def test_comments_and_trailing_commas_stay_where_they_are() -> None:
    added = jsontext.put(COMMENTED, ("servers", "dmm"), {"command": "y"})
    assert added == COMMENTED.replace(
        "// stays\n", '// stays\n        "dmm": {\n            "command": "y"\n        },\n'
    )
    assert jsontext.drop(added, ("servers", "dmm")) == COMMENTED


def test_a_member_after_a_commented_one_leaves_the_comment_in_its_line() -> None:
    text = '{\n  "a": 1 // one\n}\n'
    added = jsontext.put(text, ("b",), 2)
    assert added == '{\n  "a": 1, // one\n  "b": 2\n}\n'
    assert jsontext.drop(added, ("b",)) == text


def test_line_ends_of_windows_are_kept() -> None:
    text = '{\r\n  "a": {}\r\n}\r\n'
    added = jsontext.put(text, ("b", "c"), 1)
    assert added == '{\r\n  "a": {},\r\n  "b": {\r\n    "c": 1\r\n  }\r\n}\r\n'
    assert jsontext.drop(added, ("b",)) == text


def test_a_value_that_is_there_is_replaced_in_its_place() -> None:
    text = '{\n  "a": {"old": [1, 2]},\n  "b": 2\n}\n'
    assert jsontext.put(text, ("a",), {"new": 1}) == (
        '{\n  "a": {\n    "new": 1\n  },\n  "b": 2\n}\n'
    )
    assert jsontext.put('{"a": 1, "b": 2}', ("a",), [3]) == '{"a": [3], "b": 2}'


def test_an_empty_file_becomes_an_object() -> None:
    assert jsontext.put("", ("a",), 1) == '{\n  "a": 1\n}\n'
    assert jsontext.append(" \n", ("a",), 1) == '{\n  "a": [\n    1\n  ]\n}\n'
    assert jsontext.read("") == {}


def test_what_is_not_there_is_not_taken_out() -> None:
    assert jsontext.drop('{"a": 1}', ("b",)) == '{"a": 1}'
    assert jsontext.drop('{"a": 1}', ("b", "c")) == '{"a": 1}'
    assert jsontext.look('{"a": [1]}', ("a", 1)) is None
    assert jsontext.look('{"a": [1]}', ("a", "b")) is None
    assert jsontext.look('{"a": [1]}', ("a", 0)) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{\n"a" 1}', "line 2: a colon is missing"),
        ('{"a": 1 "b": 2}', "line 1: a comma is missing"),
        ("{a: 1}", "line 1: a key is missing"),
        ('{"a": 1, "a": 2}', "line 1: a key occurs twice"),
        ('{"a": }', "line 1: a value is missing or broken"),
        ('{"a": nope}', "line 1: 'nope' is not a value"),
        ('{"a": 1', "line 1: a comma is missing"),
        ('{"a": 1} x', "line 1: something follows the end"),
        ("[" * 200, "line 1: it is nested too deeply"),
        ("/* open", "line 1: a value is missing or broken"),
    ],
)
def test_a_broken_text_is_refused_with_its_line(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault.replace(".", r"\.")):
        jsontext.read(text)


def test_a_value_of_another_kind_is_not_written_over() -> None:
    with pytest.raises(ValueError, match="servers is not an object"):
        jsontext.put('{"servers": []}', ("servers", "dmm"), {})
    with pytest.raises(ValueError, match="hooks is not a list"):
        jsontext.append('{"hooks": {}}', ("hooks",), {})
    with pytest.raises(ValueError, match="its content is not an object"):
        jsontext.put("[]", ("a",), 1)
