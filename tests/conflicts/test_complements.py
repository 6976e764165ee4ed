"""Parts of one time that complete each other, and amounts that count other things."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.periods import are_apart, period_of
from dmm.conflicts.phases import phases_apart, phases_in
from dmm.conflicts.tallies import retold
from dmm.conflicts.timings import Lie, timing

if TYPE_CHECKING:
    from tests.conflicts.conftest import Judge, NewReading

_COMPLEMENTS = [
    ("On weekdays support answers within 2 hours.", "At weekends support answers within 8 hours."),
    (
        "From Monday to Friday the shop ships orders within 24 hours.",
        "On Saturdays and Sundays the shop ships orders within 48 hours.",
    ),
    (
        "Between Monday and Thursday the canteen closes at 15:00.",
        "On Fridays the canteen closes at 13:00.",
    ),
    (
        "During trading hours the risk engine recalculates every 5 seconds.",
        "Outside of trading hours the risk engine recalculates every 10 minutes.",
    ),
    ("Off-peak the autoscaler keeps 2 nodes.", "At peak hours the autoscaler keeps 10 nodes."),
    (
        "During the day the thermostat is set to 21 degrees.",
        "At night the thermostat is set to 17 degrees.",
    ),
    (
        "For the first 30 days after sign-up an account may send 50 mails a day.",
        "After the first 30 days an account may send 500 mails a day.",
    ),
    (
        "In the first two weeks after onboarding new hires do not deploy.",
        "From the third week after onboarding new hires deploy.",
    ),
    (
        "During the first 5 minutes after a failover the pool has 10 connections.",
        "Once 5 minutes have passed since a failover, the pool has 80 connections.",
    ),
    (
        "On the first day of a month the invoice job has a timeout of 6 hours.",
        "On every day but the first of a month the invoice job has a timeout of 1 hour.",
    ),
    (
        "On the last two days of a quarter the ledger allows 200 exports per hour.",
        "On all days but the last two of a quarter, the ledger allows 60 exports per hour.",
    ),
    (
        "In the first half of a sprint new stories may be added.",
        "In the second half of a sprint no new stories may be added.",
    ),
    (
        "Up to 48 hours before a race entries are changed free of charge.",
        "Less than 48 hours before a race entries are not changed.",
    ),
    (
        "Orders less than 2 hours old can be cancelled by the customer.",
        "Orders more than 2 hours old can't be cancelled by the customer.",
    ),
    ("Files younger than 30 days live on SSD.", "Files older than 30 days live on S3."),
    (
        "On the last day of each month payroll jobs have priority over reports.",
        "On every other day reports have priority over payroll jobs.",
    ),
    ("Never restart the broker at weekends.", "Restart the broker on weekdays."),
]


@pytest.mark.parametrize(("one", "other"), _COMPLEMENTS)
def test_parts_of_one_time_that_do_not_meet_are_apart(one: str, other: str, judge: Judge) -> None:
    assert are_apart(period_of(one), period_of(other))
    assert are_apart(period_of(other), period_of(one))
    assert judge(one, other) is None


@pytest.mark.parametrize(("one", "other"), _COMPLEMENTS)
def test_the_times_of_such_memories_lie_apart(one: str, other: str, reading: NewReading) -> None:
    assert timing(reading(one), reading(other)).lie is Lie.APART


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "During trading hours the risk engine recalculates every 5 seconds.",
            "During trading hours the risk engine recalculates every 10 minutes.",
        ),
        (
            "For the first 30 days after sign-up the trial account may send 50 mails a day.",
            "In the first 14 days after sign-up the trial account may send 500 mails a day.",
        ),
        (
            "On the last two days of a month the export API allows 200 requests per minute.",
            "On the last day of a month the export API allows 60 requests per minute.",
        ),
        (
            "At night the thermostat is set to 21 degrees.",
            "At night the thermostat is set to 17 degrees.",
        ),
        ("Logs older than 7 days are deleted.", "Logs older than 7 days are never deleted."),
        ("Never deploy on Fridays.", "Deploy on Fridays at 10:00."),
        ("The weekly report is sent on Mondays.", "The weekly report is sent on Thursdays."),
        (
            "Deleted accounts are purged after 30 days.",
            "Deleted accounts are purged after 90 days.",
        ),
    ],
)
def test_parts_of_one_time_that_meet_still_clash(one: str, other: str, judge: Judge) -> None:
    assert judge(one, other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The cleanup job runs on weekdays.",
            "The cleanup job runs on Saturdays and Sundays.",
        ),
        (
            "Releases are cut in the last week of a month.",
            "Releases are cut in the first week of a month.",
        ),
        ("The nightly backup starts at night.", "The nightly backup starts at noon."),
    ],
)
def test_a_time_that_is_all_that_differs_is_a_clash(one: str, other: str, judge: Judge) -> None:
    clash = judge(one, other)
    assert clash is not None
    assert clash.type.value != "duplicate"


@pytest.mark.parametrize(
    "sentence",
    [
        "Refunds take three working days.",
        "The Friday deploy is done by Ana.",
        "See the first section after the table.",
        "Requests take less than 5 seconds.",
    ],
)
def test_no_part_of_a_time_is_seen_where_none_limits_a_text(sentence: str) -> None:
    assert phases_in(sentence.lower()) == ()


def test_odd_weeks_and_even_weeks_are_apart() -> None:
    assert phases_apart(phases_in("in odd weeks it is ana."), phases_in("in even weeks it is ben."))


def test_days_of_the_whole_week_are_apart_from_none() -> None:
    whole = phases_in("on weekdays and at weekends the job runs at 4.")
    assert not phases_apart(whole, phases_in("at weekends the job runs at 8."))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Access tokens live 3600 s.", "Sessions live one hour."),
        ("The cache keeps entries for 60 s.", "The lock is held for one minute."),
        ("Reset links live for 30 minutes.", "Invitations live for half an hour."),
        ("The health check times out after 5000 ms.", "The login form times out after 5 seconds."),
    ],
)
def test_one_amount_of_two_things_is_no_duplicate(
    one: str, other: str, reading: NewReading, judge: Judge
) -> None:
    assert not retold(reading(one), reading(other))
    assert judge(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Password reset links expire after 30 minutes.",
            "A password reset link is valid for half an hour.",
        ),
        ("Uploads are capped at 2048 KiB.", "The largest upload is 2 MiB."),
        (
            "The gateway's timeout is 90 s.",
            "Calls through the gateway time out after 1.5 minutes.",
        ),
    ],
)
def test_one_amount_of_one_thing_in_other_figures_is_a_duplicate(
    one: str, other: str, judge: Judge
) -> None:
    clash = judge(one, other)
    assert clash is not None
    assert clash.type.value == "duplicate"


def test_the_same_amounts_in_two_denials_do_not_clash(judge: Judge) -> None:
    said = "Typing everything (core 94 %, plugins 93 %) does not by itself give calm code."
    clash = judge(said, f"{said} Short functions do.")
    assert clash is None or clash.type.value == "duplicate"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In odd weeks Ana is on call.", "In even weeks Ben is on call."),
        (
            "Do not deploy the shop from 20 November 2025 to 1 December 2025. "
            "The release manager approves hotfixes.",
            "From 5 December 2025 deploy the shop daily. "
            "No approval of the release manager is needed.",
        ),
        (
            "From 1 to 14 July 2025 the API is read-only. Writes return 503.",
            "Since 1 August 2025 the API is writable. Writes return 201.",
        ),
        (
            "During the first 7 days after a launch the quota is 10. Only Mia may raise it.",
            "Once 7 days have passed since a launch, the quota is 50. Anybody may raise it.",
        ),
    ],
)
def test_a_claim_goes_on_in_the_time_of_the_one_before_it(
    one: str, other: str, judge: Judge
) -> None:
    assert judge(one, other) is None


def test_a_claim_that_goes_on_in_a_time_they_share_still_clashes(judge: Judge) -> None:
    clash = judge(
        "From 1 to 14 July 2025 the API is read-only. Writes return 503.",
        "From 7 July 2025 the API is writable. Writes return 201.",
    )
    assert clash is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Uvicorn runs with 2 processes per container.",
            "Uvicorn runs with 3 containers per host.",
        ),
        ("Celery runs with 2 queues per worker.", "Celery runs with 5 workers per host."),
        (
            "The importer starts with 4 threads per file.",
            "The importer starts with 9 files per batch.",
        ),
        ("The client makes 3 retries per call.", "The client makes 5 retries per minute."),
    ],
)
def test_amounts_of_other_things_or_per_other_things_do_not_clash(
    one: str, other: str, judge: Judge
) -> None:
    assert judge(one, other) is None
    assert judge(one, one.replace("2 ", "7 ").replace("3 ", "7 ").replace("4 ", "7 ")) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Failed jobs are retried at most 3 times.", "Failed jobs are retried at least 5 times."),
        (
            "The limiter blocks at most 5% of the traffic.",
            "The limiter blocks at least 20% of the traffic.",
        ),
        ("The build fails below 80% coverage.", "The coverage must be at most 70%."),
    ],
)
def test_a_bound_is_turned_round_only_by_what_fails_beyond_it(
    one: str, other: str, judge: Judge
) -> None:
    clash = judge(one, other)
    assert clash is not None
    assert clash.type.value == "numeric_clash"


@pytest.mark.parametrize(
    ("sentence", "bound"),
    [
        ("The ingress rejects any upload over 25 MB.", "most"),
        ("Uploads over 25 MB are turned away.", "most"),
        ("Failed uploads are retried over 25 minutes.", "least"),
        ("A rejected upload has at most 25 MB.", "most"),
        ("The check fails when coverage is below 80%.", "least"),
    ],
)
def test_what_is_refused_tells_what_is_allowed(
    sentence: str, bound: str, reading: NewReading
) -> None:
    assert [q.bound for claim in reading(sentence).claims for q in claim.quantities] == [bound]


_STATES = [
    (
        "While the search service is in preview, queries are free for all tenants.",
        "Once the search service leaves preview, queries are not free.",
    ),
    (
        "As long as the embargo lasts, the report is not shared with customers.",
        "Once the embargo is lifted, the report is shared with customers.",
    ),
    (
        "While an account is on trial, exports are disabled.",
        "Once an account is no longer on trial, exports are enabled.",
    ),
    (
        "While the old ERP is still running, invoices are entered twice.",
        "After the old ERP has been stopped, invoices are entered once.",
    ),
    (
        "Until the plan is approved, nobody orders hardware.",
        "As soon as the plan is approved, hardware is ordered.",
    ),
    (
        "While the cluster is in maintenance mode, autoscaling is off.",
        "When the cluster is no longer in maintenance mode, autoscaling is on.",
    ),
]


@pytest.mark.parametrize(("one", "other"), _STATES)
def test_a_state_and_its_end_are_two_times(one: str, other: str, judge: Judge) -> None:
    assert are_apart(period_of(one), period_of(other))
    assert judge(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "While the search service is in preview, queries are free for all tenants.",
            "While the search service is in preview, queries are not free for any tenant.",
        ),
        (
            "Once a period is closed, entries may not be changed.",
            "After a period is closed, entries may be changed by an accountant.",
        ),
        (
            "During an incident nobody restarts the primary.",
            "During an incident restart the primary first.",
        ),
    ],
)
def test_one_state_in_two_wordings_is_one_time(one: str, other: str, judge: Judge) -> None:
    assert not phases_apart(period_of(one).phases, period_of(other).phases)
    assert judge(one, other) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Rerun the job once before you look into it.",
        "The index is rebuilt once a week.",
        "Run the smoke tests after the deploy.",
    ],
)
def test_how_often_and_what_comes_first_are_no_states(text: str) -> None:
    assert phases_in(text.lower()) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Sidekiq for shop runs 3 processes with 5 threads each.",
            "The Redis pool for shop has 12 connections per Sidekiq process.",
        ),
        (
            "The thumbnail function runs with 20 instances.",
            "The thumbnail function handles 5 images per instance.",
        ),
        ("Each rack holds 8 nodes with 4 disks each.", "Each node of a rack has 2 network cards."),
    ],
)
def test_what_an_amount_is_told_per_is_not_counted_by_it(
    one: str, other: str, judge: Judge
) -> None:
    assert judge(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("checkout runs 5 pods with 2 workers each.", "checkout has 4 workers per pod."),
        (
            "The Redis pool for shop has 12 connections per Sidekiq process.",
            "The Redis pool for shop has 20 connections per process.",
        ),
    ],
)
def test_one_thing_counted_per_holder_has_one_amount(one: str, other: str, judge: Judge) -> None:
    found = judge(one, other)

    assert found is not None
    assert found.type.value == "numeric_clash"


def test_a_fraction_of_a_unit_is_an_amount_of_it(judge: Judge) -> None:
    fifth = "A query may take at most a fifth of a second."

    more = judge(fifth, "A query may take up to 500 ms.")
    same = judge(fifth, "A query may take at most 200 ms.")

    assert more is not None
    assert more.type.value == "numeric_clash"
    assert same is not None
    assert same.type.value == "duplicate"


def test_those_who_take_turns_by_quarters_are_no_duplicates(judge: Judge) -> None:
    one = "In the third quarter of 2024 Mara is on-call lead. She alone changes rotations."
    other = "In the fourth quarter of 2024 Piet is on-call lead. He alone changes rotations."

    assert judge(one, other) is None
