"""What a process holds for good is left out of the search for garbage."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest

from dmm.service.heap import MANY, settle

if TYPE_CHECKING:
    from collections.abc import Iterator


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
