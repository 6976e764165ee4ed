"""Code searched by structure: parsed once for all rules, and only where that can't take long."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice
from textwrap import dedent
from time import thread_time
from typing import TYPE_CHECKING, Any

from ast_grep_py import SgRoot

from dmm.rules.budget import CALL_SECONDS, USED_UP, Stopped
from dmm.rules.content import matchers
from dmm.rules.content.limits import MAX_NESTING, MAX_PARSED, Unfit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.budget import Budget
    from dmm.rules.content.lines import Ranges
    from dmm.rules.content.matchers import Matcher

_SURELY_QUICK = 4 << 10
_FEWEST_TRIALS = 2
_TRIED_EVERY = 16 << 10
_TRIAL_SIZE = 1 << 10
_ATTEMPTS = 3
# What is parsed must also be searched, and the whole is seldom quicker than its parts.
_MARGIN = 1.25
_BEGINNING = re.compile(r"\n(?=[^\s)}\]#/*])")
_STEP_SECONDS = 2e-7
_PART_SECONDS = 4e-8
_READ_SECONDS = 3e-9
# Possessive, so that the time it takes grows with the text alone.
_COMMENTS = re.compile(r"(?m)(?:^[ \t]*+(?://|#).*+\n)++")
_MOST_COMMENTS = 1_000
_PIECE = 2 << 10
_NARROWING = ("kind", "pattern", "regex")
_MOST_BY_PIECE = 2
_FEW_PIECES = 8
_TOO_LONG = "its pattern took too long"
_CLASSES = frozenset(
    {"typescript", "tsx", "javascript", "java", "csharp", "php", "kotlin", "swift", "cpp", "scala"}
)
_LEADS = {
    "python": (
        (r"(except|finally)\b", "try:\n    pass\n"),
        (r"(elif|else)\b", "if x:\n    pass\n"),
    ),
    "": (
        (r"\}\s*(catch|finally)\b", "try {\n"),
        (r"\}\s*else\b", "if (x) {\n"),
        (r"(catch|finally)\b", "try {\n}\n"),
        (r"else\b", "if (x) {\n}\n"),
    ),
}


def matcher_of(pattern: str, rule: str, language: str, *, certain: bool) -> Matcher | None:
    """Build the matcher for a file; none if the pattern is not code of that language.

    Where the pattern is `certain` to be meant for the language, that is a fault.
    """
    try:
        return matchers.build(pattern, rule, language)
    except Unfit:
        if certain:
            raise
        return None


def _everywhere(root: Any, matcher: Matcher) -> Iterator[Any]:
    """Search all of the code; the first match is found by itself, as it is mostly enough."""
    first = root.find(matcher.config)
    if first is not None:
        yield first
        yield from islice(root.find_all(matcher.config), 1, None)


def _near(root: Any, matcher: Matcher, lines: Ranges) -> Iterator[Any]:
    """Search the outermost pieces of code at some lines, or all of it where these are many."""
    pieces = root.children()
    first = bisect_left(pieces, lines[0][0], key=lambda one: one.range().end.line)
    behind = bisect_left(pieces, lines[-1][1], key=lambda one: one.range().start.line)
    if behind - first > _FEW_PIECES:
        yield from _everywhere(root, matcher)
        return
    if root.matches(**matcher.config["rule"]):
        yield root
    for piece in pieces[first:behind]:
        yield from piece.find_all(matcher.config)


class Code:
    """A text as code of a language; `whole` says that it is a whole file."""

    def __init__(self, text: str, language: str, *, whole: bool) -> None:
        # JSON can hold half a character, which no file can and no parser takes.
        self._text = text.encode("utf-8", "replace").decode()
        self._language = language
        self._whole = whole
        self._roots: list[tuple[Any, int]] | None = None
        self._depth = 0

    def find(
        self, matcher: Matcher, budget: Budget, lines: Ranges | None = None
    ) -> Iterator[tuple[int, int, str]]:
        """Find code that matches: its first line, the line behind its last, and its text.

        Where only some `lines` count, code that meets none of them may be left out.
        """
        if self._roots is None:
            early = budget.affords(CALL_SECONDS / 2)
            self._roots = self._parse(budget)
            if self._roots is None or not budget.affords(0):
                what = f"the file takes too long to read as {self._language}"
                raise Stopped(what if early else USED_UP)
        start = thread_time()
        # A fragment may be read in two ways; what both find is there once.
        told: set[tuple[int, ...]] = set()
        try:
            for root, shift in self._roots:
                for node in self._search(root, matcher, budget, lines if self._whole else None):
                    place = node.range()
                    first, last = place.start.line - shift, place.end.line - shift
                    known = (first, place.start.column, last, place.end.column)
                    if known not in told:
                        told.add(known)
                        yield first, last + 1, node.text()
        finally:
            budget.charge(thread_time() - start)

    def _parse(self, budget: Budget) -> list[tuple[Any, int]] | None:
        """Parse the text; none where there is no time for that."""
        if len(self._text) > MAX_PARSED:
            raise Stopped(f"the file is larger than {MAX_PARSED >> 10} KB")
        if len(self._text) > _SURELY_QUICK:
            self._depth, torn = matchers.nesting_of(self._text, MAX_NESTING)
            if self._depth > MAX_NESTING:
                raise Stopped(f"the file nests deeper than {MAX_NESTING} brackets")
            if self._is_mostly_comment():
                # An error behind so many costs a parser the square of their number.
                raise Stopped("the file has more than 1,000 lines of comment in a row")
            if torn:
                raise Stopped(f"the file does not read as {self._language}")
            if not self._is_quick(budget):
                return None
        if self._whole:
            return [(SgRoot(self._text, self._language).root(), 0)]
        return self._parse_fragment()

    def _is_mostly_comment(self) -> bool:
        """Whether very many lines of comment stand in a row."""
        if self._text.count("//") + self._text.count("#") < _MOST_COMMENTS:
            return False
        return any(one[0].count("\n") >= _MOST_COMMENTS for one in _COMMENTS.finditer(self._text))

    def _is_quick(self, budget: Budget) -> bool:
        """Parse some pieces first: what is not code takes a parser many times as long."""
        size = len(self._text)
        trials = max(_FEWEST_TRIALS, size // _TRIED_EVERY)
        # Parts that are slow to read may be few: the middle of every stretch is tried.
        pieces = [self._piece_at((2 * at + 1) * size // (2 * trials)) for at in range(trials)]
        share = _MARGIN * size / max(sum(map(len, pieces)), 1)
        # A busy machine makes one look slow; code that is slow is so every time.
        return any(
            budget.affords(self._time_pieces(pieces, share, budget)) for _ in range(_ATTEMPTS)
        )

    def _time_pieces(self, pieces: list[str], share: float, budget: Budget) -> float:
        """Foresee how long the whole takes, or find out early that it takes too long."""
        start, foreseen = thread_time(), 0.0
        for piece in pieces:
            SgRoot(piece, self._language)
            foreseen = (thread_time() - start) * share
            if not budget.affords(foreseen):
                break
        return foreseen

    def _piece_at(self, at: int) -> str:
        """Cut out a piece between lines that begin something, where there are such lines near."""
        start = _BEGINNING.search(self._text, at, at + _TRIAL_SIZE)
        at = start.end() if start else at
        stop = _BEGINNING.search(self._text, at + _TRIAL_SIZE, at + 2 * _TRIAL_SIZE)
        return self._text[at : stop.end() if stop else at + _TRIAL_SIZE]

    def _parse_fragment(self) -> list[tuple[Any, int]]:
        """Parse a piece of a file, completed by what must stand around it."""
        text = dedent(self._text)
        lead = self._lead(text)
        root = SgRoot(lead + text, self._language).root()
        roots = [(root, lead.count("\n"))]
        if self._language in _CLASSES and root.find(kind="ERROR") is not None:
            member = SgRoot(f"class A {{\n{text}\n}}", self._language).root()
            roots.append((member, 1))
        return roots

    def _lead(self, text: str) -> str:
        known = _LEADS.get(self._language, _LEADS[""])
        start = text.lstrip()
        return next((lead for form, lead in known if re.match(form, start)), "")

    def _search(
        self, root: Any, matcher: Matcher, budget: Budget, lines: Ranges | None
    ) -> Iterator[Any]:
        """Search at once where the work can be foreseen, else piece by piece against the clock."""
        allowed = budget.left()
        foreseen = len(self._text) * matcher.parts * _PART_SECONDS
        if matcher.reads:
            # Every node holds the text of all that lie in it.
            foreseen += len(self._text) * self._depth * _READ_SECONDS
        if matcher.deep:
            marks, steps = matchers.steps_of(self._text)
            foreseen = marks * (steps / max(marks, 1)) ** matcher.deep * _STEP_SECONDS
        if foreseen < allowed:
            return _near(root, matcher, lines) if lines else _everywhere(root, matcher)
        return self._by_piece(root, matcher, budget)

    def _by_piece(self, root: Any, matcher: Matcher, budget: Budget) -> Iterator[Any]:
        start, allowed = thread_time(), budget.left()
        rule = matcher.config["rule"]
        narrow = {key: value for key, value in rule.items() if key in _NARROWING}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            place = node.range()
            small = place.end.index - place.start.index <= _PIECE
            dear = matcher.deep > 1 and not small and (not narrow or node.matches(**narrow))
            if matcher.deep > _MOST_BY_PIECE:
                raise Stopped(_TOO_LONG)
            if dear or thread_time() - start > allowed:
                raise budget.blame(allowed, allowed, _TOO_LONG)
            if small:
                yield from node.find_all(matcher.config)
                continue
            if node.matches(**rule):
                yield node
            waiting += reversed(node.children())
