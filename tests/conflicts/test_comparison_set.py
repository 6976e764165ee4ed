"""Which memories a scan compares: the same as are found from each memory alone."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest

from bench import rulebooks
from dmm.conflicts import comparison_set

if TYPE_CHECKING:
    from tests.conftest import MemoryText, Opener, Project

    from dmm.conflicts.comparison_set import ComparisonSet

MEMORIES = 80


@pytest.fixture
def compared(project: Project, memory_text: MemoryText, open_project: Opener) -> ComparisonSet:
    for number, text in enumerate(rulebooks.write_memories(MEMORIES)):
        title, _, body = text.content.removeprefix("# ").partition("\n\n")
        ident = f"mem_2026_01_31_{number:03d}"
        related = f"[mem_2026_01_31_{number // 2:03d}]" if number % 9 == 8 else "[]"
        tags = f"[{', '.join(text.tags)}]"
        project.write(text.path, memory_text(title, body, id=ident, tags=tags, related=related))
    dmm = open_project(project)
    dmm.indexes.sync()
    dmm.conflicts.corpus.refresh()
    return dmm.conflicts.corpus


@pytest.mark.parametrize("most", [5, 40, 4_000])
@pytest.mark.parametrize("nearest", [1, 3, 10])
def test_a_scan_looks_at_fewer_words_and_chooses_the_pairs_that_all_words_give(
    compared: ComparisonSet, monkeypatch: pytest.MonkeyPatch, most: int, nearest: int
) -> None:
    monkeypatch.setattr(comparison_set, "NEAREST", nearest)
    monkeypatch.setattr(comparison_set, "MOST_JUDGED", most)
    everything = chain.from_iterable(map(compared.pairs_of, sorted(compared.members)))
    wanted = compared.choose(everything)
    told = compared.choose_all()
    assert [(one.one, one.other, one.likeness) for one in told] == [
        (one.one, one.other, one.likeness) for one in wanted
    ]
    assert len(told) == most or (most == 4_000 and len(told) > MEMORIES)
