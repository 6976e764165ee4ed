"""What files are about, as vectors: a question finds code that says it in other words.

A file says it by its place, the names of what it defines, and the comments on that.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from dmm.index.vectors import pack_vectors
from dmm.repo import study
from dmm.repo.passages import is_telling
from dmm.repo.remarks import find_remark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.embed.model import Embedder
    from dmm.repo.records import Symbol
    from dmm.repo.sources import Source
    from dmm.repo.store import RepoStore

    # A content without a vector: its id, path and blob.
    Lacking = tuple[int, str, str]

# A change to `describe` needs another version: it has all vectors made again.
VERSION = "meanings-1"
MOST_NAMES = 24
LONGEST_REMARK = 100
# The model takes longer for more, and what a file begins with says most of what it is about.
LONGEST = 600
# Letters outside ASCII count as lowercase.
_WORD = re.compile(r"[A-Z]?[^\W_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|[A-Z]")


def name_model(embedder: Embedder) -> str:
    """Name everything that a vector depends on beside its file."""
    return f"{embedder.identity}/{VERSION}"


def embed(batch: Sequence[Lacking], store: RepoStore, source: Source, embedder: Embedder) -> None:
    """Make the vectors of some contents, and keep them."""
    told = dict(_describe_all(batch, store, source))
    if told:
        vectors = embedder.embed_texts([*told.values()])
        packed = (pack_vectors(vectors[row : row + 1]) for row in range(len(told)))
        store.keep_meanings(zip(told, packed, strict=True))


def _describe_all(
    batch: Sequence[Lacking], store: RepoStore, source: Source
) -> Iterator[tuple[Lacking, str]]:
    for one in batch:
        _, path, blob = one
        data = source.read(path, blob)
        # What was written a moment ago is read with the next question.
        if data is not None and study.blob_hash(data) == blob:
            yield one, describe(path, study.lines_of(data), store.symbols_in(path))


def describe(path: str, lines: Sequence[str], symbols: Sequence[Symbol]) -> str:
    """Return what a file says it is about."""
    said = [f"{split_name(place_of(path))}."]
    for one in [*filter(is_telling, symbols)][:MOST_NAMES]:
        remark = find_remark(lines, one.start, one.end, path)
        said.append(f"{split_name(one.name)}. {remark[:LONGEST_REMARK]}".rstrip())
    return " ".join(said)[:LONGEST]


def place_of(path: str) -> str:
    """Return the name and the folder of a file; folders further up are those of other matters."""
    return posixpath.splitext("/".join(path.split("/")[-2:]))[0]


def split_name(name: str) -> str:
    """Return the words of a name."""
    return " ".join(_WORD.findall(name))
