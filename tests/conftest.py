"""What many tests share: the model, the token count, memory files and a project to put them in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray

from dmm.embed.model import Embedder
from dmm.embed.tokens import TokenCounter
from dmm.files.tree import MemoryTree

# The machine that runs the tests may be slow; the seed is fixed, so a failure is the same again.
settings.register_profile("dmm", deadline=None, derandomize=True, database=None)
settings.load_profile("dmm")


@pytest.fixture(scope="session")
def model() -> Embedder:
    return Embedder.load()


@pytest.fixture(scope="session")
def count() -> Callable[[str], int]:
    return TokenCounter().count


@dataclass(frozen=True, slots=True)
class MemoryText:
    """Writes memory files: every required field has a value until a test names another."""

    def __call__(
        self,
        title: str = "Retry policy",
        body: str = "Retry a failed call three times.",
        *,
        without: Sequence[str] = (),
        **fields: str,
    ) -> str:
        values = {
            "id": "mem_2026_01_31_001",
            "tags": "[http, retry]",
            "scope": "project",
            "priority": "0.5",
            "confidence": "active",
            "status": "active",
        } | fields
        lines = [f"{name}: {value}" for name, value in values.items() if name not in without]
        return "\n".join(["---", *lines, "---", "", f"# {title}", "", body, ""])


@pytest.fixture(scope="session")
def memory_text() -> MemoryText:
    return MemoryText()


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a .dmm tree in it."""

    folder: Path

    @property
    def dmm(self) -> Path:
        return self.folder / ".dmm"

    @property
    def memory(self) -> Path:
        return self.dmm / "memory"

    @property
    def index(self) -> Path:
        return self.dmm / "index" / "embeddings.db"

    @property
    def tree(self) -> MemoryTree:
        return MemoryTree(self.memory)

    def write(self, path: str, text: str | bytes) -> Path:
        """Put a file into the memory folder."""
        target = self.memory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target


@pytest.fixture
def new_project(tmp_path: Path) -> Callable[[str], Project]:
    def make(name: str) -> Project:
        project = Project(tmp_path / name)
        project.memory.mkdir(parents=True)
        return project

    return make


@pytest.fixture
def project(new_project: Callable[[str], Project]) -> Project:
    return new_project("work")


class HashEmbedder(Embedder):
    """A stand-in for the model where speed matters: vectors are made of hashes, not of meaning."""

    def __init__(self, identity: str = "stand-in/1", dimensions: int = 64) -> None:
        self.identity = identity
        self.dimensions = dimensions
        self.max_pieces = 256
        self.windows = 0

    def encode(self, text: str) -> list[int]:
        return [int(hashlib.sha256(word.encode()).hexdigest()[:6], 16) for word in text.split()]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._vector(self.encode(text))

    def embed_windows(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        self.windows += len(windows)
        rows = [self._vector(window) for window in windows]
        return np.array(rows, np.float32).reshape(-1, self.dimensions)

    def _vector(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        seed = hashlib.sha256(f"{self.identity}{list(pieces)}".encode()).digest()
        numbers = np.random.default_rng(list(seed)).standard_normal(self.dimensions)
        return np.asarray(numbers / np.linalg.norm(numbers), np.float32)


@pytest.fixture(scope="session")
def new_embedder() -> Callable[..., HashEmbedder]:
    return HashEmbedder
