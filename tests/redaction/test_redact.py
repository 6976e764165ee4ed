"""Redaction as a whole: private passages, markers, layers of escapes, time."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.redaction.layers import layers_of
from dmm.redaction.redact import redact, redact_value


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a [redacted:private] c"),
        ("a <PRIVATE>b</Private> c", "a [redacted:private] c"),
        ("a < private reason='x' >b< / private > c", "a [redacted:private] c"),
        ("a <private>b <private>c</private> d</private> e", "a [redacted:private] e"),
        ("a <private>b\nc", "a [redacted:private]"),
        ("a <private>b <private>c</private> d", "a [redacted:private]"),
        ("a <private/> b", "a [redacted:private] b"),
        ("a </private> b", "a </private> b"),
        ("a \\u003cprivate\\u003eb\\u003c/private\\u003e c", "a [redacted:private] c"),
        ("a &lt;private&gt;b&lt;/private&gt; c", "a [redacted:private] c"),
        ("<private>a</private> b <private>c</private>", "[redacted:private] b [redacted:private]"),
    ],
)
def test_a_private_passage_is_taken_out(text: str, left: str) -> None:
    assert redact(text).text == left


def test_a_private_passage_hides_what_else_is_in_it() -> None:
    cleaned = redact("a <private>password=hunter2 and AKIA" + "QX4BZ7WLTN2VKD5R</private> b")

    assert cleaned.text == "a [redacted:private] b"
    assert cleaned.counts == {"private": 1}


def test_a_marker_tells_the_kind_and_nothing_else() -> None:
    first, second = redact("password=hunter2"), redact("password=opensesame9")

    assert first.text == second.text == "password=[redacted:password]"


def test_every_secret_is_counted() -> None:
    token = "ghp_" + "k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq"
    cleaned = redact(f"{token} and {token}, password=hunter2, curl -u a:opensesame http://x")

    assert cleaned.counts == {"github-token": 2, "password": 2}


def test_the_notation_around_a_secret_stays_readable() -> None:
    text = '{"user": "me", "password": "hunter2", "port": 5432}'

    assert json.loads(redact(text).text) == {
        "user": "me", "password": "[redacted:password]", "port": 5432,
    }  # fmt: skip


def test_layers_lead_back_to_the_original() -> None:
    text = 'x \\"a\\\\u0041b\\" %41%42 \x1b[31mred\x1b[0m &quot;y&quot;'
    layers = list(layers_of(text))

    assert layers[0].text == text
    assert layers[-1].text == 'x "aAb" AB red "y"'
    start = layers[-1].text.index("AB")
    assert text[layers[-1].origin(start) : layers[-1].origin(start + 2)] == "%41%42"


@settings(max_examples=many(300), deadline=None)
@given(
    st.text(alphabet=st.sampled_from(list("ab\\u0041n%25&amp;\"'\x1b[31m\n <>=:@/-")), max_size=80)
)
def test_places_of_every_layer_stay_inside_the_text_and_in_order(text: str) -> None:
    for layer in layers_of(text):
        places = [layer.origin(place) for place in range(len(layer.text) + 1)]
        assert places == sorted(places)
        assert 0 <= places[0] <= places[-1] == len(text)


@settings(max_examples=many(500), deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_redacted_twice(text: str) -> None:
    once = redact(text).text

    assert redact(once).text == once


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=many(200), deadline=None)
@given(VALUES)
def test_plain_data_keeps_its_shape(value: object) -> None:
    cleaned, counts = redact_value(value)

    assert counts or cleaned == value
    assert json.loads(json.dumps(cleaned)) == cleaned


def test_names_that_become_the_same_are_kept_apart() -> None:
    one, two = "AKIA" + "QX4BZ7WLTN2VKD5R", "AKIA" + "QX4BZ7WLTN2VKD5S"

    assert redact_value({one: 1, two: 2})[0] == {"[redacted:aws-key]": 1, "[redacted:aws-key]'": 2}


def test_data_nested_too_deep_is_left_out() -> None:
    value: object = "password=hunter2"
    for _ in range(100):
        value = [value]

    assert "hunter2" not in json.dumps(redact_value(value)[0])


@pytest.mark.repeats
def test_a_million_signs_are_redacted() -> None:
    text = ('a line of plain text, and one with \\n and "quotes"\n' * 21_000)[:1_000_000]
    secret = "hunter2!x"

    cleaned = redact(f"{text}\npassword={secret}\n{text}").text
    assert secret not in cleaned
    assert len(cleaned) > 1_999_000
