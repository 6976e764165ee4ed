"""Whether a file holds one concept."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.proposal import CheckName
from dmm.review.checks.subject import failed, passed, quote, warned
from dmm.review.checks.vocabulary import Vocabulary, read_vocabulary, telling_words

if TYPE_CHECKING:
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.CONCEPT
LONGEST_BODY = 40_000

_HEADING = re.compile(r" {0,3}(#{1,2})[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_BULLET = re.compile(r" {0,3}[-*+][ \t]+(.*)")
_NUMBERED = re.compile(r" {0,3}\d{1,3}[.)][ \t]+")
_JOINED = re.compile(r"\s*(?:,|;|/|&|\+|\band\b|\bplus\b|\bas well as\b)\s*", re.IGNORECASE)
# Headings of the parts that any account of one thing has.
_PARTS = re.compile(
    r"^(?:the |our |a |an )?(?:rationale|reasons?|why|what|how|when|where|who|which|alternatives?"
    r"|context|background|consequences?|decision|status|details?|examples?|steps?|procedure|usage"
    r"|use|notes?|see also|references?|links?|related|exceptions?|limits?|limitations?|scope"
    r"|summary|overview|symptoms?|causes?|root cause|fix(?:es)?|workaround|verification|verify"
    r"|checks?|checking|testing|tests?|rule|rules|problem|solution|outcome|trade-?offs?|risks?|rollback"
    r"|before|after|during|in |on |for |if |start|end|end of|next|upkeep|maintenance|history|open"
    r"|pitfalls?|traps?|caveats?|edge cases?|implementation|design|behaviou?r|configuration|setup"
    r"|requirements?|commands?|common|the form|layout|review|todo|faq|impact|migration|owners?)\b",
    re.IGNORECASE,
)
_MIXTURE = re.compile(
    r"\b(?:misc(?:ellaneous)?|various|assorted|random|several|mixed|different|collected|notes|tips"
    r"|learnings|lessons|things|facts|findings|tidbits|odds)\b",
    re.IGNORECASE,
)
LINKED = 0.12
_FEWEST_WORDS = 12
_FEWEST_RULES = 6


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    vocabulary: Vocabulary
    size: int


@dataclass(frozen=True, slots=True)
class _Outline:
    """A body taken apart: titles, what stands before the sections, the sections, the bullets."""

    titles: tuple[tuple[str, int], ...]
    opening: str
    sections: tuple[_Section, ...]
    bullets: tuple[str, ...]


def check_concept(_: Subject, memory: Memory) -> Check:
    """Object only where a text is clearly about several things; where it may be, say so."""
    outline = _read_outline(memory.body[:LONGEST_BODY])
    return (
        _check_titles(outline)
        or _check_sections(memory, outline)
        or _check_bullets(memory, outline)
        or passed(NAME, "one title, and the parts belong together")
    )


def _check_titles(outline: _Outline) -> Check | None:
    if len(outline.titles) < 2:
        return None
    names = ", ".join(quote(title) for title, _ in outline.titles[:3])
    if sum(size >= _FEWEST_WORDS for _, size in outline.titles) > 1:
        return failed(NAME, f"several titles: {names}; write one file for each")
    return warned(NAME, f"several titles: {names}; use '##' below the first one")


def _check_sections(memory: Memory, outline: _Outline) -> Check | None:
    topics = [
        s for s in outline.sections if s.size >= _FEWEST_WORDS and not _PARTS.match(s.heading)
    ]
    mixture = [[section] for section in topics] if _MIXTURE.search(memory.title) else []
    groups = _halves(memory.title, topics) or mixture
    if len(groups) > 1 and not _any_link(groups):
        names = ", ".join(quote(group[0].heading) for group in groups[:4])
        return failed(NAME, f"sections about different things: {names}; write one file for each")
    opening = read_vocabulary(f"{outline.opening}\n{' '.join(memory.tags)}")
    words = telling_words(memory.title)
    apart = [s for s in topics if not _goes_with(s, words, opening, outline.sections)]
    if not apart:
        return None
    names = ", ".join(quote(section.heading) for section in apart[:4])
    if len(apart) == len(topics) and len(topics) > 1:
        return failed(NAME, f"sections that match neither each other nor the title: {names}")
    return warned(NAME, f"sections that may belong elsewhere: {names}")


def _goes_with(
    section: _Section, title: list[str], opening: Vocabulary, sections: tuple[_Section, ...]
) -> bool:
    mine = section.vocabulary
    others = [opening, *(one.vocabulary for one in sections if one is not section)]
    return any(map(mine.covers, title)) or any(_linked(mine, other) for other in others)


def _linked(one: Vocabulary, other: Vocabulary) -> bool:
    """Whether two texts share so many telling words as parts of one text do.

    Halves of one note share fewer than an eighth in 1 of 100 cases, unrelated notes mostly do.
    """
    shorter = min(len(one.terms), len(other.terms))
    return len(one.terms & other.terms) >= max(2.0, LINKED * shorter)


def _any_link(groups: list[list[_Section]]) -> bool:
    return any(
        _linked(one.vocabulary, other.vocabulary)
        for at, group in enumerate(groups)
        for later in groups[at + 1 :]
        for one in group
        for other in later
    )


def _halves(title: str, topics: list[_Section]) -> list[list[_Section]]:
    """The sections that a title names one by one, as in "Backups and colours of buttons"."""
    words = [telling_words(half) for half in _JOINED.split(title) if telling_words(half)]
    if len(words) < 2:
        return []
    groups = [[s for s in topics if any(map(s.vocabulary.covers, half))] for half in words]
    named = [section for group in groups for section in group]
    return groups if all(groups) and len(named) == len(set(map(id, named))) else []


def _check_bullets(memory: Memory, outline: _Outline) -> Check | None:
    if len(outline.bullets) < _FEWEST_RULES:
        return None
    mixture = _MIXTURE.search(memory.title) is not None
    known = [read_vocabulary(bullet) for bullet in outline.bullets]
    title = read_vocabulary(f"{memory.title}\n{' '.join(memory.tags)}")
    seen: Counter[str] = Counter()
    for vocabulary in known:
        seen.update(vocabulary.terms)
    alone = [
        v
        for v in known
        if v.terms and not v.shared(title) and all(seen[term] < 2 for term in v.terms)
    ]
    share = len(alone) / len(known)
    if share >= 0.8 or (share >= 0.5 and mixture):
        text = f"{len(known)} points that have little in common"
        return failed(NAME, f"{text}; write one file for each concept")
    if share >= 0.6:
        return warned(NAME, f"{len(alone)} of {len(known)} points may belong elsewhere")
    return None


def _read_outline(body: str) -> _Outline:
    titles: list[tuple[str, list[str]]] = []
    bullets: list[str] = []
    parts: list[tuple[str, list[str]]] = [("", [])]
    fenced, blank = False, True
    for line in body.split("\n"):
        fenced = fenced != bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading and len(heading[1]) == 1 and blank:
            titles.append((heading[2].strip(" #\t"), []))
        elif heading and len(heading[1]) == 2:
            parts.append((heading[2].strip(" #\t"), []))
        else:
            parts[-1][1].append(line)
            for _, lines in titles[-1:]:
                lines.append(line)
            point = None if fenced else _BULLET.match(line)
            bullets += [point[1]] if point else []
            if bullets and not point and line.startswith("  ") and not _NUMBERED.match(line):
                bullets[-1] += f" {line.strip()}"
        blank = not line.strip()
    sections = [_section(heading, "\n".join(lines)) for heading, lines in parts[1:]]
    sizes = tuple((title, len(telling_words("\n".join(lines)))) for title, lines in titles)
    return _Outline(sizes, "\n".join(parts[0][1]), tuple(sections), tuple(bullets))


def _section(heading: str, text: str) -> _Section:
    return _Section(heading, read_vocabulary(f"{heading}\n{text}"), len(telling_words(text)))
