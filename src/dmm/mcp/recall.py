"""The recall tools: rows, surroundings and full text, as lines, not JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.errors import UsageError
from dmm.recall.format import full_lines, row_lines

if TYPE_CHECKING:
    from dmm.mcp.caller import Caller


def search(caller: Caller, arguments: dict[str, Any]) -> str:
    """Return the rows that match a query, or named rows in full."""
    if "ids" in arguments:
        return get_observations(caller, arguments)
    if "query" not in arguments:
        raise UsageError("query is missing", hint="or name rows with ids")
    with caller.project().recall(caller.actor) as dmm:
        return "\n".join(row_lines(dmm.recall.search(**arguments)))


def timeline(caller: Caller, arguments: dict[str, Any]) -> str:
    """Return the rows around an id, or around the best match of a query."""
    named = {"name" if name == "id" else name: value for name, value in arguments.items()}
    with caller.project().recall(caller.actor) as dmm:
        return "\n".join(row_lines(dmm.recall.timeline(**named)))


def get_observations(caller: Caller, arguments: dict[str, Any]) -> str:
    """Return units in full."""
    with caller.project().recall(caller.actor) as dmm:
        return "\n".join(full_lines(dmm.recall.get_observations(arguments["ids"])))
