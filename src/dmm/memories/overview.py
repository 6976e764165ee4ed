"""A read-only overview of a project's memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.domain.memory import DEPRECATED_DIRECTORY, Confidence, Origin, Scope
from dmm.domain.pack import Freshness, shown_path
from dmm.domain.report import Finding
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.files.shipped import example_paths, is_example
from dmm.files.texts import describe_fault
from dmm.memories.index_content import can_write, count_memories, peek, size_of
from dmm.memories.validation import check_citations, check_expiry, find_lost, find_torn, read_files
from dmm.packs.baselines import KEPT, compile_baseline
from dmm.packs.token_counts import KeptCounts
from dmm.rules.folder import FOLDER, list_rule_files
from dmm.storage import sqlite

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from dmm.config import RetrievalConfig
    from dmm.domain.memory import Memory
    from dmm.files.roots import Root
    from dmm.files.tree import Scan, Stamp
    from dmm.index.records import IndexedMemory, KnownFile
    from dmm.index.shelves import Shelf
    from dmm.memories.index_content import Content, Usability

_OUTDATED = frozenset({Freshness.CHANGED, Freshness.GONE})
# So many files that the index does not know are read; more are counted by their folders.
MOST_READ = 2_000


@frozen
class IndexState:
    """One index: whether it can be used, what it was built with, and what it has not seen yet."""

    path: str
    state: Usability
    note: str | None
    writable: bool
    size_bytes: int
    generation: int
    model: str | None
    indexed: int
    without_vectors: int
    added: int
    changed: int
    removed: int

    @property
    def up_to_date(self) -> bool:
        """Whether the index holds the files as they are now."""
        return self.state == "ready" and not (self.added or self.changed or self.removed)


@frozen
class RootState:
    """One memory folder: its memories in force by scope, those that are not, and its index.

    Examples are those of `dmm init` that nobody has edited; they are never served.
    """

    origin: Origin
    folder: str
    files: int
    scopes: dict[str, int]
    deprecated: int
    examples: int
    index: IndexState


@frozen
class Status:
    """The whole state: the project's memory first, then the user's own, if there is one."""

    roots: tuple[RootState, ...]
    baseline_files: int
    baseline_tokens: int
    baseline_budget: int
    faults: tuple[Finding, ...]
    stale: tuple[Finding, ...]
    expired: tuple[Finding, ...]
    ignored: tuple[Finding, ...]
    sqlite_version: str

    @property
    def rule_faults(self) -> list[Finding]:
        """The faults of rule files; the others are those of memories."""
        return [one for one in self.faults if one.path.startswith(f"{FOLDER}/")]

    @property
    def torn(self) -> list[Finding]:
        """Everything that Git left in two versions."""
        return [one for one in self.faults if one.check == "merge_conflict"]

    def describe(self) -> object:
        """The state as plain data."""
        values = asdict(self)
        for told, root in zip(values["roots"], self.roots, strict=True):
            told["index"]["up_to_date"] = root.index.up_to_date
        return values


@frozen
class Survey:
    """One look over the files: what each folder holds, and the tokens of the baseline files."""

    looks: tuple[Look, ...]
    baseline: dict[str, int]

    @property
    def memories(self) -> list[Memory | IndexedMemory]:
        """The project's memories that could be read, in force or not."""
        own = (look for look in self.looks if look.shelf.origin is Origin.PROJECT)
        return [memory for look in own for memory in look.memories]

    @property
    def names(self) -> list[tuple[str, str]]:
        """The ids of all memories with their paths as packs show them."""
        return [
            (memory.id, shown_path(memory.path, look.shelf.origin))
            for look in self.looks
            for memory in look.memories
        ]


@frozen
class Overview:
    """Looks over the memory of one project."""

    root: Root
    retrieval: RetrievalConfig
    shelves: tuple[Shelf, ...]
    count: Callable[[str], int]
    today: Callable[[], dt.date]

    def survey(self) -> Survey:
        """Scan all files once; the index is not updated."""
        return Survey(tuple(self._look(shelf) for shelf in self.shelves), self._baseline())

    def _baseline(self) -> dict[str, int]:
        """Count the tokens of the baseline files."""
        tree = self.root.tree
        paths = [stamp.path for stamp in tree.scan_top(Scope.BASELINE.value).stamps]
        counts = KeptCounts(self.root, KEPT, self.count)
        counts.load()
        baseline = compile_baseline(read_files(tree, paths)[0], counts.count)
        return {entry.path: entry.token_count for entry in baseline.entries}

    def glance(self) -> tuple[int, int]:
        """Count the indexed memories, and the tokens of the baseline; no other file is read."""
        return sum(map(count_memories, self.shelves)), sum(self._baseline().values())

    def describe(self, survey: Survey | None = None) -> Status:
        """Describe the memory as it is now, or as it was looked over."""
        survey = survey or self.survey()
        looks = survey.looks
        return Status(
            roots=tuple(look.state() for look in looks),
            baseline_files=len(survey.baseline),
            baseline_tokens=sum(survey.baseline.values()),
            baseline_budget=self.retrieval.baseline_budget,
            faults=(
                *(finding for look in looks for finding in look.faults),
                *_find_broken_rules(self.root.folder),
                *find_torn(self.root.folder),
            ),
            stale=tuple(finding for look in looks for finding in look.stale),
            expired=tuple(finding for look in looks for finding in look.expired),
            ignored=tuple(self._find_lost(looks)),
            sqlite_version=sqlite.version(),
        )

    def _find_lost(self, looks: Iterable[Look]) -> list[Finding]:
        own = (look for look in looks if look.shelf.origin is Origin.PROJECT)
        paths = [stamp.path for look in own for stamp in look.scan.stamps]
        return find_lost(self.root.folder, [*paths, *list_rule_files(self.root.folder)])

    def _look(self, shelf: Shelf) -> Look:
        look = Look(shelf, shelf.tree.scan(), peek(shelf))
        look.carry_out(self.root.project, self.today())
        return look


def _find_broken_rules(folder: Path) -> list[Finding]:
    if not list_rule_files(folder):
        return []
    # The rules take long to load, and many projects have none in files.
    from dmm.rules.faults import find_broken, find_rule_files

    return list(find_broken(find_rule_files(folder)))


@dataclass(slots=True)
class Look:
    """One memory folder beside its index: unchanged files are taken from the index."""

    shelf: Shelf
    scan: Scan
    content: Content
    memories: list[Memory | IndexedMemory] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    read: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    faults: list[Finding] = field(default_factory=list)
    stale: list[Finding] = field(default_factory=list)
    expired: list[Finding] = field(default_factory=list)

    def carry_out(self, project: Path, today: dt.date) -> None:
        """Read what the index does not know, and see what has aged."""
        self.faults = [self._named(describe_fault(fault)) for fault in self.scan.faults]
        for stamp in self.scan.stamps:
            self._read(stamp)
        for memory in self.memories:
            if memory.in_force:
                self._age(memory, project, today)

    def _read(self, stamp: Stamp) -> None:
        known = self.content.files.get(stamp.path)
        if known is not None and known.stamp == stamp:
            self._take(known)
            return
        if self.read >= MOST_READ:
            self.unread[stamp.path.partition("/")[0]] += 1
            return
        self.read += 1
        files, refused = read_files(self.shelf.tree, [stamp.path])
        self.faults += [self._named(finding) for finding in refused.values()]
        for path, data in files.items():
            try:
                memory = markdown.parse(path, markdown.decode(path, data)).memory
                if is_example(memory.body):
                    # The index knows an untouched example as inactive.
                    memory = replace(memory, confidence=Confidence.DEPRECATED)
                self.memories.append(memory)
            except MemoryFileError as fault:
                self.faults.append(self._named(describe_fault(fault)))
        if known is not None and _differs(stamp, known, files.get(stamp.path)):
            self.changed.append(stamp.path)

    def _take(self, known: KnownFile) -> None:
        memory = self.content.memories.get(known.stamp.path)
        if memory is not None:
            self.memories.append(memory)
        elif known.fault is not None:
            self.faults.append(self._named(describe_fault(known.fault)))

    def _age(self, memory: Memory | IndexedMemory, project: Path, today: dt.date) -> None:
        expired = check_expiry(memory.path, memory.expires, today)
        self.expired += [self._named(expired)] if expired else []
        if self.shelf.origin is Origin.PROJECT:
            self.stale += check_citations(memory.path, memory.cites, project, _OUTDATED)

    def _named(self, finding: Finding) -> Finding:
        path = shown_path(finding.path, self.shelf.origin)
        return Finding(
            path, finding.level, finding.check, finding.message, finding.line, finding.hint
        )

    def state(self) -> RootState:
        """Return what the folder holds."""
        counts = Counter(memory.scope.value for memory in self.memories if memory.in_force)
        inactive = [memory.path for memory in self.memories if not memory.in_force]
        examples = len(example_paths().intersection(inactive))
        return RootState(
            origin=self.shelf.origin,
            folder=str(self.shelf.tree.root),
            files=len(self.scan.stamps),
            scopes={one.value: counts[one.value] + self.unread[one.value] for one in Scope},
            deprecated=len(inactive) - examples + self.unread[DEPRECATED_DIRECTORY],
            examples=examples,
            index=self._index(),
        )

    def _index(self) -> IndexState:
        content, path = self.content, self.shelf.path
        there = {stamp.path for stamp in self.scan.stamps}
        return IndexState(
            path=str(path),
            state=content.state,
            note=content.note,
            writable=can_write(path),
            size_bytes=sum(
                size_of(path.with_name(path.name + end)) for end in ("", "-wal", "-shm")
            ),
            generation=content.generation,
            model=content.model,
            indexed=len(content.memories),
            without_vectors=content.lacking,
            added=len(there - content.files.keys()),
            changed=len(self.changed),
            removed=len(content.files.keys() - there),
        )


def _differs(stamp: Stamp, known: KnownFile, data: bytes | None) -> bool:
    """Compare a file with what the index saw of it; a new date alone is no change."""
    if not known.content_hash or data is None:
        return (stamp.size, stamp.inode) != (known.stamp.size, known.stamp.inode)
    return hashlib.sha256(data).hexdigest() != known.content_hash
