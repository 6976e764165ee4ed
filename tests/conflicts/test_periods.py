"""When statements hold, and whether two periods meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.periods import ALWAYS, are_apart, lies_within, period_of


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
        ("For the time being we use Jenkins.", "We use Buildkite."),
        ("This sprint we use Jenkins.", "We use Buildkite."),
        ("As a temporary measure the check is off.", "The check is on."),
        ("From 20 to 31 December nothing ships.", "From 2 to 5 January we ship."),
        ("From 1 March to 5 April it is 5.", "From 10 April to 1 May it is 9."),
        ("Until the 2.0 release it is on.", "Since 2.0 it is off."),
        ("In 1.x the API is sync.", "In 2.0 the API is async."),
        ("In version 1 it is sync.", "In version 2 it is async."),
        ("Since v3 we use gRPC.", "Until v3 we use REST."),
        ("Before the migration, use MySQL.", "After the migration, use Postgres."),
        ("While the migration is running, writes are off.", "Writes are on."),
        ("From 18 December to 2 January nothing ships.", "From 3 January we ship."),
        ("Until 30 June it is v1.", "From 1 July it is v2."),
        ("In sprint 4 it is Ana.", "In sprint 5 it is Ben."),
        ("During the sale week it is 200.", "Outside the sale week it is 600."),
        ("In the week of 4 March it is Ana.", "In the week of 11 March it is Ben."),
        ("Until the upgrade on 3 March 2025 it is 11.", "From 4 March 2025 it is 12."),
    ],
)
def test_periods_that_do_not_meet_are_apart(one: str, other: str) -> None:
    assert are_apart(period_of(one), period_of(other))
    assert are_apart(period_of(other), period_of(one))


@pytest.mark.parametrize(
    "sentence",
    ["Bodies have up to 2048 MiB.", "We keep up to 2000 rows.", "It waits until 2000 ms are over."],
)
def test_a_number_with_a_unit_is_no_year(sentence: str) -> None:
    assert period_of(sentence).start is None
    assert period_of(sentence).end is None


@pytest.mark.parametrize(
    ("inner", "outer", "within"),
    [
        ("On 28 December we ship.", "From 20 December to 3 January nothing ships.", True),
        ("On 2 January we ship.", "From 20 December to 3 January nothing ships.", True),
        ("On 5 January we ship.", "From 20 December to 3 January nothing ships.", False),
        ("In May 2025 we ship.", "For the whole of 2025 nothing ships.", True),
        ("It runs at 03:15.", "It is off between 02:00 and 04:00.", True),
        ("It runs at 00:30.", "It is off from 23:00 to 01:00.", True),
        ("It runs at 04:15.", "It is off between 02:00 and 04:00.", False),
        ("From January on we ship.", "From 20 December to 3 January nothing ships.", False),
    ],
)
def test_a_time_may_lie_within_another(inner: str, outer: str, *, within: bool) -> None:
    assert lies_within(period_of(inner), period_of(outer)) is within


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We ship every day.", "We ship on Mondays."),
        ("No deploys between 15 December and 2 January.", "We deploy on 20 December 2025."),
        ("Run the tests before you merge.", "Merge after the review."),
        ("From 20 to 31 December nothing ships.", "On 28 December we ship."),
        ("Until version 3 it is on.", "Since version 2 it is off."),
        ("In 2.x it is on.", "In 2.1 it is off."),
        ("It stays until 31 December 2025.", "It is switched off at the end of June 2025."),
        ("In Q4 it has 9 nodes.", "During November it has 6 nodes."),
    ],
)
def test_periods_that_meet_are_not_apart(one: str, other: str) -> None:
    assert not are_apart(period_of(one), period_of(other))


@pytest.mark.parametrize(
    "sentence",
    [
        "We use Redis in the shop for sessions.",
        "Import rows through temporary tables.",
        "Short-term tokens expire after an hour.",
        "Wait until 1.5 seconds have passed.",
        "It stops after 3.5 seconds.",
        "Send from 1.5 to 2.5 MB.",
        "Retry up to 5 times.",
        "It may fail in 5 places.",
        "Run it once a day.",
        "The release is on 1 March.",
    ],
)
def test_a_sentence_without_a_time_holds_always(sentence: str) -> None:
    assert period_of(sentence) == ALWAYS


@given(st.text(alphabet="until from 2.0 to 31 march in v3,. the between and", max_size=200))
def test_no_text_fails_to_be_read(text: str) -> None:
    period_of(text)
