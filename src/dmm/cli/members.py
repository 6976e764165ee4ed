"""The laptops of a team's project, as `dmm server` and `dmm team` take and show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import counted, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.team.registry import Member

Role = Annotated[str, typer.Option(help="reader, contributor, reviewer (shares rules) or owner.")]
NewRole = Annotated[str, typer.Argument(help="reader, contributor, reviewer or owner.")]
Writer = Annotated[str, typer.Argument(help="The laptop, as the list of laptops names it.")]


def present_members(found: Sequence[Member], *, as_json: bool) -> None:
    """Show laptops, one per line."""
    present(
        [
            {"writer": one.writer, "name": one.name, "role": one.role, "events": one.events}
            | ({"revoked": True} if one.revoked else {})
            for one in found
        ],
        as_json=as_json,
        lines=lambda told: (
            [
                f"{one['writer']}  {one['role']}  {one['name']}  {counted(one['events'], 'event')}"
                f"{'  removed' if one.get('revoked') else ''}"
                for one in told
            ]
            or ["No laptop has joined yet."]
        ),
    )
