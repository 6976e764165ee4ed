"""Room in the baseline for all instructions of the imported files, which stay always on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dmm.config import FILE_NAME
from dmm.files.consents import find_consents
from dmm.files.durable import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.config import RetrievalConfig
    from dmm.files.trusted import TrustStore

STEP = 100
# Twice the default: every session pays for the baseline, and so does every pack.
MOST = 1_600


def round_up(tokens: int) -> int:
    """Return the next budget that a person would write."""
    return -(-tokens // STEP) * STEP


def may_widen(folder: Path, store: TrustStore) -> bool:
    """Return whether the settings are the user's: what came with a clone is theirs to accept."""
    return not find_consents(store, folder).is_held(FILE_NAME)


def widen(folder: Path, store: TrustStore, settings: RetrievalConfig, budget: int) -> None:
    """Set the budget of the baseline in the project's settings, as a change of the user's own.

    A pack grows by as much: its budget holds the baseline, and memories need their room.
    """
    path = folder / FILE_NAME
    values = json.loads(path.read_bytes()) if path.exists() else {}
    values.setdefault("retrieval", {}).update(
        default_budget=settings.default_budget + budget - settings.baseline_budget,
        baseline_budget=budget,
    )
    write_atomic(path, f"{json.dumps(values, indent=2)}\n".encode())
    find_consents(store, folder).accept([FILE_NAME])
