"""`dmm install`: connect DMM to the detected clients."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import Json, Root, counted, present, print_json, print_lines
from dmm.clients.registry import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dmm.install.service import Installation, InstallReport, Noticed, Outcome

LABELS = {
    "installed": "installed",
    "updated": "updated",
    "unchanged": "already installed",
    "removed": "removed",
    "absent": "no DMM entries",
    "refused": "NOT DONE",
}
PLANNED = {"installed": "would be installed", "removed": "would be removed"}
PLANNED |= {"updated": "would be updated"}


if TYPE_CHECKING:
    ClientName = StrEnum
else:
    ClientName = StrEnum("ClientName", {name: name for name in (*NAMES, "all")})


class ScopeName(StrEnum):
    """Whose files are meant."""

    USER = "user"
    PROJECT = "project"


class ToolsName(StrEnum):
    """The tools that agents are offered."""

    CORE = "core"
    FULL = "full"


def install(
    client: Annotated[
        list[ClientName] | None,
        typer.Option(
            metavar="NAME",
            help=f"Only this client: {', '.join(NAMES)} or all; repeatable.",
            show_default="detected clients",
        ),
    ] = None,
    scope: Annotated[
        ScopeName, typer.Option(help="Your user files, or those of the repository.")
    ] = ScopeName.USER,
    tools: Annotated[
        ToolsName, typer.Option(help="core: what most sessions need; full: all tools.")
    ] = ToolsName.CORE,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change and write nothing.")
    ] = False,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="Remove exactly what dmm added.")
    ] = False,
    git: Annotated[
        bool, typer.Option("--git", help="Have this repository merge memory and rules with DMM.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Connect DMM to your agents: hooks and memory tools.

    A file that holds more than DMM's own entries is backed up before it is changed.
    """
    if git:
        _install_git(root, remove=uninstall, dry=dry_run, as_json=as_json)
        return
    installation = open_installation(scope.value, root, tools.value)
    named = [one.value for one in client or ()]
    report = installation.apply(named, scope.value, remove=uninstall, dry=dry_run)
    present(report, as_json=as_json, lines=lambda told: _lines(told, named, remove=uninstall))
    if report.refused:
        raise typer.Exit(1)


def _install_git(root: Path | None, *, remove: bool, dry: bool, as_json: bool) -> None:
    """Register the merge driver in the repository around the project."""
    from dataclasses import asdict

    from dmm.bootstrap import here, own_home
    from dmm.files.roots import find_root
    from dmm.merge.driver import find_program, register

    folder = find_root(root or here(), root, own_home()).folder
    steps = register(folder, find_program(), remove=remove, dry=dry)
    if as_json:
        print_json({"steps": [asdict(step) for step in steps], "dry": dry})
        return
    labels = LABELS | (PLANNED if dry else {})
    lines = [
        line
        for one in steps
        for line in (f"Git, {one.what}: {labels[one.result]}", f"  {one.where}")
    ]
    if dry:
        lines += ["", "Nothing was written."]
    elif any(one.result in ("installed", "updated") for one in steps):
        lines += [
            "",
            "Commit .dmm/.gitattributes. Run dmm install --git once in every clone;",
            "a clone without it merges as usual.",
        ]
    print_lines(lines)


def open_installation(scope: str, root: Path | None, tools: str = "core") -> Installation:
    """Build the installation for this user, and for the project if one is named."""
    import os

    from dmm.bootstrap import here, now, own_home
    from dmm.clients import launch
    from dmm.clients.place import Place
    from dmm.files.roots import find_root
    from dmm.install.service import Installation

    home = own_home()
    if scope == "user":
        return Installation(Place(home, os.environ), launch.here(tools), now)
    project = find_root(root or here(), root, home).project
    return Installation(Place(home, os.environ, project), launch.anywhere(tools), now)


def _lines(report: InstallReport, named: Sequence[str], *, remove: bool) -> Iterator[str]:
    if not named:
        yield from _noticed(report.noticed)
    for outcome in report.outcomes:
        yield from _outcome(outcome, dry=report.dry)
    if not report.outcomes:
        if remove:
            yield "Nothing was disconnected."
        yield "No client detected. Name one with --client, or all with --client all:"
        yield f"  {', '.join(NAMES)}"
    if report.dry:
        yield ""
        yield "Nothing was written."
    elif report.afterwards:
        yield ""
        yield "Next:"
        yield from (f"  - {one}" for one in report.afterwards)
        yield "  - in each project: dmm init (once), then check with: dmm doctor"
    elif remove and report.outcomes:
        yield ""
        yield "Your memories stay: .dmm in each project, and ~/.dmm. Restart the clients."


def _noticed(noticed: Sequence[Noticed]) -> Iterator[str]:
    found = [one for one in noticed if one.by]
    if found:
        yield f"{counted(len(found), 'client')} detected:"
        yield from (f"  {one.title} ({one.by})" for one in found)
        yield ""


def _outcome(outcome: Outcome, *, dry: bool) -> Iterator[str]:
    label = LABELS[outcome.result]
    if dry:
        label = PLANNED.get(outcome.result, label)
    yield f"{outcome.title}, {outcome.what}: {label}"
    yield f"  {outcome.where}"
    if outcome.backup:
        yield f"  before: {outcome.backup}"
    if outcome.problem:
        yield f"  why: {outcome.problem}"
    if outcome.hint:
        yield from (f"  {line}" for line in f"hint: {outcome.hint}".splitlines())
    if dry and outcome.preview:
        yield from (f"    {line}" for line in outcome.preview.splitlines())
