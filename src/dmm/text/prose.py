"""Split prose into sentences and paragraphs, and strip Markdown marks."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_CODE = re.compile(r"`[^`\n]*`")
# Not behind an abbreviation; "no." is one before a number alone. A pattern that begins with what
# it looks for is searched for several times as fast.
_END = re.compile(
    r"[.!?。](?<![.!?。]{3})(?<!\be\.g.)(?<!\bi\.e.)(?<!\bvs.)(?<!\bresp.)(?<!\bapprox.)"
    r"(?!(?<=\b[Nn]o\.)\s+\d)"
    r"[.!?。]*[\"')\]*_]*\s+(?=[\"'(\[*_]*([^\W_]|`))"
)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_ITEM = re.compile(r"\s*(?:[-*+>]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_STRAIGHT = str.maketrans({
    "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{HYPHEN}": "-", "\N{NON-BREAKING HYPHEN}": "-", "\N{NO-BREAK SPACE}": " ",
})  # fmt: skip


def split_sentences(text: str) -> list[str]:
    """Cut a paragraph where its sentences end; code in backticks never ends one."""
    hidden = _CODE.sub(lambda code: "`" * len(code[0]), text)
    # A lower-case letter continues a sentence; numbers, code and scripts without capitals don't.
    ends = (found.end() for found in _END.finditer(hidden) if not found[1].islower())
    cuts = [0, *ends, len(text)]
    pieces = (text[start:end].strip() for start, end in pairwise(cuts))
    return [one for one in pieces if one]


def paragraphs_of(text: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """Return the paragraphs and list items of Markdown, each with the number of its first line.

    Fenced code and headings are left out.
    """
    lines: list[str] = []
    fenced = False
    for number, line in enumerate((*text.split("\n"), ""), start=first):
        fence = bool(_FENCE.match(line))
        fenced ^= fence
        bare = strip_item(line)
        apart = fence or fenced or bool(_HEADING.match(line))
        if lines and (apart or bare != line or not line.strip()):
            yield number - len(lines), "\n".join(lines)
            lines = []
        if line.strip() and not apart:
            lines.append(bare.strip())


def strip_bullet(line: str) -> str:
    """Strip the bullet or number of a list item; the box of a task stays."""
    return _BULLET.sub("", line, count=1) if _BULLET.match(line) else line


def strip_item(line: str) -> str:
    """Strip the mark of a list item, a task or a quotation."""
    return _ITEM.sub("", line, count=1) if _ITEM.match(line) else line


def strip_emphasis(text: str) -> str:
    """Strip the marks of emphasis; code keeps what is in it."""
    parts = re.split(r"(`[^`\n]*`)", text)
    return "".join(one if one.startswith("`") else _EMPHASIS.sub("", one) for one in parts)


def straighten(text: str) -> str:
    """Replace typographic quotation marks, hyphens and spaces by the plain ones."""
    return text.translate(_STRAIGHT)
