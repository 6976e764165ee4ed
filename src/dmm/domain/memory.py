"""A memory: one concept in one markdown file, with its front matter."""

from __future__ import annotations

import datetime as dt
import re
from enum import StrEnum
from itertools import count
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

# The size of a memory for import, validation and review: a one-line note is long enough.
WANTED_TOKENS = 800
MOST_TOKENS = 2_000
ID_PATTERN = re.compile(r"mem_\d{4}_\d{2}_\d{2}_\d{3,}[a-z0-9_]*", re.ASCII)


class Scope(StrEnum):
    """How far a memory reaches; the same word names its top directory."""

    BASELINE = "baseline"
    GLOBAL = "global"
    AGENT = "agent"
    PROJECT = "project"
    EPHEMERAL = "ephemeral"


DEPRECATED_DIRECTORY = "deprecated"
RETRIEVED_SCOPES = (Scope.GLOBAL, Scope.AGENT, Scope.PROJECT, Scope.EPHEMERAL)
OVERLAY_SCOPES = (Scope.GLOBAL, Scope.AGENT)


class Confidence(StrEnum):
    """How settled the content of a memory is."""

    EXPERIMENTAL = "experimental"
    ACTIVE = "active"
    STABLE = "stable"
    DEPRECATED = "deprecated"


class Status(StrEnum):
    """Whether a memory is in force."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"


class Origin(StrEnum):
    """Whose tree a memory comes from: the project's or the user's own overlay."""

    PROJECT = "project"
    USER = "user"


@frozen
class Citation:
    """A place in the repository that a memory speaks about."""

    path: str
    symbol: str | None = None
    lines: tuple[int, int] | None = None
    hash: str | None = None


@frozen
class Memory:
    """One memory as its file states it; `path` is relative to the memory folder, with slashes."""

    id: str
    path: str
    title: str
    body: str
    tags: tuple[str, ...]
    scope: Scope
    priority: float
    confidence: Confidence
    status: Status
    created: dt.date | None = None
    last_used: dt.date | None = None
    usage_count: int = 0
    supersedes: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    expires: dt.date | None = None
    cites: tuple[Citation, ...] = ()
    aliases: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def directory(self) -> str:
        """The folder of the file, relative to the memory folder."""
        return self.path.rpartition("/")[0]

    @property
    def in_force(self) -> bool:
        """Neither deprecated by its status, its confidence nor its folder."""
        return (
            self.status is Status.ACTIVE
            and self.confidence is not Confidence.DEPRECATED
            and self.path.partition("/")[0] != DEPRECATED_DIRECTORY
        )


def has_expired(expires: dt.date | None, today: dt.date) -> bool:
    """Return whether an expiry date lies before today; a time of day counts as its whole day."""
    if expires is None:
        return False
    day = expires.date() if isinstance(expires, dt.datetime) else expires
    return day < today


def next_id(day: dt.date, taken: Collection[str]) -> str:
    """Choose the first free id of a day: mem_YYYY_MM_DD_NNN."""
    return next(free_ids(day, taken))


def free_ids(day: dt.date, taken: Collection[str]) -> Iterator[str]:
    """Return the free ids of a day, one after the other."""
    ids = (f"mem_{day:%Y_%m_%d}_{number:03d}" for number in count(1))
    return (one for one in ids if one not in taken)


def suffixed_id(clash: str, taken: set[str]) -> str:
    """Choose a free id where another branch took the same one: the id with a letter behind it."""
    number = 0
    while True:
        suffix, rest = "", number
        while True:
            suffix = chr(ord("a") + rest % 26) + suffix
            rest = rest // 26 - 1
            if rest < 0:
                break
        if f"{clash}{suffix}" not in taken:
            return f"{clash}{suffix}"
        number += 1
