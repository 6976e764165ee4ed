"""`dmm search`, `dmm timeline`, `dmm get`: recall earlier sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli import failures
from dmm.cli.options import Json, Root, open_project, present
from dmm.cli.progress import bar
from dmm.recall.format import full_lines, row_lines

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.recall.service import Recall


def search(
    text: Annotated[
        str, typer.Argument(help="What to look for.", show_default="the newest rows")
    ] = "",
    kind: Annotated[
        str | None,
        typer.Option(help="decision, bugfix, feature, discovery, change or message."),
    ] = None,
    file: Annotated[
        str | None, typer.Option(help="Only what touched this file, folder or glob.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="Only this session; a prefix of its id is enough.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="On or after this day, such as 2026-01-31.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="On or before this day, such as 2026-01-31.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of rows.")] = 20,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Search earlier sessions: one row per match, with its id and token cost."""
    with bar("Indexing sessions") as progress:
        told = _open(root).search(
            text,
            kind=kind,
            file=file,
            session=session,
            since=since,
            until=until,
            limit=limit,
            progress=progress,
        )
    present(told, as_json=as_json, lines=lambda _: row_lines(told))


def timeline(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="A row's id.", show_default="the newest")
    ] = None,
    query: Annotated[
        str | None, typer.Option(help="Around the best match of these words instead.")
    ] = None,
    before: Annotated[int, typer.Option(min=0, max=100, help="Number of rows before it.")] = 5,
    after: Annotated[int, typer.Option(min=0, max=100, help="Number of rows after it.")] = 5,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show what came before and after a search result, or the best match of a query."""
    told = _open(root).timeline(name, query, before, after)
    # The rows begin with what is wrong, as those of `dmm get` do.
    unknown = [f"not found: {name}"] if name and told.anchor is None else []
    present(told, as_json=as_json, lines=lambda _: [*unknown, *row_lines(told)])
    if unknown:
        raise typer.Exit(failures.FINDINGS)


def get(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Ids from a search.")],
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show search results in full, with the events they come from."""
    told = _open(root).get_observations(ids)
    present(told, as_json=as_json, lines=lambda _: full_lines(told))
    if told.missing:
        raise typer.Exit(failures.FINDINGS)


def _open(root: Path | None) -> Recall:
    """Open recall; who waits at a terminal waits for all vectors, and sees how far it is."""
    recall = open_project(root).recall
    recall.embed_within = None
    return recall
