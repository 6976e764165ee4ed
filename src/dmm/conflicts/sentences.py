"""The sentences of a memory's body, without markup; what is only quoted or shown is left out."""

from __future__ import annotations

import re

from dmm.text.prose import split_sentences, strip_emphasis, strip_item

_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^\s*#{1,6}\s+(.*?)\s*#*\s*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
# Where an imported memory comes from, and which files it is about, is nothing that it claims.
_FRAME = re.compile(r"^\s*(?:Sources?:\s+\S+:\d|Applies to: `)")
_LONGEST = 600


def headings_and_sentences(body: str) -> tuple[list[str], list[str]]:
    """The headings and the sentences of a markdown body, in order."""
    headings: list[str] = []
    paragraphs: list[str] = []
    current: list[str] = []
    fenced = False

    def close() -> None:
        if current:
            paragraphs.append(" ".join(current))
            current.clear()

    for line in body.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            _add_code(current, line)
            continue
        heading = _HEADING.match(line)
        if heading:
            close()
            headings.append(_plain(heading.group(1)))
            continue
        if not line.strip() or line.lstrip().startswith((">", "|")) or _FRAME.match(line):
            if not (current and current[-1].endswith(":")):
                close()
            continue
        bare = strip_item(line)
        if bare != line and not (current and current[-1].endswith(":")):
            close()
        current.append(_plain(bare).strip())
    close()
    return headings, [one[:_LONGEST] for text in paragraphs for one in split_sentences(text)]


def code_in(body: str) -> list[str]:
    """The lines of code that a markdown body shows, which its sentences leave out."""
    fenced, shown = False, []
    for line in body.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced and line.strip():
            shown.append(line.strip())
    return shown


def _add_code(current: list[str], line: str) -> None:
    """A short command after "run the tests with:" belongs to the sentence before it."""
    if current and current[-1].endswith(":") and line.strip():
        current.append(f"`{line.strip()[:80]}`")


def _plain(text: str) -> str:
    return strip_emphasis(_LINK.sub(r"\1", text))
