"""Validate and redact user-supplied text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.errors import UsageError
from dmm.redaction.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = {"key": 200, "constraint": 4_000, "rule": 4_000}
LONGEST_TEXT = 20_000
HINTS = {
    "reason": "give the reason in one sentence; it is recorded",
    "rule": 'say it in one sentence: dmm rules add "never push to main"',
}


def accept(name: str, value: str) -> str:
    """Validate a text for the ledger and remove secrets first."""
    need(name, value)
    return clean(value)


def need(name: str, value: str) -> None:
    """Refuse a value that is empty or too long."""
    if not value.strip():
        raise UsageError(f"the {name} is empty", hint=HINTS.get(name))
    most = LONGEST.get(name, LONGEST_TEXT)
    if len(value) > most:
        raise UsageError(f"the {name} is longer than {most} characters")


def need_one(name: str, value: str, known: Iterable[str]) -> None:
    """Refuse a value that is not one of the choices."""
    there = list(known)
    if value not in there:
        raise UsageError(f"{value!r} is not a known {name}", hint=f"one of {', '.join(there)}")
