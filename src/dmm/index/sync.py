"""Files → index: find what changed, read it, embed it, and make it visible batch by batch.

Every batch is one transaction, so an interrupted run leaves a smaller but correct index, and the
next run goes on from there. Vectors are kept by what was embedded, not by path: a renamed file,
a switched branch or a volume that was away for a while costs no second embedding.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import TYPE_CHECKING, Any

from dmm.domain.frozen import frozen
from dmm.domain.memory import MOST_TOKENS, Memory
from dmm.domain.pack import ENTRY_END, entry_heading, shown_path
from dmm.domain.text import neutralise, shield, tell_once
from dmm.errors import MemoryFileError
from dmm.files import markdown, shipped
from dmm.files.tree import Stamp
from dmm.index import analysis, composite
from dmm.index.lexical import pack_terms
from dmm.index.records import Batch, Directory, IndexedMemory, KnownFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.domain.memory import Origin
    from dmm.embed.model import Embedder
    from dmm.files.tree import MemoryTree, Scan
    from dmm.index.store import IndexStore

    Progress = Callable[[int, int], None]
    Count = Callable[[str], int]

# What the index keeps of a memory as its file states it; a title may hide something.
STATED = tuple(
    one.name
    for one in fields(IndexedMemory)
    if hasattr(Memory, one.name) and one.name not in ("title", "in_force")
)
MAX_DESCRIPTION = 2_000
RACY_NS = 2_000_000_000
ORPHANS_KEPT = 2_000
# With more new files than this, all get their words before the first gets its vectors: a query that
# comes meanwhile, such as the first in a new worktree, waits for a moment and finds them. Fewer get
# both in one pass: an interrupted run then leaves memories that are complete.
MANY = 160
# So many memories are embedded before others may write, about an eighth of a second.
AT_ONCE = 4
# Parts of a run for which somebody waits: the clock is looked at after each.
SMALL_PART = 16


@frozen
class SyncReport:
    """What one run found and did, and what it left for later.

    `waiting` files are not indexed at all, `lacking` memories by their words alone.
    """

    total: int = 0
    indexed: int = 0
    embedded: int = 0
    removed: int = 0
    faults: tuple[MemoryFileError, ...] = ()
    waiting: int = 0
    lacking: int = 0

    @classmethod
    def of_all(cls, reports: Sequence[SyncReport]) -> SyncReport:
        """Add up the runs over several trees."""
        numbers = [one.name for one in fields(cls) if one.name != "faults"]
        sums = {name: sum(getattr(one, name) for one in reports) for name in numbers}
        return cls(faults=tuple(fault for one in reports for fault in one.faults), **sums)

    def describe(self) -> object:
        """Return what was done as plain data."""
        return {
            "files": self.total,
            "reindexed": self.indexed,
            "embedded": self.embedded,
            "removed": self.removed,
            "errors": len(self.faults),
            "faults": [
                {"path": f.path, "type": f.fault, "line": f.line, "message": f.what, "hint": f.hint}
                for f in self.faults
            ],
        }


@frozen
class Syncer:
    """Everything a run needs beside the tree and the index."""

    origin: Origin
    count: Count
    embedder: Embedder | None
    batch_size: int = 50

    def begin(self, tree: MemoryTree, store: IndexStore, *, now_ns: int, full: bool = False) -> Run:
        """Compare the files with the index; nothing is written yet.

        What is known is read first: a file that another process adds meanwhile is not taken for
        one that is gone.
        """
        known = store.stamps()
        return Run(self, tree, store, known, tree.scan(), now_ns, full)

    def sync(
        self,
        tree: MemoryTree,
        store: IndexStore,
        *,
        now_ns: int,
        full: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Update the index from the current files."""
        run = self.begin(tree, store, now_ns=now_ns, full=full)
        run.prepare()
        while run.advance():
            if progress is not None:
                progress(run.done, run.work)
        return run.end()


@dataclass(slots=True)
class Run:
    """One run over a tree, in parts of one transaction each; between them others may write.

    A few files get words and vectors together. Of many, all get their words first: these take a
    twentieth of the time, and a memory can be found by them.
    """

    syncer: Syncer
    tree: MemoryTree
    store: IndexStore
    known: dict[str, tuple[Any, ...]]
    scan: Scan
    now_ns: int
    full: bool
    words_first: bool = False
    part: int = 0
    work: int = 0
    removed: int = 0
    indexed: int = 0
    embedded: int = 0
    waiting: dict[str, Stamp] = field(default_factory=dict)
    lacking: dict[str, None] = field(default_factory=dict)
    _first: list[str] = field(default_factory=list)
    _best: list[str] = field(default_factory=list)
    _made: set[str] = field(default_factory=set)

    def prepare(self) -> None:
        """Drop what is gone, and find the work there is."""
        rules = f"{analysis.VERSION}/{composite.VERSION}"
        if composite.refresh_identity(self.store, rules, self.syncer.embedder):
            self.known = {}
        self._read_examples_again()
        stamps = {stamp.path: stamp for stamp in self.scan.stamps}
        missing = sorted(self.known.keys() - stamps.keys())
        gone = [path for path in missing if self.store.stamp(path) == self.known[path]]
        self.removed = len(gone)
        self._apply_removed(gone)
        self.waiting = {
            path: stamp
            for path, stamp in stamps.items()
            if self.full or _is_stale(stamp, self.known.get(path))
        }
        self.known = {}
        if self.syncer.embedder is not None:
            lacking = self.store.lacking_vectors()
            self.lacking = dict.fromkeys(path for path in lacking if path not in self.waiting)
        self.words_first = not self.full and len(self.waiting) > MANY
        self.part = self.syncer.batch_size
        self.work = self._left

    def _read_examples_again(self) -> None:
        """Drop examples from an index that an earlier version built."""
        if self.store.meta("shipped") == shipped.VERSION:
            return
        held = sorted(shipped.example_paths() & self.known.keys())
        self.known = {path: one for path, one in self.known.items() if path not in held}
        self.store.apply(Batch(removed=held, meta={"shipped": shipped.VERSION}))

    @property
    def outstanding(self) -> int:
        """How many files have not been dealt with."""
        return len(self.waiting) + len(self.lacking)

    @property
    def _left(self) -> int:
        return len(self.waiting) * (1 + self.words_first) + len(self.lacking)

    @property
    def done(self) -> int:
        """How much of the work is done."""
        return self.work - self._left

    def left(self) -> list[Stamp]:
        """List the files that wait for their words or for their vectors."""
        return [one for one in self.scan.stamps if one[0] in self.waiting or one[0] in self.lacking]

    def prefer(self, paths: Sequence[str], embedded: int) -> None:
        """Index some files before all others, and embed the first of them."""
        self.words_first = not self.full
        self.part = min(self.part, SMALL_PART)
        self.work = self._left
        wanted = list(dict.fromkeys(paths))
        self._first = [path for path in wanted if path in self.waiting]
        self._best = wanted[:embedded]

    @property
    def prefers(self) -> bool:
        """Whether some of what was to come first is still to be done."""
        return bool(self._first or self._best)

    def advance(self) -> bool:
        """Do the next part; return False when nothing is left."""
        if self._first:
            chosen, self._first = self._first[: self.part], self._first[self.part :]
            self._index([self.waiting.pop(path) for path in chosen])
        elif self._best:
            chosen, self._best = self._best[:AT_ONCE], self._best[AT_ONCE:]
            self._embed_lacking([path for path in chosen if path in self.lacking])
        elif self.waiting:
            chosen = list(islice(self.waiting, self.part))
            self._index([self.waiting.pop(path) for path in chosen])
        elif self.lacking:
            size = AT_ONCE if self.words_first else self.part
            self._embed_lacking(list(islice(self.lacking, size)))
        else:
            return False
        return True

    def end(self) -> SyncReport:
        """Return what was done and what is left."""
        changed = self.removed or self.indexed or self.embedded
        if changed and not self.outstanding:
            self.store.forget_orphans(keep=max(ORPHANS_KEPT, len(self.scan.stamps)))
        faults = (*self.store.faults(), *self.scan.faults)
        return SyncReport(
            total=len(self.scan.stamps),
            indexed=self.indexed,
            embedded=self.embedded,
            removed=self.removed,
            faults=tuple(sorted(faults, key=lambda fault: fault.path)),
            waiting=len(self.waiting),
            lacking=len(self.lacking),
        )

    def _apply_removed(self, removed: list[str]) -> None:
        found = [d for d in map(self._describe, self.scan.descriptors) if d is not None]
        directories = sorted(found, key=lambda directory: directory.path)
        if removed or directories != self.store.directories():
            self.store.apply(Batch(removed=removed, directories=directories))

    def _describe(self, stamp: Stamp) -> Directory | None:
        try:
            text = markdown.decode(stamp.path, self.tree.read(stamp.path))
            markdown.refuse_markers(stamp.path, text)
        except MemoryFileError:
            return None
        described = neutralise(markdown.plain(text)).strip()[:MAX_DESCRIPTION]
        return Directory(stamp.path.rpartition("/")[0], described)

    def _index(self, stamps: Sequence[Stamp]) -> None:
        batch = Batch()
        windows: dict[str, list[list[int]]] = {}
        for stamp in stamps:
            # Another process may have been here since this run began.
            if self.full or _is_stale(stamp, self.store.stamp(stamp.path)):
                try:
                    self._prepare(stamp, batch, windows)
                except MemoryFileError as fault:
                    batch.files.append(KnownFile(self._settled(stamp), "", fault))
                    batch.removed.append(stamp.path)
        self._embed(windows, batch)
        if batch.files:
            self.store.apply(batch)

    def _prepare(self, stamp: Stamp, batch: Batch, windows: dict[str, list[list[int]]]) -> None:
        data = self.tree.read(stamp.path)
        memory = markdown.parse(stamp.path, markdown.decode(stamp.path, data)).memory
        record = self._record(memory, hashlib.sha256(data).hexdigest())
        batch.files.append(KnownFile(self._settled(stamp), record.content_hash))
        batch.memories.append((record, pack_terms(analysis.weigh(record))))
        self.indexed += 1
        embedder = self.syncer.embedder
        if embedder is None or self._is_embedded(record.vector_key):
            return
        if self.words_first:
            self.lacking[record.path] = None
        else:
            windows[record.vector_key] = composite.cut(record, embedder.encode)

    def _is_embedded(self, key: str) -> bool:
        return key in self._made or (not self.full and self.store.has_vectors(key))

    def _settled(self, stamp: Stamp) -> Stamp:
        """Distrust the stamp of a file written a moment ago: it may change again unnoticed."""
        if self.now_ns - stamp.mtime_ns < RACY_NS:
            return Stamp(stamp.path, stamp.size, -1, stamp.inode)
        return stamp

    def _record(self, memory: Memory, content_hash: str) -> IndexedMemory:
        title = neutralise(memory.title)
        content = shield(tell_once(title, neutralise(memory.body).strip()))
        count = self.syncer.count
        tokens = count(content)
        if tokens > MOST_TOKENS:
            what = f"{tokens} tokens; a memory has at most {MOST_TOKENS}"
            hint = "split it into one concept per file"
            raise MemoryFileError(memory.path, "content", what, hint=hint)
        heading = entry_heading(shown_path(memory.path, self.syncer.origin), "0.00")
        last = _last_block(content)
        return IndexedMemory(
            **{name: getattr(memory, name) for name in STATED},
            title=title,
            content=content,
            # An example that nobody has edited says nothing about this project.
            in_force=memory.in_force and not shipped.is_example(memory.body),
            token_count=tokens,
            heading_tokens=count(heading + last + ENTRY_END) - count(last),
            words=len(content.split()),
            code_density=analysis.code_density(content),
            content_hash=content_hash,
            vector_key=composite.key(memory, content),
        )

    def _embed_lacking(self, paths: Sequence[str]) -> None:
        embedder = self.syncer.embedder
        if embedder is None:
            return
        memories = [m for m in map(self.store.lacks_vectors, paths) if m is not None]
        batch = Batch()
        self._embed({m.vector_key: composite.cut(m, embedder.encode) for m in memories}, batch)
        if batch.vectors:
            self.store.apply(batch)
        for path in paths:
            del self.lacking[path]

    def _embed(self, windows: dict[str, list[list[int]]], batch: Batch) -> None:
        embedder = self.syncer.embedder
        if embedder is None or not windows:
            return
        batch.vectors |= composite.embed(windows, embedder)
        self._made |= windows.keys()
        self.embedded += len(windows)


def _is_stale(stamp: Stamp, known: tuple[Any, ...] | None) -> bool:
    """Return whether a file is other than the index knows it, by stamp and kind of fault."""
    # Permissions may have been fixed without a trace in the stamp.
    return known is None or known[:4] != stamp or known[4] == "io"


def _last_block(content: str) -> str:
    """Return the end of a text whose tokens can be counted alone, from an unindented line.

    A token never spans a newline and the solid character after it.
    """
    start = content.rfind("\n") + 1
    return content if content[start : start + 1].isspace() else content[start:]
