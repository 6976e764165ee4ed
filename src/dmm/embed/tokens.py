"""Token counts in cl100k from a bundled rank file."""

from __future__ import annotations

import gzip
import hashlib
import re
import time
import zlib
from binascii import a2b_base64
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from dmm.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tiktoken import Encoding

RANKS = Path(__file__).resolve().parent.parent / "data" / "cl100k.tiktoken.gz"
LONGEST_RUN = 500

_RANKS_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
# How cl100k divides text before merging bytes; part of the encoding's definition.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
# Text in which no word and no gap is too long: nearly all text, and quick to recognise.
_SHORT_WORDS = re.compile(rf"(?:\S{{1,{LONGEST_RUN}}}+(?!\S)|\s{{1,{LONGEST_RUN}}}+(?!\s))*+")
# A long run of letters, or of signs, or of white space; the look-behinds make the search linear.
_LONG_RUN = re.compile(
    rf"(?<![^\W\d_])[^\W\d_]{{{LONGEST_RUN + 1},}}"
    rf"|(?<![^\w\s])(?<!_)(?:[^\w\s]|_){{{LONGEST_RUN + 1},}}"
    rf"|(?<!\s)\s{{{LONGEST_RUN + 1},}}"
)
_loading = Lock()
_used = [0.0]


class TokenCounter:
    """Counts cl100k tokens; the ranks are loaded on first use, once per process.

    Merging can take time quadratic in the length of a run of letters, signs or white space. So
    a run longer than LONGEST_RUN characters is cut every LONGEST_RUN characters from its start,
    and the parts are counted alone. Such a run may count a few tokens more per cut; all other
    text is counted exactly. Names of special tokens in the text count as ordinary text.
    """

    def __init__(self, ranks: Path = RANKS) -> None:
        self._ranks = ranks

    def count(self, text: str) -> int:
        """Return the number of tokens of the text."""
        with _loading:
            _used[0] = time.monotonic()
            encoding = _load(self._ranks)
        return sum(len(encoding.encode_ordinary(part)) for part in _parts(text))


def release_ranks(unused: float) -> bool:
    """Release the token ranks after a while without use."""
    with _loading:
        held = _load.cache_info().currsize > 0
        if held and time.monotonic() - _used[0] >= unused:
            _load.cache_clear()
            return True
    return False


def _parts(text: str) -> Iterator[str]:
    """Cut the text inside runs that are too long; most texts come back whole."""
    begin = 0
    if _SHORT_WORDS.fullmatch(text):
        yield text
        return
    for run in _LONG_RUN.finditer(text):
        for cut in range(run.start() + LONGEST_RUN, run.end(), LONGEST_RUN):
            yield text[begin:cut]
            begin = cut
    yield text[begin:]


@cache
def _load(path: Path) -> Encoding:
    from tiktoken import Encoding

    # Each line is a token and its rank. The file, which is known by its hash, counts them from 0.
    tokens = _read(path).split()[::2]
    ranks = dict(zip(map(a2b_base64, tokens), range(len(tokens)), strict=True))
    return Encoding("cl100k", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})


def _read(path: Path) -> bytes:
    """Unpack the rank file and refuse any but the known one."""
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as fault:
        raise _damaged(path, f"the token ranks can't be read: {fault}") from fault
    if hashlib.sha256(content).hexdigest() != _RANKS_SHA256:
        raise _damaged(path, "the token ranks are not those of cl100k: the sha256 differs")
    return content


def _damaged(path: Path, what: str) -> StorageError:
    return StorageError(what, where=str(path), hint="reinstall dynamic-markdown-memory")
