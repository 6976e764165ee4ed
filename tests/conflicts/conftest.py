"""What the tests of conflicts share: notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from dmm.domain.memory import Confidence, Memory, Scope, Status


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


@pytest.fixture(scope="session")
def note() -> NewNote:
    return NewNote()
