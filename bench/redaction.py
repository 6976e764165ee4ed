"""What redaction costs on the texts that agents send, against finding the words of the same text.

The two take turns, so that a busy machine slows both, and the least of several rounds counts.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import dmm
from bench.report import Measure, Part
from dmm.redaction.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PACKAGE = Path(dmm.__file__).parent
DOCS = Path(__file__).resolve().parent.parent / "docs"
WORDS = re.compile(r"\w+")
ROUNDS = 9
FILES = 60
LINES_OF_A_PROMPT = 3
# How many times as long as finding the words it may take.
BARS = {"prompts": 10.0, "documents": 8.0, "source": 20.0, "listing": 11.0, "escaped JSON": 55.0}


def measure() -> Part:
    """Measure the kinds of text one after the other."""
    return Part(
        "Redaction",
        tuple(_measure(name, texts) for name, texts in _texts().items()),
        remark="times the CPU time of finding the words of the same texts",
    )


def _texts() -> dict[str, list[str]]:
    """Gather texts as they are met, all from this repository."""
    documents = [path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))]
    lines = [line for text in documents for line in text.splitlines() if len(line) > 40]
    paths = sorted(PACKAGE.rglob("*.py"))
    source = [path.read_text("utf-8") for path in paths[:FILES]]
    listing = "\n".join(f"-rw-r--r-- 1 dev dev {path.stat().st_size:>8} {path}" for path in paths)
    return {
        "prompts": [
            " ".join(lines[at : at + LINES_OF_A_PROMPT])
            for at in range(0, len(lines), LINES_OF_A_PROMPT)
        ],
        "documents": documents,
        "source": source,
        "listing": [listing],
        "escaped JSON": [json.dumps({"line": json.dumps({"output": text})}) for text in source],
    }


def _measure(name: str, texts: Sequence[str]) -> Measure:
    length = sum(map(len, texts))
    own, words = [], []
    for _ in range(ROUNDS):
        own.append(_spend(redact, texts))
        words.append(_spend(WORDS.findall, texts))
    return Measure(
        name,
        min(own) / min(words),
        bar=BARS[name],
        at_most=True,
        beside={
            "ns a character": 1e9 * min(own) / length,
            "us a text": 1e6 * min(own) / len(texts),
        },
    )


def _spend(call: Callable[[str], object], texts: Sequence[str]) -> float:
    begun = time.process_time()
    for text in texts:
        call(text)
    return time.process_time() - begun
