"""Parse a question or issue: word weights and named files."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from dmm.index.analysis import STOP_WORDS, analyze
from dmm.text.stem import stem

MAX_LENGTH = 60_000
TITLE = 3.0
PROSE = 1.0
CODE = 0.6
BRIEF = 30

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"https?://\S+")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TOKEN = re.compile(r"[\w./\\-]+")
_LONGEST_ENDING = 8
# Read with a lookahead, so that the second word begins a pair too.
_PAIR = re.compile(r"\b([a-z]{2,})(?=[ -]([a-z]{2,})\b)", re.IGNORECASE)
_TESTS = re.compile(r"\btests?\b|\bspecs?\b", re.IGNORECASE)
_DOCUMENTS = re.compile(r"\b(?:docs?|documentation|documented|readme|changelog)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: weighted terms, names of files, dotted names, and what it is about."""

    terms: dict[str, float]
    files: tuple[str, ...]
    dotted: tuple[str, ...]
    about_tests: bool
    about_documents: bool


def read_question(text: str) -> Question:
    """Parse a question.

    The first line is what the writer thinks it is about and counts most; code below it is often a
    way to provoke a fault rather than its place, and counts least.
    """
    plain = _ADDRESS.sub(" ", _COMMENT.sub(" ", text[:MAX_LENGTH])).strip()
    title, _, body = plain.partition("\n")
    code = " ".join(_FENCED.findall(body))
    prose = _FENCED.sub(" ", body)
    brief = len(plain.split()) <= BRIEF
    terms = _weigh(((title, TITLE), (prose, PROSE), (code, CODE)))
    if brief:
        # A longer text says it in other words, too, and has more pairs by chance.
        terms = dict.fromkeys(_joined(plain), TITLE) | terms
    return Question(
        terms=terms,
        files=tuple(sorted({path for path in map(_file, _TOKEN.findall(plain)) if path})),
        dotted=tuple(sorted(set(filter(_is_dotted, _TOKEN.findall(f"{title}\n{prose}"))))),
        about_tests=brief and _TESTS.search(plain) is not None,
        about_documents=brief and _DOCUMENTS.search(plain) is not None,
    )


def _weigh(zones: tuple[tuple[str, float], ...]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for zone, weight in zones:
        for term, count in Counter(analyze(zone)).items():
            weights[term] = weights.get(term, 0.0) + weight * (1 + math.log(count))
    return weights


def _joined(text: str) -> list[str]:
    """List pairs of words as one, since code says `shutdown` for "shut down"."""
    pairs = _PAIR.findall(text.lower())
    # "log in" is a name; "for each" is none, though code has `foreach`.
    return [stem(first + second) for first, second in pairs if first not in STOP_WORDS]


def _file(token: str) -> str:
    """Read a token as the path of a file; empty where it has no ending."""
    path = token.replace("\\", "/").strip("/.-")
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return path if dot and ending.isalnum() and len(ending) <= _LONGEST_ENDING else ""


def _is_dotted(token: str) -> bool:
    return "." in token and all(part.isidentifier() for part in token.strip(".").split("."))
