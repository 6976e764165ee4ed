"""The comment on a definition: the lines above it, or the text that its body begins with."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from dmm.repo.kinds import language_of
from dmm.repo.strip_comments import comment_lead
from dmm.text.prose import split_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_ABOVE = 40
# A documentation string follows its signature, which may take some lines.
MOST_BELOW = 30
_BETWEEN = re.compile(r"^\s*(?:@|#\[)")
_TAG = re.compile(r"^\s*(?:@\w|:\w|-{3}|={3}|eslint|prettier|noqa|type:|TODO|FIXME)")
_OPENING = re.compile(r"^\s*[rRbBuU]?(\"\"\"|''')")
_SIGNATURE = re.compile(r":\s*(?:#.*)?$")
# References and elements of documentation comments; the words in them stay.
_MARKUP = re.compile(
    r"\{@\w+\s+([^{}]*)\}|</?(?:a|b|i|p|em|br|tt|ul|ol|li|code|pre|strong|span)(?:\s[^<>]*)?/?>"
)
_ADDRESS = re.compile(r"https?://\S+")
_WORDS = re.compile(r"[^\W\d_]{2,}\W+\w")


def find_remark(lines: Sequence[str], start: int, end: int, path: str) -> str:
    """Return the first sentence of the comment on a definition; empty without one."""
    said = _read_above(lines, start, comment_lead(path))
    if not said and language_of(path) == "python":
        said = _read_below(lines[start - 1 : end])
    sentence = next(iter(split_sentences(" ".join(said.split()))), "")
    plain = " ".join(_MARKUP.sub(r"\1", sentence).split())
    return plain if _WORDS.search(_ADDRESS.sub("", plain)) else ""


def _read_above(lines: Sequence[str], start: int, lead: re.Pattern[str]) -> str:
    """Read the comment that ends right above a line; attributes may stand between."""
    before = [lines[at] for at in range(start - 2, max(-1, start - 2 - MOST_ABOVE), -1)]
    while before and _BETWEEN.match(before[0]):
        before.pop(0)
    told = list(takewhile(lead.match, before))[::-1]
    plain = [lead.sub("", line, count=1).removesuffix("*/").rstrip() for line in told]
    kept = list(takewhile(lambda line: not _TAG.match(line), plain))
    return _first_paragraph(kept)


def _read_below(definition: Sequence[str]) -> str:
    """Read the documentation string that follows the signature of a definition."""
    inside = definition[:MOST_BELOW]
    signed = next((at for at, line in enumerate(inside) if _SIGNATURE.search(line)), None)
    rest = inside[signed + 1 :] if signed is not None else []
    opening = _OPENING.match(rest[0]) if rest else None
    if opening is None:
        return ""
    text = "\n".join((rest[0][opening.end() :], *rest[1:]))
    return _first_paragraph(text.partition(opening[1])[0].split("\n"))


def _first_paragraph(lines: Sequence[str]) -> str:
    filled = list(lines)
    while filled and not filled[0].strip():
        filled.pop(0)
    return "\n".join(takewhile(str.strip, filled))
