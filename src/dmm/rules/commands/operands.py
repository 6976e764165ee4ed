"""Operands: which argument of which program is a file that is read or changed.

The tables are in `data/operands.txt` and `data/messages.txt`, which also say how they are written.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from dmm.reading import read_table
from dmm.rules.commands.carriers import CARRIERS
from dmm.rules.commands.options import VALUED
from dmm.rules.commands.procedures import PROGRAMS
from dmm.rules.commands.runs import SHELLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.commands.facts import CommandUse
    from dmm.rules.commands.options import Options
    from dmm.rules.commands.values import Word


class Row(NamedTuple):
    """What an invocation does to its arguments, if its flags match."""

    needed: tuple[str, ...]
    refused: tuple[str, ...]
    uses: tuple[tuple[str, str, str], ...]

    def fits(self, use: CommandUse) -> bool:
        """Return whether an invocation has the flags of this row."""
        return all(_has(use, one) for one in self.needed) and not any(
            _has(use, one) for one in self.refused
        )


def _has(use: CommandUse, flags: str) -> bool:
    return bool(use.options.separated) if flags == "--" else use.options.has_exactly(flags)


@cache
def _table(name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for line in read_table(name):
        head, _, tail = line.rpartition(" :")
        words = head.split()
        uses = (one.split() for one in tail.split(",") if one.strip())
        row = Row(
            tuple(one[1:] for one in words if one[0] == "+"),
            tuple(one[1:] for one in words if one[0] == "~"),
            tuple((what, *place.partition("/")[::2]) for what, place in uses),
        )
        for one in words:
            if one[0] not in "+~":
                found.setdefault(one, []).append(row)
    return found


@cache
def _files() -> dict[str, list[Row]]:
    """Read the table of files; what carries a command is known to read nothing itself."""
    found = _table("operands.txt")
    for name in CARRIERS | SHELLS | PROGRAMS | {":"}:
        found.setdefault(name, []).append(Row((), (), ()))
    return found


@cache
def changing_unnamed() -> frozenset[str]:
    """Name the programs that may change files that their words do not name."""
    return frozenset(
        name.partition(":")[0]
        for name, rows in _files().items()
        for row in rows
        if any(access != "read" and place in (".", "!.", "?.") for access, place, _ in row.uses)
    )


def parted(
    program: str, options: Options, operands: Sequence[Word]
) -> tuple[Sequence[Word], Word | None]:
    """Split sources from the target: the last operand, or the value of `-t`."""
    flagged = "-t" in VALUED.get(program, ())
    folders = options.values_of("-t|--target-directory") if flagged else []
    if folders:
        return operands, folders[-1]
    return operands[:-1], operands[-1] if operands else None


def arriving(sources: Sequence[Word], target: Word, *, folder: bool) -> list[Word]:
    """Name the files that a copy makes: in a folder they keep their names."""
    if len(sources) < 2 and not folder and not target.text.endswith("/"):
        return [target]
    names = [word.text.rstrip("/").rpartition("/")[2] for word in sources]
    return [target._replace(text=f"{target.text.rstrip('/')}/{name}") for name in names]


def row_of(use: CommandUse, table: str = "") -> tuple[Row, int] | None:
    """Find the row of an invocation, and how many of its operands are subcommands."""
    rows = _table(table) if table else _files()
    program, operands = use.invocation.program, use.options.operands
    named = [program, *(word.text for word in operands[:2])]
    for depth in range(len(named), 0, -1):
        for row in rows.get(":".join(named[:depth]), ()):
            if row.fits(use):
                return row, depth - 1
    return None
