"""Amounts and their bounds, as sentences give them."""

from __future__ import annotations

import pytest

from dmm.conflicts.quantities import quantities_of
from dmm.conflicts.words import words_of


def read(sentence: str) -> list[tuple[str, str | None, str | None, str]]:
    return [
        (
            found.measure,
            None if found.low is None else f"{found.low.normalize():f}",
            None if found.high is None else f"{found.high.normalize():f}",
            found.bound,
        )
        for found in quantities_of(words_of(sentence), sentence)
    ]


@pytest.mark.parametrize(
    ("sentence", "amount"),
    [
        ("It expires after 60 minutes.", ("time", "3600", "3600", "exact")),
        ("It expires after an hour.", ("time", "3600", "3600", "exact")),
        ("It waits 250ms.", ("time", "0.25", "0.25", "exact")),
        ("Wait half a minute.", ("time", "30", "30", "exact")),
        ("Uploads are at most 2 KB.", ("size", None, "2048", "most")),
        ("Coverage is at least 80 %.", ("share", "80", None, "least")),
        ("One request in ten is traced.", ("share", "10", "10", "exact")),
        ("A fifth of all jobs fail.", ("share", "20", "20", "exact")),
        ("No user owns more than 5 keys.", ("count", None, "5", "most")),
        ("A pull request needs two approvals.", ("count", "2", None, "least")),
        ("Between 2 and 10 workers run.", ("count", "2", "10", "range")),
        ("We run Python 3.11.", ("version", "3.11", "3.11", "exact")),
        ("It answers with status 404.", ("status", "404", "404", "exact")),
        ("It listens on port 8080.", ("port", "8080", "8080", "exact")),
        ("It starts at 03:30.", ("clock", "210", "210", "exact")),
        ("It runs every 15 minutes.", ("interval", "900", "900", "exact")),
        ("It runs once a week.", ("interval", "604800", "604800", "exact")),
        ("It runs daily.", ("interval", "86400", "86400", "exact")),
    ],
)
def test_an_amount_is_read_in_one_unit_with_its_bound(
    sentence: str, amount: tuple[str, str | None, str | None, str]
) -> None:
    assert read(sentence) == [amount]


@pytest.mark.parametrize(
    "sentence",
    ["The one thing to know is the name.", "It began in March 2024.", "At once, the job stops."],
)
def test_a_date_or_a_figure_of_speech_is_no_amount(sentence: str) -> None:
    assert read(sentence) == []
