"""What lifecycle operations return."""

from __future__ import annotations

from dmm.domain.frozen import frozen
from dmm.domain.payload import Held


@frozen
class FeedbackRecorded:
    """A report on memories, as it was recorded."""

    seq: int
    memories: tuple[Held, ...]
    outcome: str
    context: str | None


@frozen
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


@frozen
class LifecycleRun:
    """The suggestions of a day, and how many became proposals now."""

    day: str
    proposed: int
    suggestions: tuple[SuggestionView, ...]


@frozen
class Skipped:
    """A file that was left as it is."""

    path: str
    why: str


@frozen
class UsageExport:
    """The files that got usage counts, and the proposals that wrote them."""

    files: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    proposals: tuple[str, ...]
