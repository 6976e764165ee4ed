"""`dmm ledger pack`: the packs that were served, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from dmm.cli.format import packs as lines
from dmm.cli.ledger_file import SHOWN, open_to_look
from dmm.cli.options import Json, Root, present


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
        present(listed, as_json=as_json, lines=lambda _: lines.list_packs(listed.packs))
        return
    found = served.show(seq)
    present(found, as_json=as_json, lines=lambda _: lines.show_pack(found))
