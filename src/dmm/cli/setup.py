"""`dmm init`: a memory for this project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.cli.options import Json, Root, counted, print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.report import SetupReport


def init(as_json: Json = False, root: Root = None) -> None:
    """Make the .dmm folder in the working directory; nothing that exists is changed."""
    from dmm.bootstrap import here, today
    from dmm.files.roots import NAME
    from dmm.service.setup import set_up

    project = root or here()
    report = set_up(project.parent if project.name == NAME else project, day=today())
    if as_json:
        told = {"created": list(report.created), "kept": list(report.kept)}
        print_json({"folder": str(report.folder)} | told)
    else:
        print_lines(list(_lines(report)))


def _lines(report: SetupReport) -> Iterator[str]:
    if report.created:
        yield f"Made {report.folder}"
        yield from (f"  + {name}" for name in report.created)
    else:
        yield f"{report.folder} is complete already"
    if report.kept:
        ends = "file was left as it is", "files were left as they are"
        yield f"  {counted(len(report.kept), *(f'existing {end}' for end in ends))}"
    yield ""
    yield 'Next: dmm import CLAUDE.md (if you have one), then dmm query "your task"'
