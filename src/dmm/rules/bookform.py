"""The book of rules ↔ plain values for JSON, as it is written for hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.errors import UsageError
from dmm.rules.callbook import GUARD_VERSION, LEVELS, CallBook, CallEntry
from dmm.rules.callrules import call_from_dict, call_to_dict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.rules.callbook import Level

BOOK_VERSION = f"2.{GUARD_VERSION}"


def book_to_dict(book: CallBook) -> object:
    """Write the rules as plain values for JSON."""
    entries = [vars(one) | {"rule": call_to_dict(one.rule)} for one in book.entries]
    return {"version": BOOK_VERSION, "entries": entries}


def book_from_dict(stored: Mapping[str, Any]) -> CallBook:
    """Read the rules back; a form of another version is refused."""
    if stored.get("version") != BOOK_VERSION:
        raise UsageError(f"stored rules on calls are not of version {BOOK_VERSION}")
    try:
        return CallBook(_entry(**one) for one in stored["entries"])
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise UsageError(f"these values are no rules on calls: {fault}") from fault


def _entry(*, rule: object, most: Level, **rest: Any) -> CallEntry:
    if most not in LEVELS:
        raise ValueError("a level of no known name")
    return CallEntry(rule=call_from_dict(rule), most=most, **rest)
