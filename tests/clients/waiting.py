"""Waiting for what is bound to happen, however slow the machine is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 120.0
PAUSE = 0.05


def wait_for(what: str, condition: Callable[[], object], told: Callable[[], str] = str) -> None:
    """Wait until a condition holds; a failure says what did not happen, and what was seen."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen\n{told()}")
        time.sleep(PAUSE)
