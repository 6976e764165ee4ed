"""Pairs of notes whose answer people agree on, judged with the real model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from bench import conflicts
from bench.conflicts import CONFLICT, DUPLICATE, LABELS, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    pairs = conflicts.load_table(conflicts.TABLE)
    return conflicts.judge_all(pairs).dmm


def describe(verdicts: Iterable[Verdict]) -> str:
    """List the pairs that were judged wrong."""
    lines = [
        f"{v.pair.label} ({v.pair.kind}), said {v.said}:\n"
        f"    {_flat(v.pair.one.body)}\n    {_flat(v.pair.other.body)}"
        for v in verdicts
        if v.said != v.pair.label
    ]
    return "\n".join(["judged wrong:", *lines])


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_the_table_is_large_balanced_and_half_of_it_tricky() -> None:
    pairs = conflicts.load_table(conflicts.TABLE)
    labels = Counter(pair.label for pair in pairs)
    assert len(pairs) >= 120
    assert set(labels) == set(LABELS)
    assert min(labels.values()) >= 0.3 * len(pairs)
    assert sum(pair.tricky for pair in pairs) >= 0.5 * len(pairs)
    assert len({(pair.one.body, pair.other.body) for pair in pairs}) == len(pairs)


def test_most_pairs_are_judged_right(verdicts: list[Verdict]) -> None:
    assert conflicts.accuracy(verdicts) >= 80, describe(verdicts)


def test_most_tricky_pairs_are_judged_right(verdicts: list[Verdict]) -> None:
    tricky = [verdict for verdict in verdicts if verdict.pair.tricky]
    assert conflicts.accuracy(tricky) >= 65, describe(tricky)


def test_what_is_called_a_conflict_is_one(verdicts: list[Verdict]) -> None:
    called = [verdict for verdict in verdicts if verdict.said == CONFLICT]
    assert conflicts.precision(verdicts, CONFLICT) >= 85, describe(called)


def test_what_is_said_twice_is_found(verdicts: list[Verdict]) -> None:
    about = [v for v in verdicts if DUPLICATE in (v.said, v.pair.label)]
    assert conflicts.f1(verdicts, DUPLICATE) >= 90, describe(about)


def test_a_pair_is_judged_alike_in_either_order(verdicts: list[Verdict]) -> None:
    turned = [conflicts.Pair(v.pair.other, v.pair.one, v.pair.label, v.pair.kind) for v in verdicts]
    again = conflicts.judge_all(turned).dmm
    differing = [
        f"{first.said} / {second.said}: {_flat(first.pair.one.body)} | "
        f"{_flat(first.pair.other.body)}"
        for first, second in zip(verdicts, again, strict=True)
        if first.said != second.said
    ]
    assert differing == []
