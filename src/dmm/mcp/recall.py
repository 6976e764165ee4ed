"""The recall tools: rows, surroundings and full text, as lines, not JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.errors import UsageError
from dmm.recall.format import full_lines, row_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.mcp.caller import Caller


def search(
    caller: Caller, *, ids: Sequence[str] | None = None, query: str | None = None, **given: Any
) -> str:
    """Return the rows that match a query, the newest that pass filters, or named rows in full."""
    if ids is not None:
        return get_observations(caller, ids=ids)
    if query is None and not given:
        raise UsageError("query is missing", hint="or give a filter, or name rows with ids")
    with caller.project().recall(caller.actor) as dmm:
        return "\n".join(row_lines(dmm.recall.search(query or "", **given)))


def timeline(caller: Caller, *, id: str | None = None, **given: Any) -> str:  # noqa: A002 - its name in the tool
    """Return the rows around an id, or around the best match of a query."""
    with caller.project().recall(caller.actor) as dmm:
        told = dmm.recall.timeline(id, **given)
    unknown = [f"not found: {id}"] if id and told.anchor is None else []
    return "\n".join((*unknown, *row_lines(told)))


def get_observations(caller: Caller, *, ids: Sequence[str]) -> str:
    """Return units in full."""
    with caller.project().recall(caller.actor) as dmm:
        return "\n".join(full_lines(dmm.recall.get_observations(ids)))
