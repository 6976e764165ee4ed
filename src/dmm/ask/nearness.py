"""Order evidence by how near it is to the question, in words and in meaning."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dmm.ask.evidence import Origin
from dmm.ask.sections import ASKED, SECTIONS, find_sections
from dmm.ask.sources import DECLARED, DOCUMENT
from dmm.index.analysis import analyze
from dmm.repo.meanings import place_of, split_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dmm.ask.evidence import Evidence
    from dmm.ask.sections import Section

    # How alike a text and each of some others are, from -1 to 1; nothing without a model.
    Liken = Callable[[str, Sequence[str]], Sequence[float]]

# All constants here were chosen on the 24 questions of bench/everyday/questions.jsonl, so they hold
# for them better than for others; none was fitted alone. A different model needs different ones.
# What the words of a search count beside the meaning: 0.25, 0.5 and 1 were tried.
WORDS = 0.5
# What speaking of all that is asked about, in one place, counts beside these. The constants up to
# the empty line were chosen on 77 questions over nine repositories; of this one 0.1 to 0.75.
TOGETHER = 0.15
# Lines that no definition holds, or a type, do nothing; code that does comes first.
IDLE = 0.15
# What the meaning of the whole file counts: 0.25, 0.5 and 1 were tried on 1,253 questions over ten
# other repositories, and on 96 of those in bench/everyday.
AROUND = 0.5
# Evidence that is less like the question, times what it speaks of, proves nothing.
PROVES = 0.2
# A person reads a few words that say what is missing, not half of the question.
MOST_UNPROVED = 3

# What a place in a package that is asked for counts more: it decides between close ones only.
INSIDE = 0.1
# A question so much like the usual one for a section asks for that section: read off the likeness
# of the 24 and of 20 control questions, of which nine ask for no section.
ASKS_FOR = 0.42
# Of several sections, those that are nearly as much alike as the best; set by hand.
CLOSE = 0.1
# Prose less like the question than this is about something else: by reading answers to the 24.
NEAR_ENOUGH = 0.45
# The model takes longer for more, and the beginning of a passage says what it is about.
LONGEST_READ = 500
NOTHING: Mapping[str, Any] = {}


def order(
    question: str,
    found: Sequence[Evidence],
    liken: Liken,
    worth: Mapping[str, float],
    is_asked: Callable[[str], bool] = lambda _: False,
    changes: Mapping[str, Sequence[str]] = NOTHING,
    files: Mapping[str, float] = NOTHING,
) -> list[Evidence]:
    """Order evidence, the nearest first; what lies in a place that is asked for counts more.

    Code is as near as what it says of itself, or as what was said when it was changed: people
    write that in the words in which others ask. How near its whole file is counts half as much.
    Without a model the order stays as it is.
    """
    alike = liken(question, [describe(one) for one in found])
    if not alike:
        return list(found)
    said = list(dict.fromkeys(line for one in found for line in changes.get(one.path, ())))
    told = dict(zip(said, liken(question, said), strict=True)) if said else {}
    # A file that defines nothing is neither nearer nor farther for it.
    usual = fmean(files.values()) if files else 0.0
    ordered = []
    for one, value in zip(found, alike, strict=True):
        covers = sum(worth[term] for term in speaks_of(one) & worth.keys())
        best = max((value, *(told[line] for line in changes.get(one.path, ()))))
        total = best + WORDS * one.score + INSIDE * is_asked(one.path)
        if _is_code(one):
            idle = one.kind in DECLARED or not one.title
            total += TOGETHER * covers - IDLE * idle + AROUND * files.get(one.path, usual)
        ordered.append(replace(one, near=total, alike=value, covers=covers))
    return sorted(ordered, key=lambda one: -one.near)


def speaks_of(one: Evidence) -> set[str]:
    """Return the terms of evidence and of its place."""
    return {*analyze(f"{one.path} {one.title} {one.remark} {one.text}")}


def find_unproved(
    subjects: Sequence[str], evidence: Sequence[Evidence], worth: Mapping[str, float]
) -> list[str]:
    """List the subjects that the best evidence does not speak of, where it proves nothing.

    Only those that say most of what the question is about are listed, in its order.
    """
    best = max(evidence, key=lambda one: one.alike * one.covers, default=None)
    if best is None or not best.near or best.alike * best.covers >= PROVES:
        return []
    lacking = worth.keys() - speaks_of(best)
    least = 1 / (2 * max(1, len(worth)))
    said = {
        one: max((worth[term] for term in lacking.intersection(analyze(one))), default=0.0)
        for one in subjects
    }
    telling = [one for one in said if said[one] >= least]
    most = sorted(telling, key=lambda one: -said[one])[:MOST_UNPROVED]
    return [one for one in telling if one in most]


def name_sections(question: str, liken: Liken) -> tuple[Section, ...]:
    """List the sections that a question names, or that it asks for in other words."""
    named = find_sections(question)
    asked = [(one, text) for one in SECTIONS for text in ASKED[one]]
    alike = liken(question, [text for _, text in asked])
    least = max((ASKS_FOR, *(value - CLOSE for value in alike)))
    meant = {one for (one, _), value in zip(asked, alike, strict=False) if value >= least}
    return tuple(one for one in SECTIONS if one in named or one in meant)


def is_near(one: Evidence) -> bool:
    """Return whether prose is about what is asked, and does not only share its words."""
    return not one.near or one.alike >= NEAR_ENOUGH


def describe(one: Evidence) -> str:
    """Return what evidence is about: for code its place, name and comment, for prose its text."""
    if not _is_code(one):
        return f"{split_name(one.path.rpartition('.')[0])}. {one.title}. {one.text[:LONGEST_READ]}"
    return f"{split_name(place_of(one.path))}. {split_name(one.title)}. {one.remark}"


def _is_code(one: Evidence) -> bool:
    return one.origin is Origin.CODE and one.kind != DOCUMENT
