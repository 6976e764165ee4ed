"""The labelled pairs of tests/conflicts, as they are and changed; never those called unseen."""

from __future__ import annotations

import argparse
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.pairs.rows import Row, write_rows

from dmm.embed.pairs import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).resolve().parents[2] / "tests" / "conflicts"
LOOSE = ("pairs_dev", "pairs_more", "cases")
NUMBER = re.compile(r"(?<![\w./:-])(\d{1,5})(?![\w./:-]|\.\d)")
# Words that turn a sentence into its opposite, and words that leave it what it is.
OPPOSITES = {
    r"\bmust not\b": "must",
    r"\bmust\b(?! not)": "must not",
    r"\bdo not\b": "always",
    r"\bdon't\b": "always",
    r"\bnever\b": "always",
    r"\balways\b": "never",
    r"\b(is|are) not\b": r"\1",
    r"\bcannot\b": "can",
    r"\benabled\b": "disabled",
    r"\bdisabled\b": "enabled",
    r"\bforbidden\b": "allowed",
    r"\ballowed\b": "forbidden",
    r"\bbefore\b": "after",
    r"\bafter\b": "before",
    r"\bat least\b": "at most",
    r"\bat most\b": "at least",
    r"\boptional\b": "mandatory",
    r"\brequired\b": "not required",
    r"\bprefer\b": "avoid",
    r"\bavoid\b": "prefer",
    r"\bpublic\b": "private",
}
SYNONYMS = {
    r"\bdo not\b": "don't",
    r"\bdon't\b": "do not",
    r"\bmust not\b": "may not",
    r"\bmust\b(?! not)": "has to",
    r"\bforbidden\b": "not allowed",
    r"\bensure\b": "make sure",
    r"\bevery\b": "each",
    r"\bprefer\b": "favour",
    r"\bneeds\b": "requires",
    r"\bruns\b": "is run",
    r"\bonly\b": "solely",
}


def read_tables() -> dict[str, list[dict[str, Any]]]:
    """Return the pairs by table; what is called unseen is not opened."""
    paths = [
        *(path for path in sorted(TESTS.glob("tables/*.jsonl")) if "unseen" not in path.stem),
        *sorted(TESTS.glob("later/*.jsonl")),
        *(TESTS / f"{name}.jsonl" for name in LOOSE),
    ]
    return {
        path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for path in paths
    }


def is_linked(pair: dict[str, Any]) -> bool:
    """Tell whether the answer rests on a link or a date, which the model does not see."""
    return any(
        pair[side].get(name) for side in "ab" for name in ("supersedes_other", "expires", "created")
    )


def text_of(note: dict[str, Any]) -> str:
    """Return what the model reads of a note."""
    return phrase(note.get("title", ""), note["body"])


def plain_rows(tables: dict[str, list[dict[str, Any]]]) -> Iterator[Row]:
    """Return every labelled pair once."""
    for name, pairs in tables.items():
        for pair in pairs:
            if not is_linked(pair):
                yield Row(text_of(pair["a"]), text_of(pair["b"]), "note", (pair["label"],), name)


class Changer:
    """Changes texts so that it is known what becomes of the answer."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def number(self, text: str) -> str | None:
        """Change one number; None where there is none."""
        found = list(NUMBER.finditer(text))
        if not found:
            return None
        chosen = self._chance.choice(found)
        value = int(chosen[1])
        options = {value * 2, value + 1, value + 5, max(1, value // 2), value * 10} - {value}
        changed = self._chance.choice(sorted(options))
        return f"{text[: chosen.start()]}{changed}{text[chosen.end() :]}"

    def swap(self, text: str, table: dict[str, str]) -> str | None:
        """Change one word by a table; None where none of them is there."""
        able = [form for form in table if re.search(form, text, re.IGNORECASE)]
        if not able:
            return None
        form = self._chance.choice(able)

        def put(found: re.Match[str]) -> str:
            new = found.expand(table[form])
            return new.capitalize() if found[0][0].isupper() else new

        return re.sub(form, put, text, count=1, flags=re.IGNORECASE)

    def rows(self, tables: dict[str, list[dict[str, Any]]]) -> Iterator[Row]:
        """Return changed pairs, each under the name of its table."""
        for name, pairs in tables.items():
            open_pairs = [pair for pair in pairs if not is_linked(pair)]
            for pair in open_pairs:
                yield from self._changed(name, pair)
            yield from self._mixed(name, open_pairs)

    def _changed(self, name: str, pair: dict[str, Any]) -> Iterator[Row]:
        label = pair["label"]
        for side, opposite in (("a", "b"), ("b", "a")):
            note, other = pair[side], pair[opposite]
            whole, facing = text_of(note), text_of(other)
            yield from self.against_itself(name, note.get("title", ""), note["body"])
            body = self.swap(note["body"], SYNONYMS)
            if body and self._chance.random() < 0.5:
                said = phrase(note.get("title", ""), body)
                yield Row(said, facing, "note", (label,), name)
            if self._chance.random() < 0.3:
                yield Row(note["body"], other["body"], "note", (label,), name)
            if self._chance.random() < 0.15:
                said = phrase(other.get("title", ""), note["body"])
                yield Row(whole, said, "note", ("duplicate",), name)

    def against_itself(self, name: str, title: str, body: str) -> Iterator[Row]:
        """Set a text beside itself with a number, a sense or a word changed."""
        for table, label, often in (
            (None, "conflict", 0.45),
            (OPPOSITES, "conflict", 0.35),
            (SYNONYMS, "duplicate", 0.4),
        ):
            changed = self.number(body) if table is None else self.swap(body, table)
            if changed and changed != body and self._chance.random() < often:
                yield Row(phrase(title, body), phrase(title, changed), "note", (label,), name)

    def _mixed(self, name: str, pairs: list[dict[str, Any]]) -> Iterator[Row]:
        """Put notes of different pairs together: strangers, and longer notes with a stranger in."""
        for pair in pairs:
            stranger = self._chance.choice(pairs)
            if stranger is pair:
                continue
            one, other = text_of(pair["a"]), text_of(stranger["b"])
            yield Row(one, other, "note", ("compatible",), name)
            if pair["label"] != "duplicate" and self._chance.random() < 0.5:
                parts = [pair["a"]["body"], stranger["a"]["body"]]
                self._chance.shuffle(parts)
                said = phrase(pair["a"].get("title", ""), " ".join(parts))
                yield Row(said, text_of(pair["b"]), "note", (pair["label"],), name)


def main() -> None:
    """Write the pairs as they are, and changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    options = parser.parse_args()
    tables = read_tables()
    print(write_rows(options.out / "labelled.gz", plain_rows(tables)), "pairs")
    print(write_rows(options.out / "changed.gz", Changer(3).rows(tables)), "pairs")


if __name__ == "__main__":
    main()
