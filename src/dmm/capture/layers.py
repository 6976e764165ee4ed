"""Layers: a text as it reads once its escapes are resolved, with the way back to the original."""

from __future__ import annotations

import re
from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 6

_SIGNS = re.compile(r"[\\%&\x1b\x9b\u00ad\u200b-\u200f\u2060\ufeff]")
# Every branch begins with a fixed sign: the search then skips what is none of them.
_ESCAPES = re.compile(
    r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\"'\\/bfnrt])"
    r"|%[0-9a-fA-F]{2}"
    r"|&(?:quot|amp|apos|lt|gt|nbsp|#[0-9]{1,4}|#x[0-9a-fA-F]{1,4});"
    r"|\x1b(?:\[[0-9;:?]{0,32}[@-~]|\][^\x07\x1b\n]{0,256}(?:\x07|\x1b\\))"
    r"|\x9b[0-9;:?]{0,32}[@-~]"
    r"|[\u00ad\u200b-\u200f\u2060\ufeff]"
)
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NAMED = {"quot": '"', "amp": "&", "apos": "'", "lt": "<", "gt": ">", "nbsp": " "}


class Layer:
    """A text and, but for the original, the places where it was resolved from the one below."""

    __slots__ = ("_above", "_below", "_under", "text")

    def __init__(self, text: str, under: Layer | None, above: list[int], below: list[int]) -> None:
        self.text = text
        self._under = under
        self._above = above
        self._below = below

    def origin(self, place: int) -> int:
        """Tell where a place of this layer lies in the original."""
        if self._under is None:
            return place
        near = bisect_right(self._above, place) - 1
        lower = self._below[near] + place - self._above[near]
        return self._under.origin(lower)


def layers_of(text: str) -> Iterator[Layer]:
    """Give the text, and then each reading of it with one more level of escapes resolved."""
    layer = Layer(text, None, [], [])
    yield layer
    for _ in range(DEEPEST):
        resolved = _resolve(layer)
        if resolved is None:
            return
        layer = resolved
        yield layer


def _resolve(layer: Layer) -> Layer | None:
    text = layer.text
    if _SIGNS.search(text) is None:
        return None
    pieces: list[str] = []
    above, below = [0], [0]
    done = length = 0
    for found in _ESCAPES.finditer(text):
        start, end = found.span()
        sign = _meaning(text[start:end])
        pieces.append(text[done:start])
        pieces.append(sign)
        length += start - done + len(sign)
        done = end
        above.append(length)
        below.append(end)
    if not done:
        return None
    pieces.append(text[done:])
    return Layer("".join(pieces), layer, above, below)


def _meaning(escape: str) -> str:
    first = escape[0]
    if first == "\\":
        kind = escape[1]
        if kind in "ux":
            return chr(int(escape[2:], 16))
        return _SIMPLE.get(kind, kind)
    if first == "%":
        code = int(escape[1:], 16)
        return chr(code)
    if first == "&":
        return _entity(escape[1:-1])
    return ""


def _entity(name: str) -> str:
    if name[0] != "#":
        return _NAMED[name]
    return chr(int(name[2:], 16) if name[1] in "xX" else int(name[1:]))
