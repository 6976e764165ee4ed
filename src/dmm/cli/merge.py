"""`dmm merge` and `dmm merge-file`: merge what Git left in two versions."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import Json, Root, counted, open_project, present
from dmm.domain.text import neutralise
from dmm.errors import DmmError

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
    present(
        asdict(report) | {"dry": dry_run},
        as_json=as_json,
        lines=lambda _: _lines(report, dry=dry_run),
    )
    if not dry_run and (report.outcomes or report.undecided):
        _record(report, root)
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
    notes = merge_files(base, ours, theirs, name)
    for note in notes:
        _warn(f"{name}:{note.line}: both versions kept; {note.what}")
    if notes:
        _record_kept(name)


def _warn(told: str) -> None:
    sys.stderr.write(f"dmm: {neutralise(told)}\n")


def _record_kept(name: str) -> None:
    """Record that a file has two versions of something; Git writes it only after this.

    The file is merged by now, and Git would take a failure for a conflict.
    """
    from dmm.domain.payload import FilesMerged

    inside = name.rpartition(".dmm/")[2]
    try:
        open_project(None, quiet=True).ledger.record_merge(FilesMerged(kept=(inside,)))
    except DmmError as error:
        _warn(f"not recorded in the ledger: {error}")


def _record(report: MergeReport, root: Path | None) -> None:
    """Record what was done, and what is left to decide as conflicts."""
    from dmm.domain.payload import FilesMerged

    dmm = open_project(root)
    merged = tuple(one.path for one in report.outcomes if one.result == "merged")
    kept = tuple(one.path for one in report.kept)
    left = tuple(one.path for one in report.left)
    if report.outcomes:
        dmm.ledger.record_merge(FilesMerged(merged=merged, kept=kept, left=left))
    undecided = (*kept, *(one.path for one in report.undecided))
    if undecided:
        paths = [path.removeprefix("memory/") for path in undecided]
        dmm.memories.follow(paths)
        dmm.conflicts.check(paths)


def _lines(report: MergeReport, *, dry: bool) -> Iterator[str]:
    if not report.outcomes and not report.undecided:
        yield "No merge conflicts."
        return
    for one in report.outcomes:
        yield from _outcome(one)
    if report.undecided:
        yield "Undecided since an earlier merge:"
    for one in report.undecided:
        yield from _outcome(one)
    if dry:
        yield "Nothing was written."
    elif report.left:
        yield f"{counted(len(report.left), 'file')} left for you."
    elif report.outcomes:
        yield "Next: git add .dmm, then go on with your merge."
    if report.kept or report.undecided:
        yield "Where both are kept: keep one version and delete the 'dmm merge' comments."
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
