"""Constraints in many wordings, and amounts in words.

The table holds set phrases that the policy does not read: most become guidance. It is kept as a
measure of false blocks.
"""

from __future__ import annotations

import pytest
from tests.rules.conftest import blocked

from dmm.rules.language.compile import compile_rule
from dmm.rules.language.rules import Limit, Prohibition
from dmm.text.clauses import read


@pytest.mark.parametrize(
    ("wording", "plain"),
    [
        ("MongoDB is prohibited", "Avoid MongoDB"),
        ("Peanuts are not allowed in the bars", "No peanuts in the bars"),
        ("Nobody may feed the animals", "Do not feed the animals"),
    ],
)
def test_a_wording_forbids_what_its_plain_form_forbids(wording: str, plain: str) -> None:
    first, second = compile_rule(wording).rule, compile_rule(plain).rule
    assert first is not None
    assert second is not None
    acts = [
        [part.action for part in one.parts if isinstance(part, Prohibition)]
        for one in (first, second)
    ]
    assert [(a.objects, a.conditions) for a in acts[0]] == [
        (a.objects, a.conditions) for a in acts[1]
    ]


def test_a_range_is_two_limits() -> None:
    rule = compile_rule("Store the vaccine between 2 and 8 °C").rule
    assert rule is not None
    bounds = [(part.comparison, part.value) for part in rule.parts if isinstance(part, Limit)]
    assert bounds == [("<=", "8"), (">=", "2")]


def test_the_lower_end_of_a_range_takes_the_unit_of_the_upper_one() -> None:
    rule = compile_rule("Keep file sizes between 2 and 8 MB").rule
    assert rule is not None
    assert [part.value for part in rule.parts if isinstance(part, Limit)] == ["8000000", "2000000"]


@pytest.mark.parametrize(
    ("text", "value", "measure"),
    [
        ("a dozen people", "12", "count"),
        ("two dozen eggs", "24", "count"),
        ("more than an hour", "3600", "time"),
        ("7.5 tonnes", "7500000", "weight"),
    ],
)
def test_amounts_in_other_words_are_read(text: str, value: str, measure: str) -> None:
    (quantity,) = read(text).quantities
    assert (f"{quantity.value.normalize():f}", quantity.measure) == (value, measure)


def test_fahrenheit_is_not_taken_for_celsius() -> None:
    assert not blocked("Keep the fridge between 2 and 8 °C", "Set the fridge to 40 °F")


def test_a_comma_behind_a_year_ends_the_phrase() -> None:
    rule = "Our auditor remains Hartwell through 2025"
    assert blocked(rule, "For fiscal 2025, appoint Dunmore as auditor in place of Hartwell")


def test_what_is_told_of_one_thing_is_no_rule_against_changing_it() -> None:
    assert compile_rule("The report is not signed").rule is None


def test_opening_what_has_to_be_closed_each_time_is_no_breach() -> None:
    assert not blocked("Always close database connections", "Open a database connection at start")


def test_another_thing_of_the_same_sort_is_not_the_one_of_the_rule() -> None:
    rule = "The archive room stays locked"
    assert blocked(rule, "Unlock the archive room for the movers")
    assert not blocked(rule, "Leave the meeting room unlocked for the movers")


def test_whoever_goes_without_what_is_always_used_breaks_the_rule() -> None:
    assert blocked("Always use the company card", "Pay without the company card")
    assert not blocked("Always use the company card", "Check whether Tim paid without the card")


def test_a_scope_of_the_subject_narrows_the_prohibition() -> None:
    rule = "Tickets for the gala may not be given away for free"
    assert blocked(rule, "Give away gala tickets for free")
    assert not blocked(rule, "Give away free tickets for the school concert")
    compiled = compile_rule(rule).rule
    assert compiled is not None
    assert all(isinstance(part, Prohibition) for part in compiled.parts)
