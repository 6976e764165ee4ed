"""Exempt long-lived objects from cyclic garbage collection (`gc.freeze`).

Python looks through everything it holds, again and again, for what only holds itself. With the
memories of a large project at hand that takes longer than a check after a write.
"""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Looking through what is kept of fewer memories takes a few milliseconds.
MANY = 1_000


def settle(memories: int) -> None:
    """Hold what is there now for good, where so many memories are a lot; collect garbage first."""
    if memories >= MANY:
        # What was held before is looked through once more: some of it may be gone by now.
        release()
        gc.collect()
        gc.freeze()


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Do not look for garbage within the block: it makes much, and nothing that holds itself."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def release() -> None:
    """Hold nothing for good any more, as when a project is closed: it can be collected again."""
    gc.unfreeze()
