"""Memories to look at: the tree, a folder, and one memory with its code, usage and history."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.memory import Origin
from dmm.domain.pack import Freshness
from dmm.domain.payload import PackServed
from dmm.domain.proposal import digest
from dmm.domain.usage import OWN, key_of
from dmm.errors import MemoryFileError, PathRefused, UsageError
from dmm.files import citations, markdown
from dmm.memories.catalogue import FolderRow
from dmm.project.activity import Served
from dmm.redaction.redact import redact
from dmm.rules.discretion import discreet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dmm.conflicts.register import ConflictRegister
    from dmm.domain.memory import Citation, Memory
    from dmm.files.tree import MemoryTree
    from dmm.index.service import Indexes
    from dmm.lifecycle.usage_projection import UsageProjection
    from dmm.memories.catalogue import Catalogue, Catalogues, Listed
    from dmm.project.activity_projection import ActivityProjection
    from dmm.review.store import ProposalStore
    from dmm.rules.project_ledger import ProjectLedger

MOST_ROWS = 200
# Citations are compared with files, so only those of the first rows are.
MOST_CHECKED = 50
MOST_CODE = 40
MOST_HISTORY = 50


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of all memories; `tokens` counts the memories in force."""

    folders: tuple[FolderRow, ...]
    total: int
    tokens: int


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One memory in a list; `stale` is None where its citations were not compared."""

    path: str
    id: str
    title: str
    scope: str
    tokens: int
    tags: tuple[str, ...]
    priority: float
    status: str
    stale: bool | None
    conflicts: int
    served: int


@dataclass(frozen=True, slots=True)
class MemoryRows:
    """Memories in the order of their paths; `more` were left out."""

    memories: tuple[MemoryRow, ...]
    more: int


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of a file."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class CitedCode:
    """A citation with the code that it names; `now` says where moved code is."""

    path: str
    symbol: str | None
    lines: tuple[int, int] | None
    state: Freshness
    now: str | None
    code: tuple[CodeLine, ...]


@dataclass(frozen=True, slots=True)
class DayCount:
    """How often a memory was served on a day."""

    day: str
    count: int


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """How a memory was used; `last` is empty where it never was."""

    served: int
    helped: int
    wrong: int
    outdated: int
    last: str
    days: tuple[DayCount, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A proposal about a memory, and what became of it."""

    seq: int
    at: str
    actor: str
    what: str
    proposal: str


@dataclass(frozen=True, slots=True)
class InPack:
    """A pack that a memory was in."""

    seq: int
    at: str
    task: str


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """A conflict of a memory that is not settled."""

    id: str
    title: str
    sure: bool


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One memory of a conflict, and the sentence that the conflict rests on."""

    path: str
    title: str
    text: str | None
    quote: str


@dataclass(frozen=True, slots=True)
class MemoryView:
    """One memory with all that is known about it; `digest` names its text."""

    path: str
    id: str
    title: str
    scope: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    priority: float
    status: str
    tokens: int | None
    created: str | None
    updated: str | None
    text: str
    content: str
    citations: tuple[CitedCode, ...]
    usage: MemoryUsage
    history: tuple[Change, ...]
    packs: tuple[InPack, ...]
    conflicts: tuple[ConflictRow, ...]
    digest: str | None


@dataclass(frozen=True, slots=True)
class MemoryViews:
    """Shows the memories of one project; nothing is recorded."""

    project: Path
    indexes: Indexes
    project_ledger: ProjectLedger
    catalogues: Catalogues
    usages: UsageProjection
    activity: ActivityProjection
    conflicts: ConflictRegister
    proposals: ProposalStore

    def folders(self) -> Folders:
        """List the folders with how much is in them."""
        found = self.catalogues.current()
        return Folders(found.folders, len(found.memories), found.tokens)

    def rows(self, folder: str | None = None, match: str | None = None) -> MemoryRows:
        """List the memories right in a folder, or those whose path, title or tags hold words."""
        found = self.catalogues.current()
        chosen = _choose(found, folder, match)
        shown = chosen[:MOST_ROWS]
        served, view = self.activity.current().memories, self.conflicts.view()
        rows = (
            MemoryRow(
                one.path,
                one.id,
                one.title,
                one.scope,
                one.tokens,
                one.tags,
                round(one.priority, 3),
                "active" if one.in_force else "deprecated",
                self._is_stale(one.cites) if number < MOST_CHECKED else None,
                len(view.about((one.id, one.path))),
                served.get(key_of(one.id, one.path), Served()).times,
            )
            for number, one in enumerate(shown)
        )
        return MemoryRows(tuple(rows), len(chosen) - len(shown))

    def _is_stale(self, cites: Iterable[Citation]) -> bool:
        states = (citations.check(self.project, cite).state for cite in cites)
        return any(state in (Freshness.CHANGED, Freshness.GONE) for state in states)

    @discreet
    def show(self, path: str) -> MemoryView:
        """Show one memory as its file stands."""
        tree, own = self._tree(path), path.removeprefix(OWN)
        text = tree.text_of(own)
        if text is None:
            hint = "dmm status lists the folders; dmm query finds memories by their words"
            raise UsageError("there is no such memory", where=path, hint=hint)
        memory = markdown.parse(own, text).memory
        listed = self.catalogues.current().by_path.get(path)
        return MemoryView(
            path,
            memory.id,
            memory.title,
            memory.scope.value,
            memory.tags,
            memory.paths,
            round(memory.priority, 3),
            "active" if memory.in_force else "deprecated",
            None if listed is None else listed.tokens,
            None if memory.created is None else memory.created.isoformat(),
            _changed(tree.resolve(own)),
            text,
            memory.body,
            tuple(map(self._cited, memory.cites if path == own else ())),
            self._usage(memory, path),
            tuple(self._history(path))[-MOST_HISTORY:],
            tuple(self._packs(memory, path)),
            tuple(self._conflicts(memory, path)),
            digest(text),
        )

    def sides(self, name: str) -> tuple[ConflictSide, ...]:
        """Show both memories of a conflict as their files stand; text is None where one is gone."""
        record = self.conflicts.find(name)
        quotes = (*record.quotes, "", "")
        return tuple(
            ConflictSide(one.path, self._title(one.path), self._text(one.path), quotes[number])
            for number, one in enumerate(record.sides)
        )

    def _title(self, path: str) -> str:
        listed = self.catalogues.current().by_path.get(path)
        return path if listed is None else listed.title

    def _text(self, path: str) -> str | None:
        try:
            return self._tree(path).text_of(path.removeprefix(OWN))
        except (PathRefused, MemoryFileError):
            return None

    def _tree(self, path: str) -> MemoryTree:
        origin = Origin.USER if path.startswith(OWN) else Origin.PROJECT
        shelf = next((one for one in self.indexes.shelves if one.origin is origin), None)
        if shelf is None:
            raise PathRefused("there is no memory of your own here", where=path)
        return shelf.tree

    def _cited(self, cite: Citation) -> CitedCode:
        """Show the code that a citation names, free of secrets."""
        found = citations.check(self.project, cite)
        code = citations.excerpt(self.project, cite, found.now, MOST_CODE)
        shown = redact("\n".join(text for _, text in code)).text.split("\n")
        numbers = (number for number, _ in code)
        lines = tuple(CodeLine(*one) for one in zip(numbers, shown, strict=False))
        return CitedCode(cite.path, cite.symbol, cite.lines, found.state, found.now, lines)

    def _usage(self, memory: Memory, path: str) -> MemoryUsage:
        use = self.usages.current().find(memory.id, path)
        kept = self.activity.current().memories.get(key_of(memory.id, path), Served())
        days = tuple(DayCount(*one) for one in kept.days)
        objections = use.count("wrong"), use.count("outdated")
        return MemoryUsage(use.served, use.helped, *objections, use.last_used, days)

    def _history(self, path: str) -> Iterator[Change]:
        for one in self.proposals.queue().proposals.values():
            if any(edit.path == path for edit in one.edits):
                what = f"{one.operation} {one.standing}"
                yield Change(one.seq, one.at, one.proposer, what, one.id)

    def _packs(self, memory: Memory, path: str) -> Iterator[InPack]:
        kept = self.activity.current().memories.get(key_of(memory.id, path), Served())
        for seq in reversed(kept.packs):
            event = self.project_ledger.reading.event(seq)
            told = PackServed.read(event)
            if event is not None and told is not None:
                yield InPack(seq, event.at, told.task or "")

    def _conflicts(self, memory: Memory, path: str) -> Iterator[ConflictRow]:
        for one in self.conflicts.view().about((memory.id, path)):
            yield ConflictRow(one.id, one.description or str(one.type), one.sure)


def _choose(found: Catalogue, folder: str | None, match: str | None) -> list[Listed]:
    words = (match or "").split()
    if folder is None:
        return found.find(words)
    chosen = found.by_folder.get(folder, [])
    if not words:
        return chosen
    matching = {one.path for one in found.find(words)}
    return [one for one in chosen if one.path in matching]


def _changed(file: Path) -> str | None:
    try:
        moment = dt.datetime.fromtimestamp(file.stat().st_mtime, dt.UTC)
    except OSError:
        return None
    return moment.isoformat(timespec="seconds")
