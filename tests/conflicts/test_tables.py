"""Tables by many authors: what the product makes of them, with its model.

The model has learnt from `open_*` and `fresh_*`. `unseen_*` were used for nothing, and nobody has
read them: they tell what to expect of new texts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import conflicts
from bench.conflicts import CONFLICT, DUPLICATE, LABELS
from dmm.conflicts.comparison_set import LEAST_ALIKE
from dmm.embed.model import Embedder

pytestmark = pytest.mark.repeats
TABLES = sorted(Path(__file__).with_name("tables").glob("*.jsonl"))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: str(path.stem))
def test_a_table_has_pairs_of_every_label_half_of_them_tricky(path: Path) -> None:
    pairs = conflicts.load_table(path)
    assert {pair.label for pair in pairs} == set(LABELS)
    assert sum(pair.tricky for pair in pairs) * 2 == len(pairs) == 60


@pytest.mark.parametrize("sort", ["open", "fresh", "unseen"])
def test_most_pairs_are_judged_right_and_what_is_called_a_conflict_is_one(sort: str) -> None:
    """Of the open tables every fourth, which shows as much in a quarter of the time."""
    named = [path for path in TABLES if path.name.startswith(sort)]
    chosen = named[::4] if sort == "open" else named
    pairs = [pair for path in chosen for pair in conflicts.load_table(path)]
    verdicts = conflicts.judge_all(pairs).dmm
    assert conflicts.accuracy(verdicts) >= 80
    assert conflicts.accuracy([v for v in verdicts if v.pair.tricky]) >= 65
    assert conflicts.precision(verdicts, CONFLICT) >= 85
    assert conflicts.precision(verdicts, DUPLICATE) >= 85


def test_hardly_any_notes_are_called_related_for_sure_that_are_strangers() -> None:
    """Notes of one field that were not written for one another, as far as a scan compares them."""
    strangers = conflicts.cross(conflicts.load_table(TABLES[0]))[::3]
    alike = conflicts.liken(strangers, Embedder.load())
    near = [
        pair for pair, likeness in zip(strangers, alike, strict=True) if likeness >= LEAST_ALIKE
    ]
    said = conflicts.judge_all(near, sure=True).dmm
    assert sum(v.said != "compatible" for v in said) <= 0.002 * len(strangers)
