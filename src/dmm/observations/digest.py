"""Digests: drafts of memories from what is worth keeping of a day.

A day gives at most one short-lived memory, and one for each decision that clearly lasts and has
enough around it to be understood later. Rules and baseline are never drafted.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.observation import Kind
from dmm.domain.text import drop_markers
from dmm.observations.records import BLOCKED, DECIDED, RULE
from dmm.observations.wording import count_words, squeeze, stopped
from dmm.text.words import english

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dmm.domain.observation import Observation

MOST_EVIDENCE = 60
MOST_FACTS = 3
MOST_FILES = 4
MOST_AREAS = 3
LONGEST_SLUG = 48
FEWEST_WORDS = 4
# What DMM drafts by itself has to be worth a look; a person may write one line.
LEAST = 300
DAILY = "ephemeral/digests"
DECISIONS = "project/decisions"
_WEIGHT = {
    Kind.DECISION: 0,
    Kind.BUGFIX: 1,
    Kind.FEATURE: 1,
    Kind.CHANGE: 2,
    Kind.DISCOVERY: 3,
}
# What holds only for a while is no decision that lasts.
_PASSING = re.compile(
    r"\b(?:for now|today|tonight|tomorrow|temporar\w+|for the time being|until|this (?:pr|branch"
    r"|commit|week|sprint|time|session)|just this once|later|quick(?:ly)?|try|experiment\w*)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = english("session_words")
FEWEST_SHARED = 3
_HEADING = re.compile(r"^ {0,3}#{1,6} +", re.MULTILINE)
_PLAIN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a memory is: whatever falls short is not drafted."""

    least: int
    most: int
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to propose."""

    path: str
    title: str
    body: str
    tags: tuple[str, ...]
    evidence: tuple[int, ...]
    tokens: int


def digest(day: str, units: Iterable[Observation], limits: Limits) -> tuple[Draft, ...]:
    """Draft what is worth keeping of the units of a day."""
    known = list(units)
    told = [unit for unit in known if unit.kind in _WEIGHT and not unit.narrative.startswith(RULE)]
    talk = {unit.evidence[0]: unit.narrative for unit in known if unit.kind is Kind.MESSAGE}
    decided = [_draft_decision(unit, told, talk, limits) for unit in told if is_durable(unit)]
    return tuple(filter(None, [_draft_day(day, told, limits), *decided]))


def is_durable(unit: Observation) -> bool:
    """Return whether a unit is a decision that clearly lasts: recorded as one, or a user's word."""
    if unit.kind is not Kind.DECISION or unit.narrative.startswith((BLOCKED, RULE)):
        return False
    meant = unit.narrative.startswith(DECIDED) or unit.trust in (Trust.USER, Trust.REVIEWED)
    lasts = not _PASSING.search(f"{unit.title} {unit.narrative}")
    return meant and lasts and count_words(unit.title) >= FEWEST_WORDS


def _draft_day(day: str, told: Sequence[Observation], limits: Limits) -> Draft | None:
    """Write the day as a numbered account: the weightiest units that fit, in their order."""
    areas = areas_of(told)
    about = f": {', '.join(areas)}" if areas else ""
    title = f"Work of {day}{about}"
    head = f"# {title}\n\nWhat sessions did on this day"
    head += f", mostly in {', '.join(areas)}" if areas else ""
    head += "; each point names the observation it is based on.\n"
    ranked = sorted(told, key=lambda unit: (_WEIGHT[unit.kind], -len(unit.facts), unit.at))
    chosen: list[Observation] = []
    left = limits.most - limits.count(head)
    for unit in ranked:
        left -= limits.count(_point(99, unit))
        if left < 0:
            break
        chosen.append(unit)
    chosen.sort(key=lambda unit: unit.evidence[0])
    points = [_point(number, unit) for number, unit in enumerate(chosen, start=1)]
    tags = ("digest", *dict.fromkeys(_slug(area, "-") for area in areas))
    path = f"{DAILY}/{day.replace('-', '_')}.md"
    return _finished(path, title, "\n".join([head, *points]), tags, chosen, limits)


def _point(number: int, unit: Observation) -> str:
    # A decision is quoted in the words that settled it; anything else starts with its title.
    title = () if unit.kind is Kind.DECISION and unit.facts else (unit.title,)
    parts = dict.fromkeys(map(stopped, (*title, *unit.facts[:MOST_FACTS])))
    files = f"Files: {', '.join(unit.files[:MOST_FILES])}. " if unit.files else ""
    return f"{number}. {unit.kind.capitalize()}: {' '.join(parts)} {files}({unit.id})"


def _draft_decision(
    unit: Observation, told: Sequence[Observation], talk: Mapping[int, str], limits: Limits
) -> Draft | None:
    """Write a decision with what was done and said about the same matter on that day."""
    body = f"# {unit.title}\n\n{unit.narrative}\n"
    used = [unit]
    for one in told:
        if one is unit or not _belongs(one, unit):
            continue
        facts = [fact for fact in one.facts if fact not in one.narrative]
        more = f"\n{one.narrative} {' '.join(map(stopped, facts))}".rstrip() + f" ({one.id})\n"
        if limits.count(body + more) <= limits.most:
            body += more
            used.append(one)
    said = (talk[seq] for one in used for seq in one.evidence if seq in talk)
    for text in dict.fromkeys(said):
        if squeeze(text) in squeeze(body):
            continue
        more = "\nIn full: " + _HEADING.sub("", text.strip()) + "\n"
        if limits.count(body) < limits.least and limits.count(body + more) <= limits.most:
            body += more
    path = f"{DECISIONS}/{_slug(drop_markers(unit.title), '_')}.md"
    tags = ("decision", *(_slug(area, "-") for area in areas_of(used)))
    return _finished(path, unit.title, body, tags, used, limits)


def _belongs(one: Observation, decision: Observation) -> bool:
    """Return whether a unit is about the matter of a decision: it cites it, or shares its words."""
    if decision.evidence[0] in one.evidence:
        return True
    mine, other = _terms(decision), _terms(one)
    return len(mine & other) >= FEWEST_SHARED


def _terms(unit: Observation) -> frozenset[str]:
    text = f"{unit.title} {unit.narrative}".casefold()
    return frozenset(word for word in _WORD.findall(text) if word not in _COMMON)


def _finished(
    path: str,
    title: str,
    body: str,
    tags: tuple[str, ...],
    used: Sequence[Observation],
    limits: Limits,
) -> Draft | None:
    tokens = limits.count(body.strip())
    if not limits.least <= tokens <= limits.most:
        return None
    seqs = tuple(dict.fromkeys(seq for one in used for seq in one.evidence))
    return Draft(path, title, body.strip() + "\n", tags, seqs[:MOST_EVIDENCE], tokens)


def areas_of(units: Iterable[Observation]) -> tuple[str, ...]:
    """Name the parts of the project that units touched most, by their files."""
    counted = Counter(area for unit in units for area in {*map(_area, unit.files)} - {""})
    ranked = sorted((-number, area) for area, number in counted.items())
    often = [area for number, area in ranked if number < -1]
    return tuple((often or [area for _, area in ranked[:1]])[:MOST_AREAS])


def _area(path: str) -> str:
    """Return the part that a file belongs to: its folder's own name, else the file's."""
    if path.startswith(("/", "..", "test")):
        return ""
    folder = posixpath.basename(posixpath.dirname(path))
    name = posixpath.basename(path).partition(".")[0]
    return name if folder in ("", "src", "lib", "app") else folder


def _slug(text: str, joint: str) -> str:
    plain = _PLAIN.sub(joint, text.casefold()).strip(joint)
    found = re.match(rf".{{1,{LONGEST_SLUG}}}(?={joint}|$)|.{{{LONGEST_SLUG}}}", plain)
    return found[0] if found else "untitled"
