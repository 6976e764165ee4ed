"""Pairs of notes that nobody has labelled, near each other: what only the teacher answers.

A student that hears the teacher on pairs of its own lessons alone learns little that the labels do
not say. Notes of different tables and projects on one subject often contradict each other.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tools.pairs.imported import read_notes
from tools.pairs.rows import ANSWERS, Row, write_rows
from tools.pairs.tables import read_tables, text_of

from dmm.embed.model import Embedder
from dmm.embed.pairs import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NEAREST = 8
FLOOR, CEILING = 0.4, 0.98
MOST = 300  # sentences of one project
PAIRS = 120_000  # as many as a teacher judges in a minute
BLOCK = 1_024


def read_texts(folders: Iterable[Path], chance: random.Random) -> list[str]:
    """Return the notes of the labelled tables and the sentences of instruction files, each once."""
    texts = [
        text_of(pair[side]) for pairs in read_tables().values() for pair in pairs for side in "ab"
    ]
    for folder in folders:
        notes = read_notes(folder)
        chosen = chance.sample(notes, min(MOST, len(notes)))
        texts += [phrase(title, one) if chance.random() < 0.5 else one for title, one in chosen]
    return list(dict.fromkeys(texts))


def pairs_of(texts: list[str], embedder: Embedder) -> Iterator[tuple[int, int]]:
    """Yield the pairs in which one text is among the nearest of the other."""
    vectors = np.stack([embedder.embed_query(text) for text in texts])
    for start in range(0, len(texts), BLOCK):
        alike = vectors[start : start + BLOCK] @ vectors.T
        alike[alike > CEILING] = -1  # itself, and what is the same but for a letter
        nearest = np.argpartition(-alike, NEAREST, axis=1)[:, :NEAREST]
        for at, others in enumerate(nearest):
            yield from ((start + at, int(one)) for one in others if alike[at, one] >= FLOOR)


def main() -> None:
    """Write the pairs, each once, with all answers open."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", help="projects, by folder")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    chance = random.Random(11)
    texts = read_texts(options.folders, chance)
    found = sorted({(min(pair), max(pair)) for pair in pairs_of(texts, Embedder.load())})
    chance.shuffle(found)
    rows = (
        Row(texts[one], texts[other], "note", ANSWERS["note"], "near")
        for one, other in found[:PAIRS]
    )
    print(len(texts), "texts,", write_rows(options.out, rows), "pairs")


if __name__ == "__main__":
    main()
