"""Coloured lines on a terminal, plain lines elsewhere."""

from __future__ import annotations

import locale
import os
import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.cli.format.lines import terminal_width
from dmm.cli.options import print_lines
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SIGNS = {"pass": "✓", "warn": "!", "fail": "✗"}
WORDS = {"pass": "ok  ", "warn": "warn", "fail": "FAIL"}
COLOURS = {"pass": "green", "warn": "yellow", "fail": "bold red"}
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


def signs() -> dict[str, str]:
    """Return the signs of outcomes: marks, or words where a terminal knows letters only."""
    if sys.stdout.isatty() and (_ascii_only() or os.environ.get("TERM") == "dumb"):
        return WORDS
    return SIGNS


def _ascii_only() -> bool:
    return locale.getencoding().lower().replace("-", "") not in ("utf8", "cp65001")
