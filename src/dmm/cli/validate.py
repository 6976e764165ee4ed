"""`dmm validate`: errors and warnings in the memory files."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.daemon_call import find_agent
from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Json, Root, counted, open_project, present
from dmm.cli.progress import bar
from dmm.domain.plain import to_plain
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.domain.report import Finding, Repair, ValidationReport


def validate(
    fix: Annotated[
        bool, typer.Option("--fix", help="Fix what can be fixed automatically, then check.")
    ] = False,
    staged: Annotated[
        bool, typer.Option("--staged", help="Check what is staged in Git, not the working tree.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Check memory and rule files; --fix repairs what it can.

    Checks format, sizes, ids, links, duplicates, budgets and citations.
    """
    validation = open_project(root).validation
    repairs: Sequence[Repair] = ()
    if staged and fix:
        hint = "fix the files, then stage them: dmm validate --fix"
        raise UsageError("--fix can't change staged files", hint=hint)
    if staged:
        from dmm.project.staged import check_staged

        report = check_staged(validation)
    else:
        with bar("Indexing") as progress:
            if fix:
                repairs, report = validation.fix(progress)
            else:
                report = validation.check(progress)
    present(
        to_plain(report) | {"repairs": [asdict(repair) for repair in repairs]},
        as_json=as_json,
        lines=lambda _: _lines(report, repairs),
    )
    if report.errors:
        raise typer.Exit(1)


def _lines(report: ValidationReport, repairs: Sequence[Repair]) -> Iterator[str]:
    for repair in repairs:
        yield f"{'fixed' if repair.applied else 'left '}  {repair.path}: {repair.what}"
    yield f"{report.valid} of {counted(report.files, 'file')} valid"
    for title, findings in (("error", report.errors), ("warning", report.warnings)):
        if findings:
            yield f"{counted(len(findings), title)}:"
            for finding in findings:
                yield from _finding_lines(finding)
    fixable = sum(finding.fixable for finding in report.findings)
    if fixable:
        # Past the review, only a person can have files fixed.
        way = "with a proposal: dmm write update" if find_agent() else "with: dmm validate --fix"
        yield f"{fixable} can be fixed {way}"


def _finding_lines(finding: Finding) -> Iterator[str]:
    yield from _fitted(f"{finding.where}: {finding.message}", "  - ")
    if finding.hint:
        yield from _fitted(finding.hint, "      hint: ")


def _fitted(text: str, lead: str) -> list[str]:
    """Break a line on a terminal; a pipe gets the whole of it."""
    return wrapped(text, lead) if sys.stdout.isatty() else [f"{lead}{text}"]
