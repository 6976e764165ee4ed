"""Pieces: the words of a constraint as written, with code spans kept whole and marks apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.policy.lemmas import base_forms

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = str.maketrans(
    {
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
        "\N{EM DASH}": " , ",
        "\N{EN DASH}": " , ",
        "\N{NON-BREAKING HYPHEN}": "-",
        "\N{NO-BREAK SPACE}": " ",
    }
)
_PIECE = re.compile(
    r"""`+(?P<code>[^`\n]+)`+
    |"(?P<quoted>[^"\n]+)"
    |(?<!\w)'(?P<single>[^'\n]+)'(?!\w)
    |(?P<stop>\n+|[.!?;](?=\s|$))
    |(?P<mark>[,:()](?=\s|$)|\((?=\S)|[\[\]{}*](?=\s|$)|(?<!\S)-+(?=\s|$))
    |(?P<word>(?:(?![.!?;,:)]+(?:\s|$))[^\s`"(])+)
    |(?P<rest>\S)""",
    re.VERBOSE,
)
# Marks of emphasis, not the stars of a glob.
_EMPHASIS = re.compile(r"(?<!\S)(?:\*\*|__)(?=[A-Za-z`])|(?<=[\w`.!?)])(?:\*\*|__)(?![\w/*])")
STOP = "."
COMMA = ","


@dataclass(frozen=True, slots=True)
class Piece:
    """One word, code span or mark of a constraint."""

    text: str
    code: bool = False
    mark: bool = False

    @property
    def word(self) -> str:
        """The piece as a plain word, or nothing for code and marks."""
        return "" if self.code or self.mark else self.text.lower()

    def is_form_of(self, *verbs: str) -> bool:
        """Whether the piece is one of these words in any inflection."""
        return bool(self.word) and not base_forms(self.word).isdisjoint(verbs)


Pieces = tuple[Piece, ...]


def _read(text: str) -> Iterator[Piece]:
    for found in _PIECE.finditer(_EMPHASIS.sub("", text.translate(_PLAIN))):
        kind, value = str(found.lastgroup), found[str(found.lastgroup)]
        if kind in ("code", "quoted", "single"):
            yield Piece(value.strip(), code=True)
        elif kind == "stop":
            yield Piece(STOP, mark=True)
        elif kind == "word":
            yield Piece(value)
        elif kind == "mark":
            yield Piece(COMMA if value != ":" else value, mark=True)


def sentences(text: str) -> list[Pieces]:
    """Split a constraint into sentences of pieces; a question says nothing."""
    found: list[Pieces] = []
    current: list[Piece] = []
    for piece in _read(text):
        if piece.mark and piece.text == STOP:
            found.append(tuple(current))
            current = []
        else:
            current.append(piece)
    found.append(tuple(current))
    return [one for one in found if one]
