"""The laptops of a team's project, as `dmm server` and `dmm team` take and show them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import counted, present, print_lines
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dmm.team.audit import Access
    from dmm.team.registry import Member

Role = Annotated[str, typer.Option(help="reader, contributor, reviewer (shares rules) or owner.")]
NewRole = Annotated[str, typer.Argument(help="reader, contributor, reviewer or owner.")]
Writer = Annotated[
    str, typer.Argument(metavar="LAPTOP", help="A laptop's name, from the list of laptops.")
]

OfPerson = Annotated[
    str, typer.Option("--person", help="Remove all laptops that this person signed in with.")
]


def carry_out_removal(
    writer: str,
    person: str,
    revoke: Callable[[str], bool],
    revoke_person: Callable[[str], int],
) -> None:
    """Remove one laptop, or all of a person, and tell what was done."""
    if bool(writer) == bool(person):
        raise UsageError("name a laptop, or a person with --person")
    if person:
        print_lines([f"{counted(revoke_person(person), 'laptop')} of {person} removed"])
    else:
        print_lines([f"{writer} {'removed' if revoke(writer) else 'was removed before'}"])


def present_members(found: Sequence[Member], *, as_json: bool) -> None:
    """Show laptops, one per line."""
    present(
        [
            {"writer": one.writer, "name": one.name, "role": one.role, "events": one.events}
            | ({"revoked": True} if one.revoked else {})
            | ({"person": one.person} if one.person else {})
            for one in found
        ],
        as_json=as_json,
        lines=lambda _: (
            [
                f"{one.writer}  {one.role}  {one.name}  {counted(one.events, 'event')}"
                f"{'  ' + one.person if one.person else ''}{'  removed' if one.revoked else ''}"
                for one in found
            ]
            or ["No laptop has joined yet."]
        ),
    )


def present_accesses(found: Sequence[Access], names: Mapping[str, str], *, as_json: bool) -> None:
    """Show who used a project, one access per line, the newest first."""
    present(
        [asdict(one) | {"name": names.get(one.writer, "")} for one in found],
        as_json=as_json,
        lines=lambda _: [_tell_access(one, names) for one in found] or ["Nobody has used it yet."],
    )


def _tell_access(one: Access, names: Mapping[str, str]) -> str:
    who = f"{one.writer} {names.get(one.writer, '')}".strip() or "-"
    times = f"{one.count} times" if one.count > 1 else ""
    parts = (one.last[:19].replace("T", " "), f"{one.act:<8}", who, one.about, times)
    return "  ".join(part for part in parts if part)
