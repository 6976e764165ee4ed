"""Entries of a transcript, lines that can't be used, and what its first lines tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.sessions.payload import HookEvent


@dataclass(frozen=True, slots=True)
class Entry:
    """What a line tells, as a hook would have reported it; its `key` is the same at every reading.

    It is not redacted yet: only what `describe_event` makes of it may be kept.
    """

    line: int
    at: str
    event: HookEvent


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that was skipped, and why; the reason quotes nothing of it."""

    line: int
    reason: str
    at: str = ""


Read = Entry | Fault


@dataclass(frozen=True, slots=True)
class Head:
    """What the beginning of a transcript tells; a helper's file belongs to the session it names."""

    client: str
    session: str = ""
    cwd: str = ""
    helper: bool = False

    def joined(self, later: Head) -> Head:
        """Add what a later line tells."""
        return Head(
            self.client,
            self.session or later.session,
            self.cwd or later.cwd,
            helper=self.helper or later.helper,
        )
