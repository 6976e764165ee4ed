"""A recall unit as its index stores it: text, place and state.

A folder is a session: its turns stand in the order in which they were said, and what was distilled
of them follows.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.memory import Confidence, Scope
from dmm.domain.observation import Kind
from dmm.domain.text import neutralise, shield
from dmm.index import analysis
from dmm.index.records import IndexedMemory

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.observation import Observation

    Count = Callable[[str], int]

VERSION = "recall-1"
# Of a very long message its beginning is searched; all of it is shown.
LONGEST_SEARCHED = 8_000
DIGITS = 15
LOW_TRUST = (Trust.TOOL, Trust.THIRD_PARTY)
# As questions write them; the words of a locale would make another index on another machine.
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def tell(unit: Observation) -> str:
    """Write a unit out in full, safe to show; this is what its tokens are counted of."""
    lead = f"[{spoken_day(unit.day)}] "
    if unit.kind is Kind.MESSAGE:
        return _safe(f"{lead}{unit.actor}: {unit.narrative}")
    return _safe(f"{lead}{unit.title}\n{_body(unit)}")


def spoken_day(day: str) -> str:
    """Write a day with the name of its month, as questions do: 31 January 2026."""
    try:
        read = dt.date.fromisoformat(day)
    except ValueError:
        return day
    return f"{read.day} {MONTHS[read.month - 1]} {read.year}"


def _body(unit: Observation) -> str:
    told = [unit.narrative]
    told += [f"- {fact}" for fact in unit.facts if fact not in unit.narrative]
    if unit.files:
        told.append(f"Files: {', '.join(unit.files)}")
    return "\n".join(told)


def _safe(text: str) -> str:
    return shield(neutralise(text).strip()).encode("utf-8", "replace").decode()


def place(unit: Observation) -> str:
    """Name the place of a unit in the index: turns beside turns, in the order of the session."""
    lane = "m" if unit.kind is Kind.MESSAGE else "o"
    return f"{unit.session}/{lane}{unit.evidence[0]:0{DIGITS}d}"


def first_of(path: str) -> int:
    """Return the first event of a unit from its place."""
    return int(path[-DIGITS:])


def digest(unit: Observation) -> str:
    """Return a fingerprint of a unit."""
    told = (
        *(unit.id, unit.kind, unit.title, unit.narrative, unit.session, unit.at, unit.actor),
        *(unit.trust, *unit.facts, "", *unit.files),
    )
    return hashlib.sha256("\0".join(told).encode("utf-8", "replace")).hexdigest()


def to_record(unit: Observation, count: Count) -> IndexedMemory:
    """Make of a unit what the index keeps; a message has no title beside its own words."""
    message = unit.kind is Kind.MESSAGE
    title = "" if message else _safe(unit.title)
    full = tell(unit)
    searched = full if message else _safe(f"[{spoken_day(unit.day)}] {_body(unit)}")
    searched = searched[:LONGEST_SEARCHED]
    key = hashlib.sha256(f"{VERSION}\0{title}\0{searched}".encode()).hexdigest()
    return IndexedMemory(
        path=place(unit),
        id=unit.id,
        directory=unit.session,
        title=title,
        content=searched,
        scope=Scope.PROJECT,
        priority=0.5,
        confidence=Confidence.EXPERIMENTAL if unit.trust in LOW_TRUST else Confidence.ACTIVE,
        in_force=True,
        tags=(),
        token_count=count(full),
        heading_tokens=0,
        words=len(searched.split()),
        code_density=analysis.code_density(searched),
        created=_read_day(unit.day),
        expires=None,
        supersedes=(),
        related=(),
        cites=(),
        content_hash=digest(unit),
        vector_key=key[:32],
    )


def _read_day(day: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(day)
    except ValueError:
        return None
