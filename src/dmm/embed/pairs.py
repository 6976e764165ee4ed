"""The model that judges two texts: whether they contradict each other or say the same."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from dmm.embed.model import (
    DATA,
    onnx_faults,
    open_session,
    read_vocabulary,
    share,
    usable_threads,
    verify,
)
from dmm.embed.wordpiece import CLS, SEP
from dmm.errors import ModelUnavailable
from dmm.lru import LruCache

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dmm.embed.wordpiece import WordPiece

LONGEST = 126  # word pieces of one text
# The other order is asked only where the first one leaves a doubt: of 7,230 pairs, none that is
# compatible by more than this was found to be related by both.
CLEAR = 0.8
KEPT = 256

_MODEL = "pairs.onnx"
_ABOUT = "pairs.json"
_VOCABULARY = "vocab.txt"
_REINSTALL = "reinstall dynamic-markdown-memory; until then only exact conflicts are found"


class Chances(NamedTuple):
    """How likely it is that two texts contradict each other, say the same, or neither."""

    conflict: float
    duplicate: float
    compatible: float


class PairModel:
    """Judges pairs of texts; safe to share between threads."""

    def __init__(self, session: Any, words: WordPiece, threads: int) -> None:
        self._session = session
        self._words = words
        self._threads = threads
        # What is compared before a write is compared again after it.
        self._judged = LruCache[Chances](KEPT)

    @classmethod
    def load(cls, directory: Path | None = None, *, threads: int | None = None) -> Self:
        """Load the packaged model, or the one in `directory`."""
        folder = DATA if directory is None else directory
        path = folder / _MODEL
        verify(path, *_listed(folder), _ABOUT)
        words = read_vocabulary(folder / _VOCABULARY)
        return cls(open_session(path), words, threads or usable_threads())

    @staticmethod
    def identity() -> bytes:
        """Return the identity of the packaged model and of how it reads texts."""
        return hashlib.sha256(repr((_listed(DATA), LONGEST, CLEAR)).encode()).digest()

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Chances]:
        """Return the chances for each pair; the order of the two texts does not matter."""
        found: list[Chances] = [Chances(0, 0, 1)] * len(pairs)

        new: list[int] = []
        for row, pair in enumerate(pairs):
            known = self._judged.find(*sorted(pair))
            if known is None:
                new.append(row)
            else:
                found[row] = known

        def fill(at: int) -> None:
            found[new[at]] = self._judge(*pairs[new[at]])

        share(fill, len(new), min(self._threads, len(new)))
        for row in new:
            self._judged.keep(found[row], *sorted(pairs[row]))
        return found

    def _judge(self, one: str, other: str) -> Chances:
        first, second = sorted(self._words.encode(text, limit=LONGEST) for text in (one, other))
        chances = self._run(first, second)
        if chances[2] < CLEAR:
            chances = (chances + self._run(second, first)) / 2
        return Chances(*(float(chance) for chance in chances))

    def _run(self, one: list[int], other: list[int]) -> Any:
        pieces = [CLS, *one, SEP, *other, SEP]
        segments = [0] * (len(one) + 2) + [1] * (len(other) + 1)
        feed = {"pieces": np.array([pieces], np.int64), "segments": np.array([segments], np.int64)}
        try:
            (chances,) = self._session.run(None, feed)
        except onnx_faults() as fault:
            what = f"the conflict model does not run: {fault}"
            raise ModelUnavailable(what, hint=_REINSTALL) from fault
        return chances[0]


def _listed(folder: Path) -> tuple[int, str]:
    """Read the length and the hash of the model."""
    try:
        listed = json.loads((folder / _ABOUT).read_bytes())["files"][_MODEL]
        return int(listed["bytes"]), str(listed["sha256"])
    except (OSError, ValueError, KeyError, TypeError) as fault:
        what = f"the description of the conflict model can't be read: {fault}"
        raise ModelUnavailable(what, where=str(folder / _ABOUT), hint=_REINSTALL) from fault


def phrase(title: str, body: str) -> str:
    """Return what the model reads of a note: its title, if it has one, and its text."""
    return f"{title.rstrip('.:')}. {body}" if title else body
