"""What this process has checked of its copy of a team's log; light to import.

What was checked is kept as what it adds up to. A later edit of it in `team.db` has no effect here,
and is found by the next process and by the next check of the whole.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.team.chain import Trail
    from dmm.team.folding import Fold

# How long the beginning of the copy is taken as checked, in seconds.
WHOLE_EVERY = 3_600.0


@dataclass(slots=True)
class Known:
    """A part of a log from its beginning on, and what it adds up to; `until` it is taken so.

    `ahead` goes on behind the last signed end, in a pull that is under way or broke off.
    """

    trail: Trail
    fold: Fold
    until: float
    ahead: Trail | None = None


@dataclass(slots=True)
class Checked:
    """The part of one copy that is checked; nothing before the first check."""

    clock: Callable[[], float] = time.monotonic
    known: Known | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)
