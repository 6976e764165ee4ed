"""`dmm cost`: what DMM puts into sessions, and why."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from dmm.cli.options import Json, Root, open_project, print_json, print_lines


def cost(
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this session; the start is enough.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many sessions to show.")] = 5,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show what DMM put into sessions, and why.

    Counted in tokens: the fixed cost, then what each session start and prompt was given.
    """
    from dmm.mcp.cost import count_fixed

    dmm = open_project(root)
    report = dmm.costs.report(session=session, limit=limit)
    fixed = count_fixed(dmm)
    if as_json:
        told = asdict(report) | {"fixed": dict(fixed)}
        for shown, one in zip(told["sessions"], report.sessions, strict=True):
            shown["tokens"] = one.tokens
        print_json(told)
        return
    from dmm.cli.format.costs import cost_lines

    print_lines(cost_lines(report, fixed))
