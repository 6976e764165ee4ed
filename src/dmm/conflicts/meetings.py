"""Two statements side by side, and what their comparison finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.conflicts.topics import Topic, topic_of

if TYPE_CHECKING:
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.statements import Statement
    from dmm.domain.conflict import ConflictType


@dataclass(frozen=True, slots=True)
class Finding:
    """One clash of two statements with its reason in words."""

    type: ConflictType
    confidence: float
    reason: str
    quotes: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two statements side by side with the memories they stand in."""

    one: Statement
    other: Statement
    first: Reading
    second: Reading
    likeness: float

    def topic(self, without: frozenset[str] = frozenset()) -> Topic:
        """What the two share besides the values compared."""
        return topic_of(self.one, self.other, self.first, self.second, without)

    def finding(self, kind: ConflictType, confidence: float, reason: str) -> Finding:
        """A clash of the two, with both sentences as its quotes."""
        return Finding(kind, round(confidence, 2), reason, (self.one.text, self.other.text))


def listed(members: set[str] | frozenset[str]) -> str:
    """Names in a row."""
    return " and ".join(sorted(members))


def shown(topic: Topic) -> str:
    """What two statements share, in words."""
    return ", ".join(sorted(topic.shared)) or "the same subject"


def placing(statement: Statement) -> frozenset[str]:
    """The words of a statement that name a place."""
    return frozenset(value for values in statement.scopes.values() for value in values)
