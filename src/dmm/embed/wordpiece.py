"""BERT's uncased WordPiece tokenizer."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

UNK: Final = 100
CLS: Final = 101
SEP: Final = 102

_LONGEST_WORD = 100  # the model's rule: a longer word is one unknown piece
_CACHED_WORDS = 8_192

_ASCII_FOLD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\t\n\r", b"abcdefghijklmnopqrstuvwxyz   ")
_ASCII_CONTROL = bytes(code for code in (*range(32), 127) if code not in b"\t\n\r")
_ASCII_WORD = re.compile("[a-z0-9]+|[^a-z0-9 ]")

# Control, format, private and surrogate characters. Unassigned ones stay, as unknown words, so
# that a newer Unicode table changes little.
_DROPPED = ("Cc", "Cf", "Co", "Cs")
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Splits text into word pieces; safe to share between threads."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        if [self._ids.get(mark) for mark in ("[UNK]", "[CLS]", "[SEP]")] != [UNK, CLS, SEP]:
            raise ValueError("not the BERT uncased vocabulary")
        self._longest = max(map(len, vocabulary))
        self._pieces = lru_cache(maxsize=_CACHED_WORDS)(self._split)

    def encode(self, text: str, *, limit: int | None = None) -> list[int]:
        """Return the ids of the text's pieces, at most `limit`, without [CLS] and [SEP].

        Names of special pieces in the text are ordinary words, never control marks.
        """
        ids: list[int] = []
        for word in _words(text):
            if len(word) > _LONGEST_WORD:
                ids.append(UNK)
            else:
                ids += self._pieces(word)
            if limit is not None and len(ids) >= limit:
                return ids[:limit]
        return ids

    def _split(self, word: str) -> tuple[int, ...]:
        """Split one word greedily into the longest known pieces; unknown as a whole if it fails."""
        found: list[int] = []
        start = 0
        while start < len(word):
            piece = self._longest_piece(word, start)
            if piece is None:
                return (UNK,)
            number, start = piece
            found.append(number)
        return tuple(found)

    def _longest_piece(self, word: str, start: int) -> tuple[int, int] | None:
        """Return the longest known piece at `start`: its id and where it ends."""
        mark = "##" if start else ""
        for end in range(min(len(word), start + self._longest), start, -1):
            number = self._ids.get(mark + word[start:end])
            if number is not None:
                return number, end
        return None


class _Fold(dict[int, str]):
    """A table for str.translate that works out each character when it is first met."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        self[code] = replacement = self._rule(chr(code))
        return replacement


def _words(text: str) -> list[str]:
    """Split text into lower-case words without accents; each punctuation mark is a word."""
    if text.isascii():
        folded = text.encode("ascii").translate(_ASCII_FOLD, _ASCII_CONTROL)
        words: list[str] = _ASCII_WORD.findall(folded.decode("ascii"))
        return words
    return unicodedata.normalize("NFD", text.translate(_CLEAN)).translate(_LOWER).split()


def _clean(char: str) -> str:
    """Drop control characters, make every space plain, set ideographs apart."""
    if char in "\t\n\r":
        return " "
    category = unicodedata.category(char)
    if category in _DROPPED or char == "\ufffd":
        return ""
    if category == "Zs":
        return " "
    return f" {char} " if _is_ideograph(ord(char)) else char


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


def _lower(char: str) -> str:
    """Drop accents, set punctuation apart, lower the rest (one by one: no final sigma)."""
    category = unicodedata.category(char)
    if category == "Mn":
        return ""
    if category[0] == "P" or (char.isascii() and not char.isalnum() and char != " "):
        return f" {char} "
    return char.lower()


_CLEAN = _Fold(_clean)
_LOWER = _Fold(_lower)
