"""Cache the model's verdicts on pairs of texts in a file, for later scans.

The file is derived and can be thrown away. It names its own inode and the model, so that one
that a clone brings, or that another model made, is not believed.

    magic, model, inode │ hash of two texts, three chances │ …
"""

from __future__ import annotations

import contextlib
import hashlib
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.embed.pairs import Chances, PairModel
from dmm.errors import ModelUnavailable, StorageError
from dmm.files.durable import write_derived
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

MOST_BYTES = 1 << 20  # three times what a scan asks
_HEAD = struct.Struct("<8s32sQ")
_ROW = struct.Struct("<16s3f")
_MAGIC = b"dmmpairs"


@dataclass(slots=True)
class Verdicts:
    """Judges pairs from the cache; the model is loaded for the first unknown pair."""

    path: Path
    load: Callable[[], PairModel]
    _known: dict[bytes, Chances] = field(default_factory=dict)
    _asked: dict[bytes, Chances] = field(default_factory=dict)
    _model: PairModel | None = None

    def __post_init__(self) -> None:
        """Read the cache; a file that is damaged or from elsewhere is ignored."""
        with contextlib.suppress(OSError, struct.error, ModelUnavailable):
            data, status = read_regular(self.path, MOST_BYTES)
            if _HEAD.unpack_from(data) == (_MAGIC, PairModel.identity(), status.st_ino):
                rows = _ROW.iter_unpack(data[_HEAD.size :])
                self._known = {key: Chances(*chances) for key, *chances in rows}

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Chances]:
        """Return the chances for each pair; the order of the two texts does not matter."""
        keys = [_hash(pair) for pair in pairs]
        new = [at for at, key in enumerate(keys) if key not in self._known]
        if new:
            self._model = self._model or self.load()
            told = self._model.judge([pairs[at] for at in new])
            self._known |= {keys[at]: one for at, one in zip(new, told, strict=True)}
        found = [self._known[key] for key in keys]
        self._asked |= zip(keys, found, strict=True)
        return found

    def forget_others(self) -> None:
        """Drop the verdicts that nobody asked for: their texts are gone."""
        self._known = self._asked

    def keep(self) -> None:
        """Write the cache."""
        rows = b"".join(_ROW.pack(key, *chances) for key, chances in self._known.items())

        def fill(inode: int) -> bytes:
            return _HEAD.pack(_MAGIC, PairModel.identity(), inode) + rows

        # Where it can't be written, the next scan asks again.
        with contextlib.suppress(StorageError, ModelUnavailable):
            write_derived(self.path, fill)


def _hash(pair: tuple[str, str]) -> bytes:
    text = "\0".join(sorted(pair)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()
