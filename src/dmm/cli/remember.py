"""`dmm remember` and `dmm forget`: notes in one line."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli import failures
from dmm.cli.options import (
    Json,
    Root,
    call_daemon,
    find_agent,
    open_project,
    print_json,
    print_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Told = Mapping[str, Any]

ANSWER_WITHIN = 10.0
CLASHES = ("duplicates", "conflicts")


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
        print_lines(_remembered(told))
    if told["status"] == "refused":
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
        print_lines(_forgotten(told))
    if told["status"] == "several":
        raise typer.Exit(failures.FINDINGS)


def _carry_out(verb: str, arguments: dict[str, Any], root: Path | None) -> dict[str, Any]:
    """Ask the daemon, which has everything loaded, or do it here."""
    by_agent = {"by_agent": find_agent() is not None}
    told = call_daemon(verb, arguments | by_agent, root, within=ANSWER_WITHIN)
    if told is not None:
        return told
    notes = open_project(root).notes
    return asdict(getattr(notes, verb)(**arguments))


def _remembered(told: Told) -> Iterator[str]:
    from dmm.cli.format.lines import wrapped

    clashes = [one for one in (*told["failed"], *told["remarks"]) if one["check"] in CLASHES]
    if told["status"] == "refused":
        yield from wrapped(told["why"], "Not remembered: ")
        yield from _ways(clashes)
        return
    done = "Remembered" if told["status"] == "applied" else f"{told['proposal']} {told['status']}"
    yield f"{done}: {told['path']}"
    yield from wrapped(", ".join(told["tags"]), "  tags: ")
    if told["paths"]:
        yield from wrapped(", ".join(told["paths"]), "  for:  ")
    for one in clashes:
        yield from wrapped(one["text"], "  note: ")
    for notice in told["notices"]:
        yield from wrapped(notice, "  note: ")
    if told["status"] == "applied":
        yield f"  undo: dmm undo {told['seq']}"
    else:
        yield from wrapped(told["why"], "  why:  ")
        yield f"  see:  dmm review show {told['seq']}"


def _ways(clashes: list[Told]) -> Iterator[str]:
    """Show the ways out of a note that another memory stands against."""
    other = next((one["other"] for one in clashes if one["other"]), None)
    if other is None:
        return
    yield f"  read it:    .dmm/memory/{other}"
    yield f"  replace it: dmm remember --replace {other} TEXT"
    yield "  keep both:  dmm remember --anyway TEXT"


def _forgotten(told: Told) -> Iterator[str]:
    from dmm.cli.format.lines import wrapped

    if told["status"] == "several":
        yield "Several memories may be meant; name one by its path:"
        for one in told["matches"]:
            yield f"  {one['path']}"
            yield from wrapped(one["title"], "    ")
        return
    done = "Forgotten" if told["status"] == "applied" else f"{told['proposal']} {told['status']}"
    yield from wrapped(f"{told['path']} ({told['title']})", f"{done}: ")
    for notice in told["notices"]:
        yield from wrapped(notice, "  note: ")
    if told["status"] == "applied":
        yield f"  undo: dmm undo {told['seq']}"
    else:
        yield from wrapped(told["why"], "  why:  ")


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
