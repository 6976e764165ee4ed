"""When statements hold, and whether two periods meet."""

from __future__ import annotations

import pytest

from dmm.conflicts.periods import ALWAYS, are_apart, period_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Until March 2025 we use Nomad.", "From April 2025 we use Kubernetes."),
        ("Until March 2024 we used Auth0.", "Since March 2024 we use Keycloak."),
        ("Before release 4.0 it read XML.", "It reads JSON as of release 4.0."),
        ("In Q1 2025 the limit is 5.", "In Q3 2025 the limit is 9."),
        ("Until the cluster is up, run 2.", "Once the cluster is up, run 10."),
        ("During the freeze nothing ships.", "We ship every day."),
        ("For now the check is off.", "The check is on."),
    ],
)
def test_periods_that_do_not_meet_are_apart(one: str, other: str) -> None:
    assert are_apart(period_of(one), period_of(other))
    assert are_apart(period_of(other), period_of(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We ship every day.", "We ship on Mondays."),
        ("No deploys between 15 December and 2 January.", "We deploy on 20 December 2025."),
        ("Run the tests before you merge.", "Merge after the review."),
    ],
)
def test_periods_that_meet_are_not_apart(one: str, other: str) -> None:
    assert not are_apart(period_of(one), period_of(other))


def test_a_sentence_without_a_time_holds_always() -> None:
    assert period_of("We use Redis in the shop for sessions.") == ALWAYS
