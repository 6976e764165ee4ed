"""Constraints in many wordings: each becomes the rule that the plain form of it would be.

The decisions were written before the engine was tried on them, in five groups. At first they gave
recall 0.79, 0.86, 0.79, 0.84 and 1.00, and false blocks 0.00, 0.02, 0.04, 0.00 and 0.06; the last
group is made of hard neighbours on purpose. What they showed was mended, so the figures here are
not those of unseen cases.
"""

from __future__ import annotations

import pytest
from tests.policy.conftest import blocked, read_cases

from dmm.policy.clauses import read
from dmm.policy.compile import compile_rule
from dmm.policy.rules import Limit, Prohibition


def test_most_breaches_of_rules_in_other_wordings_are_blocked() -> None:
    breaches = read_cases("wordings", "BLOCKED")
    caught = [case for case in breaches if blocked(case["constraint"], case["decision"])]
    assert len(breaches) >= 120
    assert len(caught) / len(breaches) >= 0.88


def test_nearly_no_decision_that_keeps_a_rule_in_another_wording_is_blocked() -> None:
    kept = read_cases("wordings", "ALLOWED")
    wrong = [case for case in kept if blocked(case["constraint"], case["decision"])]
    assert len(kept) >= 130
    assert len(wrong) / len(kept) <= 0.01


@pytest.mark.parametrize(
    ("wording", "plain"),
    [
        ("It is forbidden to feed the animals", "Do not feed the animals"),
        ("Steer clear of MongoDB", "Avoid MongoDB"),
        ("There must be no peanuts in the bars", "No peanuts in the bars"),
        ("Keep peanuts out of the bars", "No peanuts in the bars"),
        ("Stick with Vue for the frontend", "Use Vue for the frontend"),
        ("We only hire through the agency", "Only hire through the agency"),
        ("Tabs, not spaces", "Use tabs, not spaces"),
        ("Backward compatibility is a must", "Backward compatibility is required"),
        ("Fire doors are to be kept closed", "Fire doors must stay closed"),
        ("Interns are not allowed to deploy", "Interns must not deploy"),
        ("The use of eval is prohibited", "eval is prohibited"),
        ("Hands off the billing module", "Do not modify the billing module"),
    ],
)
def test_a_wording_compiles_to_the_rule_of_its_plain_form(wording: str, plain: str) -> None:
    rule = compile_rule(wording).rule
    assert rule is not None
    assert rule == compile_rule(plain).rule


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
        ("4 degrees Celsius", "4", "temperature"),
        ("4 °C", "4", "temperature"),
        ("more than an hour", "3600", "time"),
        ("within 2 working days", "172800", "time"),
        ("7.5 tonnes", "7500000", "weight"),
        ("on day 52", "4492800", "day"),
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
