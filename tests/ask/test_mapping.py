"""Questions find their profile, and the grounds are told."""

from __future__ import annotations

import datetime as dt

import pytest

from dmm.ask.mapping import Decision, map_question
from dmm.ask.profiles import BUILT_IN, NONE, make_profiles
from dmm.ask.question import read_question
from dmm.ask.sections import NEEDS, SECTIONS, Section
from dmm.config import AskProfile, AskRatios
from dmm.domain.plain import to_plain
from dmm.errors import ConfigError, UsageError

DAY = dt.date(2026, 11, 15)
PROFILES = make_profiles({})


def decide(text: str, **more: object) -> Decision:
    return map_question(read_question(text, DAY), PROFILES, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("Where do I start in this repository?", "onboarding"),
        ("Give me an overview of this codebase", "onboarding"),
        ("I am new to the project, what are the entry points?", "onboarding"),
        ("Why does the checkout test fail at midnight?", "debugging"),
        ("KeyError: 'cart' when I pay", "debugging"),
        ("The importer crashes with a stack trace", "debugging"),
        ("How do I add a payment provider?", "implementation"),
        ("Implement retries for the mailer", "implementation"),
        ("Refactor the price module", "implementation"),
        ("Please review my changes to the cart", "review"),
        ("Is this pull request safe to merge?", "review"),
        ("How is the architecture structured into layers?", "architecture"),
        ("What is the data flow between the components?", "architecture"),
        ("What did we do yesterday?", "daily_brief"),
        ("Catch me up on last week", "daily_brief"),
        ("What did we do about retries?", "daily_brief"),
        ("decisions between 2026-01-01 and 2026-01-31", "daily_brief"),
        ("How are passwords stored?", "general"),
    ],
)
def test_rules_choose_the_profile(text: str, profile: str) -> None:
    found = decide(text)
    assert found.profile.name == profile
    assert found.source == "rules"


def test_the_decision_tells_its_grounds() -> None:
    assert to_plain(decide("Where do I start? An overview, please")) == {
        "profile": "onboarding",
        "source": "rules",
        "reason": "most words: where do i start, overview",
        "scores": {"onboarding": 8},
        "matched": {"onboarding": ["where do i start", "overview"]},
    }
    assert decide("How are passwords stored?").reason == "no words of any profile"


def test_a_named_profile_counts_and_a_wrong_name_is_refused() -> None:
    assert decide("Where do I start?", override="review").source == "override"
    with pytest.raises(UsageError, match="no profile 'tour'") as error:
        decide("Where do I start?", override="tour")
    assert error.value.hint is not None
    assert "onboarding, debugging" in error.value.hint


def test_without_any_sign_the_default_counts() -> None:
    assert (
        decide("How are passwords stored?", default="architecture").profile.name == "architecture"
    )


def test_a_model_is_asked_only_where_the_rules_can_not_decide() -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def choose(text: str, names: tuple[str, ...]) -> str | None:
        asked.append((text, names))
        return names[-1]

    assert decide("Where do I start?", choose=choose).source == "rules"
    assert asked == []
    tie = decide("review the design", choose=choose)
    assert (tie.source, tie.profile.name) == ("model", "architecture")
    assert asked == [("review the design", ("review", "architecture"))]
    none = decide("How are passwords stored?", choose=choose)
    assert (none.source, none.profile.name) == ("model", "general")
    silent = decide("review the design", choose=lambda _text, _names: None)
    assert (silent.source, silent.profile.name) == ("rules", "review")
    lying = decide("review the design", choose=lambda _text, _names: "onboarding")
    assert (lying.source, lying.profile.name) == ("rules", "review")


def test_settings_add_profiles_and_change_those_that_are_there() -> None:
    profiles = make_profiles(
        {
            "release": AskProfile(keywords=("Release", "ship it"), sections=("tests",)),
            "onboarding": AskProfile(ratios=AskRatios(0.5, 0.0, 0.5), needs=("persistence",)),
            "review": AskProfile(sections=(NONE,)),
        }
    )
    assert list(profiles) == [*(one.name for one in BUILT_IN), "release"]
    assert profiles["release"].ratios == AskRatios(0.35, 0.30, 0.35)
    assert profiles["release"].sections == (Section.TESTS,)
    assert profiles["onboarding"].ratios == AskRatios(0.5, 0.0, 0.5)
    assert [str(one) for one in profiles["onboarding"].needs] == ["persistence"]
    assert profiles["onboarding"].sections == SECTIONS
    assert profiles["review"].sections == ()
    found = map_question(read_question("is it time to release?", DAY), profiles)
    assert found.profile.name == "release"


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("a b", AskProfile(), "ask.profiles.a b: invalid profile name"),
        ("x", AskProfile(sections=("taste",)), "ask.profiles.x.sections: there is no 'taste'"),
        ("x", AskProfile(needs=("tests",)), "ask.profiles.x.needs: there is no 'tests'"),
        (
            "x",
            AskProfile(ratios=AskRatios(0.9, 0.9, 0.0)),
            "ask.profiles.x.ratios: the shares add up to 1.8",
        ),
    ],
)
def test_wrong_settings_are_named(name: str, given: AskProfile, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_profiles({name: given})
    assert str(error.value) == message


def test_the_shares_of_the_built_in_profiles_are_whole() -> None:
    for one in BUILT_IN:
        assert one.ratios.memory + one.ratios.sessions + one.ratios.code == pytest.approx(1.0)
    assert [one.name for one in BUILT_IN if one.needs == NEEDS] == ["onboarding"]
