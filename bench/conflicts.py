"""Conflicts: what comparing two memories makes of pairs whose answer is known.

The own table has short notes as files hold them, under their titles. A sentence of a public set
becomes a memory without title and tags: they have none, and a made-up one would be a hint. Every
pair is given to the comparison; which pairs a scan compares is not measured here.

Near-duplicates: SICK gives each pair a likeness from 1 to 5. Those of 4.5 and more that do not
contradict one another count as said twice, whatever their label of entailment; MRPC has its own
label. The public sets ask for more than DMM looks for: their contradictions describe scenes.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.loaders import SetMissing
from bench.report import Measure, Part, missing
from dmm.conflicts.compare import compare_all, read_memory
from dmm.domain.conflict import ConflictType
from dmm.domain.memory import Confidence, Memory, Scope, Status
from dmm.embed.pairs import PairModel
from dmm.index.likeness import direction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dmm.domain.conflict import Clash
    from dmm.embed.model import Embedder

CONFLICT, COMPATIBLE, DUPLICATE = "conflict", "compatible", "duplicate"
LABELS = (CONFLICT, COMPATIBLE, DUPLICATE)
TABLE = Path(__file__).resolve().parents[1] / "tests" / "conflicts" / "pairs_dev.jsonl"
TODAY = dt.date(2026, 1, 1)
SAMPLE = 2_000  # of the sets that are larger than it takes to see a rate
CROSSED = 4_000  # of the pairs that notes of different pairs make
ALIKE = 4.5  # SICK's likeness from which two sentences count as the same

_ENTAILMENTS = {"contradiction": CONFLICT, "neutral": COMPATIBLE, "entailment": COMPATIBLE}
_REQUIREMENTS = {"conflict": CONFLICT, "none": COMPATIBLE}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories, what is known of them, and the kind of difficulty."""

    one: Memory
    other: Memory
    label: str
    kind: str = ""
    tricky: bool = False
    neutral: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was said of a pair."""

    pair: Pair
    said: str


# --- Reading pairs ---------------------------------------------------------------------------


def load_table(path: Path) -> list[Pair]:
    """Read a table of notes: a line of JSON for each pair."""
    return [read_pair(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def read_pair(row: dict[str, Any]) -> Pair:
    """Make a pair of notes of a row."""
    one, other = (_note(row[side], side, row) for side in ("a", "b"))
    return Pair(one, other, row["label"], row.get("kind", ""), tricky=row.get("tricky", False))


def _note(note: dict[str, Any], side: str, row: dict[str, Any]) -> Memory:
    opposite = _id("b" if side == "a" else "a")
    related = note.get("related") or row["b" if side == "a" else "a"].get("related")
    return _memory(
        side,
        note["body"],
        title=note["title"],
        tags=tuple(note.get("tags", ())),
        scope=Scope(note.get("scope", Scope.PROJECT)),
        created=_day(note.get("created")),
        expires=_day(note.get("expires")),
        supersedes=(opposite,) if note.get("supersedes_other") else (),
        related=(opposite,) if related else (),
    )


def _memory(
    side: str, text: str, *, title: str = "", scope: Scope = Scope.PROJECT, **rest: Any
) -> Memory:
    return Memory(
        id=_id(side),
        path=f"{scope}/{side}.md",
        title=title,
        body=f"# {title}\n\n{text}" if title else text,
        tags=rest.pop("tags", ()),
        scope=scope,
        priority=0.5,
        confidence=Confidence.ACTIVE,
        status=Status.ACTIVE,
        **rest,
    )


def _id(side: str) -> str:
    return f"mem_2026_01_01_{'ab'.index(side) + 1:03d}"


def _day(text: str | None) -> dt.date | None:
    return None if text is None else dt.date.fromisoformat(text)


def cross(pairs: Sequence[Pair]) -> list[Pair]:
    """Put notes together that were not written for one another: hardly any of them clash."""
    mixed = [(a.one, b.other) for a in pairs for b in pairs if a is not b]
    step = max(1, len(mixed) // CROSSED)
    return [Pair(one, other, COMPATIBLE, neutral=True) for one, other in mixed[::step]]


def load_public(
    data: Path, name: str, answer: Callable[[dict[str, Any]], str], most: int | None = None
) -> list[Pair]:
    """Read a public set of sentences in pairs; of a large one, evenly spread lines."""
    path = f"pairs/{name}.jsonl"
    try:
        lines = (data / path).read_text("utf-8").splitlines()
    except FileNotFoundError as error:
        raise SetMissing(path) from error
    step = max(1, len(lines) // most) if most else 1
    rows = (json.loads(line) for line in lines[::step][:most])
    return [
        Pair(
            _memory("a", row["a"]),
            _memory("b", row["b"]),
            answer(row),
            neutral=row["label"] == "neutral",
        )
        for row in rows
    ]


# --- Judging ---------------------------------------------------------------------------------


@cache
def _model() -> PairModel:
    return PairModel.load()


def judge(pairs: Sequence[Pair], *, sure: bool = False, exact: bool = False) -> list[str]:
    """Say what the product says of pairs: all of it, what it is sure of, or what is exact."""
    readings = [(read_memory(pair.one), read_memory(pair.other)) for pair in pairs]
    clashes = compare_all(readings, None if exact else _model(), TODAY)
    return [_name(None if clash and sure and not clash.sure else clash) for clash in clashes]


def _name(clash: Clash | None) -> str:
    if clash is None:
        return COMPATIBLE
    return DUPLICATE if clash.type is ConflictType.DUPLICATE else CONFLICT


_WORD = re.compile(r"[a-z]+(?:'t)?|\d+(?:[.,]\d+)*")
_SMALL = (
    "a an the is are was be been of to in on at for by with and or as it its this that we you "
    "our your they their has have will so"
)
_NOISE = frozenset(_SMALL.split())
_DENIALS = frozenset({"no", "not", "never", "none", "nobody", "nothing", "without", "cannot"})
_OPPOSITES = (
    "always never; all none; allow forbid; allowed forbidden; enable disable; enabled disabled; "
    "on off; sync async; synchronous asynchronous; public private; before after; add remove; "
    "required optional; must may; include exclude; open closed; start stop; old new; soft hard; "
    "automatic manual; automatically manually; up down; big small; large small; man woman; "
    "boy girl; inside outside; indoors outdoors; sitting standing; hot cold; first last"
)
_OPPOSITE = frozenset(tuple(pair.split()) for pair in _OPPOSITES.split(";"))
SAME_WORDS, SHARED_WORDS = 0.4, 0.2  # about the best for it on the own table


def guess(pair: Pair) -> str:
    """Say what a plain rule of thumb says: shared words, polarity, numbers and antonyms."""
    one, other = (set(_words(memory.body)) for memory in (pair.one, pair.other))
    meant, meant_too = one - _DENIALS, other - _DENIALS
    shared = len(meant & meant_too) / max(1, len(meant | meant_too))
    if shared < SHARED_WORDS:
        return COMPATIBLE
    if _denies(one) != _denies(other) or _opposed(one, other) or _numbers(one) != _numbers(other):
        return CONFLICT
    return DUPLICATE if shared >= SAME_WORDS else COMPATIBLE


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        if word not in _NOISE:
            yield word if word in _DENIALS or len(word) < 4 else word.removesuffix("s")


def _denies(words: set[str]) -> bool:
    return bool(words & _DENIALS) or any(word.endswith("n't") for word in words)


def _numbers(words: set[str]) -> set[str]:
    return {word for word in words if word[0].isdigit()}


def _opposed(one: set[str], other: set[str]) -> bool:
    return any(
        (first in one and second in other) or (second in one and first in other)
        for first, second in _OPPOSITE
    )


def liken(pairs: Sequence[Pair], embedder: Embedder) -> list[float]:
    """Measure how alike the two of each pair are, as the index does."""
    known: dict[tuple[str, tuple[str, ...], str], Any] = {}

    def vector(memory: Memory) -> Any:
        key = (memory.title, memory.tags, memory.body)
        if key not in known:
            known[key] = direction(memory, embedder)
        return known[key]

    return [float(vector(pair.one) @ vector(pair.other)) for pair in pairs]


# --- Scoring ---------------------------------------------------------------------------------


def accuracy(verdicts: Iterable[Verdict]) -> float:
    """Share of the pairs judged right, in percent."""
    right = [verdict.said == verdict.pair.label for verdict in verdicts]
    return 100 * sum(right) / len(right) if right else 0.0


def precision(verdicts: Iterable[Verdict], label: str) -> float:
    """Of the pairs said to be so, the share that is, in percent."""
    return _share([v.pair.label == label for v in verdicts if v.said == label])


def recall(verdicts: Iterable[Verdict], label: str) -> float:
    """Of the pairs that are so, the share said to be, in percent."""
    return _share([v.said == label for v in verdicts if v.pair.label == label])


def f1(verdicts: Sequence[Verdict], label: str) -> float:
    """Harmonic mean of precision and recall, in percent."""
    both = precision(verdicts, label), recall(verdicts, label)
    return 2 * both[0] * both[1] / sum(both) if sum(both) else 0.0


def _share(right: list[bool]) -> float:
    return 100 * sum(right) / len(right) if right else 0.0


def flagged(verdicts: Iterable[Verdict]) -> float:
    """Of the neutral pairs, the share said to be in conflict, in percent."""
    return _share([v.said == CONFLICT for v in verdicts if v.pair.neutral])


# --- Measuring -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """A set judged by the product and, beside it, by the rule of thumb."""

    dmm: list[Verdict]
    plain: list[Verdict]

    def measure(
        self,
        name: str,
        score: Callable[[list[Verdict]], float],
        bar: float | None = None,
        **rest: Any,
    ) -> Measure:
        """Score both."""
        beside = {"plain rule": score(self.plain)} | rest.pop("beside", {})
        return Measure(name, score(self.dmm), bar, beside=beside, **rest)


def judge_all(pairs: Sequence[Pair], *, sure: bool = False, exact: bool = False) -> Judged:
    """Judge pairs by the product and by the rule of thumb."""
    said = judge(pairs, sure=sure, exact=exact)
    return Judged(
        [Verdict(pair, answer) for pair, answer in zip(pairs, said, strict=True)],
        [Verdict(pair, guess(pair)) for pair in pairs],
    )


def measure(data: Path, table: Path = TABLE) -> Part:
    """Measure the own table, and every public set that is in the data folder."""
    measures = [*_measure_table(table)]
    for name, one_set in _SETS.items():
        try:
            measures += one_set(data)
        except SetMissing as error:
            measures.append(missing(name, error))
    remark = (
        "Percent. plain rule: shared words, polarity, numbers, antonyms. Measured before, with\n"
        "all-MiniLM-L6-v2 in fp32: its cosine; mixed: with negation, antonyms and numbers;\n"
        "logistic: a regression trained for the set. The own table is among what the model has\n"
        "learnt from; the sentences of the public sets are not."
    )
    return Part("Conflicts and duplicates", tuple(measures), remark)


def _measure_table(table: Path) -> Iterator[Measure]:
    pairs = load_table(table)
    judged = judge_all(pairs)
    tricky = [pair for pair in pairs if pair.tricky]
    yield judged.measure("own table, accuracy", accuracy, 80, note=f"{len(pairs)} pairs")
    yield judge_all(tricky).measure("  tricky", accuracy, 65, note=f"{len(tricky)} pairs")
    for label in LABELS:
        bar = 85 if label == CONFLICT else None
        yield judged.measure(f"  {label}, precision", partial(precision, label=label), bar)
        yield judged.measure(f"  {label}, recall", partial(recall, label=label))
    yield judged.measure("  duplicate, F1", partial(f1, label=DUPLICATE), 90)
    crossed = judge_all(cross(pairs), sure=True)
    note = f"{len(crossed.dmm)} pairs"
    yield crossed.measure("  unrelated notes flagged", flagged, digits=2, note=note)
    without = judge_all(pairs, exact=True)
    yield without.measure("  accuracy of what is exact alone", accuracy)


def _sick(data: Path) -> Iterator[Measure]:
    judged = judge_all(load_public(data, "sick_test", _scene), sure=True)
    published = {"cosine": 34.0, "mixed": 78.3, "logistic": 85.5}
    note = f"{len(judged.dmm)} pairs"
    yield judged.measure(
        "SICK contradiction, F1", partial(f1, label=CONFLICT), beside=published, note=note
    )
    yield judged.measure("  precision", partial(precision, label=CONFLICT))
    yield judged.measure("  neutral pairs flagged", flagged, 2, at_most=True)
    note = f"likeness of {ALIKE} and more"
    yield judged.measure(
        "  near-duplicate, F1",
        partial(f1, label=DUPLICATE),
        beside={"cosine": 69.8, "logistic": 75.2},
        note=note,
    )


def _scene(row: dict[str, Any]) -> str:
    label = _ENTAILMENTS[row["label"]]
    return DUPLICATE if label == COMPATIBLE and row["score"] >= ALIKE else label


def _mrpc(data: Path) -> Iterator[Measure]:
    pairs = load_public(data, "mrpc_test", lambda row: DUPLICATE if row["label"] else COMPATIBLE)
    judged = judge_all(pairs, sure=True)
    note = f"{len(pairs)} pairs; two thirds count as the same"
    yield judged.measure("MRPC duplicate, F1", partial(f1, label=DUPLICATE), note=note)
    yield judged.measure("  precision", partial(precision, label=DUPLICATE))


def _requirements(data: Path) -> Iterator[Measure]:
    pairs = load_public(data, "reqconflict_train", lambda row: _REQUIREMENTS[row["label"]])
    judged = judge_all(pairs, sure=True)
    note = f"{len(pairs)} pairs, four of five in conflict"
    yield judged.measure("requirements, conflict F1", partial(f1, label=CONFLICT), note=note)
    yield judged.measure("  precision", partial(precision, label=CONFLICT))


def _nli(title: str, name: str) -> Callable[[Path], Iterator[Measure]]:
    def one_set(data: Path) -> Iterator[Measure]:
        pairs = load_public(data, name, lambda row: _ENTAILMENTS[row["label"]], SAMPLE)
        judged = judge_all(pairs, sure=True)
        note = f"{len(pairs)} pairs, evenly spread"
        yield judged.measure(f"{title} contradiction, F1", partial(f1, label=CONFLICT), note=note)
        yield judged.measure("  precision", partial(precision, label=CONFLICT))
        yield judged.measure("  neutral pairs flagged", flagged)

    return one_set


_SETS = {
    "SICK": _sick,
    "MRPC": _mrpc,
    "requirements": _requirements,
    "SNLI": _nli("SNLI", "snli_dev"),
    "MNLI": _nli("MNLI", "mnli_dev"),
}
