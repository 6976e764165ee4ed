"""Word lists: sets of names and tables written as plain text."""

from __future__ import annotations

import os


def names(text: str) -> frozenset[str]:
    """Read the names that a text lists, blanks between them."""
    return frozenset(text.split())


def read_table(name: str) -> list[str]:
    """Read the lines of a table that comes with the package, without its comments."""
    # pathlib takes longer to load than all else that a hook needs.
    folder = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120
    with open(os.path.join(folder, "data", name), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return [line.rstrip("\n") for line in file if line.strip() and line[0] != "#"]


def read_sections(name: str) -> dict[str, list[str]]:
    """Read a table that is divided by names in brackets."""
    found: dict[str, list[str]] = {}
    rows: list[str] = []
    for line in read_table(name):
        if line.startswith("["):
            rows = found.setdefault(line.strip("[]"), [])
        else:
            rows.append(line)
    return found
