"""`dmm merge` and `dmm merge-file`: what Git left in two versions, merged."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import Json, Root, counted, open_project, present
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.merge.service import MergeReport, Outcome


def merge(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be merged and write nothing.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Resolve merge conflicts in memory and rule files.

    Front matter is merged field by field, text paragraph by paragraph. Where both branches changed
    the same paragraph, both versions stay, between comments, until a person chooses.
    """
    from dmm.bootstrap import here, own_home
    from dmm.files.roots import find_root
    from dmm.merge.service import resolve

    report = resolve(find_root(root or here(), root, own_home()).folder, dry=dry_run)
    if not dry_run and report.kept:
        _record(report, root)
    present(
        asdict(report) | {"dry": dry_run},
        as_json=as_json,
        lines=lambda _: _lines(report, dry=dry_run),
    )
    if report.left:
        raise typer.Exit(1)


def merge_file(
    base: Annotated[Path, typer.Argument(help="The common base (%O).")],
    ours: Annotated[Path, typer.Argument(help="Our version; the result is written here (%A).")],
    theirs: Annotated[Path, typer.Argument(help="Their version (%B).")],
    name: Annotated[str, typer.Argument(help="The path in the repository (%P).")] = "",
) -> None:
    """Merge three versions of a file, as Git's merge driver."""
    from dmm.merge.service import merge_files

    name = name or str(ours)
    for note in merge_files(base, ours, theirs, name):
        told = f"dmm: {name}:{note.line}: both versions kept; {note.what}"
        sys.stderr.write(f"{neutralise(told)}\n")


def _record(report: MergeReport, root: Path | None) -> None:
    """Record what is left to decide as conflicts."""
    paths = [one.path.removeprefix("memory/") for one in report.kept]
    dmm = open_project(root)
    dmm.memories.follow(paths)
    dmm.conflicts.check(paths)


def _lines(report: MergeReport, *, dry: bool) -> Iterator[str]:
    if not report.outcomes:
        yield "No merge conflicts."
        return
    for one in report.outcomes:
        yield from _outcome(one)
    if dry:
        yield "Nothing was written."
    elif report.left:
        yield f"{counted(len(report.left), 'file')} left for you."
    else:
        yield "Next: git add .dmm, then go on with your merge."
    if report.kept and not dry:
        yield "See what is undecided: dmm validate, dmm conflicts list"


def _outcome(one: Outcome) -> Iterator[str]:
    where = one.path if one.line is None else f"{one.path}:{one.line}"
    yield f"{one.result:<9}  {where}"
    for note in one.notes:
        yield f"             line {note.line}: {note.what}"
    if one.why:
        yield f"             {one.why}"
    if one.hint:
        yield f"             hint: {one.hint}"
