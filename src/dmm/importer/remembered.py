"""Find what a project already remembers, however it is grouped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from dmm.importer.groups import Group, group
from dmm.importer.merge import SPEAKS_FOR_ITSELF, subjects_of
from dmm.importer.outline import Block, BlockKind, Section, outline
from dmm.importer.topics import meaning
from dmm.importer.wording import Wording, guards_of, squeezed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SOURCE = re.compile(r"Source: \S.*:\d+\S*.*")
_REACH = re.compile(r"^Applies to: .*$", re.MULTILINE)
_FENCE_LINE = re.compile(r"\s*(`{3,}|~{3,})\s*\w*\s*")
_SAYS = re.compile(r"\w")
_LITERAL = (BlockKind.FENCE, BlockKind.CODE, BlockKind.TABLE, BlockKind.STEPS, BlockKind.HTML)


@dataclass(frozen=True, slots=True)
class _Place:
    """The headings above a rule and the files it applies to, as far as they turn its meaning."""

    guards: tuple[str, ...]
    subjects: frozenset[str]
    nearest: frozenset[str]
    around: frozenset[str]
    reach: str

    def agrees(self, other: _Place, *, closely: bool) -> bool:
        same = (self.guards, self.reach) == (other.guards, other.reach)
        apart = self.subjects and other.subjects and self.subjects.isdisjoint(other.subjects)
        near = self.nearest <= other.around or other.nearest <= self.around
        return same and not apart and (near or not closely)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A list item or another block of a memory, with its place."""

    block: Block
    wording: Wording
    lines: tuple[str, ...]
    place: _Place

    @property
    def is_short(self) -> bool:
        """Whether it says little without its heading."""
        return self.wording.size < SPEAKS_FOR_ITSELF


@dataclass(frozen=True, slots=True)
class Rest:
    """What of a text is not remembered yet, and how many of its rules are."""

    text: str
    known: int


@dataclass(frozen=True, slots=True)
class Remembered:
    """The rules of some memories, by their lines and by their words, and all headings."""

    lines: dict[str, list[_Place]]
    wordings: dict[tuple[str, ...], list[_Rule]]
    headings: frozenset[str]

    @classmethod
    def of(cls, bodies: Iterable[str]) -> Self:
        """Read the rules of all bodies."""
        headings: set[str] = set()
        lines: dict[str, list[_Place]] = {}
        wordings: dict[tuple[str, ...], list[_Rule]] = {}
        for body in bodies:
            parts = list(_parts(body))
            headings.update(part.section.title.casefold() for part in parts)
            for rule in (rule for part in parts for rule in part.rules):
                for line in rule.lines:
                    lines.setdefault(line, []).append(rule.place)
                if rule.block.kind not in _LITERAL:
                    wordings.setdefault(rule.wording.guarded, []).append(rule)
        return cls(lines, wordings, frozenset(headings))

    def rest_of(self, body: str) -> Rest:
        """Return what is new in a body, "" for nothing; all of it where too little would remain."""
        parts = list(_parts(body))
        rules = [rule for part in parts for rule in part.rules]
        if not rules and any(p.section.title.casefold() not in self.headings for p in parts):
            return Rest(body, 0)
        known = {id(rule) for rule in rules if self._has(rule)}
        if len(known) == len(rules):
            return Rest("", len(known))
        gone = [rule for part in parts for rule in part.to_leave_out(known)]
        left = [rule for rule in rules if not any(rule is other for other in gone)]
        if not gone or all(rule.is_short for rule in left):
            return Rest(body, 0)
        return Rest(_without(body, parts, left), len(gone))

    def _has(self, rule: _Rule) -> bool:
        if all(self._has_line(line, rule) for line in rule.lines):
            return True
        return rule.block.kind not in _LITERAL and any(
            other.wording.says_the_same_as(rule.wording)
            and other.place.agrees(rule.place, closely=rule.is_short)
            for other in self.wordings.get(rule.wording.guarded, ())
        )

    def _has_line(self, line: str, rule: _Rule) -> bool:
        places = self.lines.get(line, ())
        return any(place.agrees(rule.place, closely=rule.is_short) for place in places)


@dataclass(frozen=True, slots=True)
class _Part:
    """The rules right under a heading, and those of each intro that leads in to a list."""

    section: Section
    groups: tuple[tuple[Group, tuple[_Rule, ...]], ...]

    @property
    def rules(self) -> list[_Rule]:
        return [rule for _, rules in self.groups for rule in rules]

    def to_leave_out(self, known: set[int]) -> list[_Rule]:
        """Choose what can go: all that is known, but of a half-known text only list items."""
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
        groups.append((found, tuple(_rule(block, place) for block in _blocks(found))))
    yield _Part(section, tuple(groups))
    for child in section.children:
        yield from _walk(child, here, reach)


def _is_frame(block: Block) -> bool:
    if block.kind in (BlockKind.COMMENT, BlockKind.SEPARATOR):
        return True
    return bool(_SOURCE.fullmatch(block.text) or _REACH.fullmatch(block.text))


def _place(trail: tuple[str, ...], label: str, reach: str) -> _Place:
    around = (*trail, label)
    return _Place(
        guards=tuple(dict.fromkeys(guards_of(around))),
        subjects=frozenset(word for text in around for word in subjects_of(text)),
        nearest=meaning(trail[-1] if trail else ""),
        around=frozenset(word for text in trail for word in meaning(text)),
        reach=reach,
    )


def _blocks(found: Group) -> Iterator[Block]:
    rest = found.blocks[1:] if found.label else found.blocks
    if rest and all(block.kind is BlockKind.LIST for block in rest):
        yield from (item for block in rest for item in block.items)
    else:
        yield from found.blocks


def _rule(block: Block, place: _Place) -> _Rule:
    lines = [line for line in block.text.split("\n") if _SAYS.search(line)]
    said = (line for line in lines if not _FENCE_LINE.fullmatch(line))
    normal = tuple(squeezed(line).casefold() for line in said)
    return _Rule(block, Wording.of(block.text), normal, place)


def _without(body: str, parts: list[_Part], left: list[_Rule]) -> str:
    """Write a body with only the rules that are left, and the headings and intros they need."""
    kept = {id(rule) for rule in left}
    gone: set[int] = set()
    for part in parts:
        for found, rules in part.groups:
            stays = any(id(rule) in kept for rule in rules)
            dropped = [r.block for r in rules if id(r) not in kept] if stays else found.blocks
            gone.update(line for block in dropped for line in block.lines)
    needed = {id(part.section) for part in parts if any(id(r) in kept for r in part.rules)}
    for part in parts:
        below = {id(section) for section in part.section.walk()}
        if part.section.level > 1 and not below & needed:
            gone.add(part.section.line)
    return _closed_up(body.split("\n"), gone)


def _closed_up(lines: list[str], gone: set[int]) -> str:
    """Drop lines, and blank lines that become double."""
    result: list[str] = []
    after_gap = False
    for number, line in enumerate(lines, start=1):
        if number in gone:
            after_gap = True
        elif line.strip() or not after_gap or (result and result[-1].strip()):
            result.append(line)
            after_gap = after_gap and not line.strip()
    return "\n".join(result)
