"""Coloured lines on a terminal, plain lines elsewhere."""

from __future__ import annotations

import locale
import os
import sys
import textwrap
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.cli.format.lines import terminal_width
from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import counted, print_lines
from dmm.domain.text import neutralise
from dmm.review.patches import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SIGNS = {"pass": "✓", "warn": "!", "fail": "✗"}
WORDS = {"pass": "ok  ", "warn": "warn", "fail": "FAIL"}
COLOURS = {"pass": "green", "warn": "yellow", "fail": "bold red"}
# A change of more files than this is an import, or one that is undone.
MANY_FILES = 10
FEW_NAMES = 3
# How the lines of a diff, and of three texts side by side, begin.
_MARKS = (
    (("--- ", "+++ "), "bold"),
    (("@@",), "cyan"),
    (("+", "new  +", "new:"), "green"),
    (("-", "was  -"), "red"),
    (("file +", "file:"), "yellow"),
    (("both",), "bold"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line and how it looks on a terminal; one that folds goes on below, indented."""

    text: str
    style: str = ""
    folds: bool = False


def show(lines: Iterable[Line | str]) -> None:
    """Print lines: coloured and no wider than the terminal, or as they are into a pipe."""
    told = [Line(one) if isinstance(one, str) else one for one in lines]
    if not sys.stdout.isatty():
        print_lines([line.text for line in told])
        return
    from rich.console import Console
    from rich.text import Text

    width = terminal_width()
    console = Console(highlight=False, soft_wrap=True)
    for line in told:
        for part in _fold(neutralise(line.text), width) if line.folds else [neutralise(line.text)]:
            console.print(Text(part, style=line.style))


def _fold(text: str, width: int) -> list[str]:
    """Break a line that is too long; what follows stands below, two columns further in."""
    if len(text) <= width:
        return [text]
    return textwrap.wrap(text, width, subsequent_indent="  ", replace_whitespace=False)


def diff_lines(lines: Iterable[str]) -> Iterator[Line]:
    """Colour a diff, or three texts side by side."""
    for line in lines:
        style = next((style for starts, style in _MARKS if line.startswith(starts)), "")
        yield Line(line, style, folds=True)


def diff_summary(lines: Sequence[str], *, full: bool) -> Iterator[Line]:
    """Colour a diff; of many files, those that come or go whole are listed by folder instead."""
    heads = [n for n, line in enumerate(lines[:-1]) if _is_head(line, lines[n + 1])]
    if full or len(heads) <= MANY_FILES:
        yield from diff_lines(lines)
        return
    whole: dict[tuple[str, str], list[str]] = {}
    for start, end in pairwise([*heads, len(lines)]):
        old, new = (line[4:] for line in lines[start : start + 2])
        if NOWHERE not in (old, new):
            yield from diff_lines(lines[start:end])
            continue
        done, path = ("adds", new[2:]) if old == NOWHERE else ("removes", old[2:])
        folder, _, name = path.rpartition("/")
        whole.setdefault((done, folder), []).append(name)
    for (done, folder), names in whole.items():
        yield Line(f"  {done} {counted(len(names), 'file')} in {folder}")
        more = f" and {len(names) - FEW_NAMES} more" if len(names) > FEW_NAMES else ""
        yield from map(Line, wrapped(f"{', '.join(names[:FEW_NAMES])}{more}", "    "))
    yield Line("Every line of these files: the same command with --full")


def _is_head(line: str, below: str) -> bool:
    return line.startswith("--- ") and below.startswith("+++ ")


def signs() -> dict[str, str]:
    """Return the signs of outcomes: marks, or words where a terminal knows letters only."""
    if sys.stdout.isatty() and (_ascii_only() or os.environ.get("TERM") == "dumb"):
        return WORDS
    return SIGNS


def _ascii_only() -> bool:
    return locale.getencoding().lower().replace("-", "") not in ("utf8", "cp65001")
