"""What a search of past sessions returns."""

from __future__ import annotations

from dmm.domain.frozen import frozen


@frozen
class Row:
    """A unit in a row: enough to choose by, and what the whole would cost.

    `low_trust` marks what a tool or a stranger said: it tells, it never orders.
    """

    id: str
    kind: str
    at: str
    title: str
    session: str
    tokens: int
    sources: tuple[int, ...]
    files: tuple[str, ...] = ()
    low_trust: str = ""


@frozen
class Unit:
    """A unit in full."""

    id: str
    kind: str
    title: str
    narrative: str
    facts: tuple[str, ...]
    files: tuple[str, ...]
    session: str
    at: str
    actor: str
    trust: str
    sources: tuple[int, ...]
    tokens: int
    text: str
    low_trust: str = ""


@frozen
class Searched:
    """The rows that speak to a query, and how they were found."""

    query: str
    results: tuple[Row, ...]
    retrieval: str
    notices: tuple[str, ...] = ()
    hint: str = ""


@frozen
class Timeline:
    """The rows around a unit, the anchor."""

    anchor: str | None
    results: tuple[Row, ...]
    notices: tuple[str, ...] = ()
    hint: str = ""


@frozen
class Units:
    """Units in full, and the ids that name none."""

    observations: tuple[Unit, ...]
    missing: tuple[str, ...] = ()
    hint: str = ""
