from __future__ import annotations

from bench.report import Measure, Part, missing, render


def test_a_bar_may_be_a_floor_or_a_ceiling() -> None:
    assert Measure("recall", 75.0, 75).reached is True
    assert Measure("recall", 74.99, 75).reached is False
    assert Measure("ratio", 3.1, 3, at_most=True).reached is False


def test_a_figure_without_a_bar_is_neither_reached_nor_missed() -> None:
    assert Measure("recall", 75.0).reached is None
    assert missing("notes", "notes/notes.json").reached is None


def test_a_table_shows_every_figure_and_says_what_is_not_here() -> None:
    part = Part(
        "Quality",
        (Measure("recall", 75.04, 75, beside={"FTS": 59.2}), missing("notes", "notes.json")),
    )
    assert render(part).splitlines() == [
        "Quality",
        "-" * 59,
        "         FTS  measured   bar  reached",
        "-" * 59,
        "recall  59.2      75.0  75.0      yes",
        "notes      -         -                 not here: notes.json",
    ]
