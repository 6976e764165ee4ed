"""`dmm diff`: what a branch does to memory and rules."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Json, Root, open_project, present

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.project.differences import Comparison


def diff(
    commits: Annotated[
        str,
        typer.Argument(
            metavar="RANGE",
            help="A range such as main...HEAD, or a commit to compare the files with.",
        ),
    ] = "HEAD",
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show what a branch does to memory and rules.

    In sentences for a pull request: what it adds, changes, removes, supersedes and contradicts.
    """
    told = open_project(root).differences.compare(commits)
    present(asdict(told), as_json=as_json, lines=lambda _: _lines(told))


def _lines(told: Comparison) -> Iterator[str]:
    if not told.differences:
        yield f"{told.after} changes nothing in memory and rules."
    for one in told.differences:
        yield from wrapped(one.sentence, "- ") if sys.stdout.isatty() else [f"- {one.sentence}"]
    yield from (f"Notice: {notice}" for notice in told.notices)
