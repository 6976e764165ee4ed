"""`dmm init`: create a project's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Json, Root, counted, print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.report import SetupReport


def init(as_json: Json = False, root: Root = None) -> None:
    """Create .dmm in the working directory; existing files are kept."""
    from dmm.bootstrap import here, today
    from dmm.files.roots import NAME
    from dmm.files.trusted import TrustStore
    from dmm.project.init import set_up

    project = root or here()
    folder = project.parent if project.name == NAME else project
    report = set_up(folder, day=today(), store=TrustStore.of_user())
    if as_json:
        told = {"created": list(report.created), "kept": list(report.kept)}
        trust = {"trusted": not report.notice, "notice": report.notice}
        print_json({"folder": str(report.folder)} | told | trust)
    else:
        print_lines(list(_lines(report)))


def _lines(report: SetupReport) -> Iterator[str]:
    if report.created:
        yield f"Created {report.folder}"
        yield from (f"  + {name}" for name in report.created)
    else:
        yield f"{report.folder} is already complete"
    if report.kept:
        ends = "file was kept", "files were kept"
        yield f"  {counted(len(report.kept), *(f'existing {end}' for end in ends))}"
    if report.notice:
        yield ""
        yield from wrapped(report.notice)
    yield ""
    from dmm.importer.sources import find_instructions

    given = next(find_instructions(report.folder.parent, deep=False), None)
    first = (
        "dmm import (reads CLAUDE.md, AGENTS.md and the like)"
        if given
        else 'dmm remember "..." and dmm rules add "..."'
    )
    yield f"Next: {first}, then dmm install"
