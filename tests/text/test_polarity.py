"""What denies in a sentence of a rule."""

from __future__ import annotations

import pytest

from dmm.rules.english import compile_sentence
from dmm.rules.language.compile import compile_rule
from dmm.text.polarity import after_denial


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


@pytest.mark.parametrize("lead", ["Never", "Do not", "You must not", "Don't"])
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
