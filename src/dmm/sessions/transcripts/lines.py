"""Lines of a transcript: one bounded JSON object each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.errors import UsageError
from dmm.sessions.payload import LARGEST, LONGEST_NAME, LONGEST_PATH, plain
from dmm.sessions.transcripts.entry import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

_PIECE = 1 << 16
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Values:
    """A JSON object of another program; what is not of the expected type counts as absent."""

    data: Mapping[str, Any]

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def get(self, key: str) -> object:
        """Return a value of any type."""
        return self.data.get(key)

    def text(self, key: str) -> str:
        """Return a text of any length; empty if there is none."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    def name(self, key: str, limit: int = LONGEST_NAME) -> str:
        """Return a name; empty if it is not text or is too long."""
        value = self.text(key)
        return str(plain(value, 1)) if len(value) <= limit else ""

    def path(self, key: str) -> str:
        """Return a path; empty if there is none."""
        return self.name(key, LONGEST_PATH)

    def part(self, key: str) -> Values:
        """Return an object in this one; empty if there is none."""
        value = self.data.get(key)
        return Values(value if isinstance(value, dict) else {})

    def parts(self, key: str) -> list[Values]:
        """Return the objects of a list."""
        value = self.data.get(key)
        found = value if isinstance(value, list) else []
        return [Values(one) for one in found if isinstance(one, dict)]

    def copy(self, key: str) -> Values | None:
        """Copy an object in this one as plain data that can be recorded; None if there is none."""
        return take(self.data.get(key))


@dataclass(frozen=True, slots=True)
class Line:
    """One line that holds a JSON object."""

    number: int
    values: Values


def read_lines(stream: BinaryIO) -> Iterator[Line | Fault]:
    """Read objects line by line; a line that is none is told, and the next one is read."""
    number = 0
    while data := stream.readline(LARGEST + 1):
        number += 1
        if len(data) > LARGEST:
            _pass_over(stream, data)
            yield Fault(number, f"longer than {LARGEST >> 20} MiB")
        elif data.strip():
            yield _parse(number, data)


def _pass_over(stream: BinaryIO, data: bytes) -> None:
    """Skip to the end of a line."""
    while data and not data.endswith(b"\n"):
        data = stream.readline(_PIECE)


def _parse(number: int, data: bytes) -> Line | Fault:
    try:
        values = json.loads(data.decode("utf-8").removeprefix(_MARK), parse_constant=_nothing)
    except UnicodeDecodeError:
        return Fault(number, "not UTF-8")
    except (ValueError, RecursionError):
        return Fault(number, "not JSON")
    if not isinstance(values, dict):
        return Fault(number, "not a JSON object")
    return Line(number, Values(values))


def _nothing(_: str) -> None:
    return None


def take(value: object) -> Values | None:
    """Copy an object as plain data that can be recorded; None for anything else."""
    if not isinstance(value, dict):
        return None
    try:
        return Values({str(plain(key, 1)): plain(one, 1) for key, one in value.items()})
    except UsageError:
        # Nested too deep for anybody to have written it.
        return None
