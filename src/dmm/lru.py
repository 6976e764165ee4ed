"""A small cache of recent results."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Generic, TypeVar

V = TypeVar("V")


@dataclass(slots=True)
class LruCache(Generic[V]):
    """Keeps the values used last, under the hash of all that they were made of, and no more."""

    most: int
    _kept: dict[bytes, V] = field(default_factory=dict)

    def find(self, *made_of: object) -> V | None:
        """Return what was made of this, if it is still kept; it now counts as used last."""
        key = _hash(made_of)
        value = self._kept.pop(key, None)
        if value is not None:
            self._kept[key] = value
        return value

    def keep(self, value: V, *made_of: object) -> V:
        """Keep what was made of this; what nobody has used for the longest time makes room."""
        key = _hash(made_of)
        self._kept.pop(key, None)
        self._kept[key] = value
        for old in list(self._kept)[: -self.most]:
            self._kept.pop(old, None)
        return value


def _hash(made_of: tuple[object, ...]) -> bytes:
    return hashlib.sha256(repr(made_of).encode("utf-8", "surrogatepass")).digest()
