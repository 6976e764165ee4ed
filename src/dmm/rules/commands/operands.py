"""Operands: which argument of which program is a file that is read or changed.

The table is in `data/operands.txt`, which also says how it is written.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from dmm.reading import read_table
from dmm.rules.commands.procedures import PROGRAMS
from dmm.rules.commands.runs import SHELLS
from dmm.rules.commands.wrappers import CARRIERS

if TYPE_CHECKING:
    from dmm.rules.commands.facts import Access, CommandUse


class Row(NamedTuple):
    """What an invocation does to its arguments, where its flags fit."""

    needed: tuple[str, ...]
    refused: tuple[str, ...]
    uses: tuple[tuple[Access, str, str], ...]

    def fits(self, use: CommandUse) -> bool:
        """Tell whether an invocation has the flags of this row."""
        return all(_has(use, one) for one in self.needed) and not any(
            _has(use, one) for one in self.refused
        )


def _has(use: CommandUse, flags: str) -> bool:
    return bool(use.options.separated) if flags == "--" else use.options.has_exactly(flags)


@cache
def _table() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for line in read_table("operands.txt"):
        head, _, tail = line.rpartition(" :")
        words = head.split()
        uses = (one.split() for one in tail.split(",") if one.strip())
        row = Row(
            tuple(one[1:] for one in words if one[0] == "+"),
            tuple(one[1:] for one in words if one[0] == "~"),
            tuple((cast("Access", name), *_parted(place)) for name, place in uses),
        )
        for one in words:
            if one[0] not in "+~":
                found.setdefault(one, []).append(row)
    for name in CARRIERS | SHELLS | PROGRAMS | {":"}:
        found.setdefault(name, []).append(Row((), (), ()))
    return found


def _parted(place: str) -> tuple[str, str]:
    selector, _, reach = place.partition("/")
    return selector, reach


@cache
def changing_unnamed() -> frozenset[str]:
    """Name the programs that may change files that their words do not name."""
    return frozenset({"tar", "bsdtar", "gtar"}).union(
        name.partition(":")[0]
        for name, rows in _table().items()
        for row in rows
        if any(access != "read" and place in (".", "!.", "?.") for access, place, _ in row.uses)
    )


def row_of(use: CommandUse) -> tuple[Row, int] | None:
    """Find the row of an invocation, and how many of its operands are subcommands."""
    program, operands = use.invocation.program, use.options.operands
    named = [program, *(word.text for word in operands[:2])]
    for depth in range(len(named), 0, -1):
        for row in _table().get(":".join(named[:depth]), ()):
            if row.fits(use):
                return row, depth - 1
    return None
