"""A few pairs of notes that are always judged right; `make quality` scores the full tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench import conflicts
from bench.judged import pairs

HERE = Path(__file__).parent


def test_plain_and_tricky_pairs_are_judged_right() -> None:
    table = conflicts.load_table(HERE / "golden.jsonl")
    judged = conflicts.judge_all(table).dmm
    wrong = [
        f"{one.said}, not {one.pair.label}: {one.pair.one.body} | {one.pair.other.body}"
        for one in judged
        if one.said != one.pair.label
    ]
    assert wrong == []


def test_the_own_table_is_large_balanced_and_half_of_it_tricky() -> None:
    table = conflicts.load_table(conflicts.TABLE)
    labels = Counter(pair.label for pair in table)
    assert len(table) >= 120
    assert set(labels) == set(conflicts.LABELS)
    assert min(labels.values()) >= 0.3 * len(table)
    assert sum(pair.tricky for pair in table) >= 0.5 * len(table)
    assert len({(pair.one.body, pair.other.body) for pair in table}) == len(table)


def test_the_second_table_has_the_three_labels_in_equal_parts() -> None:
    labels = Counter(pair.label for pair in conflicts.load_table(HERE / "pairs_more.jsonl"))
    assert labels == dict.fromkeys(conflicts.LABELS, 20)


@pytest.mark.parametrize(("sort", "count"), [("open", 57), ("fresh", 6), ("unseen", 12)])
def test_tables_by_strangers_have_every_label_and_half_is_tricky(sort: str, count: int) -> None:
    paths = pairs.named(sort)
    assert len(paths) == count
    for path in paths:
        table = conflicts.load_table(path)
        assert {pair.label for pair in table} == set(conflicts.LABELS)
        assert len(table) in {60, 70}
        assert sum(pair.tricky for pair in table) * 2 >= len(table)
