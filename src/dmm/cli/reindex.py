"""`dmm reindex`: update the index from the files."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import Json, Root, counted, open_project, print_json, print_lines
from dmm.domain.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.index.sync import SyncReport


def reindex(
    full: Annotated[bool, typer.Option("--full", help="Read and embed every file again.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Index new and changed memory files.

    Queries do this automatically.
    """
    from dmm.cli.progress import bar

    started = time.perf_counter()
    dmm = open_project(root)
    with bar("Indexing", shown_from=1) as progress:
        report = dmm.memories.reindex(full=full, progress=progress)
    seconds = time.perf_counter() - started
    notices = list(dmm.indexes.notices.values())
    if as_json:
        told = {"notices": notices, "duration_ms": round(seconds * 1000)}
        print_json(to_plain(report) | told)
    else:
        print_lines(list(_lines(report, seconds, notices)))
    if report.faults:
        raise typer.Exit(1)


def _lines(report: SyncReport, seconds: float, notices: list[str]) -> Iterator[str]:
    yield (
        f"{counted(report.total, 'file')}: {report.indexed} indexed, {report.embedded} embedded,"
        f" {report.removed} removed, {len(report.faults)} with faults ({seconds:.1f} s)"
    )
    yield from (f"Notice: {notice}" for notice in notices)
    for fault in report.faults:
        yield f"  {fault.where}: {fault.what}"
        if fault.hint:
            yield f"      hint: {fault.hint}"
