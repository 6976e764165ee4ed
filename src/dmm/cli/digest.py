"""`dmm digest` and `dmm distil`: propose and rewrite what sessions did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Json, Root, counted, open_project, present

if TYPE_CHECKING:
    from collections.abc import Iterator

STATES = {
    "new": "not proposed yet",
    "pending": "awaits review",
    "refused": "can't be proposed",
}


def digest(
    day: Annotated[
        str | None,
        typer.Option(help="The day, such as 2026-01-31.", show_default="yesterday, UTC"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be proposed; record nothing.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Propose a day's sessions as memories: one for the day, one per lasting decision.

    Each becomes a pending proposal; a day is proposed only once.
    """
    part = open_project(root).digest
    told = part.look(day) if dry_run else part.run(day)
    present(told, as_json=as_json, lines=_lines)


def _lines(told: dict[str, Any]) -> Iterator[str]:
    number = counted(told["observations"], "observation")
    if not told["drafts"]:
        yield f"{told['day']}: {number}, not enough for a memory"
        return
    proposed = f", {told['proposed']} proposed now" if told["proposed"] else ""
    yield f"{told['day']}: {number}, {counted(len(told['drafts']), 'draft')}{proposed}"
    for one in told["drafts"]:
        yield from wrapped(f"{one['path']}: {one['title']}", "  - ")
        state = STATES.get(one["state"], one["state"])
        name = f"{one['proposal']} {state}" if one["proposal"] else state
        why = f": {one['why']}" if "why" in one else ""
        yield from wrapped(f"{name}, {one['tokens']} tokens{why}", "      ")
    if any(one["state"] in ("proposed", "pending") for one in told["drafts"]):
        yield "Review them with: dmm review list"


def distil(
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show pending episodes; call no model, record nothing."),
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Rewrite observations with your chat model, if the settings allow it.

    Facts must appear in the recorded events; without an answer the original text stays.
    """
    part = open_project(root).distiller
    told = part.look() if dry_run else part.distil()
    present(told, as_json=as_json, lines=_retold_lines)


def _retold_lines(told: dict[str, Any]) -> Iterator[str]:
    waiting = f"{counted(told['waiting'], 'episode')} left"
    done = counted(len(told["retold"]), "observation")
    yield f"{done} rewritten in {counted(told['calls'], 'call')}, {waiting}"
    for one in told["retold"]:
        dropped = one["dropped_facts"]
        more = f" ({counted(dropped, 'fact')} dropped)" if dropped else ""
        yield from wrapped(f"{one['id']}: {one['title']}{more}", "  - ")
    for one in told["refused"]:
        yield from wrapped(f"{one['id']}: the original text stays, {one['why']}", "  - ")
    for one in told.get("episodes", []):
        yield from wrapped(f"{one['id']} {one['at'][:10]} {one['kind']}: {one['title']}", "  - ")
    if told["silence"]:
        yield from wrapped(f"No further model calls: {told['silence']}", "")
