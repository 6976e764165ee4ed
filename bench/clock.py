"""Time as it is spent: CPU seconds of this process and wall seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Spent:
    """What one call took, in seconds."""

    cpu: float
    wall: float


def spend(call: Callable[[], object]) -> Spent:
    """Run a call and take its time."""
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return Spent(time.process_time() - cpu, time.perf_counter() - wall)


def cpu_ms(spent: Sequence[Spent], share: float = 0.5) -> float:
    """A percentile of the CPU time, in milliseconds."""
    return 1_000 * metrics.percentile([one.cpu for one in spent], share)


def wall_ms(spent: Sequence[Spent], share: float = 0.5) -> float:
    """A percentile of the wall time, in milliseconds."""
    return 1_000 * metrics.percentile([one.wall for one in spent], share)
