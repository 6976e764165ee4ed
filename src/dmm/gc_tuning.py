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
    """Exempt the objects of a large project from garbage collection."""
    if memories >= MANY:
        # What was held before is looked through once more: some of it may be gone by now.
        release()
        gc.collect()
        gc.freeze()


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Disable cyclic garbage collection in the block, which creates no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def release() -> None:
    """Unfreeze all objects, as when a project is closed."""
    gc.unfreeze()
