"""More pairs of notes, most of them tricky, that have to stay judged right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bench import conflicts

TABLE = Path(__file__).with_name("pairs_more.jsonl")


def test_the_pairs_are_of_all_three_kinds_in_equal_parts() -> None:
    labels = Counter(pair.label for pair in conflicts.load_table(TABLE))
    assert labels == dict.fromkeys(conflicts.LABELS, 20)


def test_nearly_all_of_them_are_judged_right_and_hardly_a_sure_conflict_is_made_up() -> None:
    pairs = conflicts.load_table(TABLE)
    verdicts = conflicts.judge_all(pairs).dmm
    wrong = [
        f"{v.said}: {v.pair.one.body} | {v.pair.other.body}"
        for v in verdicts
        if v.said != v.pair.label
    ]
    assert conflicts.accuracy(verdicts) >= 90, "\n".join(wrong)
    sure = conflicts.judge_all(pairs, sure=True).dmm
    assert conflicts.precision(sure, conflicts.CONFLICT) >= 90, "\n".join(wrong)
