"""A row of training data: two texts, the question that is asked of them, the answers allowed."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

# Each question has a head of its own in training; only that of notes is shipped.
ANSWERS = {
    "note": ("conflict", "duplicate", "compatible"),
    "entailment": ("contradiction", "entailment", "neutral"),
    "paraphrase": ("same", "other"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """Two texts; where several answers are given, any of them is right."""

    one: str
    other: str
    question: str
    answers: tuple[str, ...]
    source: str


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Write rows as lines of JSON, packed; gives their number."""
    count = 0
    with gzip.GzipFile(path, "wb", compresslevel=9, mtime=0) as file:
        for row in rows:
            file.write(json.dumps(asdict(row), ensure_ascii=False).encode() + b"\n")
            count += 1
    return count


def read_rows(path: Path) -> list[Row]:
    """Read what `write_rows` wrote."""
    rows = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            fields = json.loads(line)
            rows.append(Row(**fields | {"answers": tuple(fields["answers"])}))
    return rows


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays under their names."""
    named: dict[str, Any] = dict(arrays)
    np.savez(path, **named)
