"""`dmm ledger verify|backup|restore|log`: check and copy the ledger file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli import failures
from dmm.cli.format import lines
from dmm.cli.options import Json, Root, open_project, present
from dmm.cli.persons import need_person
from dmm.passkeys.acts import PersonAct

if TYPE_CHECKING:
    from dmm.bootstrap import Dmm

SHOWN = 20


def open_to_look(root: Path | None) -> Dmm:
    """Open the project; where it has no ledger yet, say so: a look does not make one."""
    dmm = open_project(root)
    if not dmm.project_ledger.exists and not dmm.project_ledger.missing:
        sys.stderr.write("dmm: there is no ledger here yet; create one with: dmm ledger init\n")
    return dmm


def verify(
    anchor: Annotated[
        bool, typer.Option("--anchor", help="If the ledger is valid, anchor the newest event.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Check that no recorded event was changed.

    Finds events that were edited, removed, moved or cut off since the last anchor, and
    checks the whole copy of the team's log.
    """
    dmm = open_to_look(root)
    told = dmm.audit.verify(anchor=anchor)
    present(told, as_json=as_json, lines=lines.verified)
    # A copy of a team's log that was changed is an error of its own.
    dmm.base.team_rules()
    if not told.valid:
        raise typer.Exit(failures.FINDINGS)


def backup(
    path: Annotated[Path, typer.Argument(help="The file to create.")],
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Copy the ledger and verify the copy.

    Other processes can keep writing meanwhile.
    """
    told = open_project(root).audit.backup(path)
    present(told, as_json=as_json, lines=lines.copied)
    if not told.valid:
        raise typer.Exit(failures.FINDINGS)


def restore(
    backup: Annotated[
        Path | None, typer.Argument(help="The backup.", show_default="the newest")
    ] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the backups instead.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Replace a missing or damaged ledger with a backup."""
    dmm = open_project(root)
    found = dmm.backups
    if list_them:
        kept = found.find()
        present({"backups": kept}, as_json=as_json, lines=lambda _: lines.backups(kept))
        return
    need_person(PersonAct.RESTORE, dmm)
    present(found.restore(backup), as_json=as_json, lines=lines.restored)


def log(
    last: Annotated[int, typer.Option(min=1, help="Number of events to show.")] = SHOWN,
    kind: Annotated[
        str | None, typer.Option("--type", help="Only of this type, such as FactAdded.")
    ] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show the newest events in chronological order."""
    dmm = open_to_look(root)
    told = dmm.audit.entries(last, kind)
    present(told, as_json=as_json, lines=lines.log)
