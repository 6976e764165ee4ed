"""`dmm ledger pack` and `session`: what was served and why, and what happened, as it ran."""

from __future__ import annotations

from typing import Annotated

import typer

from dmm.cli.format import packs, sessions
from dmm.cli.ledger_file import SHOWN, open_to_look
from dmm.cli.options import Json, Root, present, print_json, print_lines
from dmm.domain.plain import to_plain


def pack(
    seq: Annotated[
        int | None, typer.Argument(metavar="SEQ", help="The number of a PackServed event.")
    ] = None,
    last: Annotated[int, typer.Option(min=1, help="Number of packs to list.")] = SHOWN,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """List the packs that were served, or show one with its receipt."""
    served = open_to_look(root).served_packs
    if seq is None:
        listed = served.newest(last)
        present(listed, as_json=as_json, lines=lambda _: packs.list_packs(listed.packs))
        return
    found = served.show(seq)
    present(found, as_json=as_json, lines=lambda _: packs.show_pack(found))


def session(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="The full id of a session.")
    ] = None,
    last: Annotated[int, typer.Option(min=1, help="Number of sessions to list.")] = SHOWN,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """List the sessions of agents, or show what happened in one."""
    dmm = open_to_look(root)
    if name is None:
        listed = dmm.session_history.list(last)
        present(listed, as_json=as_json, lines=lambda _: sessions.list_sessions(listed.sessions))
        return
    from dmm.mcp.cost import count_fixed

    found = dmm.session_history.show(name)
    fixed = sum(tokens for _, tokens in count_fixed(dmm))
    if as_json:
        told = to_plain(found)
        told["cost"]["fixed"] = fixed
        print_json(told)
    else:
        print_lines(sessions.show_session(found, fixed))
