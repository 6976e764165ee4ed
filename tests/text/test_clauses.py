"""How decisions are read into acts."""

from __future__ import annotations

import pytest

from dmm.text.acts import Act, Polarity
from dmm.text.clauses import Reading, read


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
        ("The firewall is slow, so disable it", "disable", [["firewall"]]),
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
    ]
    assert told == [["logs", "loki"], ["images", "s3"]]


def test_a_setting_that_turns_a_check_off_is_an_act_against_the_check() -> None:
    acts = read("Call the partner with verify=False").acts
    assert any("disable" in act.forms and act.polarity is Polarity.DONE for act in acts)


def words_of(text: str, verb: str, preposition: str | None) -> list[str]:
    reading, act = act_of(text, verb)
    return [
        " ".join(reading.tokens[index].text for index in phrase.indices)
        for phrase in act.phrases
        if phrase.preposition == preposition
    ]


def test_a_possessive_is_no_subject_of_a_verb() -> None:
    assert words_of("Post everyone's salaries in the chat", "post", None) == ["salaries"]


def test_a_noun_that_only_tells_which_thing_is_no_verb() -> None:
    forms = [act.forms for act in read("Smoke detectors are checked weekly").acts]
    assert not any("smoke" in one for one in forms)
