"""Split a rule into pieces: words, whole code spans and marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dmm.text.prose import straighten
from dmm.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DASHES = re.compile("[\N{EM DASH}\N{EN DASH}\N{RIGHTWARDS ARROW}]")
_PIECE = re.compile(
    r"""(?P<ticks>`+)(?P<code>[^`\n]+)(?P=ticks)
    |"(?P<quoted>[^"\n]+)"
    |(?<!\w)'(?P<single>[^'\n]+)'(?!\w)
    |(?P<stop>\n+|[.!?;]+(?=\s|$|\)))
    |(?P<mark>[,:)](?=\W|$)|\(|(?<!\S)[-*]+(?=\s|$))
    |(?P<link>[/&](?=[\s`]))
    |(?P<word>(?:(?![.!?;,:)]+(?:\s|$|[.,:;]))[^\s`"()])+)
    |(?P<rest>\S)""",
    re.VERBOSE,
)
# Marks of emphasis, headings and lists; a star of a glob stays.
_DRESS = re.compile(
    r"(?m)^\s*(?:[-*+>]|\#+|\d+[.)])\s+|(?<!\S)(?:\*\*|__)(?=[A-Za-z`])"
    r"|(?<=[\w`.:!?)])(?:\*\*|__)(?![\w/*])"
)
MAX_TEXT = 2_000


class Piece(NamedTuple):
    """One word, code span, quotation or mark of a rule."""

    text: str
    kind: str = "word"

    @property
    def code(self) -> bool:
        """Whether it is written as code or in quotes."""
        return self.kind in ("code", "quoted")

    @property
    def mark(self) -> str:
        """The mark, or an empty text for other pieces."""
        return self.text if self.kind == "mark" else ""

    @property
    def word(self) -> str:
        """The plain word, or an empty text for code and marks."""
        return self.text.lower() if self.kind == "word" else ""


Pieces = tuple[Piece, ...]
T = TypeVar("T")


def signs(pieces: Pieces) -> list[str]:
    """Return the words and marks; a backtick stands for code."""
    return ["`" if one.code else one.text.lower() for one in pieces]


LINKS = word_set("or and nor plus")


def _read(text: str) -> Iterator[Piece]:
    for found in _PIECE.finditer(_DRESS.sub("", _DASHES.sub(" - ", straighten(text)))):
        kind = str(found.lastgroup)
        value = found[kind]
        if kind in ("quoted", "single"):
            yield Piece(value.strip(), "quoted")
        elif kind == "mark":
            yield Piece("-" if value[0] in "-*" else value, "mark")
        elif kind == "link":
            yield Piece("or")
        elif kind != "rest":
            yield Piece(value.strip(), kind)


def sentences(text: str) -> list[Pieces]:
    """Split a rule into sentences of pieces, without questions."""
    found: list[Pieces] = []
    current: list[Piece] = []
    for piece in (*_read(text), Piece(".", "stop")):
        if piece.kind != "stop":
            current.append(piece)
        else:
            if current and "?" not in piece.text:
                found.append(tuple(current))
            current = []
    return found


def word_at(pieces: Pieces, at: int) -> str:
    """Return the plain word at a position, or an empty text."""
    return pieces[at].word if 0 <= at < len(pieces) else ""


def skip(pieces: Pieces, at: int, *groups: frozenset[str]) -> int:
    """Return the position after words of the given groups."""
    while at < len(pieces) and any(pieces[at].word in group for group in groups):
        at += 1
    return at


def find(pieces: Pieces, *words: str, start: int = 0) -> int | None:
    """Return the position of the first of some words."""
    return next((at for at in range(start, len(pieces)) if pieces[at].word in words), None)


def starts(pieces: Pieces, at: int, phrase: tuple[str, ...]) -> bool:
    """Return whether a phrase begins at a position."""
    return tuple(one.word for one in pieces[at : at + len(phrase)]) == phrase


def parted(pieces: Pieces) -> list[Pieces]:
    """Split a list at its commas and conjunctions."""
    cuts = [at for at, one in enumerate(pieces) if one.mark or one.word in LINKS]
    ends = zip([-1, *cuts], [*cuts, len(pieces)], strict=True)
    return [pieces[start + 1 : end] for start, end in ends]


def told(pieces: Pieces) -> str:
    """Join pieces into text."""
    return " ".join(one.text for one in pieces).replace(" ,", ",").strip(" ,")


def read_list(
    pieces: Pieces, at: int, read: Callable[[Pieces, int], tuple[T, int] | None]
) -> tuple[list[T], int]:
    """Read the members of a list; after commas without a final "or", the rest is a remark."""
    found: list[tuple[T, int]] = []
    sure, place = 1, at
    while place <= len(pieces) and (one := read(pieces, place)) is not None:
        found.append(one)
        place, linked = _next(pieces, one[1])
        sure = len(found) + 1 if linked else sure
        if place < 0:
            break
    kept = found[:sure]
    return [one[0] for one in kept], kept[-1][1] if kept else at


def _next(pieces: Pieces, end: int) -> tuple[int, bool]:
    at = end + 1 if end < len(pieces) and pieces[end].mark == "," else end
    after = skip(pieces, at, LINKS)
    if not end < after < len(pieces):
        return -1, False
    # Code behind code is a list, unless the second is what to use.
    coded = pieces[after].code and pieces[end - 1].code
    listed = coded and word_at(pieces, after + 1) not in ("instead", "is", "are", "works")
    return after, after > at or listed
