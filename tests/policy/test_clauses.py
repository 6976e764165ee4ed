"""How decisions are read into acts."""

from __future__ import annotations

import pytest

from dmm.policy.acts import Act, Polarity, Reading
from dmm.policy.clauses import read


def act_of(text: str, verb: str) -> tuple[Reading, Act]:
    reading = read(text)
    for act in reading.acts:
        if verb in act.forms:
            return reading, act
    raise AssertionError(f"no act {verb} in {text}")


@pytest.mark.parametrize(
    ("text", "verb", "polarity"),
    [
        ("Use eval", "use", Polarity.DONE),
        ("We will use eval", "use", Polarity.DONE),
        ("We won't use eval", "use", Polarity.NOT_DONE),
        ("We no longer use eval", "use", Polarity.NOT_DONE),
        ("Avoid using eval", "use", Polarity.NOT_DONE),
        ("Parse it without using eval", "use", Polarity.NOT_DONE),
        ("We decided against using eval", "use", Polarity.NOT_DONE),
        ("Nothing may use eval", "use", Polarity.NOT_DONE),
        ("Do not hesitate to use eval", "use", Polarity.DONE),
        ("Not only use eval but also cache it", "use", Polarity.DONE),
        ("Should we use eval?", "use", Polarity.UNSURE),
        ("We might use eval", "use", Polarity.UNSURE),
        ("If we use eval, warn the user", "use", Polarity.UNSURE),
        ("Keep it because we use eval", "use", Polarity.ASIDE),
        ("Write a test that uses eval", "use", Polarity.ASIDE),
        ("We previously used eval", "use", Polarity.ASIDE),
    ],
)
def test_polarity_follows_negation_doubt_and_role(text: str, verb: str, polarity: Polarity) -> None:
    assert act_of(text, verb)[1].polarity is polarity


@pytest.mark.parametrize(
    ("text", "introduced"),
    [
        ("Replace MD5 with SHA512", "sha512"),
        ("Switch from MD5 to SHA512", "sha512"),
        ("Swap MD5 for SHA512", "sha512"),
        ("Substitute SHA512 for MD5", "sha512"),
        ("Hash the files with SHA512", "sha512"),
        ("Rely on SHA512", "sha512"),
    ],
)
def test_what_another_verb_brings_into_use_is_an_act_of_use(text: str, introduced: str) -> None:
    reading = read(text)
    words = {
        reading.tokens[index].text
        for act in reading.acts
        if act.derived
        for phrase in act.objects()
        for index in phrase.indices
    }
    assert words == {introduced}


def test_the_subject_of_a_passive_is_its_object() -> None:
    reading, act = act_of("The passwords are stored in plain text", "store")
    assert act.passive
    (phrase,) = act.objects()
    assert [reading.tokens[index].text for index in phrase.indices] == ["passwords"]
