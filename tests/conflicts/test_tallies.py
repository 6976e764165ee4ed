"""How the amounts of two memories go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.tallies import Tally, retold, tally

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewReading

    from dmm.conflicts.readings import Reading


def count(one: Reading, other: Reading) -> Tally:
    found = tally(one, other)
    assert found == tally(other, one)
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Requests time out after 2500 ms.", "REQUEST_TIMEOUT_SECONDS=2.5"),
        ("The pod gets 1.5 GiB.", "The pod's memory limit is 1536Mi."),
        ("The worker gets half a core.", "The worker has a CPU limit of 500m."),
        ("Cookies live for two weeks.", "Set-Cookie has max-age=1209600."),
        ("Files have at most 5 MB.", "`MAX_FILE_SIZE_MB` = 5"),
        ("99 % of calls finish within 250 ms.", "p99 is under 0.25 s."),
        ("Sessions expire after a full day.", "Sessions expire after 24 hours."),
        ("Bodies are capped by client_max_body_size 8m.", "Bodies are limited to 8 MiB."),
        ("The limit is 1e6 rows.", "The limit is one million rows."),
        ("Messages are kept for 7 days.", "retention.ms=604800000"),
        ("The TTL is one hour.", "TTL: 3600"),
        ("At least 99.9 % of jobs pass.", "No more than 0.1 % of jobs fail."),
        ("It sends a ping every 90 seconds.", "Its ping period is a minute and a half."),
    ],
)
def test_one_amount_told_in_two_ways_is_the_same(reading: NewReading, one: str, other: str) -> None:
    found = count(reading(one), reading(other))
    assert found.same
    assert not found.unlike
    assert not found.loose


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cookies live for two weeks.", "Set-Cookie has Max-Age=86400."),
        ("Run with --concurrency 4.", "Concurrency is 8."),
        ("Never make more than six retries.", "Retry at least ten times."),
        ("It listens on port 8443.", "It is reachable at localhost:9443."),
        ("Each job gets 4 vCPUs.", "Each job gets 2 cores."),
        ("Nightly backups are kept for 14 days.", "Nightly backups are kept for 90 days."),
        ("The 20 pods hold 10 connections each.", "The pods hold 80 connections in all."),
    ],
)
def test_amounts_of_one_thing_that_exclude_each_other_are_unlike(
    reading: NewReading, one: str, other: str
) -> None:
    found = count(reading(one), reading(other))
    assert found.unlike
    assert not found.same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It has at most 20 connections.", "It has about 12 connections."),
        ("Each tenant may store 10 GB.", "All tenants together may store 500 GB."),
        ("The pool has 8 processes per host.", "The pool has 32 processes on 4 hosts in all."),
        ("It needs at least 3 replicas.", "It has between 4 and 12 replicas."),
        ("The pool opens 20 connections.", "It is set to max_connections = 200."),
    ],
)
def test_amounts_that_leave_room_for_each_other_are_loose(
    reading: NewReading, one: str, other: str
) -> None:
    found = count(reading(one), reading(other))
    assert found.loose
    assert not found.same
    assert not found.unlike


def test_an_amount_that_the_other_memory_does_not_measure_stands_alone(reading: NewReading) -> None:
    assert count(reading("It waits 5 seconds."), reading("It has 3 GB.")) == Tally(lone=2)


def test_a_release_that_begins_a_time_is_no_amount(reading: NewReading) -> None:
    one, other = reading("Up to release 4.2 it is XML."), reading("As of release 4.3 it is JSON.")
    assert count(one, other) == Tally()


def test_what_is_told_to_fail_is_no_amount(reading: NewReading) -> None:
    one, other = reading("It needs Node 20. Node 18 fails."), reading("It needs Node 20.")
    assert count(one, other).unlike == 0


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("It waits 90 seconds.", "It waits 1.5 minutes.", True),
        ("It keeps 5 % of traces.", "It keeps one trace in twenty.", True),
        ("It waits a quarter of an hour.", "It waits 15 minutes.", True),
        ("It waits 90 seconds.", "It waits 90 seconds.", False),
        ("It waits 90 seconds.", "It waits 2 minutes.", False),
        ("It waits 90 seconds.", "It waits 1.5 minutes and has 2 GB.", False),
        ("It has 3 workers.", "It has three workers.", False),
    ],
)
def test_an_amount_in_other_figures_is_told_again(
    reading: NewReading, one: str, other: str, *, told: bool
) -> None:
    assert retold(reading(one), reading(other)) is told


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_two_texts_fail_to_be_counted(reading: NewReading, one: str, other: str) -> None:
    count(reading(one), reading(other))
