"""Token counts on disk, so that a query need not load the token ranks."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.errors import StorageError
from dmm.files.durable import write_derived
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.files.roots import Root

DIGEST = 32
MAX_BYTES = 1 << 20


@dataclass(slots=True)
class KeptCounts:
    """Counts tokens, and remembers the counts of the texts it was last asked for.

    Only numbers are kept, never texts, and they hold for the very file they were written into: a
    file that came with a cloned repository is of another number and is not believed.
    """

    root: Root
    name: str
    counter: Callable[[str], int]
    _kept: dict[str, int] = field(default_factory=dict)
    _used: dict[str, int] = field(default_factory=dict)

    def load(self) -> None:
        """Read what was kept by this machine; a damaged or foreign file counts as none."""
        self._used, self._kept = {}, {}
        try:
            data, status = read_regular(self.root.packs / self.name, MAX_BYTES)
            kept = json.loads(data)
            if kept["file"] == status.st_ino:
                self._kept = {str(digest): int(n) for digest, n in kept["tokens"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
            return
        except RecursionError:
            return

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        data = text.encode("utf-8", "replace")
        digest = hashlib.sha256(data).hexdigest()[:DIGEST]
        known = self._kept.get(digest, -1)
        self._used[digest] = known if 0 <= known <= len(data) else self.counter(text)
        return self._used[digest]

    def save(self) -> bool:
        """Keep the counts of the texts asked for since loading, if they are others than before."""
        if self._used == self._kept:
            return False
        self._kept = dict(self._used)
        try:
            write_derived(self.root.make_packs() / self.name, self._describe)
        except StorageError:
            # The counts only save time; without them the tokens are counted on every call.
            return False
        return True

    def _describe(self, inode: int) -> bytes:
        """Write the counts with the number of their file, so that a copied file is told apart."""
        return json.dumps({"file": inode, "tokens": self._kept}, indent=1, sort_keys=True).encode()
