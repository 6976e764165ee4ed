"""Token counts kept on disk, so that a query does not have to load the token ranks."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.errors import StorageError
from dmm.files.durable import write_derived

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.files.roots import Root

DIGEST = 32


@dataclass(slots=True)
class KeptCounts:
    """Counts tokens, and remembers the counts of the texts it was last asked for.

    Only numbers are kept, never texts: a forged file could mislead nobody but the statistics.
    """

    root: Root
    name: str
    counter: Callable[[str], int]
    _kept: dict[str, int] = field(default_factory=dict)
    _used: dict[str, int] = field(default_factory=dict)

    def load(self) -> None:
        """Read what was kept; a damaged file counts as none."""
        self._used = {}
        try:
            kept = json.loads((self.root.packs / self.name).read_text("utf-8"))
            self._kept = {str(digest): int(n) for digest, n in kept["tokens"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._kept = {}

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:DIGEST]
        known = self._kept.get(digest)
        self._used[digest] = self.counter(text) if known is None else known
        return self._used[digest]

    def save(self) -> bool:
        """Keep the counts of the texts asked for since loading, if they are others than before."""
        if self._used == self._kept:
            return False
        self._kept = dict(self._used)
        kept = json.dumps({"tokens": self._kept}, indent=1, sort_keys=True)
        try:
            write_derived(self.root.make_packs() / self.name, kept.encode())
        except StorageError:
            # The counts only save time; without them the tokens are counted on every call.
            return False
        return True
