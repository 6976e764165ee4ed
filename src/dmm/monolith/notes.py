"""A note: one concept cut out of its sources, not yet a memory."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from dmm.domain.memory import Confidence, Scope, Status
from dmm.monolith.outline import Block, BlockKind

if TYPE_CHECKING:
    from dmm.monolith.sources import SourceRef

WANTED_TOKENS = 800
LEAST_TOKENS = 300
HARD_LIMIT = 2000
_MARK = re.compile(r"<!-- dmm memory: (?P<path>[^\s=]+)(?P<fields>(?: \w+=[^\s=]+)*) -->")

Count = Callable[[str], int]


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

    def __str__(self) -> str:
        fields = [
            f"scope={self.scope}",
            f"tags={','.join(quote(tag) for tag in self.tags)}" if self.tags else "",
            f"priority={self.priority:g}",
            f"confidence={self.confidence}",
            f"status={self.status}",
            f"expires={self.expires}" if self.expires else "",
        ]
        return f"<!-- dmm memory: {quote(self.path)} {' '.join(filter(None, fields))} -->"


@dataclass(frozen=True, slots=True)
class Note:
    """One concept in its own words, where it belongs, and the lines it comes from."""

    title: str
    body: str
    tags: tuple[str, ...]
    scope: Scope
    priority: float
    sources: tuple[SourceRef, ...]
    trail: tuple[str, ...] = ()
    topic: str = ""
    globs: tuple[str, ...] = ()
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
            tags=tuple(unquote(tag) for tag in fields.get("tags", "").split(",") if tag),
            priority=_share(fields["priority"]),
            confidence=Confidence(fields["confidence"]),
            status=Status(fields["status"]),
            expires=dt.date.fromisoformat(fields["expires"]) if "expires" in fields else None,
        )
    except (KeyError, ValueError):
        # A mark changed by hand is an ordinary comment.
        return None


def _share(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return min(max(value, 0.0), 1.0)
