"""The product's embedder with its vectors kept on disk, so that a second run is quick."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import apsw
import numpy as np

from dmm.embed.model import Embedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

SLICE = 256


class CachedEmbedder(Embedder):
    """Embeds what it has not embedded before; the identity of the model is part of every key."""

    kept: apsw.Connection | None = None  # until the model is loaded and has been tried

    @classmethod
    def open(cls, folder: Path) -> CachedEmbedder:
        """Load the packaged model and the vectors kept in a folder."""
        embedder = cls.load()
        folder.mkdir(parents=True, exist_ok=True)
        kept = apsw.Connection(str(folder / "vectors.db"))
        kept.pragma("journal_mode", "WAL")
        kept.pragma("synchronous", "OFF")
        kept.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, data BLOB)")
        embedder.kept = kept
        return embedder

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question."""
        key = self._key(b"query", text.encode())
        vector = self._look_up(key)
        if vector is None:
            vector = super().embed_query(text)
            self._keep({key: vector})
        return vector

    def embed_windows(self, windows: Sequence[Sequence[int]]) -> Vectors:
        """Return one vector per window, in their order."""
        keys = [self._key(b"window", np.array(window, np.int32).tobytes()) for window in windows]
        found = {key: self._look_up(key) for key in keys}
        new = [n for n, key in enumerate(keys) if found[key] is None]
        for at in range(0, len(new), SLICE):
            part = new[at : at + SLICE]
            vectors = super().embed_windows([windows[n] for n in part])
            made = {keys[n]: vector for n, vector in zip(part, vectors, strict=True)}
            self._keep(made)
            found |= made
        return np.stack([vector for key in keys if (vector := found[key]) is not None])

    def _key(self, kind: bytes, data: bytes) -> bytes:
        digest = hashlib.blake2b(f"{self.identity}\0".encode() + kind + b"\0", digest_size=16)
        digest.update(data)
        return digest.digest()

    def _look_up(self, key: bytes) -> Vectors | None:
        if self.kept is None:
            return None
        row = self.kept.execute("SELECT data FROM kept WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], np.float32)

    def _keep(self, vectors: dict[bytes, Vectors]) -> None:
        if self.kept is None:
            return
        rows = [(key, vector.tobytes()) for key, vector in vectors.items()]
        with self.kept:
            self.kept.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)
