"""`dmm digest` and `dmm distil`: what sessions did, proposed as memories and told better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli.format.lines import wrapped
from dmm.cli.options import Json, Root, counted, open_project, present

if TYPE_CHECKING:
    from collections.abc import Iterator

STATES = {
    "new": "not proposed yet",
    "pending": "waits for a review",
    "refused": "can't be proposed",
}


def digest(
    day: Annotated[
        str | None, typer.Option(help="The day, such as 2026-01-31 (default: yesterday, UTC).")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be proposed; record nothing.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Propose what sessions did on a day as memories: one of the day, one per lasting decision.

    Each waits in the review queue; a day that was digested is not proposed again.
    """
    part = open_project(root).digest
    told = part.look(day) if dry_run else part.run(day)
    present(told, as_json=as_json, lines=_lines)


def _lines(told: dict[str, Any]) -> Iterator[str]:
    number = counted(told["observations"], "observation")
    if not told["drafts"]:
        yield f"{told['day']}: {number}, too little for a memory"
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
        yield "Decide about them: dmm review list"


def distil(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show which episodes wait; ask and record nothing.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Have your chat model retell what sessions did, where the settings allow it.

    Facts have to stand in the recorded events; without an answer the text made by rules stays.
    """
    part = open_project(root).distiller
    told = part.look() if dry_run else part.distil()
    present(told, as_json=as_json, lines=_retold_lines)


def _retold_lines(told: dict[str, Any]) -> Iterator[str]:
    waiting = f"{counted(told['waiting'], 'episode')} left to retell"
    yield f"{len(told['retold'])} retold in {counted(told['calls'], 'call')}, {waiting}"
    for one in told["retold"]:
        dropped = one["dropped_facts"]
        more = f" ({counted(dropped, 'fact')} dropped)" if dropped else ""
        yield from wrapped(f"{one['id']}: {one['title']}{more}", "  - ")
    for one in told["refused"]:
        yield from wrapped(f"{one['id']}: the text made by rules stays, {one['why']}", "  - ")
    for one in told.get("episodes", []):
        yield from wrapped(f"{one['id']} {one['at'][:10]} {one['kind']}: {one['title']}", "  - ")
    if told["silence"]:
        yield from wrapped(f"No model was asked any further: {told['silence']}", "")
