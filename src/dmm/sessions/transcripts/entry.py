"""The entries, faulty lines and head of a transcript."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.sessions.payload import HookEvent


@dataclass(frozen=True, slots=True)
class Entry:
    """A line as a hook event; its `key` is the same in every reading.

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
    """The head of a transcript: its session, or the session of its subagent."""

    client: str
    session: str = ""
    cwd: str = ""
    helper: bool = False

    def joined(self, later: Head) -> Head:
        """Return the head with what a later line adds."""
        return Head(
            self.client,
            self.session or later.session,
            self.cwd or later.cwd,
            helper=self.helper or later.helper,
        )
