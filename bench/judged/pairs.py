"""Pairs of notes: do they contradict one another, say the same, or neither?

The model has learnt from all tables but `unseen_*`, which nobody has read: they tell what to expect
of new notes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bench import conflicts
from bench.conflicts import COMPATIBLE, CONFLICT, DUPLICATE, Pair, Verdict
from bench.report import Measure, Part
from dmm.conflicts.shortlist import LEAST_ALIKE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dmm.domain.memory import Memory
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
LONGER = Floors(78, 80, tricky=70)
OTHERS = 2  # notes that a longer note holds beside its own text


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
    longer = [pair for path in named("unseen") for pair in _among_others(path)]
    yield from _score("unseen, among others", conflicts.judge_all(longer).dmm, LONGER)
    yield _strangers(embedder)


def _among_others(table: Path) -> Iterator[Pair]:
    """Make longer notes: each holds other notes of its table too, which are all different.

    What repeats another note is left out: with other sentences in it, it no longer does.
    """
    pairs = conflicts.load_table(table)
    texts = [_text(memory) for pair in pairs for memory in (pair.one, pair.other)]
    chance = random.Random(7)
    for pair in pairs:
        if pair.label == DUPLICATE:
            continue
        own = {_text(pair.one), _text(pair.other)}
        others = chance.sample([text for text in texts if text not in own], 2 * OTHERS)
        longer = []
        for memory, start in ((pair.one, 0), (pair.other, OTHERS)):
            parts = others[start : start + OTHERS]
            parts.insert(chance.randint(0, OTHERS), _text(memory))
            longer.append(replace(memory, body=f"# {memory.title}\n\n{' '.join(parts)}"))
        yield replace(pair, one=longer[0], other=longer[1])


def _text(memory: Memory) -> str:
    """Return the text below the title."""
    return memory.body.partition("\n\n")[2]


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
