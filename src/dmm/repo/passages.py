"""The lines of a file that match a question, and their definition."""

from __future__ import annotations

import math
import re
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dmm.files.citations import digest
from dmm.index.analysis import analyze
from dmm.repo.strip_comments import comment_lead

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dmm.repo.records import Chunk, Symbol

WINDOW = 8
LONGEST = 60
SHOWN = 24
# A definition of fewer lines says little.
FEWEST_LINES = 4
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
    """Find the definition that holds most of what is asked, its name counted beside its lines.

    Of a long one the densest lines are shown. Imports, and tests that stand in the file they test,
    are shown only where nothing else matches.
    """
    idle = {*_imports(lines), *_tested(symbols)}
    defined = [s for s in symbols if s.kind != "constant" and s.start not in idle]
    called = {s: {*analyze(s.name)} & worth.keys() for s in defined}
    named = sorted(filter(called.get, called), key=lambda s: -_sum(called[s], worth))
    named = named[: len(chunks)]
    runs = [range(c.start, min(c.end, len(lines)) + 1) for c in chunks]
    runs += [range(s.start, min(s.end, s.start + LONGEST, len(lines)) + 1) for s in named]
    held = {
        n: {*analyze(lines[n - 1][:LONG])} & worth.keys()
        for run in runs
        for n in run
        if n not in idle
    }
    code = {n for s in defined if s.kind not in _DECLARED for n in range(s.start, s.end + 1)}
    inside = {n: terms for n, terms in held.items() if n in code}
    lead = comment_lead(path)
    found = []
    for run, terms in product(runs, (held, inside)):
        most, densest = _densest(run, terms, worth)
        at = _commented(lines, densest, defined, lead)
        around = [s for s in defined if s.start <= at <= s.end]
        inner = min(around, key=lambda s: (s.end - s.start, s.start), default=None)
        share = ENOUGH if inner is None or inner.kind in _DECLARED else 1.0
        value = share * (most + _sum(set().union(*(called[s] for s in around)), worth))
        found.append((value, at, run, inner, around))
    value, at, run, inner, around = max(found, key=lambda one: one[0])
    if not value and (begins := next(filter(is_telling, defined), None)):
        # It was found by what it is about: its head says less of that than what it defines.
        at, inner, around = begins.start, begins, [begins]
    first, last = _limit(at, run, inner, idle, len(lines))
    return Passage(first, last, digest(lines[first - 1 : last]), _qualified(inner, around))


def is_telling(symbol: Symbol) -> bool:
    """Return whether a definition says what its file is about."""
    return symbol.kind != "constant" and symbol.end - symbol.start + 1 >= FEWEST_LINES


def _limit(
    at: int, run: range, inner: Symbol | None, idle: Collection[int], length: int
) -> tuple[int, int]:
    """Take a definition whole, or what is around a line of a long one; without one, the run."""
    first, last = (1, length) if inner is None else (inner.start, min(inner.end, length))
    if last - first >= LONGEST:
        first = max(first, at - SHOWN // 3)
        return first, min(last, first + SHOWN - 1)
    if inner is None:
        last = run.stop - 1
        first = next((n for n in range(run.start, at + 1) if n not in idle), run.start)
    return first, last


def _commented(
    lines: Sequence[str], at: int, symbols: Sequence[Symbol], lead: re.Pattern[str]
) -> int:
    """Move from a comment to the definition that it stands on."""
    starts = {s.start for s in symbols}

    def stands(line: str) -> bool:
        return bool(lead.match(line) or _ATTRIBUTE.match(line))

    rest = (n for n in range(at, len(lines) + 1) if n in starts or not stands(lines[n - 1]))
    line = next(rest, at)
    return line if line in starts else at


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
        if one.kind == "module" and not _TESTS.isdisjoint(one.name.split("_")):
            yield from range(one.start, one.end + 1)


def _densest(
    run: Sequence[int], held: Mapping[int, set[str]], worth: Mapping[str, float]
) -> tuple[float, int]:
    """Find the best line of the few lines that together hold the most of what is asked."""
    rows = [held.get(n, set()) for n in run]
    sums = [_sum(set().union(*rows[at : at + WINDOW]), worth) for at in range(len(rows))]
    start = _best(sums)
    at = start + _best([_sum(terms, worth) for terms in rows[start : start + WINDOW]])
    return max(sums, default=0.0), run[at]


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
