"""A note: one concept cut from its sources, not yet a memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.memory import MOST_TOKENS, WANTED_TOKENS

if TYPE_CHECKING:
    from dmm.domain.memory import Memory, Scope
    from dmm.importer.sources import SourceRef

HARD_LIMIT = MOST_TOKENS

Count = Callable[[str], int]
__all__ = ["HARD_LIMIT", "WANTED_TOKENS", "Count", "Note"]


@dataclass(frozen=True, slots=True)
class Note:
    """One concept in its own words, where it belongs, and the lines it comes from.

    `subject` is the package or skill that all of its source is about, `mark` the memory that an
    exported file says it was.
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
    mark: Memory | None = None

    @property
    def old_id(self) -> str:
        """The id that an exported file says it had; empty where there is none."""
        return self.mark.id if self.mark else ""
