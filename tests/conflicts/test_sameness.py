"""How sure it is that two memories say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.meetings import meet
from dmm.conflicts.sameness import amounts_differ, sameness

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewReading

    from dmm.conflicts.readings import Reading


def score(one: Reading, other: Reading, likeness: float = 0.75) -> float:
    return sameness(one, other, meet(one, other, likeness), likeness)


SURE = 0.64


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Uploads are capped at 2 GiB.", "Files of more than 2048 MiB are refused by the upload."),
        ("Idle sessions end after 1800 s.", "A session ends after half an hour of inactivity."),
        ("The gateway samples 5 % of traces.", "The gateway records one trace in every twenty."),
        (
            "The tier is free through the end of June 2025; after that we charge for it.",
            "The tier starts costing money on 1 July 2025; before that it is free.",
        ),
        (
            "From January 1 to June 30, 2025 the schema of the ledger is not changed.",
            "During the first half of 2025 the schema of the ledger may not be changed.",
        ),
    ],
)
def test_one_amount_or_time_in_other_figures_speaks_for_the_same(
    reading: NewReading, one: str, other: str
) -> None:
    assert score(reading(one), reading(other)) >= SURE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Uploads are capped at 2 GiB.", "Uploads are capped at 4 GiB."),
        ("Strict mode is enabled here; keep it on.", "Strict mode is disabled here; keep it off."),
        ("The old tier works until 30 June 2025.", "From 1 July 2025 the new tier works."),
        ("Run migrations before the deploy.", "Run migrations after the deploy."),
        ("Use asyncio, not threads.", "Use threads, not asyncio."),
        ("The orders table keeps rows for 24 hours.", "The events table keeps rows for a day."),
    ],
)
def test_what_sets_two_memories_apart_outweighs_their_words(
    reading: NewReading, one: str, other: str
) -> None:
    assert score(reading(one), reading(other), 0.9) < SURE


def test_memories_that_are_hardly_alike_do_not_say_the_same(reading: NewReading) -> None:
    told = "Uploads are capped at 2 GiB."
    assert score(reading(told), reading(told), 0.5) == 0


def test_an_amount_told_in_passing_is_told(reading: NewReading) -> None:
    one = reading("Keep it pinned to 4.25.x: the stubs break with 5.x.")
    other = reading("It stays pinned to 4.25.x because the stubs break with 5.x.")
    assert not amounts_differ(one, other, 0.9)
    assert amounts_differ(one, reading("It stays pinned to 4.20.x."), 0.9)


def test_two_shares_of_one_whole_do_not_differ(reading: NewReading) -> None:
    one, other = reading("80 % of rows are for training."), reading("20 % of rows are held out.")
    assert not amounts_differ(one, other, 0.75)
