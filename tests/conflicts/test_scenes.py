"""What happens and what does not: a scene is denied by one that says no more than it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.compare import compare
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from tests.conflicts.conftest import Judge, NewReading

LIKENESSES = (0.5, 0.64, 0.7, 0.8, 0.9, 0.97)


@pytest.mark.parametrize(
    ("happens", "denied"),
    [
        ("A crawler is fetching the archive.", "No crawler is fetching the archive."),
        ("The old worker is draining the queue.", "The worker is not draining the queue."),
        ("A team is porting the parser to Rust.", "No team is porting the parser."),
    ],
)
def test_a_denial_of_as_much_or_less_contradicts_what_happens(
    judge: Judge, happens: str, denied: str
) -> None:
    assert judge(happens, denied) is not None
    assert judge(denied, happens) is not None


KINDS = [
    ("A crawler is fetching the archive.", "No crawler is fetching the private archive."),
    ("The worker is draining the queue.", "The worker is not draining the dead-letter queue."),
    (
        "The nightly job is copying customer records to the reporting replica.",
        "The nightly job is not copying encrypted customer records to the reporting replica.",
    ),
]


@pytest.mark.parametrize(("happens", "denied"), KINDS)
def test_that_a_kind_of_it_does_not_happen_leaves_the_rest_alone(
    reading: NewReading, happens: str, denied: str
) -> None:
    one, other = reading(happens), reading(denied)
    for likeness in LIKENESSES:
        for nearest in (True, False):
            assert compare(one, other, likeness=likeness, nearest=nearest) is None
            assert compare(other, one, likeness=likeness, nearest=nearest) is None


@pytest.mark.parametrize(("happens", "denied"), KINDS)
def test_it_is_never_called_the_same_whatever_else_both_say(
    reading: NewReading, happens: str, denied: str
) -> None:
    more = "It begins at midnight in the Frankfurt region."
    one, other = reading(f"{happens} {more}"), reading(f"{denied} {more}")
    for likeness in LIKENESSES:
        for nearest in (True, False):
            found = compare(one, other, likeness=likeness, nearest=nearest)
            assert found is None or found.type is not ConflictType.DUPLICATE


@pytest.mark.parametrize(
    "denied",
    [
        "The team is not porting the parser to Go this year.",
        "The team is not porting the parser to Go, by decision of the board.",
        "On the advice of the vendor the team is not porting the parser to Go.",
    ],
)
def test_when_and_why_it_does_not_happen_makes_it_no_other_thing(judge: Judge, denied: str) -> None:
    assert judge("The team is porting the parser to Go.", denied, likeness=0.9) is not None


def test_a_rule_is_denied_by_its_own_case_all_the_same(judge: Judge) -> None:
    assert judge("Deploy with Helm.", "Never deploy the gateway with Helm.") is not None
