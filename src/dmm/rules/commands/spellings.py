"""Spellings: the short and long names of one flag, by program and subcommand."""

from __future__ import annotations

from functools import lru_cache

from dmm.reading import read_table


def _read_flags() -> dict[str, tuple[str, str]]:
    """Read the names of the flags of each program, and which of them take a value."""
    rows = (tuple(part.strip() for part in line.split("|")) for line in read_table("flags.txt"))
    return {name: (spelled, valued) for name, spelled, valued in rows}


FLAGS = _read_flags()
_SHORTEST_CUT = 5
_MORE = {"pip3": "pip", "oc": "kubectl", "gsed": "sed", "egrep": "grep", "fgrep": "grep"}


@lru_cache(maxsize=128)
def _table(name: str) -> dict[str, tuple[str, ...]]:
    text = FLAGS.get(_MORE.get(name, name), ("", ""))[0]
    groups = [tuple(group.split("=")) for group in text.split()]
    return {flag: group for group in groups for flag in group}


def has_own(name: str) -> bool:
    """Return whether the flags of a subcommand are known apart from those of its program."""
    return bool(FLAGS.get(name, ("", ""))[0])


def spellings_of(flag: str, name: str) -> tuple[str, ...]:
    """Return all names of a flag of a program or subcommand; a long one may be cut short."""
    table = _table(name)
    if not table or flag in table:
        return table.get(flag, (flag,))
    if not flag.startswith("--") or len(flag) < _SHORTEST_CUT:
        return (flag,)
    longer = {table[one] for one in table if one.startswith(flag)}
    return (flag, *longer.pop()) if len(longer) == 1 else (flag,)
