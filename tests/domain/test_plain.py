"""Values are written as plain data by their fields."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from dmm.domain.plain import to_plain


@dataclass(frozen=True, slots=True)
class Gate:
    """A value with a field that is a word of Python, and one that is left out by default."""

    pass_: bool
    day: dt.date
    moment: dt.datetime
    note: str = ""


def test_a_word_of_python_is_written_without_its_underscore_and_a_day_as_iso() -> None:
    gate = Gate(True, dt.date(2026, 1, 31), dt.datetime(2026, 1, 31, 9, 5, tzinfo=dt.UTC))
    assert to_plain(gate) == {
        "pass": True,
        "day": "2026-01-31",
        "moment": "2026-01-31T09:05:00+00:00",
    }
