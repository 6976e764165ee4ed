"""Errors on the command line: one message and one exit status per kind."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from dmm.domain.text import neutralise
from dmm.errors import StaleBase

if TYPE_CHECKING:
    from dmm.errors import DmmError

FINDINGS = 1
BLOCKED = 3
ASKS = 4

EXIT_STATUS = {
    "error": 1,
    "usage": 2,
    "config": 4,
    "no_root": 5,
    "path_refused": 6,
    "file_exists": 6,
    "memory_file": 7,
    "rule_form": 2,
    "model_unavailable": 8,
    "model_failed": 16,
    "daemon": 14,
    "team": 18,
    "review_refused": 15,
    "stale_base": 15,
    "proof_required": 17,
    "proof_refused": 17,
    "ledger_refused": 11,
    "ledger_broken": 12,
    "not_trusted": 13,
    "storage": 9,
    "index_broken": 9,
    "index_busy": 10,
}


def report(error: DmmError, *, as_json: bool) -> int:
    """Return the user what went wrong, where, and the way out; return the exit status."""
    status = EXIT_STATUS[error.code]
    if as_json:
        told = error.describe()
        if isinstance(error, StaleBase):
            told["view"] = error.view
        sys.stdout.write(json.dumps({"error": told}, indent=2) + "\n")
        return status
    lines = [f"dmm: {error.what}"]
    if error.where:
        lines.append(f"  where: {error.where}")
    if error.hint:
        lines.append(f"  hint:  {error.hint}")
    if isinstance(error, StaleBase) and error.view:
        lines += ["", *error.view.split("\n")]
    sys.stderr.write("".join(f"{neutralise(line)}\n" for line in lines))
    return status
