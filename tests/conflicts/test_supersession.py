"""What one memory tells of another one's time: it is history, it is replaced, its thing is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.supersession import EXPLICIT, GONE, HISTORY, change_between

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conflicts.conftest import NewReading

    Told = tuple[str, str]
    Change = Callable[[Told, Told], str]


@pytest.fixture(scope="session")
def change(reading: NewReading) -> Change:
    """What changes between two notes, each told by its title and its body."""

    def tell(older: Told, newer: Told) -> str:
        one, other = (reading(body, title) for title, body in (older, newer))
        found = change_between(one, other)
        assert found == change_between(other, one)
        return found

    return tell


IN_FORCE = ("Jobs", "Background jobs run on Celery; add them to tasks.py.")


@pytest.mark.parametrize(
    "newer",
    [
        ("Jobs moved", "Celery was switched off in May. Jobs run on Temporal."),
        ("Jobs moved", "We have left Celery: jobs run on Temporal now."),
        ("Jobs moved", "Temporal has replaced Celery for our jobs."),
        ("Jobs moved", "Jobs no longer run on Celery."),
        ("Jobs moved", "We moved off Celery last spring; look into flows/."),
        ("Celery is dead", "Write flows for Temporal."),
        ("Jobs moved", "We ripped out the Celery workers in the rewrite."),
        ("Jobs", "Celery and RabbitMQ are gone."),
    ],
)
def test_a_thing_in_use_that_is_told_to_be_gone(change: Change, newer: Told) -> None:
    assert change(IN_FORCE, newer) == GONE


@pytest.mark.parametrize(
    "newer",
    [
        ("Jobs", "Jobs run on Temporal. This replaces the earlier rule."),
        ("Jobs", "Jobs run on Temporal. Older notes on Celery no longer apply."),
        ("Jobs", "It replaces Celery everywhere. Jobs run on Temporal."),
        ("Jobs", "We dropped Celery; the old note about tasks.py is obsolete."),
    ],
)
def test_a_note_that_sets_the_other_aside(change: Change, newer: Told) -> None:
    assert change(IN_FORCE, newer) == EXPLICIT


def test_a_decision_replaces_the_one_that_it_numbers(change: Change) -> None:
    newer = ("ADR 31", "Supersedes ADR-12. Services talk gRPC.")
    assert change(("ADR-12: REST", "Services talk REST."), newer) == EXPLICIT
    assert change(("ADR-13: REST", "Services talk REST."), newer) == ""


@pytest.mark.parametrize(
    "older",
    [
        ("[old] Jobs", "Jobs run on Celery."),
        ("Jobs (obsolete)", "Jobs run on Celery."),
        ("Why we left Celery", "Retries were painful."),
        ("Jobs", "Historical note: jobs ran on Celery."),
        ("Jobs", "Until v3 the jobs ran on Celery."),
        ("Jobs", "Jobs ran on Celery. Kept for reference only."),
        ("Jobs", "Jobs used to run on Celery."),
    ],
)
def test_a_note_that_is_itself_history(change: Change, older: Told) -> None:
    assert change(older, ("Jobs", "Jobs run on Temporal.")) == HISTORY


@pytest.mark.parametrize(
    "newer",
    [
        ("Jobs", "Jobs run on Temporal."),
        ("Rows", "Old rows are deleted after 30 days."),
        ("Celery", "Celery tasks that fail are removed from the queue."),
        ("Jobs", "Until June 2030 the limit is 50 jobs."),
        ("Headers", "You have probably left out the header."),
        ("Deploys", "Deploys from laptops left no trace."),
    ],
)
def test_a_note_that_tells_of_no_change(change: Change, newer: Told) -> None:
    assert change(IN_FORCE, newer) == ""


def test_two_notes_that_bury_the_same_thing_do_not_quarrel(change: Change) -> None:
    one = ("Dates", "Moment has been replaced by Luxon.")
    assert change(one, ("Dates", "We have left Moment; use Luxon.")) == ""


def test_a_version_that_is_gone_leaves_the_thing_in_use(change: Change) -> None:
    older = ("Runtime", "All services run on Python 3.12.")
    assert change(older, ("Python", "We moved from Python 3.9 to 3.12.")) == ""
    stale = ("Runtime", "All services run on Python 3.9.")
    assert change(stale, ("Python", "We moved from Python 3.9 to 3.12.")) == GONE


def test_someone_who_left_is_gone(change: Change) -> None:
    older = ("Design", "Send screens to Hannah for a sign-off.")
    assert change(older, ("Team", "Hannah left the company. Ask Tomas.")) == GONE


def test_a_name_of_two_words_is_known_where_it_is_code(change: Change) -> None:
    older = ("Icons", "Import icons from the `ui-icons` package.")
    assert change(older, ("Icons", "ui-icons was unpublished; use the kit.")) == GONE


def test_an_old_limit_that_is_dropped_is_set_aside(change: Change) -> None:
    older = ("Lines", "Lines are limited to 79 characters.")
    newer = ("Lines", "The old limit of 79 characters has been dropped. The limit is 110.")
    assert change(older, newer) == EXPLICIT
