"""Texts outside of a snapshot: their windows as bytes, and how near these are to a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dmm.embed.windows import cut_windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dmm.embed.model import Embedder

    Floats = NDArray[np.float32]


def embed_text(embedder: Embedder, text: str) -> list[bytes]:
    """Embed a text window by window, each as half-precision bytes."""
    windows = embedder.embed_windows(cut_windows((), embedder.encode(text)))
    return [bytes(one.astype("<f2").tobytes()) for one in windows]


def embed_words(embedder: Embedder, query: str) -> bytes:
    """Embed a query as half-precision bytes."""
    return bytes(embedder.embed_query(query).astype("<f2").tobytes())


def compare(query: bytes, windows: Sequence[bytes]) -> list[float]:
    """Return how similar each window is to a query."""
    if not windows:
        return []
    found: list[float] = np.vecdot(_read(windows), _read((query,))[0]).tolist()
    return found


def _read(windows: Sequence[bytes]) -> Floats:
    found = np.frombuffer(b"".join(windows), "<f2").astype(np.float32)
    return np.asarray(found.reshape(len(windows), -1), np.float32)
