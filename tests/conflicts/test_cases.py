"""A wide table of short notes in pairs, judged with the real model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.compare import compare_all, read_memory
from dmm.domain.conflict import Clash, ConflictType
from dmm.embed.pairs import PairModel

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewNote

Judged = list[tuple[str, str]]


def name(found: Clash | None) -> str:
    if found is None or not found.sure:
        return "compatible"
    return "duplicate" if found.type is ConflictType.DUPLICATE else "conflict"


@pytest.fixture(scope="module")
def judged(note: NewNote) -> Judged:
    table = Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in table.splitlines()]
    pairs = [(read_memory(note(**row["a"])), read_memory(note(**row["b"]))) for row in rows]
    clashes = compare_all(pairs, PairModel.load())
    return [(row["label"], name(clash)) for row, clash in zip(rows, clashes, strict=True)]


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
