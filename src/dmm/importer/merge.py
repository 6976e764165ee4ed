"""Merge rules that occur twice, listing where each went."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from dmm.importer.groups import Group, group
from dmm.importer.likeness import Alike, Rarity
from dmm.importer.marks import read_mark
from dmm.importer.outline import Block, BlockKind, Section, edit
from dmm.importer.sources import SourceRef
from dmm.importer.topics import GENERAL, content_words, meaning, topic_of, words
from dmm.importer.wording import LEAST_OVERLAP, Wording, guards_of, squeezed
from dmm.text.prose import strip_bullet
from dmm.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SPEAKS_FOR_ITSELF = 4
SUBJECTS = word_set(
    """python typescript javascript go golang rust java kotlin swift ruby php sql react vue svelte
    node deno frontend backend server client web mobile ios android windows linux macos api worker
    cli database staging production development local ci unit integration e2e"""
)
_EXACT = (BlockKind.FENCE, BlockKind.CODE, BlockKind.TABLE, BlockKind.QUOTE, BlockKind.HTML)

_Key = tuple[BlockKind, SourceRef]


@dataclass(frozen=True, slots=True)
class Merged:
    """A duplicate that is not written, and the place whose wording is kept."""

    text: str
    source: SourceRef
    kept: SourceRef
    memory: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """The headings and the intro above a rule, which are part of its meaning."""

    path: str
    trail: tuple[str, ...]
    guards: tuple[str, ...]
    subjects: frozenset[str]
    intro: frozenset[str]
    globs: tuple[str, ...]

    @property
    def heading(self) -> str:
        """The nearest heading."""
        return self.trail[-1] if self.trail else ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that can be merged as a whole: a list item, or blocks that belong together."""

    blocks: tuple[Block, ...]
    wording: Wording
    exact: str
    place: Place

    @property
    def ref(self) -> SourceRef:
        """The source lines of the rule."""
        return span(self.blocks)


@dataclass(slots=True)
class _Cluster:
    """Units that say the same; the fullest wording is kept, and the first of equal ones."""

    kept: Rule
    others: list[Rule] = field(default_factory=list)

    def add(self, unit: Rule) -> bool:
        """Add a unit; return whether it is the one now kept."""
        fuller = unit.wording.size > self.kept.wording.size
        if fuller:
            self.kept, unit = unit, self.kept
        self.others.append(unit)
        return fuller


class _Family:
    """The clusters under similar headings, in the order they were found."""

    def __init__(self, rarity: Rarity) -> None:
        self.clusters: list[_Cluster] = []
        self._alike: Alike[_Cluster] = Alike(rarity, LEAST_OVERLAP)
        self._exact: dict[str, list[tuple[int, _Cluster]]] = {}

    def sort_in(self, unit: Rule) -> None:
        """Add a unit to the first cluster with the same content, or start a new one."""
        near = self._exact.get(unit.exact, ()) if unit.exact else self._find_alike(unit)
        for number, cluster in near:
            if _comparable(cluster.kept, unit):
                if cluster.add(unit):
                    self._enter(number, cluster)
                return
        self.clusters.append(_Cluster(unit))
        self._enter(len(self.clusters) - 1, self.clusters[-1])

    def _find_alike(self, unit: Rule) -> Iterator[tuple[int, _Cluster]]:
        for number, cluster in self._alike.find(frozenset(unit.wording.words)):
            if cluster.kept.wording.says_the_same_as(unit.wording):
                yield number, cluster

    def _enter(self, number: int, cluster: _Cluster) -> None:
        unit = cluster.kept
        if unit.exact:
            self._exact.setdefault(unit.exact, []).append((number, cluster))
        else:
            self._alike.put(number, cluster, frozenset(unit.wording.words))


def span(blocks: Sequence[Block]) -> SourceRef:
    """Return the lines from the first to the last of some blocks of one source."""
    return replace(blocks[0].ref, last_line=blocks[-1].ref.last_line)


def merge(
    trees: Sequence[tuple[Section, tuple[str, ...]]],
) -> tuple[list[Section], tuple[Merged, ...]]:
    """Keep each rule in one place of the trees, with the globs of its source."""
    units = [unit for tree, globs in trees for unit in rules_of(tree, globs)]
    rarity = Rarity.of(set(unit.wording.words) for unit in units)
    families: dict[tuple[object, ...], _Family] = defaultdict(partial(_Family, rarity))
    for unit in units:
        place = unit.place
        key = (unit.wording.guarded, place.guards, place.subjects, place.intro, place.globs)
        families[key].sort_in(unit)
    repeated = [c for family in families.values() for c in family.clusters if c.others]
    merged = tuple(
        Merged(text="\n".join(b.text for b in unit.blocks), source=unit.ref, kept=cluster.kept.ref)
        for cluster in repeated
        for unit in cluster.others
    )
    changes = _changes(repeated)
    pruned = [edit(tree, lambda block: changes.get(_key(block), block)) for tree, _ in trees]
    trees_left, stranded = _drop_stranded_intros(pruned, [tree for tree, _ in trees], merged)
    return trees_left, tuple(sorted((*merged, *stranded), key=lambda item: item.source))


def rules_of(tree: Section, globs: tuple[str, ...]) -> Iterator[Rule]:
    """Return the active rules of a tree, in the order of the text."""
    return (_unit(blocks, place) for blocks, place in placed_blocks(tree, globs))


def placed_blocks(
    tree: Section, globs: tuple[str, ...], trail: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[Block, ...], Place]]:
    """Return the blocks and place of each active rule, in the order of the text."""
    mark = read_mark(tree.blocks)
    if mark is not None and not mark.in_force:
        # A rule in force must not end in a memory that is not.
        return
    # The title of the document names the project, and its number where a section stands: neither
    # is the subject of a rule.
    here = (*trail, strip_bullet(tree.title)) if tree.level > 1 else trail
    for found in group(tree.blocks):
        place = _place(tree, here, found, globs)
        yield from ((blocks, place) for blocks in _units(found))
    for child in tree.children:
        yield from placed_blocks(child, globs, here)


def _key(block: Block) -> _Key:
    # A list of one item covers the same lines as the item.
    return block.kind, block.ref


def _comparable(a: Rule, b: Rule) -> bool:
    if a.place.path == b.place.path:
        return a.place.trail == b.place.trail
    if meaning(a.place.heading) == meaning(b.place.heading):
        return True
    if min(a.wording.size, b.wording.size) < SPEAKS_FOR_ITSELF and not a.exact:
        return False
    headings = (a.place.heading, b.place.heading)
    topics = {topic_of("", heading) for heading in headings}
    vague = not all(map(content_words, headings))
    return len(topics) == 1 and (GENERAL not in topics or vague)


def _place(section: Section, trail: tuple[str, ...], found: Group, globs: tuple[str, ...]) -> Place:
    around = (*trail, found.label)
    return Place(
        path=next((block.ref.path for block in section.blocks), ""),
        trail=trail,
        guards=guards_of(around),
        subjects=frozenset(word for text in around for word in subjects_of(text)),
        intro=meaning(found.label),
        globs=globs,
    )


@lru_cache(maxsize=4_096)
def subjects_of(text: str) -> frozenset[str]:
    """Return the subjects of a heading, cached because every rule below it asks."""
    return SUBJECTS & set(words(text))


def _units(found: Group) -> Iterator[tuple[Block, ...]]:
    """Return the parts of a group that merge as a whole: list items, or all of it."""
    if found.items:
        yield from ((item,) for item in found.items)
    elif found.blocks[0].kind not in (BlockKind.COMMENT, BlockKind.SEPARATOR):
        yield found.blocks


def _unit(blocks: tuple[Block, ...], place: Place) -> Rule:
    text = "\n".join(block.text for block in blocks)
    # Code and tables mean what they say to the letter, and steps stand in their order.
    whole = len(blocks) > 1 or blocks[0].kind in (*_EXACT, BlockKind.STEPS) or "```" in text
    return Rule(blocks, Wording.of(text), squeezed(text) if whole else "", place)


def _changes(repeated: Sequence[_Cluster]) -> dict[_Key, Block | None]:
    changes: dict[_Key, Block | None] = {}
    for cluster in repeated:
        also = tuple(unit.ref for unit in cluster.others)
        kept = cluster.kept.blocks[0]
        changes[_key(kept)] = replace(kept, also=also)
        changes.update({_key(block): None for unit in cluster.others for block in unit.blocks})
    return changes


def _drop_stranded_intros(
    pruned: Sequence[Section], whole: Sequence[Section], merged: Sequence[Merged]
) -> tuple[list[Section], list[Merged]]:
    blocks = (block for tree in pruned for block in tree.every_block())
    left = {(block.ref.path, block.ref.last_line) for block in blocks}
    kept_at = {item.source: item.kept for item in merged}
    sections = (section for tree in whole for section in tree.walk())
    stranded = [one for section in sections for one in _stranded(section, left, kept_at)]
    gone = {item.source for item in stranded}
    trees = [edit(tree, lambda b: None if b.ref in gone else b) for tree in pruned]
    return trees, stranded


def _stranded(
    section: Section, left: set[tuple[str, int]], kept_at: dict[SourceRef, SourceRef]
) -> Iterator[Merged]:
    for found in group(section.blocks):
        intro, *rest = found.blocks
        left_over = [block.ref for block in found.blocks if _remains(block, left)]
        refs = (item.ref for block in rest for item in block.parts)
        kept = [kept_at[ref] for ref in refs if ref in kept_at]
        if found.label and left_over == [intro.ref] and kept:
            yield Merged(intro.text, intro.ref, kept[0])


def _remains(block: Block, left: set[tuple[str, int]]) -> bool:
    return any((part.ref.path, part.ref.last_line) in left for part in block.parts)
