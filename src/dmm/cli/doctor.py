"""`dmm doctor`: end-to-end checks."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import Json, Root, counted, open_project, print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from dmm.clients.place import Scope
    from dmm.install.service import Installation
    from dmm.project.doctor import Check, Memory

SIGNS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Fix what is safe to fix, then check.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Run end-to-end checks, including that forbidden calls are blocked.

    Checks the program, project, daemon and clients, then tries hooks, tools and HTTP
    in a temporary project.
    """
    from dmm.project.doctor import examine

    checks = []
    area = ""
    for check in examine(_probes(root), fix=fix):
        checks.append(check)
        if not as_json:
            print_lines(_lines(check, heading=check.area != area))
        area = check.area
    failed = sum(check.level == "fail" for check in checks)
    if as_json:
        print_json({"healthy": not failed, "checks": checks})
    else:
        print_lines(["", _summary(checks, fix=fix)])
    if failed:
        raise typer.Exit(1)


def _probes(root: Path | None) -> list[Callable[[], Iterable[Check]]]:
    from dmm import bootstrap
    from dmm.embed.model import Embedder
    from dmm.project import client_checks, doctor

    scopes = _installations(root)
    wiring = client_checks.Wiring(scopes)

    def prove() -> Iterator[Check]:
        wired = wiring.wired()
        if not any(one.kind == "hook" for one in wired):
            wired.append(client_checks.own_hook(scopes["user"]))
        with client_checks.open_trial(os.environ, bootstrap.now) as trial:
            yield from client_checks.prove(trial, wired)
            yield from doctor.attempt("proof", "HTTP", lambda: client_checks.prove_http(trial))
            own = client_checks.own_hook(scopes["user"])
            look = partial(client_checks.prove_alone, trial, own)
            yield from doctor.attempt("proof", "without the daemon", look)

    return [
        lambda: doctor.check_program(Embedder.load),
        lambda: doctor.check_project(lambda: _open_memory(root)),
        doctor.check_daemon,
        lambda: doctor.attempt("clients", "configuration", wiring.check),
        lambda: doctor.attempt("proof", "trial", prove),
    ]


def _installations(root: Path | None) -> dict[Scope, Installation]:
    from dmm.cli.install import open_installation
    from dmm.errors import RootNotFound

    scopes: dict[Scope, Installation] = {"user": open_installation("user", root)}
    try:
        scopes["project"] = open_installation("project", root)
    except RootNotFound:
        # Outside of a project there are only the user's own files to look at.
        return scopes
    return scopes


def _open_memory(root: Path | None) -> Memory:
    from dmm.bootstrap.checkups import open_memory

    dmm = open_project(root, quiet=True)

    def reindex() -> None:
        dmm.memories.reindex()
        dmm.close()

    return open_memory(dmm, reindex)


def _lines(check: Check, *, heading: bool) -> Iterator[str]:
    if heading:
        yield f"{check.area.capitalize()}:"
    mark = "  (fixed)" if check.fixed else ""
    yield f"  {SIGNS[check.level]}  {check.name}: {check.told}{mark}"
    if check.way:
        yield from (f"        {line}" for line in f"hint: {check.way}".splitlines())


def _summary(checks: list[Check], *, fix: bool) -> str:
    failed = sum(check.level == "fail" for check in checks)
    warned = sum(check.level == "warn" for check in checks)
    if not failed and not warned:
        return f"{counted(len(checks), 'check')} passed."
    told = f"{counted(failed, 'failure')}, {counted(warned, 'warning')}"
    fixable = any(check.fix for check in checks if check.level != "ok")
    return f"{told}; fix what can be fixed: dmm doctor --fix" if fixable and not fix else told
