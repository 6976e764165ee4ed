"""A wide table of short notes in pairs, judged with the real model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dmm.conflicts.compare import compare, read_memory
from dmm.domain.conflict import Clash, ConflictType
from dmm.embed.model import Embedder

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewNote

Judged = list[tuple[str, str]]


def name(found: Clash | None) -> str:
    if found is None:
        return "compatible"
    return "duplicate" if found.type is ConflictType.DUPLICATE else "conflict"


@pytest.fixture(scope="module")
def judged(note: NewNote) -> Judged:
    embedder = Embedder.load()
    table = Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8")
    found: Judged = []
    for row in map(json.loads, table.splitlines()):
        one, other = note(**row["a"]), note(**row["b"])
        vectors = [embedder.embed_query(f"{each.title}\n{each.body}") for each in (one, other)]
        likeness = float(np.dot(*vectors))
        # What the rules find; the weights of evidence have tests of their own.
        readings = read_memory(one), read_memory(other)
        clash = compare(*readings, likeness=likeness, nearest=False)
        found.append((row["label"], name(clash)))
    return found


@pytest.mark.repeats
def test_most_cases_are_judged_right(judged: Judged) -> None:
    assert sum(label == said for label, said in judged) >= 0.84 * len(judged)


def test_hardly_anything_is_called_a_conflict_that_is_none(judged: Judged) -> None:
    called = [label for label, said in judged if said == "conflict"]
    assert called.count("conflict") >= 0.95 * len(called)


def test_most_duplicates_are_found(judged: Judged) -> None:
    right = judged.count(("duplicate", "duplicate"))
    labelled = sum(label == "duplicate" for label, _ in judged)
    called = sum(said == "duplicate" for _, said in judged)
    assert 2 * right / (labelled + called) >= 0.85
