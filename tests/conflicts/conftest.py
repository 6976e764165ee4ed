"""What the tests of conflicts share: notes, what is read of them, what the rules say of two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from dmm.conflicts.compare import compare
from dmm.conflicts.readings import read_memory
from dmm.domain.memory import Confidence, Memory, Scope, Status

if TYPE_CHECKING:
    from dmm.conflicts.readings import Reading
    from dmm.domain.conflict import Clash


@dataclass(frozen=True, slots=True)
class NewNote:
    """Makes memories: what a test does not name has a value of its own."""

    def __call__(self, body: str, title: str = "", **facts: Any) -> Memory:
        usual: dict[str, Any] = {
            "id": "mem_2026_01_01_001",
            "path": "project/note.md",
            "tags": (),
            "scope": Scope.PROJECT,
            "priority": 0.5,
            "confidence": Confidence.ACTIVE,
            "status": Status.ACTIVE,
        }
        return Memory(title=title, body=body, **(usual | facts))


@dataclass(frozen=True, slots=True)
class NewReading:
    """Reads a memory that it makes of a body, a title and other facts."""

    note: NewNote

    def __call__(self, body: str, title: str = "", **facts: Any) -> Reading:
        return read_memory(self.note(body, title, **facts))


@dataclass(frozen=True, slots=True)
class Judge:
    """Tells what the rules find in two notes that are not each other's nearest."""

    reading: NewReading

    def __call__(self, one: str, other: str, likeness: float | None = 0.8) -> Clash | None:
        mine, yours = self.reading(one), self.reading(other)
        return compare(mine, yours, likeness=likeness, nearest=False)


@pytest.fixture(scope="session")
def note() -> NewNote:
    return NewNote()


@pytest.fixture(scope="session")
def reading(note: NewNote) -> NewReading:
    return NewReading(note)


@pytest.fixture(scope="session")
def judge(reading: NewReading) -> Judge:
    return Judge(reading)
