"""Pairs of sentences from the instruction files of public projects.

Sentences of one project that are near each other hardly ever contradict one another: they are
told to the network as anything but a conflict. A sentence beside its own opposite is one.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path

import numpy as np
from tools.pairs.rows import Row, write_rows
from tools.pairs.tables import Changer

from dmm.conflicts.sentences import headings_and_sentences
from dmm.embed.model import Embedder
from dmm.embed.pairs import phrase

NEAREST = 8
FLOOR = 0.35
WORDS = (4, 80)
MOST = 1_500  # sentences of one project
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_SECTION = re.compile(r"^#{1,6}\s+", re.MULTILINE)


def read_notes(folder: Path) -> list[tuple[str, str]]:
    """Return the sentences of the instruction files in a folder, each with its heading."""
    found = []
    for path in sorted(folder.rglob("*.md*")):
        text = _FRONT.sub("", path.read_text("utf-8", "replace"))
        for section in _SECTION.split(text):
            title, _, body = section.partition("\n")
            _, sentences = headings_and_sentences(body)
            found += [
                (title.strip("# "), one)
                for one in sentences
                if WORDS[0] <= len(one.split()) <= WORDS[1]
            ]
    return found


def rows_of(folder: Path, embedder: Embedder, chance: random.Random, changer: Changer) -> list[Row]:
    """Return the pairs of one project."""
    notes = read_notes(folder)
    if len(notes) > MOST:
        notes = chance.sample(notes, MOST)
    texts = [phrase(title, one) if chance.random() < 0.7 else one for title, one in notes]
    vectors = np.stack([embedder.embed_query(text) for text in texts])
    alike = vectors @ vectors.T
    np.fill_diagonal(alike, -1)
    rows = []
    for at, near in enumerate(np.argsort(-alike, axis=1)[:, :NEAREST]):
        for other in near:
            if alike[at, other] >= FLOOR and at < other and texts[at] != texts[other]:
                allowed = ("compatible",) if alike[at, other] < 0.8 else ("compatible", "duplicate")
                rows.append(Row(texts[at], texts[other], "note", allowed, "imported"))
        stranger = chance.randrange(len(texts))
        if alike[at, stranger] < FLOOR:
            rows.append(Row(texts[at], texts[stranger], "note", ("compatible",), "imported"))
    for title, one in notes:
        shown = title if chance.random() < 0.5 else ""
        rows += changer.against_itself("imported", shown, one)
    return rows


def main() -> None:
    """Write the pairs of all projects."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="projects, by folder")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    embedder, chance, changer = Embedder.load(), random.Random(5), Changer(5)
    rows = [row for folder in options.folders for row in rows_of(folder, embedder, chance, changer)]
    chance.shuffle(rows)
    print(write_rows(options.out, rows), "pairs")


if __name__ == "__main__":
    main()
