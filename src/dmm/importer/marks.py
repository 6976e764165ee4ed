"""Marks: what an exported file says of each memory in it, so that it comes back as it was."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from dmm.domain.memory import Citation, Confidence, Memory, Scope, Status
from dmm.importer.outline import Block, BlockKind

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = re.compile(r"<!-- dmm memory: (?P<path>[^\s=]+)(?P<fields>(?: \w+=[^\s=]+)*) -->")


class _Field(NamedTuple):
    write: Callable[[Any], str]
    read: Callable[[str], Any]


def write_mark(memory: Memory) -> str:
    """Write the mark of a memory: its path and every field that has a value."""
    fields = {name: field.write(getattr(memory, name)) for name, field in _FIELDS.items()}
    told = " ".join(f"{name}={value}" for name, value in fields.items() if value)
    return f"<!-- dmm memory: {quote(memory.path)} {told} -->"


def read_mark(blocks: tuple[Block, ...]) -> Memory | None:
    """Read the mark that an exported file sets under the heading of a memory.

    Title and body, which stand around the mark, are empty.
    """
    if not blocks or blocks[0].kind is not BlockKind.COMMENT:
        return None
    match = _MARK.fullmatch(blocks[0].text.strip())
    if match is None:
        return None
    told = dict(part.split("=", 1) for part in match["fields"].split())
    try:
        read = {name: field.read(told[name]) for name, field in _FIELDS.items() if name in told}
        return Memory(path=unquote(match["path"]), title="", body="", **{**_UNSAID, **read})
    except (TypeError, ValueError):
        # A mark changed by hand is an ordinary comment.
        return None


def _share(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return min(max(value, 0.0), 1.0)


def _date(text: str) -> dt.date:
    if len(text) > len("2026-01-31"):
        return dt.datetime.fromisoformat(text)
    return dt.date.fromisoformat(text)


def _cited(cite: Citation) -> str:
    lines = f"{cite.lines[0]}-{cite.lines[1]}" if cite.lines else ""
    return ";".join((quote(cite.path), quote(cite.symbol or ""), lines, quote(cite.hash or "")))


def _citation(text: str) -> Citation:
    path, symbol, lines, digest = map(unquote, text.split(";"))
    first, _, last = lines.partition("-")
    span = (int(first), int(last)) if lines else None
    return Citation(path, symbol or None, span, digest or None)


_DAY = _Field(lambda day: day.isoformat() if day else "", _date)
_WORDS = _Field(
    lambda words: ",".join(map(quote, words)),
    lambda text: tuple(unquote(word) for word in text.split(",") if word),
)
_CITES = _Field(
    lambda cites: ",".join(map(_cited, cites)),
    lambda text: tuple(_citation(part) for part in text.split(",") if part),
)
_UNSAID = {"id": "", "tags": ()}
_FIELDS = {
    "id": _Field(str, str),
    "scope": _Field(str, Scope),
    "tags": _WORDS,
    "priority": _Field("{:g}".format, _share),
    "confidence": _Field(str, Confidence),
    "status": _Field(str, Status),
    "created": _DAY,
    "expires": _DAY,
    "aliases": _WORDS,
    "supersedes": _WORDS,
    "related": _WORDS,
    "cites": _CITES,
    "paths": _WORDS,
}
