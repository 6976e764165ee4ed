"""Fit src/dmm/conflicts/weights.py to the tables of pairs in tests/conflicts.

    tables of pairs ─ evidence of each pair ─┐
                                             ├→ multinomial logistic regression → weights.py
    notes of a table that were not written   │
    for one another ─ evidence, compatible ──┘

Only pairs are taken of which the rules say nothing: there the weights decide.

A table counts as much as how little the rules were written with it in view: `tables/fresh_*`, which
nobody read while writing rules, most; `tables/open_*` less; the old ones least; `tables/unseen_*`
are kept to measure, and nothing is learned from them. Two notes of one
table that are each other's nearest and were not written for one another stand for what a project is
full of: notes of one field that have nothing to do with one another. The same tables and rules give
the same bytes.

From the folder of the repository:

    python -m tools.weigh_conflicts            writes the file
    python -m tools.weigh_conflicts --leave    leaves one table out at a time and prints how it goes
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.conflicts import LABELS, Pair, liken, load_table
from dmm.conflicts.compare import evidence_of, read_memory
from dmm.conflicts.supersession import change_between, supersedes
from dmm.conflicts.verdict import decide
from dmm.embed.model import Embedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COMMAND = "python -m tools.weigh_conflicts"
ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "tests" / "conflicts"
TARGET = ROOT / "src" / "dmm" / "conflicts" / "weights.py"
COMPATIBLE, CONFLICT, DUPLICATE = "compatible", "conflict", "duplicate"
ORDER = (COMPATIBLE, CONFLICT, DUPLICATE)
OLD, OPEN, FRESH, STRANGERS = 0.25, 1.0, 3.0, 0.5
UNSEEN = "unseen_"
STRENGTH = 0.05  # of the pull towards no weight at all, the inverse of its variance
FEWEST = 8  # a piece of evidence that fewer pairs have says nothing reliable
STEPS = 40


@dataclass(frozen=True, slots=True)
class Example:
    """The evidence of one pair, its label, the table it is from and how much it counts."""

    evidence: dict[str, float]
    label: str
    table: str
    weight: float
    tricky: bool = False
    stranger: bool = False


def main() -> None:
    """Write the weights, or try them on one table at a time."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Fit the weights of evidence.")
    parser.add_argument("--leave", action="store_true", help="leave one table out at a time")
    arguments = parser.parse_args()
    examples = list(read_examples(Embedder.load()))
    names = name_evidence(examples)
    if arguments.leave:
        for line in leave_out(examples, names):
            print(line)
        return
    weights, bias = fit(examples, names)
    TARGET.write_text(render(names, weights, bias), encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(names)} weights from {len(examples)} pairs")


def read_examples(embedder: Embedder) -> Iterator[Example]:
    """Read every table that may be learned from, and of the newer ones the nearest strangers."""
    learned = sorted(path for path in TABLES.glob("tables/*.jsonl") if UNSEEN not in path.name)
    for path in sorted(TABLES.glob("pairs_*.jsonl")) + learned:
        weight = {"fresh": FRESH, "open": OPEN}.get(path.stem.partition("_")[0], OLD)
        pairs = load_table(path)
        for pair, likeness in zip(pairs, liken(pairs, embedder), strict=True):
            evidence = None if _is_settled(pair, likeness) else _evidence(pair, likeness)
            if evidence is not None:
                yield Example(evidence, pair.label, path.stem, weight, tricky=pair.tricky)
        if weight > OLD:
            for evidence in _strangers(pairs, embedder):
                yield Example(evidence, COMPATIBLE, path.stem, STRANGERS, stranger=True)


def _evidence(pair: Pair, likeness: float) -> dict[str, float] | None:
    return evidence_of(read_memory(pair.one), read_memory(pair.other), likeness)


def _is_settled(pair: Pair, likeness: float) -> bool:
    """Whether the front matter or an explicit word of change settles a pair, not its evidence."""
    if supersedes(pair.one, pair.other) or supersedes(pair.other, pair.one):
        return True
    change = change_between(read_memory(pair.one), read_memory(pair.other))
    return change in ("history", "explicit") and likeness < 0.95


def _strangers(pairs: Sequence[Pair], embedder: Embedder) -> Iterator[dict[str, float]]:
    """Of one note of each pair, those that are each other's nearest."""
    for side in ("one", "other"):
        notes = [getattr(pair, side) for pair in pairs]
        met = [Pair(a, b, COMPATIBLE) for n, a in enumerate(notes) for b in notes[n + 1 :]]
        values = liken(met, embedder)
        best: dict[int, tuple[float, Pair]] = {}
        for pair, value in zip(met, values, strict=True):
            for note in (pair.one, pair.other):
                best[id(note)] = max(best.get(id(note), (-1.0, pair)), (value, pair), key=_value)
        for value, pair in zip(values, met, strict=True):
            mutual = best[id(pair.one)][1] is pair and best[id(pair.other)][1] is pair
            evidence = _evidence(pair, value) if mutual else None
            if evidence is not None:
                yield evidence


def _value(found: tuple[float, Pair]) -> float:
    return found[0]


def name_evidence(examples: Sequence[Example]) -> list[str]:
    """Name the evidence that enough pairs have."""
    counts: dict[str, int] = {}
    for example in examples:
        for name, value in example.evidence.items():
            counts[name] = counts.get(name, 0) + (value != 0)
    return sorted(name for name, count in counts.items() if count >= FEWEST)


def fit(examples: Sequence[Example], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Fit weights and bias against `compatible`, for conflict and duplicate, by Newton's method."""
    values = np.array([[e.evidence.get(name, 0.0) for name in names] for e in examples])
    mean, scale = values.mean(axis=0), values.std(axis=0)
    scale[scale == 0] = 1.0
    rows = np.column_stack([(values - mean) / scale, np.ones(len(values))])
    wanted = np.array([[e.label == label for label in ORDER] for e in examples], dtype=float)
    counts = np.array([e.weight for e in examples])
    found = _newton(rows, wanted, counts)
    found = found[1:] - found[0]
    weights = found[:, :-1] / scale
    return weights, found[:, -1] - weights @ mean


def _newton(rows: Floats, wanted: Floats, counts: Floats) -> Floats:
    many, width = len(ORDER), rows.shape[1]
    pull = np.full(width, 1 / STRENGTH)
    pull[-1] = 1e-6
    theta = np.zeros((many, width))
    for _ in range(STEPS):
        chance = _softmax(rows @ theta.T)
        slope = ((chance - wanted) * counts[:, None]).T @ rows + theta * pull
        curve = np.zeros((many * width, many * width))
        for a in range(many):
            for b in range(many):
                shared = counts * chance[:, a] * ((a == b) - chance[:, b])
                block = (rows * shared[:, None]).T @ rows
                if a == b:
                    block += np.diag(pull)
                curve[a * width : (a + 1) * width, b * width : (b + 1) * width] = block
        step = np.linalg.lstsq(curve, slope.ravel(), rcond=None)[0].reshape(theta.shape)
        theta -= step
        if np.abs(step).max() < 1e-9:
            break
    return theta


def _softmax(scores: Floats) -> Floats:
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def leave_out(examples: Sequence[Example], names: Sequence[str]) -> Iterator[str]:
    """Fit without one table at a time, and tell how its pairs come out."""
    said: list[tuple[Example, str]] = []
    for table in sorted({e.table for e in examples if e.weight > OLD}):
        weights, bias = fit([e for e in examples if e.table != table], names)
        said += [
            (example, _decide(example, names, weights, bias))
            for example in examples
            if example.table == table
        ]
    for sort in ("open", "fresh", ""):
        part = [(e, s) for e, s in said if e.table.startswith(sort) and not e.stranger]
        yield f"{sort or 'all'}: {_scores(part)}"
    flagged = [s for e, s in said if e.stranger]
    yield f"strangers called related: {sum(s != COMPATIBLE for s in flagged)} of {len(flagged)}"


def _decide(example: Example, names: Sequence[str], weights: Floats, bias: Floats) -> str:
    row = np.array([example.evidence.get(name, 0.0) for name in names])
    chance = _softmax(np.array([[0.0, *(weights @ row + bias)]]))[0]
    return decide(dict(zip(ORDER, chance, strict=True)))[0]


def _scores(said: Sequence[tuple[Example, str]]) -> str:
    right = [e.label == s for e, s in said]
    tricky = [e.label == s for e, s in said if e.tricky]
    told = [f"n={len(said)} accuracy {np.mean(right):.3f} tricky {np.mean(tricky):.3f}"]
    for label in LABELS:
        called = [e.label == label for e, s in said if s == label]
        held = [s == label for e, s in said if e.label == label]
        told.append(f"{label} P {np.mean(called):.3f} R {np.mean(held):.3f}")
    return ", ".join(told)


def render(names: Sequence[str], weights: Floats, bias: Floats) -> str:
    """Write the weights as a module."""
    lines = [
        '"""How much each piece of evidence speaks for a conflict, and for a duplicate.',
        "",
        f"Written by `{COMMAND}` from the tables in tests/conflicts: not to be edited.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        f"BIAS = ({bias[0]:.4f}, {bias[1]:.4f})",
        "WEIGHTS: dict[str, tuple[float, float]] = {",
        *(
            f'    "{name}": ({weights[0][n]:.4f}, {weights[1][n]:.4f}),'
            for n, name in enumerate(names)
        ),
        "}",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
