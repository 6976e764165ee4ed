"""The short answer for a person: up to three points with citations, and what is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from dmm.ask.evidence import Origin, safe_line
from dmm.ask.sections import Section
from dmm.ask.sources import DOCUMENT
from dmm.index.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from dmm.ask.evidence import Evidence

NAMED = "named section"
MOST_POINTS = 3
MOST_PLACES = 4
MOST_MORE = 5
LONGEST_TEXT = 160
PROSE_SHARE = 0.85
# Markup around the sentence of a README that says what the project is.
_MARKUP = re.compile(r"<[^>]*>|!?\[([^\]]*)\]\([^)]*\)|[*_`>|]+|^#+\s.*$|^\s*(?:---|===).*$", re.M)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|\[\]\([^)]*\)")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_COMMENT = re.compile(r'^\s*(?:#|//|/\*|\*|--|"""|\'\'\')')
# Lines of code that only name other code: imports, decorators, a text by itself.
_EMPTY = re.compile(
    r"""@|["'`]|(?:import|from|use|package|export \*|#include|mod)\b"""
    r"|(?:const|let|var) .*\brequire\("
)
# What an import adds to a memory: where it applies and where it comes from.
_FRAME = re.compile(r"^(?:Applies to|Source): .*$", re.M)
_ITEM = re.compile(r"\n\s*\n|\n\s*(?:[-*+]|\d+[.)])\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_WORDS = re.compile(r"\w+\W+\w+\W+\w+")


@dataclass(frozen=True, slots=True)
class Point:
    """One statement of an answer, and where it can be checked."""

    text: str
    cite: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person reads first."""

    points: tuple[Point, ...]
    missing: tuple[str, ...]
    more: tuple[str, ...]


def compose_overview(
    evidence: Sequence[Evidence], missing: Sequence[str], name_package: Callable[[str], str]
) -> Answer:
    """Return what a repository is for, where its programs start and where its data is."""
    lines = (
        ("", Section.PURPOSE),
        ("Programs start at ", Section.ENTRY_POINTS),
        ("Data is stored by ", Section.PERSISTENCE),
    )
    points = []
    for opening, section in lines:
        shown = [one for one in evidence if section in one.sections][:MOST_PLACES]
        if shown and section is Section.PURPOSE:
            points.append(Point(_first_sentence(shown[0].text), _place(shown[0], section)))
        elif shown:
            named = "; ".join(_describe_place(one, section, name_package) for one in shown)
            points.append(Point(opening + named, _place(shown[0], section)))
    return Answer(tuple(points), tuple(missing), ())


def compose_points(
    evidence: Sequence[Evidence],
    missing: Sequence[str],
    named: Collection[Section],
    *,
    asked: str,
    looks_back: bool,
) -> Answer:
    """Take the best piece of each source, then the next best; a look back asks sessions first.

    What shows a section that the question names counts as a source of its own. Of prose the
    sentence is quoted that shares most words with what is asked.
    """
    order = [str(Origin.MEMORY), NAMED, DOCUMENT, str(Origin.CODE), str(Origin.SESSIONS)]
    if looks_back:
        order = [order[-1], *order[:-1]]
    by_source: dict[str, list[Evidence]] = {name: [] for name in order}
    for one in evidence:
        by_source[NAMED if set(one.sections) & set(named) else _source(one)].append(one)
    rows = zip_longest(*by_source.values())
    ranked = [one for one in chain.from_iterable(rows) if one is not None]
    more = (_cite(one) for one in ranked[MOST_POINTS : MOST_POINTS + MOST_MORE])
    terms = frozenset(analyze(asked))
    points = tuple(_point(one, terms) for one in ranked[:MOST_POINTS])
    return Answer(points, tuple(missing), tuple(more))


def _source(one: Evidence) -> str:
    return DOCUMENT if one.kind == DOCUMENT and not one.marks else str(one.origin)


def put_first(
    evidence: Sequence[Evidence], asked: Collection[str], name_package: Callable[[str], str]
) -> list[Evidence] | None:
    """Put what is in a package that the question names first; None where it names none."""
    names = {one.casefold() for one in asked}
    inside = [name_package(one.path).rpartition("/")[2].casefold() in names for one in evidence]
    if not any(inside):
        return None
    return [
        one for _, one in sorted(zip(inside, evidence, strict=True), key=lambda two: not two[0])
    ]


def _point(one: Evidence, terms: frozenset[str]) -> Point:
    doubt = f" (low trust: {one.doubt})" if one.doubt else ""
    if one.origin is not Origin.CODE or one.kind == DOCUMENT:
        said = _best_sentence(one.text, terms)
        title = f"{one.title}: " if one.title and one.title not in said else ""
        return Point(_clip(f"{title}{said}") + doubt, _cite(one))
    lines = one.text.split("\n")
    told = _first_code(lines[one.line - one.start :] if one.marks else lines)
    # A passage from the middle of a definition is named by it; its first line says little.
    is_inside = not one.marks and one.title and one.title.rpartition(".")[2] not in told
    return Point(_clip(one.title if is_inside or not told else told) + doubt, _cite(one))


def _describe_place(one: Evidence, section: Section, name_package: Callable[[str], str]) -> str:
    label = next(mark.label for mark in one.marks if mark.section is section)
    package = name_package(one.path)
    inside = f" in {safe_line(package)}" if package else ""
    return f"{safe_line(label)}{inside} ({_place(one, section)})"


def _place(one: Evidence, section: Section) -> str:
    return one.place(section).partition("@")[0]


def _cite(one: Evidence) -> str:
    return one.cite.partition("@")[0] if one.origin is Origin.CODE else one.cite


def _first_code(lines: Iterable[str]) -> str:
    """Return the first line that says something; a definition says most in its first line."""
    said = (line.strip() for line in lines if line.strip() and not _COMMENT.match(line))
    return next((line for line in said if not _EMPTY.match(line)), "")


def _best_sentence(text: str, terms: frozenset[str]) -> str:
    """Return the sentence that shares most words with what is asked, the first of several."""
    plain = _MARKUP.sub(r"\1", _IMAGE.sub("", _FRONT_MATTER.sub("", _FRAME.sub("", text))))
    said = [one for paragraph in _ITEM.split(plain) for one in _every_sentence(paragraph)]
    return _clip(max(said, key=lambda one: len(terms.intersection(analyze(one))), default="")) or (
        _first_sentence(text)
    )


def _every_sentence(text: str) -> Iterator[str]:
    said = " ".join(text.split())
    if _WORDS.search(said) and _is_prose(said):
        yield from _SENTENCE.split(said)


def _first_sentence(text: str) -> str:
    """Return the first sentence of prose, without headings, badges and markup."""
    plain = _MARKUP.sub(r"\1", _IMAGE.sub("", _FRONT_MATTER.sub("", text)))
    return _clip(next(_sentences(plain), " ".join(plain.split())))


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        said = " ".join(paragraph.split())
        if _WORDS.search(said) and _is_prose(said):
            yield _SENTENCE.split(said, maxsplit=1)[0]


def _is_prose(text: str) -> bool:
    """Return whether a text is mostly words; tables, drawings and code are not."""
    words = sum(one.isalpha() or one == " " for one in text)
    return words >= PROSE_SHARE * len(text)


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1].rstrip() + "…"
