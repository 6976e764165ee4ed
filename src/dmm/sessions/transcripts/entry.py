"""Entries of a transcript, and lines that can't be used."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.sessions.payload import HookEvent


@dataclass(frozen=True, slots=True)
class Entry:
    """What a line tells, as a hook would have reported it; its `key` is the same at every reading.

    It is not redacted yet: only what `describe_event` makes of it may be kept.
    """

    line: int
    at: str
    event: HookEvent


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that was skipped, and why; the reason quotes nothing of it."""

    line: int
    reason: str
    at: str = ""


Read = Entry | Fault


def read_time(value: object) -> str | None:
    """Read a time in ISO 8601 as the ledger writes it; without a zone it counts as UTC."""
    if not isinstance(value, str):
        return None
    try:
        moment = dt.datetime.fromisoformat(value)
        moment = moment.replace(tzinfo=moment.tzinfo or dt.UTC).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None
    return moment.isoformat(timespec="milliseconds")
