"""The short answer for a person: up to three points with citations, and what is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, groupby, zip_longest
from typing import TYPE_CHECKING

from dmm.ask.evidence import Origin, safe_line
from dmm.ask.nearness import is_near
from dmm.ask.sections import ASKED, MEANING, SECTIONS, Section
from dmm.ask.sources import DOCUMENT
from dmm.index.analysis import analyze
from dmm.repo.strip_comments import comment_lead
from dmm.text.prose import split_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from dmm.ask.evidence import Evidence

NAMED = "named section"
# Sections that are told in one line, place by place.
LINES = {
    Section.ENTRY_POINTS: "Programs start at",
    Section.PERSISTENCE: "Data is stored by",
    Section.SURFACES: "It is used through",
    Section.CONFIGURATION: "It is configured by",
    Section.AI_GENERATION: "Models are used by",
}
# Labels as a person says them.
SAID = {
    "http": "HTTP routes",
    "cli": "commands",
    "mcp": "MCP",
    "rpc": "remote calls",
    "library": "public names",
    "environment": "environment variables",
    "file": "a settings file",
    "model of a table": "models of tables",
}
OVERVIEW = (Section.PURPOSE, Section.ENTRY_POINTS, Section.PERSISTENCE)
PROSE = frozenset((str(Origin.MEMORY), DOCUMENT))
# A question with so many words of its own is about more than a section; set by hand, by reading.
SEVERAL = 2
# What people are told that is less near has nothing to do with the question; by how much code may
# be nearer to a question that asks what to do, and to others: read off the first set of
# bench/everyday/howto.jsonl and 540 other questions.
TOLD, PREFERRED, NEARLY = 0.35, 0.5, 0.1
# Without a model, prose that has this share of the words.
MOSTLY = 0.5
# Of what people are told, so much comes before code that is nearer.
MOST_BEFORE_CODE = 2
MOST_POINTS = 3
MOST_PLACES = 8
MOST_MORE = 9
LONGEST_TEXT = 160
PROSE_SHARE = 0.85
# Markup around the sentence of a README that says what the project is.
_MARKUP = re.compile(
    r"<h\d[^>]*>.*?</h\d>|<[^>]*>|!?\[([^\]]*)\]\([^)]*\)|[*`>|]+|(?<!\w)_+|_+(?!\w)|^#+\s.*$|^\s*(?:---|===).*$",
    re.M,
)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|\[\]\([^)]*\)")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_QUOTES = re.compile(r'\s*(?:"""|\'\'\')')
# Lines of code that only name other code: imports, decorators, a text by itself.
_EMPTY = re.compile(
    r"""@|["'`]|(?:import|from|use|package|export \*|#include|mod)\b"""
    r"|(?:const|let|var) .*\brequire\("
    # A name alone, or names in a row: the inside of an import, of a call, of a literal.
    r"|[\w\s,]*,$|\W*\w+(?:[^\w(]*[^\w(:])?$"
)
_OPENS = re.compile(r"(?:[{:]|=>)$")
# What an import adds to a memory: where it applies and where it comes from.
_FRAME = re.compile(r"^(?:Applies to|Source): .*$", re.M)
_ITEM = re.compile(r"\n\s*\n|\n\s*(?:[-*+]|\d+[.)])\s+")
_WORDS = re.compile(r"\w+\W+\w+\W+\w+")


@dataclass(frozen=True, slots=True)
class Point:
    """One statement of an answer, and where it can be checked."""

    text: str
    cite: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person reads first; `see_also` says what is found at the places of `more`."""

    points: tuple[Point, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    more: tuple[str, ...]
    see_also: tuple[Point, ...]


def compose_overview(
    evidence: Sequence[Evidence],
    named: Collection[Section],
    name_package: Callable[[str], str],
) -> tuple[list[Point], list[Point]]:
    """Return what a repository is for, where its programs start and where its data is.

    What else the question names comes first. What else to see is a place of each other section.
    """
    told = [*(one for one in LINES if one in named and one not in OVERVIEW), *OVERVIEW]
    points = [_describe_section(one, evidence, name_package) for one in told]
    more = {
        _place(one, section): Point(MEANING[section].partition(":")[0], _place(one, section))
        for section in SECTIONS
        if section not in told
        for one in _showing(section, evidence)[:1]
    }
    return list(filter(None, points))[:MOST_POINTS], list(more.values())[:MOST_MORE]


def compose_points(
    evidence: Sequence[Evidence],
    named: Collection[Section],
    name_package: Callable[[str], str],
    *,
    asked: str,
    looks_back: bool,
    told: Sequence[Evidence] = (),
    others: Sequence[Evidence] = (),
) -> tuple[list[Point], list[Point]]:
    """Take what shows a section that the question names, then the best piece of each source.

    The nearest source comes first; for a look back that is sessions. Of prose the sentence is
    quoted that shares most words with what is asked. What else to see comes with the points.
    """
    about = {*analyze(asked)} - {*analyze(" ".join(text for one in named for text in ASKED[one]))}
    wide = len(about) < SEVERAL
    # Where the nearest thing is named by all else that is asked, the question is about that alone.
    nearest = max(evidence, key=lambda one: one.near, default=None)
    focused = nearest is not None and is_near(nearest) and about <= _named_by(nearest)
    focused = focused and not wide
    listed = [one for one in LINES if one in named and not (focused or told)]
    lines = [_describe_section(one, evidence, name_package) for one in listed]
    points = [one for one in lines if one is not None]
    shown = {_place(one, section) for section in listed for one in _showing(section, evidence)}
    order = [NAMED, str(Origin.MEMORY), DOCUMENT, str(Origin.CODE), str(Origin.SESSIONS)]
    by_source: dict[str, list[Evidence]] = {name: [] for name in order}
    for one in evidence:
        shows = [section for section in one.sections if section in named]
        if not any(_place(one, section) in shown for section in shows):
            by_source[NAMED if shows and not one.near else _source(one)].append(one)
    ranked = _rank(by_source, str(Origin.SESSIONS) if looks_back else NAMED if wide else "")
    ranked = _put_in(told, ranked, evidence)
    left = max(0, MOST_POINTS - len(points))
    terms = frozenset(analyze(asked))
    more = [_point_at(one, terms) for one in (*ranked[left:], *others)[:MOST_MORE]]
    points += [_point(one, terms) for one in ranked[:left]]
    return points[:MOST_POINTS], more


def _rank(by_source: Mapping[str, Sequence[Evidence]], first: str) -> list[Evidence]:
    """Take turns among sources, then the nearest first; of prose one piece, more at the end."""
    turns = list(chain.from_iterable(zip_longest(*by_source.values())))
    lead = list(by_source.get(first, ()))
    extra = [one for name in PROSE for one in by_source[name][1:]]
    extra += [one for name in PROSE for one in by_source[name][:1] if not is_near(one)]
    rest = [one for one in turns if one is not None and one not in lead]
    return [*lead, *sorted(rest, key=lambda one: (one in extra, -one.near))]


def find_told(evidence: Sequence[Evidence], *, asks: bool) -> list[Evidence]:
    """Find what people are told to do, where a question asks for that or it is the nearest."""
    told = [one for one in evidence if _source(one) == DOCUMENT and _bears(one)]
    told.sort(key=lambda one: -one.near)
    is_answer = told and (asks or told[0].near + NEARLY >= _nearest_code(evidence))
    return told if is_answer else []


def _bears(one: Evidence) -> bool:
    """Return whether prose bears on a question; without a model its words alone say so."""
    return one.near >= TOLD or (not one.alike and one.covers >= MOSTLY)


def _put_in(
    told: Sequence[Evidence], ranked: Sequence[Evidence], evidence: Sequence[Evidence]
) -> list[Evidence]:
    """Put what people are told first, and code among it where that is nearer."""
    rest = [one for one in ranked if one not in told]
    if not told or not rest:
        return [*told, *rest]
    ahead = told[0].near - _nearest_code(evidence)
    if ahead < -PREFERRED:
        return [rest[0], told[0], *rest[1:], *told[1:]]
    first = MOST_BEFORE_CODE if ahead < 0 else MOST_POINTS
    return [*told[:first], rest[0], *told[first:], *rest[1:]]


def _nearest_code(evidence: Sequence[Evidence]) -> float:
    near = (one.near for one in evidence if one.origin is Origin.CODE and one.kind != DOCUMENT)
    return max(near, default=0.0)


def _describe_section(
    section: Section, evidence: Sequence[Evidence], name_package: Callable[[str], str]
) -> Point | None:
    """Name the places that show a section, each with its package; of a document its sentence."""
    shown = _showing(section, evidence)
    if not shown:
        return None
    if section is Section.PURPOSE:
        said = _clip(shown[0].remark)
        return Point(said, _place(shown[0], section)) if said else None
    places: dict[str, list[str]] = {}
    for one in shown:
        label = _describe_label(one, section, name_package)
        places.setdefault(label, []).append(_place(one, section))
    named = "; ".join(f"{label} ({'; '.join(where)})" for label, where in places.items())
    return Point(f"{LINES[section]} {named}", _place(shown[0], section))


def _showing(section: Section, evidence: Sequence[Evidence]) -> list[Evidence]:
    """List the evidence of a section, each place once."""
    found: dict[str, Evidence] = {}
    for one in evidence:
        if section in one.sections:
            found.setdefault(_place(one, section), one)
    return list(found.values())[:MOST_PLACES]


def _named_by(one: Evidence) -> set[str]:
    return {*analyze(f"{one.title} {one.remark}")}


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
    doubt = _doubt(one)
    if one.origin is not Origin.CODE or one.kind == DOCUMENT:
        if one.remark:
            return Point(one.remark + doubt, _cite(one))
        said = _best_sentence(one.text, terms)
        title = f"{one.title}: " if one.title and one.title not in said else ""
        return Point(_clip(f"{title}{said}") + doubt, _cite(one))
    text, line = _tell_code(one, terms)
    place = _cite(one).rpartition(":")[0]
    return Point(_clip(text) + doubt, f"{place}:{line}")


def _point_at(one: Evidence, terms: frozenset[str]) -> Point:
    """Say in a few words what there is to see."""
    known = one.title if one.title not in one.remark else ""
    said = ": ".join(filter(None, (known, one.remark)))
    if not said and one.origin is Origin.CODE and one.kind != DOCUMENT:
        said = _tell_code(one, terms)[0]
    return Point(_clip(said) + _doubt(one), _cite(one))


def _doubt(one: Evidence) -> str:
    return f" (low trust: {one.doubt})" if one.doubt else ""


def _tell_code(one: Evidence, terms: frozenset[str]) -> tuple[str, int]:
    """Say what code does: its name with the comment on it, or the line nearest to the question."""
    if one.remark and one.title:
        return f"{one.title}: {one.remark}", one.line
    lines = list(enumerate(one.text.split("\n")))
    lead = comment_lead(one.path)
    said = [(at, line.strip()) for at, line in lines if _says(line, lead)]
    if one.marks and not one.near:
        said = [(at, line) for at, line in said if at >= one.line - one.start][:1] or said[:1]
    elif not one.title:
        # Code outside any definition is best described by the comment in it.
        said += _remarks(lines, lead)
    name = one.title.rpartition(".")[2]
    if not said:
        return one.title or one.path.rpartition("/")[2], one.line
    if name and re.search(rf"\b{re.escape(name)}\b", said[0][1]):
        # A signature says no more than its name; what it opens does.
        opened = next((at for at, line in said if _OPENS.search(line)), lines[-1][0])
        body = [(at, line) for at, line in said if at > opened]
        if not body:
            return said[0][1], one.line
        said = body
    at, best = max(said, key=lambda two: (len(terms.intersection(analyze(two[1]))), -two[0]))
    return f"{one.title}: {best}" if name else best, one.start + at


def _remarks(lines: Sequence[tuple[int, str]], lead: re.Pattern[str]) -> list[tuple[int, str]]:
    """Return the first sentence of each comment, however many lines it takes, with its line."""
    told = [(at, _uncomment(line, lead)) for at, line in lines]
    runs = (list(run) for said, run in groupby(told, lambda two: bool(two[1])) if said)
    texts = ((run[0][0], " ".join((line or "").lstrip(" :!") for _, line in run)) for run in runs)
    found = [(at, text.removesuffix("*/").strip()) for at, text in texts]
    return [(at, split_sentences(text)[0]) for at, text in found if text]


def _says(line: str, lead: re.Pattern[str]) -> bool:
    plain = line.strip()
    is_empty = _uncomment(line, lead) is not None or _EMPTY.match(plain)
    return not is_empty and any(char.isalpha() for char in plain)


def _uncomment(line: str, lead: re.Pattern[str]) -> str | None:
    """Return what a comment says; None where a line is code."""
    found = lead.match(line) or _QUOTES.match(line)
    return None if found is None else line[found.end() :]


def _describe_label(one: Evidence, section: Section, name_package: Callable[[str], str]) -> str:
    label = next(mark.label for mark in one.marks if mark.section is section)
    program = one.path.rpartition("/")[0] if section is Section.ENTRY_POINTS else ""
    package = name_package(one.path) or program
    inside = f" in {safe_line(package)}" if package else ""
    return f"{SAID.get(label, safe_line(label))}{inside}"


def _place(one: Evidence, section: Section) -> str:
    return one.place(section).rpartition("@")[0]


def _cite(one: Evidence) -> str:
    return one.cite.rpartition("@")[0] if one.origin is Origin.CODE else one.cite


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
        yield from split_sentences(said)


def _first_sentence(text: str) -> str:
    """Return the first sentence of prose, without headings, badges and markup."""
    plain = _MARKUP.sub(r"\1", _IMAGE.sub("", _FRONT_MATTER.sub("", text)))
    return _clip(next(_sentences(plain), " ".join(plain.split())))


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        said = " ".join(paragraph.split())
        if _WORDS.search(said) and _is_prose(said):
            yield split_sentences(said)[0]


def _is_prose(text: str) -> bool:
    """Return whether a text is mostly words; tables, drawings and code are not."""
    words = sum(one.isalpha() or one == " " for one in text)
    return words >= PROSE_SHARE * len(text)


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1].rstrip() + "…"
