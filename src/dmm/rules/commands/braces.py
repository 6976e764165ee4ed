"""Brace expansion: `{a,b}` and `{1..3}` in the unquoted parts of a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.values import Part, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

Pieces = tuple[Part, ...]

_MAX_WORDS = 64
_MAX_TOKENS = 200


def expand_braces(word: Word) -> list[Word]:
    """Expand the braces of a word; one that has none, or too many, stays as it is."""
    if "{" not in word.text or not ("," in word.text or ".." in word.text):
        return [word]
    tokens = list(_tokens(word.parts or (Part("text", word.text),)))
    if len(tokens) > _MAX_TOKENS or not any(one == Part("text", "{") for one in tokens):
        return [word]
    found = _expanded(tokens)
    if found is None or len(found) < 2:
        return [word]
    return [_word(word, pieces) for pieces in found if pieces]


def _tokens(parts: tuple[Part, ...]) -> Iterator[Part]:
    for part in parts:
        if part.kind != "text" or part.quoted:
            yield part
        else:
            yield from (Part("text", text) for text in re.split(r"([{},])", part.text) if text)


def _expanded(tokens: list[Part]) -> list[Pieces] | None:
    """Walk over the tokens; each open brace keeps what stands before it and its alternatives."""
    current: list[Pieces] = [()]
    stack: list[tuple[list[Pieces], list[Pieces]]] = []
    for token in tokens:
        text = token.text if not token.quoted and token.kind == "text" else ""
        if text == "{":
            stack.append((current, []))
            current = [()]
        elif text == "," and stack:
            stack[-1][1].extend(current)
            current = [()]
        elif text == "}" and stack:
            before, others = stack.pop()
            inner = [*others, *current] if others else _sequence(current)
            current = [a + b for a in before for b in inner][:_MAX_WORDS]
        else:
            current = [(*pieces, token) for pieces in current]
    return None if stack else current


def _sequence(current: list[Pieces]) -> list[Pieces]:
    """Read `{1..3}` and `{a..c}`; any other single text keeps its braces."""
    text = "".join(part.text for part in current[0]) if len(current) == 1 else ""
    numbers = re.fullmatch(r"(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.-?(\d{1,4}))?", text)
    letters = re.fullmatch(r"([A-Za-z])\.\.([A-Za-z])", text)
    if numbers:
        first, last = int(numbers[1]), int(numbers[2])
        width = len(numbers[1]) if numbers[1].startswith("0") else 0
        made = [str(one).zfill(width) for one in _steps(first, last, int(numbers[3] or 1))]
    elif letters:
        made = [chr(one) for one in _steps(ord(letters[1]), ord(letters[2]), 1)]
    else:
        opening, closing = Part("text", "{"), Part("text", "}")
        return [(opening, *pieces, closing) for pieces in current]
    return [(Part("text", one),) for one in made]


def _steps(first: int, last: int, step: int) -> range:
    step = max(1, step)
    stop = first + (_MAX_WORDS - 1) * step * (1 if last >= first else -1)
    if last >= first:
        return range(first, min(last, stop) + 1, step)
    return range(first, max(last, stop) - 1, -step)


def _word(word: Word, pieces: Pieces) -> Word:
    plain = all(one.kind == "text" and not one.quoted for one in pieces)
    text = "".join(one.text for one in pieces)
    return word._replace(text=text, parts=() if plain else pieces)
