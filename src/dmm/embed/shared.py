"""One embedding model per process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.embed.model import Embedder


class SharedModel:
    """The embedding model, loaded once for all projects and let go when nobody asks for it."""

    def __init__(self, load: Callable[[], Embedder] | None = None) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._held: Embedder | None = None

    def __call__(self) -> Embedder:
        """Return the model; the first caller waits for it to load."""
        with self._lock:
            if self._held is None:
                self._held = self._load() if self._load else _load_model()
            return self._held

    @property
    def loaded(self) -> bool:
        """Whether the model takes up memory now."""
        return self._held is not None

    def release(self) -> bool:
        """Release the model until it is needed; return False while it is loading."""
        if not self._lock.acquire(blocking=False):
            return False
        self._held = None
        self._lock.release()
        return True


def _load_model() -> Embedder:
    from dmm.embed.model import Embedder

    return Embedder.load()
