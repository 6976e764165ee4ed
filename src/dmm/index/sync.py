"""Files → index: find what changed, read it, embed it, and make it visible batch by batch.

Every batch is one transaction, so an interrupted run leaves a smaller but correct index, and the
next run goes on from there. Vectors are kept by what was embedded, not by path: a renamed file,
a switched branch or a volume that was away for a while costs no second embedding.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from dmm.domain.pack import ENTRY_END, entry_heading, shown_path
from dmm.domain.text import neutralise, shield
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.files.tree import Stamp
from dmm.index import analysis, composite
from dmm.index.lexical import pack_terms
from dmm.index.records import Batch, Directory, IndexedMemory, KnownFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dmm.domain.memory import Memory, Origin
    from dmm.embed.model import Embedder
    from dmm.files.tree import MemoryTree, Scan
    from dmm.index.store import IndexStore

    Progress = Callable[[int, int], None]
    Count = Callable[[str], int]

T = TypeVar("T")

MAX_TOKENS = 2_000
MAX_DESCRIPTION = 2_000
RACY_NS = 2_000_000_000
ORPHANS_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one run found and did."""

    total: int = 0
    indexed: int = 0
    embedded: int = 0
    removed: int = 0
    faults: tuple[MemoryFileError, ...] = ()


@dataclass(frozen=True, slots=True)
class Syncer:
    """Everything a run needs beside the tree and the index."""

    origin: Origin
    count: Count
    embedder: Embedder | None
    batch_size: int = 50

    def sync(
        self,
        tree: MemoryTree,
        store: IndexStore,
        *,
        now_ns: int,
        full: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Bring the index up to the files as they are now."""
        return _Run(
            self, tree, store, now_ns, full, progress or (lambda _done, _of: None)
        ).carry_out()


@dataclass(slots=True)
class _Run:
    syncer: Syncer
    tree: MemoryTree
    store: IndexStore
    now_ns: int
    full: bool
    progress: Progress
    known: dict[str, KnownFile] = field(default_factory=dict)
    at_hand: set[str] = field(default_factory=set)
    indexed: int = 0
    embedded: int = 0

    def carry_out(self) -> SyncReport:
        scan = self.tree.scan()
        rules = f"{analysis.VERSION}/{composite.VERSION}"
        composite.refresh_identity(self.store, rules, self.syncer.embedder)
        self.known = self.store.files()
        self.at_hand = set() if self.full else self.store.vector_keys()
        changed = [stamp for stamp in scan.stamps if self._is_stale(stamp)]
        removed = sorted(self.known.keys() - {stamp.path for stamp in scan.stamps})
        lacking = self._lacking({stamp.path for stamp in changed} | set(removed))
        work = len(changed) + len(lacking)
        self._apply_removed(removed, scan)
        done = 0
        for stamps in _chunks(changed, self.syncer.batch_size):
            self._index(stamps)
            done += len(stamps)
            self.progress(done, work)
        for memories in _chunks(lacking, self.syncer.batch_size):
            self._embed_lacking(memories)
            done += len(memories)
            self.progress(done, work)
        self.store.forget_orphans(keep=max(ORPHANS_KEPT, len(scan.stamps)))
        faults = [file.fault for file in self.store.files().values() if file.fault is not None]
        return SyncReport(
            total=len(scan.stamps),
            indexed=self.indexed,
            embedded=self.embedded,
            removed=len(removed),
            faults=tuple(sorted((*faults, *scan.faults), key=lambda fault: fault.path)),
        )

    def _is_stale(self, stamp: Stamp) -> bool:
        known = self.known.get(stamp.path)
        if self.full or known is None or known.stamp != stamp:
            return True
        # Permissions may have been mended without a trace in the stamp.
        return known.fault is not None and known.fault.fault == "io"

    def _lacking(self, touched: set[str]) -> list[IndexedMemory]:
        """Memories indexed earlier whose vectors are missing, as after a run without the model."""
        if self.syncer.embedder is None:
            return []
        paths = [path for path in self.store.lacking_vectors() if path not in touched]
        return [self.store.memory(path) for path in paths]

    def _apply_removed(self, removed: list[str], scan: Scan) -> None:
        found = [d for d in map(self._describe, scan.descriptors) if d is not None]
        directories = sorted(found, key=lambda directory: directory.path)
        if removed or directories != self.store.directories():
            self.store.apply(Batch(removed=removed, directories=directories))

    def _describe(self, stamp: Stamp) -> Directory | None:
        try:
            text = markdown.decode(stamp.path, self.tree.read(stamp.path))
        except MemoryFileError:
            return None
        described = neutralise(markdown.plain(text)).strip()[:MAX_DESCRIPTION]
        return Directory(stamp.path.rpartition("/")[0], described)

    def _index(self, stamps: Sequence[Stamp]) -> None:
        batch = Batch()
        windows: dict[str, list[list[int]]] = {}
        for stamp in stamps:
            try:
                self._prepare(stamp, batch, windows)
            except MemoryFileError as fault:
                batch.files.append(KnownFile(self._settled(stamp), "", fault))
        self._embed(windows, batch)
        gone = {f.stamp.path for f in batch.files} - {m.path for m, _ in batch.memories}
        batch.removed = sorted(path for path in gone if path in self.known)
        self.store.apply(batch)

    def _prepare(self, stamp: Stamp, batch: Batch, windows: dict[str, list[list[int]]]) -> None:
        data = self.tree.read(stamp.path)
        memory = markdown.parse(stamp.path, markdown.decode(stamp.path, data)).memory
        record = self._record(memory, hashlib.sha256(data).hexdigest())
        batch.files.append(KnownFile(self._settled(stamp), record.content_hash))
        batch.memories.append((record, pack_terms(analysis.weigh(record))))
        self.indexed += 1
        if self.syncer.embedder is not None and record.vector_key not in self.at_hand:
            windows[record.vector_key] = composite.cut(record, self.syncer.embedder.encode)

    def _settled(self, stamp: Stamp) -> Stamp:
        """Distrust the stamp of a file written a moment ago: it may change again unnoticed."""
        if self.now_ns - stamp.mtime_ns < RACY_NS:
            return Stamp(stamp.path, stamp.size, -1, stamp.inode)
        return stamp

    def _record(self, memory: Memory, content_hash: str) -> IndexedMemory:
        content = shield(neutralise(memory.body).strip())
        count = self.syncer.count
        tokens = count(content)
        if tokens > MAX_TOKENS:
            what = f"{tokens} tokens; a memory has at most {MAX_TOKENS}"
            hint = "split it into one concept per file"
            raise MemoryFileError(memory.path, "content", what, hint=hint)
        heading = entry_heading(shown_path(memory.path, self.syncer.origin), "0.00")
        return IndexedMemory(
            path=memory.path,
            id=memory.id,
            directory=memory.directory,
            title=neutralise(memory.title),
            content=content,
            scope=memory.scope,
            priority=memory.priority,
            confidence=memory.confidence,
            in_force=memory.in_force,
            tags=memory.tags,
            token_count=tokens,
            heading_tokens=count(heading + content + ENTRY_END) - tokens,
            words=len(content.split()),
            code_density=analysis.code_density(content),
            created=memory.created,
            expires=memory.expires,
            supersedes=memory.supersedes,
            related=memory.related,
            cites=memory.cites,
            content_hash=content_hash,
            vector_key=composite.key(memory, content),
            aliases=memory.aliases,
        )

    def _embed_lacking(self, memories: Iterable[IndexedMemory]) -> None:
        embedder = self.syncer.embedder
        if embedder is None:
            return
        batch = Batch()
        self._embed({m.vector_key: composite.cut(m, embedder.encode) for m in memories}, batch)
        self.store.apply(batch)

    def _embed(self, windows: dict[str, list[list[int]]], batch: Batch) -> None:
        embedder = self.syncer.embedder
        if embedder is None or not windows:
            return
        batch.vectors |= composite.embed(windows, embedder)
        self.at_hand |= windows.keys()
        self.embedded += len(windows)


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for at in range(0, len(items), size):
        yield items[at : at + size]
