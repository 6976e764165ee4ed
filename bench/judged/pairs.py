"""Pairs of notes: do they contradict one another, say the same, or neither?

The model has learnt from all tables but `unseen_*`, which nobody has read: they tell what to expect
of new notes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench import conflicts
from bench.conflicts import COMPATIBLE, CONFLICT, DUPLICATE, Pair, Verdict
from bench.report import Measure, Part
from dmm.conflicts.comparison_set import LEAST_ALIKE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dmm.embed.model import Embedder

HERE = conflicts.TABLE.parent
TABLES = HERE / "tables"


@dataclass(frozen=True, slots=True)
class Floors:
    """What a table must reach, in percent; None is shown without a floor."""

    accuracy: float
    conflict: float
    duplicate: float | None = None
    tricky: float | None = None
    duplicate_f1: float | None = None


STRANGERS = Floors(80, 85, duplicate=85, tricky=65)


def measure(embedder: Embedder) -> Part:
    """Score all tables."""
    return Part("Pairs of notes", tuple(_measure(embedder)), remark="Percent.")


def _measure(embedder: Embedder) -> Iterator[Measure]:
    own = conflicts.load_table(conflicts.TABLE)
    verdicts = conflicts.judge_all(own).dmm
    yield from _score("own table", verdicts, Floors(80, 85, tricky=65, duplicate_f1=90))
    yield _in_either_order(verdicts)
    cases, more = (conflicts.load_table(HERE / f"{name}.jsonl") for name in ("cases", "pairs_more"))
    sure = conflicts.judge_all(cases, sure=True).dmm
    yield from _score("cases, sure verdicts", sure, Floors(84, 95, duplicate_f1=85))
    yield from _score("more pairs", conflicts.judge_all(more).dmm, Floors(90, 80))
    sure = conflicts.judge_all(more, sure=True).dmm
    yield Measure("  conflict, precision of sure ones", conflicts.precision(sure, CONFLICT), 90)
    for sort in ("open", "fresh", "unseen"):
        pairs = [pair for path in named(sort) for pair in conflicts.load_table(path)]
        yield from _score(sort, conflicts.judge_all(pairs).dmm, STRANGERS)
    yield _strangers(embedder)


def named(sort: str) -> list[Path]:
    """The tables of one sort."""
    return sorted(TABLES.glob(f"{sort}_*.jsonl"))


def _score(name: str, verdicts: Sequence[Verdict], floors: Floors) -> Iterator[Measure]:
    note = f"{len(verdicts)} pairs"
    yield Measure(f"{name}: accuracy", conflicts.accuracy(verdicts), floors.accuracy, note=note)
    tricky = [verdict for verdict in verdicts if verdict.pair.tricky]
    if tricky:
        yield Measure("  tricky", conflicts.accuracy(tricky), floors.tricky)
    yield Measure("  conflict, precision", conflicts.precision(verdicts, CONFLICT), floors.conflict)
    yield Measure("  conflict, recall", conflicts.recall(verdicts, CONFLICT))
    duplicate = conflicts.precision(verdicts, DUPLICATE)
    yield Measure("  duplicate, precision", duplicate, floors.duplicate)
    if floors.duplicate_f1:
        yield Measure("  duplicate, F1", conflicts.f1(verdicts, DUPLICATE), floors.duplicate_f1)


def _in_either_order(verdicts: Sequence[Verdict]) -> Measure:
    turned = [Pair(v.pair.other, v.pair.one, v.pair.label, v.pair.kind) for v in verdicts]
    again = conflicts.judge_all(turned).dmm
    alike = [one.said == other.said for one, other in zip(verdicts, again, strict=True)]
    return Measure("  the same in either order", 100 * sum(alike) / len(alike), 100)


def _strangers(embedder: Embedder) -> Measure:
    """Notes of one field that were not written for one another, where a scan compares them."""
    pairs = conflicts.cross(conflicts.load_table(named("fresh")[0]))[::3]
    alike = conflicts.liken(pairs, embedder)
    near = [pair for pair, likeness in zip(pairs, alike, strict=True) if likeness >= LEAST_ALIKE]
    said = conflicts.judge_all(near, sure=True).dmm
    share = 100 * sum(one.said != COMPATIBLE for one in said) / len(pairs)
    note = f"{len(pairs)} pairs"
    return Measure("strangers called related", share, 0.2, at_most=True, digits=2, note=note)
