"""What a process holds for good is left out of the search for garbage."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest

from dmm import gc_tuning
from dmm.bootstrap import open_dmm
from dmm.gc_tuning import MANY, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import HashEmbedder, MemoryText, Project


@pytest.fixture(autouse=True)
def _thaw() -> Iterator[None]:
    yield
    gc.unfreeze()


class _Ring:
    """Holds itself, so that only a search finds it."""

    def __init__(self) -> None:
        self.me = self


def test_a_few_memories_change_nothing() -> None:
    gc.unfreeze()
    settle(MANY - 1)
    assert gc.get_freeze_count() == 0


def test_what_many_memories_take_is_not_looked_through_again() -> None:
    held = [_Ring()]
    settle(MANY)
    assert gc.get_freeze_count() > 0
    assert not any(one is held for one in gc.get_objects())


def test_what_was_held_for_good_is_let_go_by_the_next_settling() -> None:
    ring = _Ring()
    gone = weakref.ref(ring)
    settle(MANY)
    del ring
    gc.collect()
    assert gone() is not None
    settle(MANY)
    assert gone() is None


def test_a_project_that_was_scanned_is_held_until_it_is_closed(
    project: Project,
    home: Path,
    memory_text: MemoryText,
    new_embedder: Callable[..., HashEmbedder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gc_tuning, "MANY", 2)
    for number in (1, 2):
        text = memory_text(f"Note {number}", id=f"mem_2026_01_31_{number:03d}")
        project.write(f"project/{number}.md", text)
    embedder = new_embedder()
    dmm = open_dmm(start=project.folder, home=home, load_model=lambda: embedder)
    gc.unfreeze()
    dmm.indexes.sync()
    dmm.conflicts.corpus.refresh()
    assert gc.get_freeze_count() > 0
    gc.unfreeze()
    dmm.conflicts.scan()
    assert gc.get_freeze_count() > 0
    left = weakref.ref(dmm)
    dmm.close()
    del dmm
    gc.collect()
    assert left() is None
