"""What lifecycle operations return."""

from __future__ import annotations

from dataclasses import dataclass

from dmm.domain.payload import Held


@dataclass(frozen=True, slots=True)
class FeedbackRecorded:
    """A report on memories, as it was recorded."""

    seq: int
    memories: tuple[Held, ...]
    outcome: str
    context: str | None


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """A suggestion, and the proposal it led to; `why` says why there is none."""

    kind: str
    operation: str
    path: str
    new_scope: str | None
    reason: str
    state: str
    proposal: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class LifecycleRun:
    """The suggestions of a day, and how many became proposals now."""

    day: str
    proposed: int
    suggestions: tuple[SuggestionView, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was left as it is."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class UsageExport:
    """The files that got usage counts, and the proposals that wrote them."""

    files: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    proposals: tuple[str, ...]
