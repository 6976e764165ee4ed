"""Rules of two clauses against decisions as agents log them: long, with their reasons."""

from __future__ import annotations

import pytest
from tests.rules.conftest import blocked

from dmm.rules.language.compile import compile_rule
from dmm.rules.language.rules import Prohibition


def forbidden_by(text: str) -> list[str]:
    rule = compile_rule(text).rule
    assert rule is not None
    return [one.action.text for one in rule.parts if isinstance(one, Prohibition)]


@pytest.mark.parametrize(
    ("text", "act"),
    [
        (
            "Do not introduce MongoDB: all data lives in Postgres.",
            "introduce mongodb",
        ),
        (
            "Never touch files under gen/ by hand, change the template and run make.",
            "touch files under gen / manually",
        ),
        (
            "Never commit secrets, not even in example files.",
            "commit secrets",
        ),
    ],
)
def test_what_is_said_beside_a_prohibition_is_no_part_of_it(text: str, act: str) -> None:
    assert forbidden_by(text) == [act]


def test_a_prohibition_behind_another_statement_stands_for_itself() -> None:
    assert forbidden_by("Use date-fns for date handling, don't add moment.") == ["add moment"]


def test_each_verb_of_a_list_stays_forbidden() -> None:
    rule = "Never rename, move or delete the audit files."
    assert blocked(rule, "Delete the audit files of last year, since the disk is full.")


def test_a_deploy_on_a_day_is_found_without_a_preposition_and_with_the_verb_parted() -> None:
    rule = "No production deploys on Fridays."
    assert blocked(rule, "Roll the search out to production this Friday afternoon.")
    assert not blocked(rule, "Roll the search out to production this Thursday afternoon.")


def test_a_claim_about_another_scope_in_a_reason_breaks_nothing() -> None:
    rule = "Every change to checkout must ship behind a LaunchDarkly flag."
    assert blocked(rule, "Released the address form in checkout without a flag.")
    assert not blocked(
        rule, "Recoloured the menu, without a flag since it is not part of checkout."
    )
