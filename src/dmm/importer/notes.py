"""A note: one concept cut from its sources, not yet a memory."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from dmm.domain.memory import (
    DEPRECATED_DIRECTORY,
    MOST_TOKENS,
    WANTED_TOKENS,
    Citation,
    Confidence,
    Scope,
    Status,
)
from dmm.importer.outline import Block, BlockKind

if TYPE_CHECKING:
    from dmm.importer.sources import SourceRef

HARD_LIMIT = MOST_TOKENS
_MARK = re.compile(r"<!-- dmm memory: (?P<path>[^\s=]+)(?P<fields>(?: \w+=[^\s=]+)*) -->")

Count = Callable[[str], int]
__all__ = ["HARD_LIMIT", "WANTED_TOKENS", "Count", "Mark", "Note", "mark_of"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What an exported file says of one memory in it, so that it comes back as it was."""

    path: str
    scope: Scope
    tags: tuple[str, ...]
    priority: float
    confidence: Confidence
    status: Status
    expires: dt.date | None = None
    id: str = ""
    created: dt.date | None = None
    aliases: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    cites: tuple[Citation, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def in_force(self) -> bool:
        """Whether the memory is not deprecated in any of the three ways."""
        return (
            self.status is Status.ACTIVE
            and self.confidence is not Confidence.DEPRECATED
            and not self.path.startswith(f"{DEPRECATED_DIRECTORY}/")
        )

    def __str__(self) -> str:
        fields = {
            "id": self.id,
            "scope": str(self.scope),
            "tags": _listed(self.tags),
            "priority": f"{self.priority:g}",
            "confidence": str(self.confidence),
            "status": str(self.status),
            "created": self.created.isoformat() if self.created else "",
            "expires": self.expires.isoformat() if self.expires else "",
            "aliases": _listed(self.aliases),
            "supersedes": _listed(self.supersedes),
            "related": _listed(self.related),
            "cites": ",".join(map(_cited, self.cites)),
            "paths": _listed(self.paths),
        }
        told = " ".join(f"{name}={value}" for name, value in fields.items() if value)
        return f"<!-- dmm memory: {quote(self.path)} {told} -->"


@dataclass(frozen=True, slots=True)
class Note:
    """One concept in its own words, where it belongs, and the lines it comes from.

    `subject` is the package or skill that all of its source is about.
    """

    title: str
    body: str
    tags: tuple[str, ...]
    scope: Scope
    priority: float
    sources: tuple[SourceRef, ...]
    trail: tuple[str, ...] = ()
    topic: str = ""
    globs: tuple[str, ...] = ()
    subject: str = ""
    users: bool = False
    stands_alone: bool = False
    mark: Mark | None = None


def mark_of(blocks: tuple[Block, ...]) -> Mark | None:
    """Read the mark that an exported file sets under the heading of a memory."""
    if not blocks or blocks[0].kind is not BlockKind.COMMENT:
        return None
    match = _MARK.fullmatch(blocks[0].text.strip())
    if match is None:
        return None
    fields = dict(part.split("=", 1) for part in match["fields"].split())
    try:
        return Mark(
            path=unquote(match["path"]),
            scope=Scope(fields["scope"]),
            tags=_words(fields, "tags"),
            priority=_share(fields["priority"]),
            confidence=Confidence(fields["confidence"]),
            status=Status(fields["status"]),
            expires=_date(fields, "expires"),
            id=fields.get("id", ""),
            created=_date(fields, "created"),
            aliases=_words(fields, "aliases"),
            supersedes=_words(fields, "supersedes"),
            related=_words(fields, "related"),
            cites=tuple(_citation(part) for part in fields.get("cites", "").split(",") if part),
            paths=_words(fields, "paths"),
        )
    except (KeyError, ValueError):
        # A mark changed by hand is an ordinary comment.
        return None


def _share(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return min(max(value, 0.0), 1.0)


def _listed(words: tuple[str, ...]) -> str:
    return ",".join(map(quote, words))


def _words(fields: dict[str, str], name: str) -> tuple[str, ...]:
    return tuple(unquote(word) for word in fields.get(name, "").split(",") if word)


def _date(fields: dict[str, str], name: str) -> dt.date | None:
    text = fields.get(name, "")
    if len(text) > len("2026-01-31"):
        return dt.datetime.fromisoformat(text)
    return dt.date.fromisoformat(text) if text else None


def _cited(cite: Citation) -> str:
    lines = f"{cite.lines[0]}-{cite.lines[1]}" if cite.lines else ""
    return ";".join((quote(cite.path), quote(cite.symbol or ""), lines, quote(cite.hash or "")))


def _citation(text: str) -> Citation:
    path, symbol, lines, digest = map(unquote, text.split(";"))
    first, _, last = lines.partition("-")
    span = (int(first), int(last)) if lines else None
    return Citation(path, symbol or None, span, digest or None)
