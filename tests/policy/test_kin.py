"""Word families and rivals."""

from __future__ import annotations

import pytest

from dmm.policy.kin import kin_of
from dmm.policy.language import tokens_of
from dmm.policy.rivals import contraries_of, rival_names


@pytest.mark.parametrize(
    ("word", "kin"),
    [
        ("encrypt", "encryption"),
        ("encryption", "encrypt"),
        ("reversible", "reversed"),
        ("retain", "retention"),
        ("verification", "verify"),
        ("approve", "approval"),
        ("maintenance", "maintained"),
        ("accessibility", "accessible"),
    ],
)
def test_a_word_stands_for_its_family(word: str, kin: str) -> None:
    assert tokens_of(kin)[0].stands_for(kin_of(tokens_of(word)[0].forms))


@pytest.mark.parametrize(
    ("word", "other"), [("test", "text"), ("log", "login"), ("port", "report")]
)
def test_words_that_only_look_alike_are_no_kin(word: str, other: str) -> None:
    assert not tokens_of(other)[0].stands_for(kin_of(tokens_of(word)[0].forms))


def test_rivals_do_the_same_job_and_no_other() -> None:
    assert "mysql" in rival_names(frozenset(("postgresql",)))
    assert "us-east-1" in rival_names(frozenset(("eu-west-1",)))
    assert "pacific time" in rival_names(frozenset(("utc",)))
    assert "mysql" not in rival_names(frozenset(("redis",)))
    assert rival_names(frozenset(("blueprint",))) == frozenset()


def test_a_contrary_is_listed_or_made_by_a_prefix() -> None:
    assert {"irreversible", "unreversible"} <= contraries_of(frozenset(("reversible",)))
    assert "anonymous" in contraries_of(frozenset(("authentication",)))
    assert "root" in contraries_of(frozenset(("nonroot",)))
    assert "signed" not in contraries_of(frozenset(("signed",)))
