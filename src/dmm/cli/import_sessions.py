"""`dmm import-sessions`: record earlier sessions from client transcripts."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import Json, Root, counted, open_project, present
from dmm.cli.progress import bar
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.sessions.past_sessions import Imported, SessionImport

MOST_NAMED = 20
_REASONS = {
    "captured": "already recorded by hooks",
    "older": "it started before --since",
    "secret": "its name looks like a secret",
    "known": "already recorded",
}


def import_sessions(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Transcripts or folders of them.",
            show_default="this project's",
        ),
    ] = None,
    client: Annotated[
        str | None, typer.Option(help="Only this client: claude-code, codex or generic.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Only sessions that started on or after this day."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be recorded; record nothing.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Record earlier Claude Code and Codex sessions in the ledger, with secrets removed."""
    first = None if since is None else _read_day(since)
    transcripts = open_project(root).transcripts
    found = transcripts.find(paths or [], client)
    if dry_run:
        told = transcripts.plan(found, first)
    else:
        with bar("Reading", shown_from=2) as advance:
            told = transcripts.record(found, first, advance)
    present(_describe(told), as_json=as_json, lines=lambda _: _lines(told))


def _read_day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day", hint="write it as 2026-01-31") from error


def _describe(told: Imported) -> object:
    return {
        "dry_run": told.dry_run,
        "files": told.files,
        "sessions": [asdict(one) for one in told.sessions],
        "new_sessions": sum(one.state == "new" for one in told.sessions),
        "messages": told.count("messages"),
        "tools": told.count("tools"),
        "events": told.count("events"),
        "known": told.count("known"),
        "skipped_lines": told.skipped_lines,
        "skipped": [asdict(one) for one in told.skipped],
        "redacted": told.redacted,
    }


def _lines(told: Imported) -> Iterator[str]:
    if not told.files:
        yield "No transcripts of this project found. To read others, name their files."
        return
    for one in told.sessions[:MOST_NAMED]:
        yield f"{one.client}  {one.session}  {one.at[:16].replace('T', ' ')}  {_added(one)}"
    if len(told.sessions) > MOST_NAMED:
        yield f"and {len(told.sessions) - MOST_NAMED} more"
    for skipped in told.skipped[:MOST_NAMED]:
        yield f"skipped  {skipped.path}:{skipped.line}: {skipped.reason}"
    if told.skipped_lines > MOST_NAMED:
        yield f"and {told.skipped_lines - MOST_NAMED} more"
    yield ""
    yield from _summary(told)


def _added(one: SessionImport) -> str:
    if one.state != "new":
        return f"nothing: {_REASONS[one.state]}"
    return f"{counted(one.messages, 'message')}, {counted(one.tools, 'tool event')}"


def _summary(told: Imported) -> Iterator[str]:
    new = sum(one.state == "new" for one in told.sessions)
    yield (
        f"{counted(new, 'session')}, {counted(told.count('messages'), 'message')},"
        f" {counted(told.count('tools'), 'tool event')};"
        f" {counted(told.skipped_lines, 'line')} skipped"
    )
    if told.dry_run:
        yield "Nothing was recorded. To record them, leave out --dry-run."
    elif told.redacted:
        kinds = ", ".join(f"{number} {kind}" for kind, number in told.redacted.items())
        yield f"{counted(sum(told.redacted.values()), 'secret')} removed: {kinds}"
