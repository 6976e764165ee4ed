"""What is exchanged between two claims that are otherwise alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.meetings import Meeting, meet
from dmm.conflicts.swaps import orders_turned, turns_down, words_swapped

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewReading

    from dmm.conflicts.readings import Reading


def meeting(one: Reading, other: Reading) -> Meeting:
    return meet(one, other, 0.9)[0]


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Run migrations before the deploy.", "Run migrations after the deploy.", True),
        ("Run migrations before the deploy.", "Run migrations before each deploy.", False),
        ("The app answers, after which nginx stops.", "The app answers before nginx stops.", False),
    ],
)
def test_an_order_may_be_turned_round(
    reading: NewReading, one: str, other: str, *, turned: bool
) -> None:
    assert orders_turned(meeting(reading(one), reading(other))) is turned


@pytest.mark.parametrize(
    ("one", "other", "down"),
    [
        ("Use asyncio, not threads.", "Use threads for downloads.", True),
        ("Use asyncio, not threads.", "Use asyncio for downloads.", False),
        ("Pin images by digest, not by tag.", "Pin by digest, not by tag. Tags move.", False),
    ],
)
def test_one_memory_may_turn_down_what_the_other_holds(
    reading: NewReading, one: str, other: str, *, down: bool
) -> None:
    assert turns_down(reading(one), reading(other)) is down


@pytest.mark.parametrize(
    ("one", "other", "many"),
    [
        ("Store the sessions in Redis.", "Store the sessions in Postgres.", 1),
        ("Store the sessions in Redis.", "Store the sessions in Redis.", 0),
        ("Store the sessions in Redis.", "Store the sessions.", 0),
    ],
)
def test_words_of_one_place_are_counted_as_swapped(
    reading: NewReading, one: str, other: str, many: int
) -> None:
    assert words_swapped(meeting(reading(one), reading(other))) == many
