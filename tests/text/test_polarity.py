"""What denies, chooses and orders in a sentence of a rule."""

from __future__ import annotations

import pytest

from dmm.rules.english import compile_sentence
from dmm.rules.language.compile import compile_rule
from dmm.text.polarity import after_denial, find_choice, find_order


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("never push", "push"),
        ("do not push", "push"),
        ("must never push", "push"),
        ("don't push", "push"),
        ("refrain from pushing", "pushing"),
        ("stop pushing", "pushing"),
        ("under no circumstances push", "push"),
        ("not allowed to push", "push"),
        ("don't try to push", "push"),
        ("never attempt to push", "push"),
        ("are not going to push", "push"),
        ("decided not to push", "push"),
    ],
)
def test_what_is_denied_begins_behind_the_denial(text: str, denied: str) -> None:
    words = text.split()
    after = after_denial(words, 0)
    assert after is not None
    assert words[after] == denied


@pytest.mark.parametrize("text", ["push to main", "may push", "under some rules", "not now"])
def test_where_nothing_is_denied_there_is_no_such_place(text: str) -> None:
    assert after_denial(text.split(), 0) is None


@pytest.mark.parametrize("lead", ["Never", "Do not", "You must not", "Don't", "Don't try to"])
def test_decisions_and_calls_are_held_to_the_same_denial(lead: str) -> None:
    sentence = f"{lead} push to main."
    assert compile_rule(sentence).rule is not None
    assert compile_sentence(sentence).fields is not None


def test_what_is_not_forbidden_is_no_rule() -> None:
    for said in ("Rebasing is not forbidden.", "Force pushes are not prohibited."):
        assert compile_rule(said).rule is None
        assert compile_sentence(said).fields is None
    assert compile_rule("Force pushes are prohibited.").rule is not None
    assert compile_sentence("Force pushes are prohibited.").fields is not None


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("use axios instead of fetch", "fetch"),
        ("use axios rather than fetch", "fetch"),
        ("use axios in place of fetch", "fetch"),
        ("use axios , not fetch", "fetch"),
        ("` never `", "`"),
        ("prefer axios over fetch", "fetch"),
        ("prefer to use axios over fetch", "fetch"),
        ("prefer axios to fetch", "fetch"),
        ("choose axios over fetch", "fetch"),
    ],
)
def test_a_choice_turns_down_what_stands_behind_its_turn(text: str, other: str) -> None:
    words = text.split()
    turn = find_choice(words)
    assert turn is not None
    assert words[turn[1] :] == [other]


@pytest.mark.parametrize(
    "text", ["send it over http", "prefer axios to parse json", "do not push", "use axios", ""]
)
def test_what_names_no_two_things_is_no_choice(text: str) -> None:
    assert find_choice(text.split()) is None


@pytest.mark.parametrize("text", ["run lint before pushing", "before pushing , run lint"])
def test_an_order_is_read_from_both_sides(text: str) -> None:
    words = text.split()
    order = find_order(words)
    assert order is not None
    assert words[order[0]] == ["run", "lint"]
    assert words[order[1]] == ["pushing"]


@pytest.mark.parametrize(
    "said",
    ["Use `rg` instead of `grep`", "Prefer `rg` over `grep`", "Prefer to use `rg` over `grep`"],
)
def test_decisions_and_calls_are_held_to_the_same_choice(said: str) -> None:
    found = compile_rule(said)
    assert found.blocks == "Use grep"
    fields = compile_sentence(said).fields
    assert fields is not None
    assert fields["match"] == [{"command": "grep"}]
