"""An observation: what a stretch of a session did, with its evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen

if TYPE_CHECKING:
    from dmm.domain.event import Trust

PREFIX = "obs_"
MESSAGE_PREFIX = "msg_"


class Kind(StrEnum):
    """What an observation is about; a message is one turn of the talk, word for word."""

    DECISION = "decision"
    BUGFIX = "bugfix"
    FEATURE = "feature"
    DISCOVERY = "discovery"
    CHANGE = "change"
    MESSAGE = "message"


@frozen
class Observation:
    """One unit of recall; `evidence` are the numbers of the events it rests on.

    `session` is empty where the events belong to none, `at` is the time of the first event.
    """

    id: str
    kind: Kind
    title: str
    narrative: str
    session: str
    at: str
    evidence: tuple[int, ...]
    trust: Trust
    actor: str
    facts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def day(self) -> str:
        """The day of the first event, as the ledger tells it."""
        return self.at[:10]


def name_observation(seq: int) -> str:
    """Name an observation by the number of its first event."""
    return f"{PREFIX}{seq}"


def name_message(seq: int) -> str:
    """Name a message by the number of its event."""
    return f"{MESSAGE_PREFIX}{seq}"
