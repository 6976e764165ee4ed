"""Amounts and their bounds, as sentences give them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.quantities import Quantity, are_near, quantities_of
from dmm.conflicts.words import words_of

Amount = tuple[str, str | None, str | None, str]


def amounts(sentence: str) -> tuple[Quantity, ...]:
    return quantities_of(words_of(sentence), sentence)


def read(sentence: str) -> list[Amount]:
    return [
        (
            found.measure,
            None if found.low is None else f"{found.low.normalize():f}",
            None if found.high is None else f"{found.high.normalize():f}",
            found.bound,
        )
        for found in amounts(sentence)
    ]


@pytest.mark.parametrize(
    ("sentence", "seconds"),
    [
        ("It expires after 60 minutes.", "3600"),
        ("It expires after an hour.", "3600"),
        ("The token is good for an hour.", "3600"),
        ("It waits 250ms.", "0.25"),
        ("It waits 500 milliseconds.", "0.5"),
        ("Wait half a minute.", "30"),
        ("Wait half an hour.", "1800"),
        ("Wait a quarter of an hour.", "900"),
        ("Wait three quarters of an hour.", "2700"),
        ("Wait an hour and a half.", "5400"),
        ("Wait one and a half hours.", "5400"),
        ("Wait 1 h 30 min.", "5400"),
        ("The timeout is 5m.", "300"),
        ("Wait 2 business days.", "172800"),
        ("Keep it two weeks.", "1209600"),
        ("Keep it a fortnight.", "1209600"),
        ("Sessions last 24 h.", "86400"),
        ("Sessions last 1440 minutes.", "86400"),
        ("Keep it for a full year.", "31536000"),
        ("REQUEST_TIMEOUT_MS is 500.", "0.5"),
        ("The VisibilityTimeout is 300.", "300"),
    ],
)
def test_a_time_is_read_in_seconds(sentence: str, seconds: str) -> None:
    assert read(sentence) == [("time", seconds, seconds, "exact")]


@pytest.mark.parametrize(
    ("sentence", "seconds"),
    [
        ("It runs every 15 minutes.", "900"),
        ("It runs once a week.", "604800"),
        ("It runs weekly.", "604800"),
        ("It runs every 7 days.", "604800"),
        ("It runs daily.", "86400"),
        ("It runs every night.", "86400"),
        ("It runs hourly.", "3600"),
        ("It runs every hour.", "3600"),
        ("It runs bi-weekly.", "1209600"),
        ("We ship fortnightly.", "1209600"),
        ("It runs every other week.", "1209600"),
        ("It runs every second day.", "172800"),
        ("It runs three times a day.", "28800"),
        ("It runs 4x per hour.", "900"),
        ("Poll twice a second.", "0.5"),
        ("The poll interval is 30 seconds.", "30"),
    ],
)
def test_a_rhythm_is_read_as_the_time_between_two_runs(sentence: str, seconds: str) -> None:
    assert read(sentence) == [("interval", seconds, seconds, "exact")]


@pytest.mark.parametrize(
    ("sentence", "amount"),
    [
        ("The table has 1.5k rows.", ("count", "1500")),
        ("The table has 1,500 rows.", ("count", "1500")),
        ("The table has 1_500 rows.", ("count", "1500")),
        ("The table has 10^6 rows.", ("count", "1000000")),
        ("The table has a million rows.", ("count", "1000000")),
        ("The table has 2 million rows.", ("count", "2000000")),
        ("The table has 5M rows.", ("count", "5000000")),
        ("Keep a dozen backups.", ("count", "12")),
        ("Retry a couple of times.", ("count", "2")),
        ("Retry 3x.", ("count", "3")),
        ("Retry once.", ("count", "1")),
        ("Use two hundred workers.", ("count", "200")),
        ("Use twenty-five workers.", ("count", "25")),
        ("A single reviewer approves.", ("count", "1")),
        ("It has 4 GB of memory.", ("size", "4294967296")),
        ("It has 4096 MB of memory.", ("size", "4294967296")),
        ("Give it 512 MiB.", ("size", "536870912")),
        ("Give it 0.5 GiB.", ("size", "536870912")),
        ("The heap has 2 gigs.", ("size", "2147483648")),
        ("Give it 512Mi.", ("size", "536870912")),
        ("Give it 2Gi.", ("size", "2147483648")),
        ("`UPLOAD_BYTES` is 10485760.", ("size", "10485760")),
        ("The body size is 2048k.", ("size", "2097152")),
        ("The heap is 512m.", ("size", "536870912")),
        ("The cpu request is 500m.", ("core", "0.5")),
        ("It has 2 cores.", ("core", "2")),
        ("Trace 0.5 % of the requests.", ("share", "0.5")),
        ("Exactly 5 out of 1000 requests fail.", ("share", "0.5")),
        ("One in 200 requests is traced.", ("share", "0.5")),
        ("Log 1 in 1000.", ("share", "0.1")),
        ("One request in ten is traced.", ("share", "10")),
        ("Every 10th request is logged.", ("share", "10")),
        ("The sample rate is 0.1.", ("share", "10")),
        ("A fifth of all jobs fail.", ("share", "20")),
        ("A quarter of the traffic goes there.", ("share", "25")),
        ("Half of the jobs fail.", ("share", "50")),
        ("Half the jobs fail.", ("share", "50")),
        ("The learning rate is 3e-4.", ("share", "0.03")),
        ("The learning rate is 0.0003.", ("share", "0.03")),
        ("It costs $5.", ("money", "5")),
        ("It costs \u20ac20.", ("money", "20")),
        ("It costs 50 cents.", ("money", "0.5")),
        ("It costs 5k dollars.", ("money", "5000")),
        ("It answers with status 404.", ("status", "404")),
        ("It answers with 404.", ("status", "404")),
        ("It returns a 429.", ("status", "429")),
        ("Large files are refused with 413.", ("status", "413")),
        ("Respond with HTTP 503.", ("status", "503")),
        ("It responds with 422 when the body is bad.", ("status", "422")),
        ("A 409 response is sent.", ("status", "409")),
        ("It returns 100 rows.", ("count", "100")),
        ("It listens on port 8080.", ("port", "8080")),
        ("It listens on 8080.", ("port", "8080")),
        ("Open localhost:3000.", ("port", "3000")),
        ("The console runs at 115200 baud.", ("baud", "115200")),
        ("The bus runs at 400 kHz.", ("frequency", "400000")),
        ("The board needs 3.3V.", ("voltage", "3.3")),
        ("The gap is 8 px.", ("pixel", "8")),
        ("It starts at 03:30.", ("clock", "210")),
        ("We run Python 3.11.", ("version", "3.011")),
        ("Use Java 17.", ("version", "17")),
        ("Pin numpy at 1.26.4.", ("version", "1.026004")),
        ("The API is at v1.", ("version", "1")),
    ],
)
def test_an_exact_amount_is_read_in_one_unit(sentence: str, amount: tuple[str, str]) -> None:
    measure, value = amount
    assert read(sentence) == [(measure, value, value, "exact")]


@pytest.mark.parametrize(
    ("sentence", "amount"),
    [
        ("Uploads are at most 2 KB.", ("size", None, "2048", "most")),
        ("Bodies are limited to half a megabyte.", ("size", None, "524288", "most")),
        ("It must not exceed 2 MB.", ("size", None, "2097152", "most")),
        ("Files that exceed 5 MB are split.", ("size", "5242880", None, "least")),
        ("Files over 5 MB are split.", ("size", "5242880", None, "least")),
        ("Answer without exceeding 5 MB.", ("size", None, "5242880", "most")),
        ("Coverage is at least 80 %.", ("share", "80", None, "least")),
        ("Coverage is not below 80 %.", ("share", "80", None, "least")),
        ("Coverage must never fall below 80 %.", ("share", "80", None, "least")),
        ("Answer within 2 days.", ("time", None, "172800", "most")),
        ("Tests take under five minutes.", ("time", None, "300", "most")),
        ("Tests take no longer than 5 minutes.", ("time", None, "300", "most")),
        ("It takes around 5 minutes.", ("time", "270", "330", "about")),
        ("It takes 5 to 10 minutes.", ("time", "300", "600", "range")),
        ("It takes from 5 to 10 minutes.", ("time", "300", "600", "range")),
        ("It takes 5ms-10ms.", ("time", "0.005", "0.01", "range")),
        ("Names can't be longer than 64 characters.", ("text", None, "64", "most")),
        ("Titles are 50 characters or less.", ("text", None, "50", "most")),
        ("Passwords have 12 or more characters.", ("text", "12", None, "least")),
        ("Lines are at most 120 columns wide.", ("text", None, "120", "most")),
        ("Lines have 120 columns at most.", ("text", None, "120", "most")),
        ("It has more than a thousand users.", ("count", "1000", None, "least")),
        ("No fewer than 2 approvals are needed.", ("count", "2", None, "least")),
        ("No user owns more than 5 keys.", ("count", None, "5", "most")),
        ("Up to 5 retries are made.", ("count", None, "5", "most")),
        ("At least one approval is needed.", ("count", "1", None, "least")),
        ("A pull request needs two approvals.", ("count", "2", None, "least")),
        ("Three or more reviewers approve.", ("count", "3", None, "least")),
        ("It takes exactly 3 workers.", ("count", "3", "3", "exact")),
        ("There must be exactly 3 workers.", ("count", "3", "3", "exact")),
        ("Between 2 and 10 workers run.", ("count", "2", "10", "range")),
        ("Keep 2-5 replicas.", ("count", "2", "5", "range")),
        ("The pool is capped at 20 connections.", ("count", None, "20", "most")),
        ("The pool can't have over 20 connections.", ("count", None, "20", "most")),
        ("The pool has a maximum size of 20.", ("count", None, "20", "most")),
        ("Attempts: 3 max.", ("count", None, "3", "most")),
        ("Pods get 12 connections at the very most.", ("count", None, "12", "most")),
        ("It is sent with max-age=86400.", ("time", None, "86400", "most")),
        ("The largest file it takes is 5 KB.", ("size", None, "5120", "most")),
        ("It is set to max_connections = 200.", ("count", None, "200", "most")),
        ("Fewer than 10 tests fail.", ("count", None, "10", "most")),
        ("Do not store more than a hundred entries.", ("count", None, "100", "most")),
        ("At least twice a day it runs.", ("interval", None, "43200", "most")),
        ("Deploy no more than once a day.", ("interval", "86400", None, "least")),
        ("Rust 1.74 and newer is supported.", ("version", "1.074", None, "least")),
        ("Node 18+ is required.", ("version", "18", None, "least")),
        ("Python \u2265 3.11 is required.", ("version", "3.011", None, "least")),
        ("Python >= 3.9 is required.", ("version", "3.009", None, "least")),
        ("The MSRV is 1.70.", ("version", "1.07", None, "least")),
        ("The minimum Node version is 20.", ("version", "20", None, "least")),
        ("Use at least TLS 1.2.", ("version", "1.002", None, "least")),
        ("Use TLS 1.2 or higher.", ("version", "1.002", None, "least")),
        ("Use Python 3.10 through 3.12.", ("version", "3.01", "3.012", "range")),
    ],
)
def test_an_amount_has_the_bound_that_the_words_around_it_give(
    sentence: str, amount: Amount
) -> None:
    assert read(sentence) == [amount]


@pytest.mark.parametrize(
    "sentence",
    [
        "The one thing to know is the name.",
        "It began in March 2024.",
        "It began in 2019.",
        "At once, the job stops.",
        "Once merged, the branch is deleted.",
        "Retry twice as often.",
        "A minute later it stops.",
        "We deployed 2026-03-01 by hand.",
        "See issue #42.",
        "Use UTF-8 and sha256 over HTTP/2 and IPv4.",
    ],
)
def test_a_date_a_name_or_a_figure_of_speech_is_no_amount(sentence: str) -> None:
    assert read(sentence) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The link has 8 Mbit/s.", "The link has 1 MB/s."),
        ("The link has 8 Mbps.", "The link has 1 MB per second."),
        ("The link has 8192 kbit/s.", "The link has 8 Mbit/s."),
        ("Allow 60 requests per minute.", "Allow 1 request per second."),
        ("Allow 3600 requests an hour.", "Allow 60 req/min."),
        ("Allow 100/min.", "Allow 6000/h."),
        ("Allow 50 rps.", "Allow 50 requests per second."),
        ("The plan costs $20 per month.", "The plan costs $20/month."),
    ],
)
def test_rates_are_counted_by_the_second(one: str, other: str) -> None:
    (mine,), (yours,) = amounts(one), amounts(other)
    assert mine.shown() == yours.shown()
    assert mine.per == "second"


@pytest.mark.parametrize(
    ("sentence", "per"),
    [
        ("It has 20 connections per pod.", "/pod"),
        ("Each pod has 20 connections.", "/each"),
        ("It runs pods, each with 20 connections.", "/each"),
        ("All pods together have 20 connections.", "/total"),
        ("It has 20 connections in all.", "/total"),
        ("It allows 60 requests per minute for one user.", "second/user"),
        ("It allows 60 requests per minute.", "second"),
        ("It has 20 connections.", ""),
    ],
)
def test_an_amount_knows_whose_it_is(sentence: str, per: str) -> None:
    assert amounts(sentence)[0].per == per


def test_a_share_of_the_calls_that_take_less_than_a_time_is_a_percentile() -> None:
    told = read("95 of 100 calls are answered in less than 0.3 seconds.")
    assert told == read("p95 stays below 300 ms.")
    assert told == [("percentile", "95", "95", "exact"), ("time", None, "0.3", "most")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep it for 30 days.", "Keep it for a month."),
        ("It has 1000 MB.", "It has 1 GB."),
        ("It runs every month.", "It runs every 30 days."),
        ("A third of the jobs fail.", "33 % of the jobs fail."),
        ("It takes about 5 minutes.", "It takes 290 seconds."),
    ],
)
def test_amounts_that_differ_by_what_a_unit_leaves_open_are_near(one: str, other: str) -> None:
    (mine,), (yours,) = amounts(one), amounts(other)
    assert are_near(mine, yours)
    assert are_near(yours, mine)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep it for 30 days.", "Keep it for 60 days."),
        ("Wait 5 to 10 seconds.", "Wait 5 to 20 seconds."),
        ("It takes about 5 minutes.", "It takes 8 minutes."),
        ("It takes at most 9 minutes.", "It takes about 5 minutes."),
    ],
)
def test_amounts_that_differ_by_more_are_not_near(one: str, other: str) -> None:
    (mine,), (yours,) = amounts(one), amounts(other)
    assert not are_near(mine, yours)


@pytest.mark.parametrize(
    ("sentence", "day"),
    [("The release is on 1 March.", "63"), ("The release is on 15 March.", "77")],
)
def test_the_day_on_which_something_happens_is_an_amount(sentence: str, day: str) -> None:
    assert read(sentence) == [("date", day, day, "exact")]


def test_a_time_of_day_may_reach_from_one_hour_to_another() -> None:
    assert read("It is off from 02:00 to 04:00.") == [("clock", "120", "240", "range")]
    assert read("It is off at 02:00.") == [("clock", "120", "120", "exact")]


@pytest.mark.parametrize("flag", ["-Xmx2048m", "`-Xms2g`", "-Xmx2097152k"])
def test_the_heap_of_a_java_program_is_a_size(flag: str) -> None:
    assert read(f"Start it with {flag}.") == [("size", "2147483648", "2147483648", "exact")]


@pytest.mark.parametrize(
    "sentence",
    [
        "In the first half of 2025 the schema stays.",
        "During the third quarter of 2024 the fee stays.",
        "The fee stays from January 1 to June 30, 2025.",
    ],
)
def test_a_year_and_its_parts_are_no_amounts(sentence: str) -> None:
    assert read(sentence) == []


def test_a_later_version_is_the_greater_one() -> None:
    (nine,), (eleven,) = amounts("We run Python 3.9."), amounts("We run Python 3.11.")
    assert nine.low is not None
    assert eleven.low is not None
    assert nine.low < eleven.low


def test_the_95th_percentile_is_p95() -> None:
    assert [word.concept for word in words_of("the 95th percentile")] == ["the", "p95"]
    assert read("The 95th percentile stays under 200 ms.") == read("p95 stays under 200 ms.")


@given(st.text(alphabet="0123456789.,-/^eEkMx%$ \u20ac:+ahour of in and every", max_size=200))
def test_no_row_of_figures_fails_to_be_read(text: str) -> None:
    amounts(text)
