"""`dmm remember` and `dmm forget`: notes in one line."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli import failures
from dmm.cli.daemon_call import call_notes
from dmm.cli.format.notes import REFUSED, show_forgotten, show_remembered
from dmm.cli.options import Json, Root, open_project, print_json, print_lines

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.cli.format.notes import Told


def remember(
    text: Annotated[str, typer.Argument(help="The note; - reads standard input.")],
    replace: Annotated[
        str | None,
        typer.Option(metavar="MEMORY", help="Replace the text of this memory (path or id)."),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Keep it even if another memory says the same.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Remember a note: one line is enough.

    Folder, title and tags are found from the text, the files you are changing and similar notes.
    """
    if text == "-":
        from pathlib import Path

        from dmm.cli.texts import read_file

        text = read_file(Path(text))
    arguments = {"text": text, "replaces": replace, "anyway": anyway}
    told = _carry_out("remember", arguments, root)
    if as_json:
        print_json(told)
    else:
        print_lines(show_remembered(told))
    if told["status"] == REFUSED:
        raise typer.Exit(failures.FINDINGS)


def forget(
    memory: Annotated[str, typer.Argument(help="Its path, its id, or words of its text.")],
    reason: Annotated[
        str, typer.Option(help="The reason; it is recorded.", show_default=False)
    ] = "",
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Forget a memory; its file stays, marked as deprecated.

    If several memories match, you are asked which one.
    """
    told = _carry_out("forget", {"name": memory, "reason": reason}, root)
    if told["status"] == "several" and not as_json and sys.stdin.isatty():
        chosen = _choose(told["matches"])
        if chosen is None:
            print_lines(["Nothing was forgotten."])
            return
        told = _carry_out("forget", {"name": chosen, "reason": reason}, root)
    if as_json:
        print_json(told)
    else:
        print_lines(show_forgotten(told))
    if told["status"] == "several":
        raise typer.Exit(failures.FINDINGS)


def _carry_out(verb: str, arguments: dict[str, Any], root: Path | None) -> dict[str, Any]:
    """Ask the daemon, which has everything loaded, or do it here."""
    told = call_notes(verb, arguments, root)
    if told is not None:
        return told
    notes = open_project(root).notes
    return asdict(getattr(notes, verb)(**arguments))


def _choose(matches: list[Told]) -> str | None:
    """Ask which memory is meant; anything but a number of the list means none."""
    lines = [
        line
        for n, one in enumerate(matches, 1)
        for line in (f"  {n}  {one['path']}", f"     {one['title']}")
    ]
    print_lines(["Which one should be forgotten?", *lines])
    sys.stdout.write("Number (Enter for none): ")
    sys.stdout.flush()
    given = sys.stdin.readline().strip()
    known = {str(n): str(one["path"]) for n, one in enumerate(matches, 1)}
    return known.get(given)
