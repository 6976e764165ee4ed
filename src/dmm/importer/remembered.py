"""Find what a project already remembers, however it is grouped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Self

from dmm.importer.groups import Group, group
from dmm.importer.merge import SPEAKS_FOR_ITSELF, SUBJECTS, subjects_of
from dmm.importer.outline import Block, BlockKind, Section, outline
from dmm.importer.topics import meaning
from dmm.importer.wording import Wording, guards_of, squeezed

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    # A line or guarded words, with the bounds of the place.
    _Key = tuple[Hashable, tuple[str, ...]]

_REACH = re.compile(r"^Applies to: .*$", re.MULTILINE)
_FRAME = re.compile(r"Source: \S.*:\d+\S*.*|Applies to: .*")
_FENCE_LINE = re.compile(r"\s*(`{3,}|~{3,})\s*\w*\s*")
_SAYS = re.compile(r"\w")
_LITERAL = (BlockKind.FENCE, BlockKind.CODE, BlockKind.TABLE, BlockKind.STEPS, BlockKind.HTML)


@dataclass(frozen=True, slots=True)
class _Place:
    """The headings above a rule that change its meaning.

    `bounds` are the words of them that turn it, and the files it applies to: only rules with the
    same are compared. Where no subject is named, all are meant.
    """

    bounds: tuple[str, ...]
    subjects: frozenset[str]
    nearest: frozenset[str]
    around: frozenset[str]

    def is_near(self, other: _Place) -> bool:
        return self.nearest <= other.around or other.nearest <= self.around


@dataclass(frozen=True, slots=True)
class _Rule:
    """A list item or another block of a memory, with its place."""

    block: Block
    wording: Wording
    lines: tuple[str, ...]
    place: _Place

    @property
    def is_short(self) -> bool:
        """Whether it means little without its heading."""
        return self.wording.size < SPEAKS_FOR_ITSELF

    def holds_at(self, place: _Place) -> bool:
        """Return whether it would mean the same elsewhere."""
        apart = self.place.subjects.isdisjoint(place.subjects)
        return not apart and (not self.is_short or place.is_near(self.place))


@dataclass(frozen=True, slots=True)
class Rest:
    """The part of a text that is new, and the number of its known rules."""

    text: str
    known: int


@dataclass(frozen=True, slots=True)
class Remembered:
    """The rules of some memories, by their lines and by their words, and all headings."""

    lines: dict[_Key, list[_Rule]]
    wordings: dict[_Key, list[_Rule]]
    headings: frozenset[str]

    @classmethod
    def of(cls, bodies: Iterable[str]) -> Self:
        """Read the rules of all bodies."""
        headings: set[str] = set()
        lines: dict[_Key, list[_Rule]] = {}
        wordings: dict[_Key, list[_Rule]] = {}
        for body in bodies:
            parts = list(_parts(body))
            headings.update(part.section.title.casefold() for part in parts)
            for rule in (rule for part in parts for rule in part.rules):
                for line in rule.lines:
                    lines.setdefault((line, rule.place.bounds), []).append(rule)
                if rule.block.kind not in _LITERAL:
                    key = (rule.wording.guarded, rule.place.bounds)
                    wordings.setdefault(key, []).append(rule)
        return cls(lines, wordings, frozenset(headings))

    def rest_of(self, body: str) -> Rest:
        """Return the new part of a body (perhaps none), or all of it if too little would remain."""
        parts = list(_parts(body))
        rules = [rule for part in parts for rule in part.rules]
        if not rules and any(p.section.title.casefold() not in self.headings for p in parts):
            return Rest(body, 0)
        known = {id(rule) for rule in rules if self._has(rule)}
        if len(known) == len(rules):
            return Rest("", len(known))
        gone = {id(rule) for part in parts for rule in part.to_leave_out(known)}
        if not gone or all(rule.is_short for rule in rules if id(rule) not in gone):
            return Rest(body, 0)
        return Rest(_without(body, parts, gone), len(gone))

    def _has(self, rule: _Rule) -> bool:
        bounds = rule.place.bounds
        keys = ((line, bounds) for line in rule.lines)
        if all(any(rule.holds_at(o.place) for o in self.lines.get(key, ())) for key in keys):
            return True
        alike = self.wordings.get((rule.wording.guarded, bounds), ())
        return rule.block.kind not in _LITERAL and any(
            rule.holds_at(other.place)
            for other in alike
            if other.wording.says_the_same_as(rule.wording)
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """The rules directly under a heading, and those of each introduced list."""

    section: Section
    groups: tuple[tuple[Group, tuple[_Rule, ...]], ...]

    @property
    def rules(self) -> list[_Rule]:
        return [rule for _, rules in self.groups for rule in rules]

    def to_leave_out(self, known: set[int]) -> list[_Rule]:
        """Return the rules to leave out: all if all are known, else only known list items."""
        found = [rule for rule in self.rules if id(rule) in known]
        if len(found) == len(self.rules):
            return found
        return [rule for rule in found if rule.block.kind is BlockKind.ITEM]


def _parts(body: str) -> Iterator[_Part]:
    found = _REACH.search(body)
    yield from _walk(outline("", body), (), found[0] if found else "")


def _walk(section: Section, trail: tuple[str, ...], reach: str) -> Iterator[_Part]:
    here = (*trail, section.title) if section.level else trail
    groups = []
    for found in group([block for block in section.blocks if not _is_frame(block)]):
        place = _place(here, found.label, reach)
        groups.append((found, tuple(_rule(block, place) for block in found.items or found.blocks)))
    yield _Part(section, tuple(groups))
    for child in section.children:
        yield from _walk(child, here, reach)


def _is_frame(block: Block) -> bool:
    unsaid = block.kind in (BlockKind.COMMENT, BlockKind.SEPARATOR)
    return unsaid or bool(_FRAME.fullmatch(block.text))


def _place(trail: tuple[str, ...], label: str, reach: str) -> _Place:
    around = (*trail, label)
    return _Place(
        bounds=(reach, *dict.fromkeys(guards_of(around))),
        subjects=frozenset(word for text in around for word in subjects_of(text)) or SUBJECTS,
        nearest=meaning(trail[-1] if trail else ""),
        around=frozenset(word for text in trail for word in meaning(text)),
    )


def _rule(block: Block, place: _Place) -> _Rule:
    lines = [line for line in block.text.split("\n") if _SAYS.search(line)]
    said = (line for line in lines if not _FENCE_LINE.fullmatch(line))
    normal = tuple(squeezed(line).casefold() for line in said)
    return _Rule(block, Wording.of(block.text), normal, place)


def _without(body: str, parts: list[_Part], gone: set[int]) -> str:
    """Return a body without some rules and the headings and intros that become empty."""
    lines: set[int] = set()
    for found, rules in (one for part in parts for one in part.groups):
        own = {id(rule): rule.block for rule in rules}
        dropped = [own[one] for one in own.keys() & gone] if own.keys() - gone else found.blocks
        lines.update(line for block in dropped for line in block.lines)
    needed = {id(part.section) for part in parts if {*map(id, part.rules)} - gone}
    for section in (part.section for part in parts):
        if section.level > 1 and needed.isdisjoint(map(id, section.walk())):
            lines.add(section.line)
    return _closed_up(body.split("\n"), lines)


def _closed_up(lines: list[str], gone: set[int]) -> str:
    """Drop lines, and blank lines that become double."""
    result: list[str] = []
    numbered = enumerate(lines, start=1)
    for _, run in groupby(numbered, lambda one: one[0] in gone or not one[1].strip()):
        around = list(run)
        kept = [line for number, line in around if number not in gone]
        result += kept if len(kept) == len(around) else kept[:1]
    return "\n".join(result).lstrip("\n")
