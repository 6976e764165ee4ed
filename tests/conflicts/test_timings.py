"""How the times of two memories go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.periods import period_of
from dmm.conflicts.timings import Lie, Timing, Turning, redated, shut_then, timing
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from tests.conflicts.conftest import Judge, NewReading

    from dmm.conflicts.readings import Reading


def laid(one: Reading, other: Reading) -> Timing:
    found = timing(one, other)
    assert found == timing(other, one)
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Writes are off between 3 and 10 May 2025.", "We import the backlog on 6 May 2025."),
        ("Main is locked over the last week of August.", "Merge the rename on 28 August."),
        ("Deploys are frozen Dec 20 - Jan 3.", "Ship the tax update on December 29."),
        ("Staging is down from 18:00 to 23:00.", "Load tests run on staging at 20:00."),
        ("Backups lock the table from 23:30 to 01:00.", "The sync writes the table at 00:15."),
        ("From mid-June until the end of July we rest.", "We meet in the first week of July."),
        ("No schema changes in the week of 3 March.", "We add it on Wednesday 5 March."),
        ("Nothing ships between Christmas and New Year.", "We ship on 28 December."),
    ],
)
def test_times_that_meet_overlap(reading: NewReading, one: str, other: str) -> None:
    assert laid(reading(one), reading(other)).lie is Lie.OVERLAP


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The mirror is off in the first half of March.", "The mirror runs from 20 March."),
        ("Through Q1 the old price holds.", "The new price holds from April."),
        ("Deploys are frozen Dec 20 - Jan 3.", "Deploys resume Jan 4."),
        ("No deploys from 18 December to 2 January.", "From 3 January we deploy daily."),
        ("Before 2.4 logs went to a file.", "Since 2.4 logs go to stdout."),
        ("Jobs run between 22:00 and 05:00.", "Queries run from 08:00 to 18:00."),
        ("In sprints 4 to 6 Ana is on call.", "In sprints 7 and 8 Ben is on call."),
        ("It is on for the week of 20 to 26 November.", "It stays off for all of December."),
        ("During the holidays the limit is 5.", "Outside the holidays the limit is 9."),
        ("It ran with 40 on 24-30 November 2024.", "In March and April 2025 it ran with 6."),
    ],
)
def test_times_that_do_not_meet_are_apart(reading: NewReading, one: str, other: str) -> None:
    assert laid(reading(one), reading(other)).lie is Lie.APART


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The sale runs from 1 to 7 May.", "The sale lasts from 1 May to 7 May."),
        ("It holds in the second quarter of 2025.", "It holds from April to June 2025."),
        ("It holds through Q2 2025.", "It holds up to the end of June 2025."),
    ],
)
def test_one_time_told_in_two_ways_is_the_same(reading: NewReading, one: str, other: str) -> None:
    assert laid(reading(one), reading(other)).lie is Lie.SAME


def test_a_time_that_one_memory_alone_tells_lies_nowhere(reading: NewReading) -> None:
    assert laid(reading("In May it is off."), reading("It is on.")) == Timing(Lie.ONE)
    assert laid(reading("It is off."), reading("It is on.")) == Timing(Lie.NONE)


@pytest.mark.parametrize(
    ("one", "other", "turning"),
    [
        ("The key works until 15 May 2025.", "The key is revoked on 1 April 2025.", Turning.OTHER),
        ("It stays through the end of 2025.", "It is gone from March 2025 on.", Turning.OTHER),
        ("It runs until the end of March.", "It ends on 31 December.", Turning.OTHER),
        ("It stays until version 6.", "It will be disabled in version 5.", Turning.OTHER),
        ("The tier ends on 30 June.", "The tier is dropped as of 1 July.", Turning.SAME),
        ("It works until 31 May, then no more.", "As of 1 June it is removed.", Turning.WHOLE),
        ("We send PDF up to 30 April.", "We send XML from 1 May.", Turning.HANDOVER),
        ("No merges until 6 January.", "From 6 January we merge.", Turning.SAME),
        ("We send PDF.", "We send XML from 1 May.", Turning.NONE),
    ],
)
def test_the_day_on_which_something_turns_is_held_against_the_other(
    reading: NewReading, one: str, other: str, turning: Turning
) -> None:
    assert laid(reading(one), reading(other)).turning is turning


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("It holds in Q2 2025.", "It holds from 1 April to 30 June 2025.", True),
        ("It holds in the first half of 2025.", "It holds until June 30, 2025.", False),
        ("It holds in Q2 2025.", "It holds from 1 April to 31 July 2025.", False),
        ("It holds in Q2 2025.", "It holds.", False),
    ],
)
def test_a_stretch_of_days_in_other_words_is_told_again(
    reading: NewReading, one: str, other: str, *, told: bool
) -> None:
    assert redated(reading(one), reading(other)) is told


@pytest.mark.parametrize(
    ("one", "other", "shut"),
    [
        ("The mirror is offline from 02:00 to 04:00.", "The sync reads it at 03:15.", True),
        ("Nothing is merged from 3 to 10 May.", "We merge the rename on 6 May.", True),
        ("Main is frozen in May 2025.", "The rename lands in main on 6 May 2025.", True),
        ("It is down each Sunday from 02:00 to 04:00.", "It runs on Mondays at 03:00.", False),
        ("The mirror is offline from 02:00 to 04:00.", "The sync reads it at 05:15.", False),
        ("Nothing is merged from 3 to 10 May.", "Nothing ships on 6 May.", False),
        ("No deploys from 20 December until 3 January.", "Deploy it on 28 December.", True),
        ("It is read-only from 02:00 to 04:00.", "The report reads it at 03:00.", False),
        ("The mirror is up from 02:00 to 04:00.", "The sync reads it at 03:15.", False),
    ],
)
def test_what_is_shut_for_a_time_cannot_be_used_then(
    reading: NewReading, one: str, other: str, *, shut: bool
) -> None:
    mine, yours = reading(one).claims[0], reading(other).claims[0]
    assert shut_then(mine, yours) is shut
    assert shut_then(yours, mine) is shut


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_two_texts_fail_to_be_laid_side_by_side(
    reading: NewReading, one: str, other: str
) -> None:
    laid(reading(one), reading(other))


@pytest.mark.parametrize(
    ("text", "span", "away"),
    [
        ("Don't run exports between 01:00 and 03:00.", (60, 180), False),
        ("Keep exports outside the two hours that start at 1:00.", (60, 180), True),
        ("Deploys stay outside the hour that begins at noon.", (720, 780), True),
        ("Jobs run in the four hours after midnight.", (0, 240), False),
        ("Call customers only outside 20:00 to 8:00.", (1200, 1920), True),
        ("The report is sent at 07:30.", (450, 450), False),
    ],
)
def test_hours_are_told_by_their_ends_or_their_length(
    text: str, span: tuple[int, int], *, away: bool
) -> None:
    period = period_of(text)

    assert (period.hours, period.away) == (span, away)


def test_what_keeps_outside_the_hours_that_the_other_bans_agrees_with_it(judge: Judge) -> None:
    banned = "Between 01:00 and 03:00 UTC the index is rebuilt; don't run exports then."

    same = judge(banned, "Keep exports outside the two hours that start at 1 AM UTC.")

    assert same is None or same.type is ConflictType.DUPLICATE
    assert judge(banned, "Run exports in the two hours that start at 1 AM UTC.") is not None


def test_inside_and_outside_the_same_hours_is_a_clash(judge: Judge) -> None:
    found = judge("Call customers between 08:00 and 20:00.", "Call customers outside 8 AM to 8 PM.")

    assert found is not None
    assert found.type is ConflictType.NUMERIC
