"""The lines of a file that match a question, and their definition."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.files.citations import digest
from dmm.index.analysis import analyze
from dmm.repo.strip_comments import comment_lead

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dmm.repo.records import Chunk, Symbol

WINDOW = 8
LONGEST = 60
SHOWN = 24
LONG = 500

_CONTAINERS = frozenset(("class", "interface", "module", "type"))
# Lines that only bring names in: they match a question and answer nothing.
_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|(?:pub(?:\(\w+\))?\s+)?(?:use\s|mod\s+\w+;)|#\s*include\b"
    r"|using\s+[\w.]+;|require(?:_once|_relative)?\b|export\b.*\bfrom\b"
    r"|(?:const|let|var)\b[^=]*=\s*require\()"
)
_ATTRIBUTE = re.compile(r"\s*(?:@|#\[)")
# A type names what code handles; the code itself says what happens.
_DECLARED = frozenset(("type", "interface"))
# Code that holds this share of what a type holds is shown instead; set by hand, by reading answers.
ENOUGH = 0.6
_TESTS = frozenset(("test", "tests"))


class Passage(NamedTuple):
    """A range of lines, its hash, and the symbol it belongs to."""

    start: int
    end: int
    hash: str
    symbol: str | None


def whole(chunk: Chunk) -> Passage:
    """The chunk as it is, where its file can't be read any more."""
    return Passage(chunk.start, chunk.end, chunk.digest, None)


def narrow(
    lines: Sequence[str],
    chunks: Sequence[Chunk],
    symbols: Sequence[Symbol],
    worth: Mapping[str, float],
    path: str,
) -> Passage:
    """Find the densest lines of some chunks; a definition of fair length around them stays whole.

    Imports, and tests that stand in the file they test, are shown only where nothing else matches.
    """
    idle = {*_imports(lines), *_tested(symbols)}
    declared = {n for s in symbols if s.kind in _DECLARED for n in range(s.start, s.end + 1)}
    chunk, most, at = _best_of(lines, chunks, worth, idle)
    if at in declared:
        other = _best_of(lines, chunks, worth, idle | declared)
        chunk, _, at = other if other[1] >= most * ENOUGH else (chunk, most, at)
    at = _commented(lines, at, symbols, comment_lead(path))
    around = [s for s in symbols if s.start <= at <= s.end and s.kind != "constant"]
    inner = min(around, key=lambda s: (s.end - s.start, s.start), default=None)
    first, last = (1, len(lines)) if inner is None else (inner.start, min(inner.end, len(lines)))
    if last - first >= LONGEST:
        middle = max(first, at - SHOWN // 3)
        first, last = middle, min(last, middle + SHOWN - 1)
    elif inner is None:
        first, last = chunk.start, min(chunk.end, len(lines))
        first = next((n for n in range(first, at + 1) if n not in idle), first)
    return Passage(first, last, digest(lines[first - 1 : last]), _qualified(inner, around))


def _commented(
    lines: Sequence[str], at: int, symbols: Sequence[Symbol], lead: re.Pattern[str]
) -> int:
    """Move from a comment to the definition that it stands on."""
    starts = {s.start for s in symbols if s.kind != "constant"}

    def stands(line: str) -> bool:
        return bool(lead.match(line) or _ATTRIBUTE.match(line))

    rest = (n for n in range(at, len(lines) + 1) if n in starts or not stands(lines[n - 1]))
    line = next(rest, at)
    return line if line in starts else at


def _best_of(
    lines: Sequence[str], chunks: Sequence[Chunk], worth: Mapping[str, float], idle: set[int]
) -> tuple[Chunk, float, int]:
    found = [(chunk, *_densest(lines, chunk, worth, idle)) for chunk in chunks]
    return max(found, key=lambda one: one[1])


def _imports(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines that import, with those that a bracket continues."""
    closing = ""
    for number, line in enumerate(lines, start=1):
        if not closing and not _IMPORT.match(line):
            continue
        yield number
        opened = closing or max("{(", key=line.count)
        pair = {"{": "}", "(": ")"}.get(opened, opened)
        is_open = bool(closing) or line.count(opened) > line.count(pair)
        closing = pair if is_open and (not closing or pair not in line) else ""


def _tested(symbols: Sequence[Symbol]) -> Iterator[int]:
    """Yield the numbers of the lines of test modules."""
    for one in symbols:
        if one.kind == "module" and one.name in _TESTS:
            yield from range(one.start, one.end + 1)


def _densest(
    lines: Sequence[str], chunk: Chunk, worth: Mapping[str, float], idle: set[int]
) -> tuple[float, int]:
    """Find the best line of the few lines that together hold the most of what is asked."""
    numbers = range(chunk.start, min(chunk.end, len(lines)) + 1)
    held = [
        set() if n in idle else set(analyze(lines[n - 1][:LONG])) & worth.keys() for n in numbers
    ]
    windows = [set().union(*held[at : at + WINDOW]) for at in range(len(held))]
    sums = [_sum(window, worth) for window in windows]
    start = _best(sums)
    at = start + _best([_sum(terms, worth) for terms in held[start : start + WINDOW]])
    return max(sums, default=0.0), chunk.start + at


def _sum(terms: set[str], worth: Mapping[str, float]) -> float:
    return math.fsum(worth[term] for term in terms)


def _best(values: Sequence[float]) -> int:
    return max(range(len(values)), key=lambda at: (values[at], -at), default=0)


def _qualified(inner: Symbol | None, around: Sequence[Symbol]) -> str | None:
    if inner is None:
        return None
    outer = [s for s in around if s is not inner and s.kind in _CONTAINERS and s.end >= inner.end]
    names = [s.name for s in sorted(outer, key=lambda s: s.start - s.end)]
    return ".".join((*names[-1:], inner.name))
