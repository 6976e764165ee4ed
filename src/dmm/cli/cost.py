"""`dmm cost`: what DMM puts into sessions, and why."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import Json, Root, open_project, print_json, print_lines

if TYPE_CHECKING:
    from dmm.bootstrap import Dmm

MOST_DAYS = 366


def cost(
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this session; the start is enough.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Number of sessions to show.")] = 5,
    days: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_DAYS, metavar="N", help="Show the last N days instead."),
    ] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show what DMM put into sessions, and why.

    Counts tokens: the fixed cost, then what each session start and prompt got. With --days, what
    each day got, compared with serving all memory every time.
    """
    dmm = open_project(root)
    if days is not None:
        _show_days(dmm, days, as_json=as_json)
        return
    from dmm.mcp.cost import count_fixed, count_own

    report = dmm.costs.report(session=session, limit=limit)
    fixed = count_fixed(dmm)
    if as_json:
        told = asdict(report) | {"fixed": dict(fixed)}
        for shown, one in zip(told["sessions"], report.sessions, strict=True):
            shown["tokens"] = one.tokens
        print_json(told)
        return
    from dmm.cli.format.costs import cost_lines

    print_lines(cost_lines(report, fixed, count_own(dmm)))


def _show_days(dmm: Dmm, days: int, *, as_json: bool) -> None:
    from dmm.domain.plain import to_plain

    figures = dmm.metrics.report(days)
    if as_json:
        print_json(to_plain(figures))
        return
    from dmm.cli.format.costs import day_lines

    print_lines(day_lines(figures))
