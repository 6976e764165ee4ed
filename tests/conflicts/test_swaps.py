"""What is exchanged between two claims that are otherwise alike."""

from __future__ import annotations

from typing import Any

import pytest

from dmm.conflicts.meetings import Meeting, meet
from dmm.conflicts.readings import Reading, read_memory
from dmm.conflicts.swaps import orders_turned, turns_down, words_swapped
from dmm.domain.memory import Confidence, Memory, Scope, Status


def reading(body: str) -> Reading:
    facts: dict[str, Any] = {
        "id": "mem_2026_01_01_001",
        "path": "project/note.md",
        "title": "",
        "body": body,
        "tags": (),
        "scope": Scope.PROJECT,
        "priority": 0.5,
        "confidence": Confidence.ACTIVE,
        "status": Status.ACTIVE,
    }
    return read_memory(Memory(**facts))


def meeting(one: str, other: str) -> Meeting:
    return meet(reading(one), reading(other), 0.9)[0]


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Run migrations before the deploy.", "Run migrations after the deploy.", True),
        ("Run migrations before the deploy.", "Run migrations before each deploy.", False),
        ("The app answers, after which nginx stops.", "The app answers before nginx stops.", False),
    ],
)
def test_an_order_may_be_turned_round(one: str, other: str, *, turned: bool) -> None:
    assert orders_turned(meeting(one, other)) is turned


@pytest.mark.parametrize(
    ("one", "other", "down"),
    [
        ("Use asyncio, not threads.", "Use threads for downloads.", True),
        ("Use asyncio, not threads.", "Use asyncio for downloads.", False),
        ("Pin images by digest, not by tag.", "Pin by digest, not by tag. Tags move.", False),
    ],
)
def test_one_memory_may_turn_down_what_the_other_holds(one: str, other: str, *, down: bool) -> None:
    assert turns_down(reading(one), reading(other)) is down


@pytest.mark.parametrize(
    ("one", "other", "many"),
    [
        ("Store the sessions in Redis.", "Store the sessions in Postgres.", 1),
        ("Store the sessions in Redis.", "Store the sessions in Redis.", 0),
        ("Store the sessions in Redis.", "Store the sessions.", 0),
    ],
)
def test_words_of_one_place_are_counted_as_swapped(one: str, other: str, many: int) -> None:
    assert words_swapped(meeting(one, other)) == many
