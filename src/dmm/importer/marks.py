"""Write and read the marks by which an exported memory is imported unchanged."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from dmm.domain.memory import Citation, Confidence, Memory, Scope, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.importer.outline import Block

# A comment begins within three spaces; what is indented further is code.
_MARK = re.compile(r" {0,3}<!-- dmm memory: (?P<path>[^\s=]+)(?P<fields>(?: \w+=[^\s=]+)*) -->\s*")


class _Field(NamedTuple):
    write: Callable[[Any], str]
    read: Callable[[str], Any]


def write_mark(memory: Memory) -> str:
    """Return the mark of a memory: its path and every field with a value."""
    values = {name: field.write(getattr(memory, name)) for name, field in _FIELDS.items()}
    told = " ".join(f"{name}={value}" for name, value in values.items() if value)
    return f"<!-- dmm memory: {quote(memory.path)} {told} -->"


def read_mark(blocks: tuple[Block, ...]) -> Memory | None:
    """Read the mark under the heading of an exported memory.

    Title and body, which stand around the mark, are empty.
    """
    match = _MARK.fullmatch("".join(block.text for block in blocks[:1]))
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
# Path, title and body stand around the fields; usage stays with the copy that was used.
_NOT_CARRIED = {"path", "title", "body", "last_used", "usage_count"}
_BY_TYPE = {
    "str": _Field(str, str),
    "float": _Field("{:g}".format, _share),
    "Scope": _Field(str, Scope),
    "Confidence": _Field(str, Confidence),
    "Status": _Field(str, Status),
    "dt.date | None": _DAY,
    "tuple[str, ...]": _WORDS,
    "tuple[Citation, ...]": _CITES,
}
# Every other field of a memory is carried; one that is not in this order comes after it.
_ORDER = (
    *("id", "scope", "tags", "priority", "confidence", "status", "created", "expires", "aliases"),
    *("supersedes", "related", "cites", "paths"),
)
_CARRIED = {
    one.name: _BY_TYPE[str(one.type)] for one in fields(Memory) if one.name not in _NOT_CARRIED
}
_FIELDS = {name: _CARRIED[name] for name in _ORDER} | _CARRIED
