"""The search of what a call writes, pattern by pattern, within one budget."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.budget import NO_LIBRARY, Stopped
from dmm.rules.content import expressions
from dmm.rules.content.expressions import CODE_LINE, LINE
from dmm.rules.content.languages import is_written_in, language_named, language_of_path
from dmm.rules.content.limits import MAX_PARSED, MAX_SEARCHED, MAX_TEXT, QUICKLY_SEARCHED
from dmm.rules.content.lines import line_starts, overlaps, touched
from dmm.rules.content.words import words_of
from dmm.rules.content.writings import Writings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.rules.commands.facts import Writing
    from dmm.rules.content.lines import Ranges


_REST_OF_WORD = re.compile(r"(?<=[\w-])[\w-]{1,200}")


class Query(NamedTuple):
    """What is looked for, with the fields of a content pattern."""

    regex: str
    pattern: str
    rule: str
    language: str
    only_added: bool
    removed: bool
    ignore_case: bool
    only_new: bool


class Piece(NamedTuple):
    """A text to search, and which of its lines count; none given: all of them."""

    text: str
    added: Ranges | None
    whole: bool
    language: str


class Found(NamedTuple):
    """A file whose text matches at a line, or where that could not be found out."""

    writing: Writing
    line: int = 0
    stopped: str = ""


def find_content(query: Query, writings: Iterable[Writing]) -> Iterator[Found]:
    """Search what a call writes; each file is reported once."""
    held = writings if isinstance(writings, Writings) else Writings(tuple(writings))
    for writing in held:
        try:
            line = _first_line(query, writing, held)
        except Stopped as fault:
            yield Found(writing, stopped=fault.what)
        except ImportError:
            yield Found(writing, stopped=NO_LIBRARY)
        else:
            if line is not None:
                yield Found(writing, line)


def _first_line(query: Query, writing: Writing, held: Writings) -> int | None:
    """Return the number of the first line that matches and counts."""
    language = _language(query, writing)
    if language is None:
        return None
    structural = query.pattern or query.rule
    if writing.unread and (language or not structural):
        raise Stopped(writing.unread)
    piece = _piece(query, writing, language)
    if not piece.text or piece.added == ():
        return None
    if len(piece.text) > MAX_TEXT:
        raise Stopped(f"the text is larger than {MAX_TEXT >> 20} MB")
    if len(piece.text) > MAX_PARSED:
        held.budget.left()
    if not _may_match(query, piece, held):
        return None
    held.budget.left()
    kept: Counter[str] | None = None
    for line, text in _matches(query, piece, held):
        if kept is None:
            kept = _taken_away(query, writing, language, held)
        if not kept[text]:
            return line
        kept[text] -= 1
    return None


def _matches(query: Query, piece: Piece, held: Writings) -> Iterator[tuple[int, str]]:
    """Find what matches and counts: the number of its first line, and its text."""
    by_structure = bool(query.pattern or query.rule)
    return (_by_structure if by_structure else _by_regex)(query, piece, held)


def _taken_away(query: Query, writing: Writing, language: str, held: Writings) -> Counter[str]:
    """Count the matches that a call takes away; one of them that it writes again is not new."""
    piece = Piece(writing.removed, None, whole=False, language=language)
    if query.removed or not query.only_new or not _may_match(query, piece, held):
        return Counter()
    if query.regex.startswith(LINE):
        # Code that was a comment before is new.
        query = query._replace(regex=CODE_LINE + query.regex.removeprefix(LINE))
    try:
        return Counter(text for _, text in _matches(query, piece, held))
    except Stopped:
        return Counter()


def _may_match(query: Query, piece: Piece, held: Writings) -> bool:
    """Return, without a search, whether a text can match; most rules can't."""
    known = held.vocabulary_of(piece.text)
    literal = expressions.literal(query.regex)
    if literal and not known.holds((literal,), folded=query.ignore_case):
        return False
    words = words_of(query.pattern, query.rule)
    structural = bool(query.pattern or query.rule)
    return not structural or (bool(piece.language) and known.holds(words))


def _language(query: Query, writing: Writing) -> str | None:
    """Name the language of a file; none where the pattern is not meant for it."""
    known = writing.language or language_of_path(writing.path)
    if not query.language:
        return known
    if known:
        return known if is_written_in(known, query.language) else None
    return language_named(query.language)


def _piece(query: Query, writing: Writing, language: str) -> Piece:
    if query.removed:
        return Piece(writing.removed, None, whole=False, language=language)
    added = writing.added if query.only_added else None
    return Piece(writing.text, added, writing.whole, language)


def _by_regex(query: Query, piece: Piece, held: Writings) -> Iterator[tuple[int, str]]:
    """Search the whole text; where it is too long for that, only the lines that count."""
    if piece.added is None or len(piece.text) <= QUICKLY_SEARCHED or _is_mostly_new(piece):
        yield from _regex_matches(query, piece, held)
        return
    found: list[tuple[int, str]] | None = None
    if len(piece.text) <= MAX_SEARCHED:
        with suppress(Stopped):
            found = list(_regex_matches(query, piece, held, share=0.5))
    if found is not None:
        yield from found
        return
    lines = piece.text.split("\n")
    kept = [number for start, stop in piece.added for number in range(start, stop)]
    part = piece._replace(text="\n".join(lines[number] for number in kept), added=None)
    for line, text in _regex_matches(query, part, held):
        yield kept[line - 1] + 1, text


def _is_mostly_new(piece: Piece) -> bool:
    """Whether the lines that count are hardly less than the whole, which may be searched."""
    count = sum(stop - start for start, stop in piece.added or ())
    return len(piece.text) <= MAX_SEARCHED and 2 * count > piece.text.count("\n")


def _regex_matches(
    query: Query, piece: Piece, held: Writings, share: float = 1
) -> Iterator[tuple[int, str]]:
    text = piece.text
    starts: list[int] = []
    literal = expressions.literal(query.regex)
    search = partial(
        expressions.search, text=text, budget=held.budget, ignore_case=query.ignore_case
    )
    for start, end in search(query.regex, share=share):
        starts = starts or line_starts(text)
        first, behind = touched(start, end, starts)
        if piece.added is not None and not overlaps(first, behind, piece.added):
            continue
        found = [(start, end)]
        again = _behind_line(query)
        if again:
            # It begins with its line, so it finds one place in each.
            stop = text.find("\n", end)
            found += search(again, within=(end, stop if stop >= 0 else len(text)))
        for one, other in found:
            # What stands before the literal is often the rest of the line; a word that goes on
            # behind the match is another one without its end.
            rest = _REST_OF_WORD.match(text, other)
            last = rest.end() if rest else other
            yield first + 1, text[max(one, text.find(literal, one, other)) : last]


def _behind_line(query: Query) -> str:
    """Return what is looked for in a line of code, where each place of it counts."""
    leads = (one for one in (LINE, CODE_LINE) if query.only_new and query.regex.startswith(one))
    lead = next(leads, "")
    return query.regex.removeprefix(lead) if lead else ""


def _by_structure(query: Query, piece: Piece, held: Writings) -> Iterator[tuple[int, str]]:
    # The parser is loaded where something could be found with it.
    from dmm.rules.content import structure

    code = held.code_of(piece.text, piece.language, whole=piece.whole)
    matcher = structure.matcher_of(
        query.pattern, query.rule, piece.language, certain=bool(query.language)
    )
    if matcher is None:
        return
    for first, behind, text in code.find(matcher, held.budget, piece.added):
        if piece.added is None or overlaps(first, behind, piece.added):
            if query.regex and not _holds(query, text, held):
                continue
            yield int(first) + 1, text


def _holds(query: Query, text: str, held: Writings) -> bool:
    spans = expressions.search(query.regex, text, held.budget, ignore_case=query.ignore_case)
    return any(True for _ in spans)
