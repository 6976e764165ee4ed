"""A strict reader of CBOR, as authenticators write it: definite lengths, no tags, no floats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEEPEST = 8
# How many bytes follow that hold a number, by the lower five bits of the first byte.
_WIDTHS = {24: 1, 25: 2, 26: 4, 27: 8}
_SIMPLE: Mapping[int, bool | None] = {20: False, 21: True, 22: None}


@dataclass(slots=True)
class _Reader:
    data: bytes
    at: int = 0

    def take(self, length: int) -> bytes:
        if length > len(self.data) - self.at:
            raise ValueError("it ends too early")
        self.at += length
        return self.data[self.at - length : self.at]

    def read(self, depth: int = 0) -> Any:
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        first = self.take(1)[0]
        major, low = first >> 5, first & 31
        if major == 7:
            return self._simple(low)
        return _MAJOR[major](self, self._number(low), depth)

    def _simple(self, low: int) -> bool | None:
        if low not in _SIMPLE:
            raise ValueError("it contains a value of an unknown kind")
        return _SIMPLE[low]

    def _number(self, low: int) -> int:
        if low < 24:
            return low
        if low not in _WIDTHS:
            raise ValueError("its length is indefinite")
        return int.from_bytes(self.take(_WIDTHS[low]), "big")

    def text(self, length: int, _depth: int) -> str:
        return self.take(length).decode("utf-8")

    def items(self, length: int, depth: int) -> list[Any]:
        return [self.read(depth + 1) for _ in range(min(length, len(self.data)))]

    def pairs(self, length: int, depth: int) -> dict[int | str, Any]:
        found: dict[int | str, Any] = {}
        for _ in range(length):
            key = self.read(depth + 1)
            if not isinstance(key, int | str) or key in found:
                raise ValueError("a key is of another kind or listed twice")
            found[key] = self.read(depth + 1)
        return found

    def refuse(self, _number: int, _depth: int) -> None:
        raise ValueError("it contains a tag")


_MAJOR: Mapping[int, Callable[[_Reader, int, int], Any]] = {
    0: lambda _, number, __: number,
    1: lambda _, number, __: -1 - number,
    2: lambda reader, length, _: reader.take(length),
    3: _Reader.text,
    4: _Reader.items,
    5: _Reader.pairs,
    6: _Reader.refuse,
}


def read_cbor(data: bytes) -> tuple[Any, bytes]:
    """Read one value, and return it with the bytes that follow it."""
    reader = _Reader(data)
    return reader.read(), data[reader.at :]
