"""Days in plain words, relative to Sunday 15 November 2026."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.ask.days import find_span

DAY = dt.date(2026, 11, 15)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what did we do yesterday", "2026-11-14", "2026-11-14"),
        ("what happened today?", "2026-11-15", "2026-11-15"),
        ("what did we do last week", "2026-11-02", "2026-11-08"),
        ("this week's changes", "2026-11-09", "2026-11-15"),
        ("decisions of last month", "2026-10-01", "2026-10-31"),
        ("in the last 3 days", "2026-11-12", "2026-11-15"),
        ("over the past two weeks", "2026-11-01", "2026-11-15"),
        ("two days ago", "2026-11-13", "2026-11-13"),
        ("changes since 2026-01-01", "2026-01-01", None),
        ("changes since yesterday", "2026-11-14", None),
        ("changes since March", "2026-03-01", None),
        ("what changed after 2026-01-31", "2026-02-01", None),
        ("until 2026-02-28", None, "2026-02-28"),
        ("before March 2026", None, "2026-02-28"),
        ("in March", "2026-03-01", "2026-03-31"),
        ("in December", "2025-12-01", "2025-12-31"),
        ("in February 2024", "2024-02-01", "2024-02-29"),
        ("on March 5", "2026-03-05", "2026-03-05"),
        ("on Friday", "2026-11-13", "2026-11-13"),
        ("last Sunday", "2026-11-08", "2026-11-08"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("on 2026-05-04", "2026-05-04", "2026-05-04"),
        ("between 2026-01-01 and 2026-01-31", "2026-01-01", "2026-01-31"),
        ("from March to May", "2026-03-01", "2026-05-31"),
        ("last year", "2025-01-01", "2025-12-31"),
    ],
)
def test_a_stretch_of_days_is_read(text: str, since: str | None, until: str | None) -> None:
    found = find_span(text, DAY)
    assert found is not None
    told = [None if one is None else one.isoformat() for one in (found.since, found.until)]
    assert told == [since, until]
    assert found.words in " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "how may I start",
        "march through the code",
        "on 2026-02-30",
        "the last test",
        "since it fails",
    ],
)
def test_what_names_no_day_is_no_stretch(text: str) -> None:
    assert find_span(text, DAY) is None


@given(st.text(max_size=80), st.dates(dt.date(1990, 1, 1), dt.date(2100, 1, 1)))
def test_no_text_breaks_it(text: str, day: dt.date) -> None:
    find_span(text, day)
    find_span(f"in the last {text} days since last week {text}", day)


@given(
    st.integers(0, 9999),
    st.sampled_from(["day", "week", "month", "year"]),
    st.dates(dt.date(1990, 1, 1), dt.date(2100, 1, 1)),
)
def test_so_long_ago_is_never_after_the_day(number: int, unit: str, day: dt.date) -> None:
    found = find_span(f"in the last {number} {unit}s", day)
    assert found is not None
    assert found.since is not None
    assert found.since <= day == found.until
