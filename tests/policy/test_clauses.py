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
        ("There is no reason not to use eval", "use", Polarity.DONE),
        ("There is no reason to use eval", "use", Polarity.NOT_DONE),
        ("The jobs from May use eval", "use", Polarity.DONE),
        ("Port the scripts written in eval", "write", Polarity.ASIDE),
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


def objects_of(text: str, verb: str) -> list[list[str]]:
    reading, act = act_of(text, verb)
    return [[reading.tokens[index].text for index in phrase.indices] for phrase in act.objects()]


@pytest.mark.parametrize(
    ("text", "verb", "objects"),
    [
        ("The records of old users will be deleted", "delete", [["records"]]),
        ("Give the intern the key", "give", [["intern"], ["key"]]),
        ("The widget polls the service", "poll", [["service"]]),
        ("The door sticks, so replace it", "replace", [["door"]]),
        ("Turn the alarm off today", "disable", [["alarm"]]),
        ("Take the check out of the flow", "remove", [["check"]]),
        ("Sessions get cached in memory", "cache", [["sessions"]]),
    ],
)
def test_an_act_has_its_object_wherever_it_stands(
    text: str, verb: str, objects: list[list[str]]
) -> None:
    assert objects_of(text, verb) == objects


def test_a_scope_in_front_belongs_to_every_act_of_its_sentence() -> None:
    reading, act = act_of("In the importer, we cache the rates", "cache")
    scopes = {
        phrase.preposition: [reading.tokens[index].text for index in phrase.indices]
        for phrase in act.phrases
        if phrase.preposition not in (None, "subject")
    }
    assert scopes == {"in": ["importer"]}


def test_two_acts_under_one_verb_are_kept_apart() -> None:
    reading = read("Store the logs in Loki and the images on S3")
    told = [
        [reading.tokens[index].text for phrase in act.phrases for index in phrase.indices]
        for act in reading.acts
        if not act.derived
    ]
    assert told == [["logs", "loki"], ["images", "s3"]]


def test_a_setting_that_turns_a_check_off_is_an_act_against_the_check() -> None:
    reading = read("Call the partner with verify=False")
    assert any("disable" in act.forms for act in reading.acts)
    assert not any("disable" in act.forms for act in read("Remove verify=False").acts)


def words_of(text: str, verb: str, preposition: str | None) -> list[str]:
    reading, act = act_of(text, verb)
    return [
        " ".join(reading.tokens[index].text for index in phrase.indices)
        for phrase in act.phrases
        if phrase.preposition == preposition
    ]


def test_a_place_named_before_holds_for_a_bare_in() -> None:
    assert words_of("Take figs out of the mix and put nuts in", "put", "in") == ["mix"]


def test_what_a_clause_tells_of_a_thing_holds_for_the_act_on_it() -> None:
    assert words_of("Book an airline that is on the list", "book", "on") == ["list"]
    assert words_of("Book an airline that is not on the list", "book", "on") == []


def test_a_pronoun_after_a_verb_stands_for_what_was_named() -> None:
    text = "Think about migrations, so the app runs them automatically"
    assert words_of(text, "run", None)[0] == "migrations"


def test_the_one_who_is_allowed_to_act_is_the_subject() -> None:
    assert words_of("Allow the courier to park in the yard", "park", "subject") == ["courier"]


def test_a_possessive_is_no_subject_of_a_verb() -> None:
    assert words_of("Post everyone's salaries in the chat", "post", None) == ["salaries"]


def test_a_noun_that_only_tells_which_thing_is_no_verb() -> None:
    forms = [act.forms for act in read("Smoke detectors are checked weekly").acts]
    assert not any("smoke" in one for one in forms)
