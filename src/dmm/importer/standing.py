"""The rules of instruction files that stay always on: one baseline note for each file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import filterfalse, groupby
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope
from dmm.importer.bearing import CONSTRAINTS
from dmm.importer.imperatives import imperatives_of
from dmm.importer.memories import whole_body
from dmm.importer.notes import Note
from dmm.importer.outline import BlockKind, heading_line, refs_of
from dmm.importer.sources import SourceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dmm.importer.documents import Document
    from dmm.importer.imperatives import Imperative
    from dmm.importer.notes import Count
    from dmm.importer.outline import Block
    from dmm.importer.sources import SourceRef

    Tidy = Callable[[Note], Note]
    Size = Callable[[Sequence["_Entry"]], int]

PRIORITY = 0.99
# What may stand behind the end of a sentence.
_CLOSING = "*_)\"'\N{RIGHT DOUBLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"


@dataclass(frozen=True, slots=True)
class Held:
    """What binds already: sentences that rule files enforce, and the text of the baseline."""

    ruled: frozenset[str] = frozenset()
    baseline: str = ""

    def enforces(self, one: Imperative) -> bool:
        """Return whether a rule file enforces a sentence."""
        return one.text.casefold() in self.ruled

    def knows(self, one: Imperative) -> bool:
        """Return whether a sentence needs no place in the baseline."""
        return self.enforces(one) or one.said in self.baseline


@dataclass(frozen=True, slots=True)
class _Entry:
    """The rules of one paragraph or list item; `full` where nothing else stands there."""

    rules: tuple[Imperative, ...]
    unit: Block
    full: bool

    @property
    def path(self) -> str:
        return self.unit.ref.path

    @property
    def force(self) -> int:
        return max(one.hard + one.plain for one in self.rules)

    @property
    def is_partial_item(self) -> bool:
        """Whether its list item holds other sentences, and they belong to the same thing."""
        return not self.full and self.unit.kind is BlockKind.ITEM and "\n\n" not in self.unit.text

    @property
    def is_listed(self) -> bool:
        return not self.full or self.unit.kind is BlockKind.ITEM

    @property
    def text(self) -> str:
        text = self.unit.text if self.full else f"- {' '.join(self._sentences())}"
        code = self.rules[-1].code
        return f"{text}\n\n{code.text}\n" if code else text

    def _sentences(self) -> Iterator[str]:
        """Return the rules, each behind the sentence it refers back to, unless that is one too."""
        said = {one.said for one in self.rules}
        for one in self.rules:
            if one.before and one.before not in said:
                yield _ended(one.before)
            yield _ended(one.said)

    @property
    def refs(self) -> tuple[SourceRef, ...]:
        if not self.full:
            return tuple(one.source for one in self.rules)
        blocks = (self.rules[0].lead, self.unit, self.rules[-1].code)
        return tuple(ref for block in blocks if block for ref in refs_of(block))


# A numbered step, and what leads in to more, belong to what stands around them.
_JOINED = re.compile(r"\A\d+[.)]\s|:\s*\Z")


@dataclass(frozen=True, slots=True)
class Standing:
    """The baseline notes, the places they make superfluous, and the rules without room.

    `said` are the paragraphs and list items that stand in the notes as they are, without a lead-in;
    for so many (`lacking`) there is no room, or only for the sentences that are rules.
    """

    notes: tuple[Note, ...]
    covered: frozenset[SourceRef]
    said: tuple[str, ...]
    left: tuple[Imperative, ...]
    lacking: int
    tokens: int

    def take_from(self, note: Note) -> Note:
        """Take out of another note of the baseline what these say: once is enough there."""
        if note.scope is not Scope.BASELINE:
            return note
        alone = filterfalse(_JOINED.search, self.said)
        said = "|".join([*map(re.escape, alone), "(?!)"])
        body = re.sub(rf"(?ms)(^```.*?^```)|^(?:{said})$\n?", r"\1", note.body)
        if body == note.body:
            return note
        body = re.sub(r"\n{3,}", "\n\n", body).rstrip("\n")
        return replace(note, body=body, sources=tuple(self.leave(note.sources)))

    def leave(self, sources: Iterable[SourceRef]) -> Iterator[SourceRef]:
        """Return the places that these notes do not make superfluous."""
        return (ref for ref in sources if ref not in self.covered)


def find_standing(
    documents: Sequence[Document], held: Held, budget: int, count: Count, tidy: Tidy
) -> Standing:
    """Admit the rules that are always read to the baseline, the hard ones first, while they fit.

    Where room is left, they bring the rest of their list items: what limits a rule, and why it is
    one. A paragraph holds other things too. All are counted with the sources as `tidy` writes them,
    so that none is sent away later.
    """
    found = [
        one
        for document in documents
        if document.voice.is_always
        for one in imperatives_of(document.tree, document.path)
        if one.hard or document.voice.kind is not SourceKind.MARKDOWN
    ]
    settled = [entry for entry in _entries(found) if all(map(held.knows, entry.rules))]
    wanted = list(_entries(one for one in found if not held.knows(one)))

    def size(entries: Sequence[_Entry]) -> int:
        notes = (tidy(_note(own, held)) for own in _by_source(entries))
        return sum(count(whole_body(note)) for note in notes)

    chosen = _fitting(wanted, budget, count, size)
    held_in = {id(one.unit) for one in found if held.knows(one)}
    partial = [n for n in chosen if wanted[n].is_partial_item and id(wanted[n].unit) not in held_in]
    completed = _completed(wanted, chosen, partial, budget, count, size)
    admitted = [completed[number] for number in chosen]
    covered = (ref for entry in (*settled, *admitted) if entry.full for ref in entry.refs)
    return Standing(
        notes=tuple(_note(entries, held) for entries in _by_source(admitted)),
        covered=frozenset(covered),
        said=tuple(one.unit.text for one in admitted if one.full and not one.rules[0].lead),
        left=tuple(one for n, entry in enumerate(wanted) if n not in chosen for one in entry.rules),
        lacking=len(wanted) - len(chosen) + sum(not completed[n].full for n in partial),
        tokens=size(admitted),
    )


def _entries(rules: Iterable[Imperative]) -> Iterator[_Entry]:
    for _, group in groupby(rules, lambda one: id(one.unit)):
        own = tuple(group)
        yield _Entry(own, own[0].unit, own[0].siblings == len(own))


def _ended(said: str) -> str:
    return said if said.rstrip(_CLOSING).endswith((".", "!", "?", ":")) else f"{said}."


def _fitting(wanted: Sequence[_Entry], budget: int, count: Count, size: Size) -> list[int]:
    """Choose as many as fit, the plain and the short ones first; in the order of the text."""
    tokens = [count(entry.text) for entry in wanted]
    chosen: list[int] = []
    used = 0
    for number in sorted(range(len(wanted)), key=lambda n: (-wanted[n].force, tokens[n], n)):
        tried = sorted([*chosen, number])
        if used + tokens[number] <= budget and size([wanted[n] for n in tried]) <= budget:
            chosen, used = tried, used + tokens[number]
    return chosen


def _completed(
    wanted: Sequence[_Entry],
    chosen: Sequence[int],
    partial: Iterable[int],
    budget: int,
    count: Count,
    size: Size,
) -> list[_Entry]:
    """Complete as many partial entries as fit, in the same order."""
    entries = list(wanted)
    more = {n: count(wanted[n].unit.text) - count(wanted[n].text) for n in partial}
    for number in sorted(more, key=lambda n: (-wanted[n].force, more[n], n)):
        entries[number] = replace(wanted[number], full=True)
        if size([entries[n] for n in chosen]) > budget:
            entries[number] = wanted[number]
    return entries


def _by_source(entries: Sequence[_Entry]) -> Iterator[list[_Entry]]:
    return (list(group) for _, group in groupby(entries, lambda entry: entry.path))


def _note(entries: list[_Entry], held: Held) -> Note:
    title = f"Rules from {entries[0].path}"
    if f"# {title} " in held.baseline:
        title = f"More rules from {entries[0].path}"
    return Note(
        title=title,
        body="\n".join([heading_line(1, title), "", *_lines(entries)]),
        tags=("rules", CONSTRAINTS),
        scope=Scope.BASELINE,
        priority=PRIORITY,
        sources=tuple(dict.fromkeys(ref for entry in entries for ref in entry.refs)),
        trail=(title,),
        topic=CONSTRAINTS,
        stands_alone=True,
    )


def _lines(entries: Sequence[_Entry]) -> Iterator[str]:
    """Write the rules below their headings and lead-ins, as they stand in the source."""
    heading, lead, gap = "", None, ""
    leads = [entry.rules[0].lead for entry in entries]
    for entry in entries:
        if any(entry.unit is one for one in leads):
            # The list below brings it.
            continue
        first = entry.rules[0]
        if first.heading != heading:
            yield f"{gap}{heading_line(2, first.heading)}\n"
            gap = ""
        if first.lead is not None and first.lead is not lead:
            yield f"{gap}{first.lead.text}\n"
            gap = ""
        heading, lead = first.heading, first.lead
        # A paragraph next to a list would become a part of its last item.
        text = entry.text if entry.is_listed else f"{gap}{entry.text.rstrip()}\n"
        yield text
        # What ends with an empty line needs none before what follows.
        gap = "" if text.endswith("\n") else "\n"
