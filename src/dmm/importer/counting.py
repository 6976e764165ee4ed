"""Count the tokens of overlapping texts, each line once."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.importer.notes import Count

LINES_KEPT = 1 << 17
# A token never spans a newline and the solid character after it, so there a text can be cut.
_CUT = re.compile(r"(?<=\n)(?=\S)")


def count_once(count: Count) -> Count:
    """Return a counting function that caches lines and, by their digests, whole texts.

    A section is counted as a whole, again as a part of the one above it, and as a note.
    """
    texts: dict[bytes, int] = {}
    count_line = lru_cache(maxsize=LINES_KEPT)(count)

    def count_text(text: str) -> int:
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in texts:
            texts[key] = sum(map(count_line, _CUT.split(text)))
        return texts[key]

    return count_text
