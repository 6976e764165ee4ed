"""`dmm remember` and `dmm forget`: notes in one line."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli import failures
from dmm.cli.daemon_call import call_notes
from dmm.cli.format.notes import REFUSED, show_forgotten, show_remembered
from dmm.cli.options import Json, Root, open_project, present, print_lines
from dmm.cli.persons import need_person
from dmm.passkeys.acts import PersonAct, digest_text

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.cli.format.notes import Told


def remember(
    text: Annotated[str, typer.Argument(help="The note; - reads standard input.")],
    replace: Annotated[
        str | None,
        typer.Option(metavar="MEMORY", help="Replace the text of this memory (path or id)."),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Keep it even if a memory or rule says the same.")
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
    told = _carry_out(PersonAct.REMEMBER, arguments, root)
    present(told, as_json=as_json, lines=lambda _: show_remembered(told))
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
    told = _carry_out(PersonAct.FORGET, {"name": memory, "reason": reason}, root)
    if told["status"] == "several" and not as_json and sys.stdin.isatty():
        chosen = _choose(told["matches"])
        if chosen is None:
            print_lines(["Nothing was forgotten."])
            return
        told = _carry_out(PersonAct.FORGET, {"name": chosen, "reason": reason}, root)
    present(told, as_json=as_json, lines=lambda _: show_forgotten(told))
    if told["status"] == "several":
        raise typer.Exit(failures.FINDINGS)


def _carry_out(act: PersonAct, arguments: dict[str, Any], root: Path | None) -> dict[str, Any]:
    """Ask the daemon, which has everything loaded, or do it here.

    What a passkey has to confirm the daemon refuses, and it is done here.
    """
    told = call_notes(str(act), arguments, root)
    if told is not None:
        return told
    dmm = open_project(root)
    if act is PersonAct.FORGET:
        return asdict(
            dmm.notes.forget(**arguments, seen=_confirm_forgetting(dmm, arguments["name"]))
        )
    if not dmm.by_agent:
        need_person(act, dmm, lambda: digest_text(arguments["text"]))
    return asdict(dmm.notes.remember(**arguments))


def _confirm_forgetting(dmm: Dmm, name: str) -> str | None:
    """Have a person confirm which text is forgotten; where several match, nothing is done yet."""
    meant = None if dmm.by_agent else dmm.notes.look(name)
    if meant is None or not meant.edits:
        return None
    return need_person(PersonAct.FORGET, dmm, lambda: meant.digest)


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
