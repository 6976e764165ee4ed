"""Raise the baseline's budget so that imported instructions stay always on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dmm.config import FILE_NAME, parse_config
from dmm.errors import StaleBase
from dmm.files.consents import Change, find_consents
from dmm.files.durable import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.config import RetrievalConfig
    from dmm.files.trusted import TrustStore

STEP = 100
# Twice the default: every session pays for the baseline, and so does every pack.
MOST = 1_600


def round_up(tokens: int) -> int:
    """Return the next round number for a budget."""
    return -(-tokens // STEP) * STEP


def may_widen(folder: Path, store: TrustStore) -> bool:
    """Return whether the user has approved the settings, so that an import may change them."""
    return not find_consents(store, folder).is_held(FILE_NAME)


def widen(folder: Path, store: TrustStore, settings: RetrievalConfig, budget: int) -> None:
    """Set the budget of the baseline in the project's settings, as a change of the user's own.

    A pack grows by as much: its budget holds the baseline, and memories need their room. Only
    settings that count are changed; what somebody else put there since is the user's to accept.
    """
    consents = find_consents(store, folder)
    before, held = consents.weigh(FILE_NAME)
    if held:
        hint = "review it, then import again: dmm trust"
        raise StaleBase("it changed while you were importing", where=FILE_NAME, hint=hint)
    text = "{}" if before is None else before.decode()
    parse_config(text, source=FILE_NAME)
    values = json.loads(text)
    values.setdefault("retrieval", {}).update(
        default_budget=settings.default_budget + budget - settings.baseline_budget,
        baseline_budget=budget,
    )
    after = f"{json.dumps(values, indent=2, ensure_ascii=False)}\n".encode()
    write_atomic(folder / FILE_NAME, after)
    consents.accept_seen([Change(FILE_NAME, before, after)])
