"""The book of rules ↔ plain values for JSON, as it is written for hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.errors import UsageError
from dmm.rules.callbook import GUARD_VERSION, LEVELS, CallBook, CallEntry
from dmm.rules.callrules import call_from_dict, call_to_dict

if TYPE_CHECKING:
    from collections.abc import Mapping

BOOK_VERSION = f"2.{GUARD_VERSION}"


def book_to_dict(book: CallBook) -> dict[str, Any]:
    """Write the rules as plain values for JSON."""
    return {
        "version": BOOK_VERSION,
        "entries": [
            {
                "seq": one.seq,
                "text": one.text,
                "typed": one.typed,
                "most": one.most,
                "note": one.note,
                "id": one.id,
                "rule": call_to_dict(one.rule),
            }
            for one in book.entries
        ],
    }


def book_from_dict(stored: Mapping[str, Any]) -> CallBook:
    """Read the rules back; a form of another version is refused."""
    if stored.get("version") != BOOK_VERSION:
        raise UsageError(f"stored rules on calls are not of version {BOOK_VERSION}")
    try:
        return CallBook(_entry(one) for one in stored["entries"])
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise UsageError(f"these values are no rules on calls: {fault}") from fault


def _entry(stored: Mapping[str, Any]) -> CallEntry:
    if stored["most"] not in LEVELS:
        raise ValueError("a level of no known name")
    return CallEntry(
        seq=stored["seq"],
        text=stored["text"],
        rule=call_from_dict(stored["rule"]),
        typed=stored["typed"],
        most=stored["most"],
        note=stored["note"],
        id=stored["id"],
    )
