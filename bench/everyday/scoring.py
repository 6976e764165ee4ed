"""What a pack is worth for a task, by the sections of the source that were named beforehand."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Task:
    """A task with the section that answers it, a phrase of that section, and what else helps."""

    repo: str
    task: str
    says: str
    right: str
    useful: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """How one task went."""

    task: Task
    first: str  # right, wrong, nothing, always (in baseline or rules) or lost (in no memory)
    paths: tuple[str, ...]
    useful: tuple[bool, ...]


def read_tasks(path: Path) -> list[Task]:
    """Read a table of tasks."""
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines() if line)
    return [Task(**(row | {"useful": tuple(row["useful"])})) for row in rows]


def section_lines(text: str, heading: str) -> set[str]:
    """Return the plain lines of a section with its subsections; without a heading, of all."""
    found: set[str] = set()
    inside, level, fenced = not heading, 0, False
    for line in text.splitlines():
        fenced ^= _FENCE.match(line) is not None
        match = None if fenced else _HEADING.fullmatch(line)
        if match and heading:
            if match[2] == heading:
                inside, level = True, len(match[1])
            elif len(match[1]) <= level:
                inside = False
        if inside and plain(line):
            found.add(plain(line))
    return found


def lines_of(folder: Path, sections: Sequence[str]) -> set[str]:
    """Return the plain lines of some sections, each named `file#heading`."""
    found: set[str] = set()
    for one in sections:
        name, _, heading = one.partition("#")
        found |= section_lines((folder / name).read_text("utf-8"), heading)
    return found


def is_useful(content: str, helpful: set[str], known: set[str]) -> bool:
    """Say whether most lines of an entry that stand in a source stand in helpful sections."""
    lines = {plain(line) for line in content.splitlines()}
    placed = [line for line in lines if line in known]
    return 2 * sum(line in helpful for line in placed) > len(placed)


def plain(text: str) -> str:
    """Return a line without marks of lists, links and headings."""
    bare = re.sub(r"\[([^]]*)]\([^)]*\)", r"\1", text)
    return _SPACE.sub(" ", re.sub(r"^[\s#>*|-]+|[`*|]", "", bare)).strip()


def says(content: str, phrase: str) -> bool:
    """Say whether a text holds a phrase, whatever its line breaks and marks are."""
    return plain(phrase) in plain(content.replace("\n", " "))
