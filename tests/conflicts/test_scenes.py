"""What happens and what does not: a scene is denied by one that says no more than it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conflicts.conftest import Judge


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


@pytest.mark.parametrize(
    ("happens", "denied"),
    [
        ("A crawler is fetching the archive.", "No crawler is fetching the private archive."),
        ("The worker is draining the queue.", "The worker is not draining the dead-letter queue."),
        ("A team is porting the parser.", "No team is porting the parser to Rust."),
    ],
)
def test_a_denial_of_something_narrower_leaves_what_happens_alone(
    judge: Judge, happens: str, denied: str
) -> None:
    assert judge(happens, denied) is None
    assert judge(denied, happens) is None


def test_a_rule_is_denied_by_its_own_case_all_the_same(judge: Judge) -> None:
    assert judge("Deploy with Helm.", "Never deploy the gateway with Helm.") is not None
