"""What the tests of the services share: a scripted model, a ledger, and a root with memories."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.ledger.conftest import traced
from tests.models.conftest import server

from dmm.files.roots import Root
from dmm.service.chronicle import Chronicle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import MemoryText

__all__ = ["server", "traced"]


@pytest.fixture
def clock() -> Callable[[], dt.datetime]:
    """A time that stands."""
    return lambda: dt.datetime(2026, 1, 31, 12, 30, 15, 250_000, tzinfo=dt.UTC)


@pytest.fixture
def chronicle(tmp_path: Path, clock: Callable[[], dt.datetime]) -> Iterator[Chronicle]:
    opened = Chronicle(tmp_path / "ledger.db", clock)
    yield opened
    opened.close()


@pytest.fixture
def root(tmp_path: Path) -> Root:
    root = Root(tmp_path / "repository" / ".dmm")
    root.tree.root.mkdir(parents=True)
    return root


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes memories: each has the id of its number, the scope of its folder and enough words."""

    folder: Path
    memory_text: MemoryText
    words: str = " ".join(f"word{number}" for number in range(150))

    def text(self, path: str, number: int = 1, /, body: str = "", **fields: str) -> str:
        """Make the text of a memory; a field that is empty is left out."""
        values = {
            "id": f"mem_2026_01_01_{number:03d}",
            "tags": "[a, b]",
            "scope": path.partition("/")[0],
            "created": "2026-01-01",
        } | fields
        left_out = [name for name, value in values.items() if not value]
        front, _, _ = self.memory_text(without=left_out, **values).partition("# ")
        told = body or f"# Title {number}\n\n{self.words}"
        return f"{front}{told}\n"

    def raw(self, path: str, data: bytes) -> None:
        """Write a file that may hold anything."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def __call__(self, path: str, number: int = 1, /, body: str = "", **fields: str) -> None:
        """Write a memory."""
        self.raw(path, self.text(path, number, body, **fields).encode())


@pytest.fixture
def write(root: Root, memory_text: MemoryText) -> Writer:
    return Writer(root.tree.root, memory_text)
