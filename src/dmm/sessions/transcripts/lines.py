"""Lines of a transcript: one bounded JSON object each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.errors import UsageError
from dmm.sessions.payload import LARGEST, plain
from dmm.sessions.transcripts.entry import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_PIECE = 1 << 16
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line that holds a JSON object."""

    number: int
    values: dict[str, Any]


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
    return Line(number, values) if isinstance(values, dict) else Fault(number, "not a JSON object")


def _nothing(_: str) -> None:
    return None


def take(value: Any) -> dict[str, Any] | None:
    """Copy an object as plain data that can be recorded; None for anything else."""
    if not isinstance(value, dict):
        return None
    try:
        return {str(plain(key, 1)): plain(one, 1) for key, one in value.items()}
    except UsageError:
        # Nested too deep for anybody to have written it.
        return None


def short(value: Any, limit: int) -> str:
    """Read a name; empty if it is not text or is too long."""
    if not isinstance(value, str) or len(value) > limit:
        return ""
    return str(plain(value, 1))
