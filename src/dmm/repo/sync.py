"""Files → index: find what changed, study it, and make it visible batch by batch.

A content is kept by its path and blob hash: a branch switched there and back is not read twice.
Every batch is one transaction, so an interrupted run goes on where it was.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.index import analysis
from dmm.index.lexical import pack_terms
from dmm.repo import study
from dmm.repo.parsing import Parsing
from dmm.repo.records import RepoReport
from dmm.repo.sources import MAX_BYTES
from dmm.repo.store import Link

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.repo.records import Content, Entry
    from dmm.repo.sources import Source
    from dmm.repo.store import RepoStore

    Progress = Callable[[int, int], None]

RULES = f"{analysis.VERSION}/{study.VERSION}"
BATCH = 200
HISTORY = 2_000
RACY_NS = 2_000_000_000
ORPHANS_KEPT = 5_000


@dataclass(slots=True)
class Run:
    """One run over a source; `now_ns` tells which files were written a moment ago."""

    source: Source
    store: RepoStore
    now_ns: int
    progress: Progress | None = None
    links: list[Link] = field(default_factory=list)
    contents: list[tuple[Entry, Content]] = field(default_factory=list)
    unparsed: list[str] = field(default_factory=list)
    indexed: int = 0
    skipped: int = 0

    def carry_out(self) -> RepoReport:
        """Update the index from the current files."""
        if self.store.meta("rules") != RULES:
            self.store.clear(RULES)
        entries = self.source.entries()
        known = self.store.links()
        gone = sorted(known.keys() - {entry.path for entry in entries})
        if gone:
            self.store.apply(links=(), contents=(), gone=gone)
        stale = [entry for entry in entries if self._is_stale(entry, known.get(entry.path))]
        with Parsing() as parsing:
            for done, entry in enumerate(stale, start=1):
                self._take(entry, parsing)
                if done % BATCH == 0 or done == len(stale):
                    self._flush(done, len(stale))
        self.store.forget_orphans(keep=max(ORPHANS_KEPT, len(entries)))
        commits = self._refresh_history()
        return RepoReport(
            files=len(entries),
            indexed=self.indexed,
            removed=len(gone),
            skipped=self.skipped,
            commits=commits,
            unparsed=tuple(self.unparsed),
        )

    def _is_stale(self, entry: Entry, link: Link | None) -> bool:
        if link is None:
            return True
        if entry.blob is not None:
            return entry.blob != link.blob
        return replace(entry, blob=None) != link.entry

    def _take(self, entry: Entry, parsing: Parsing) -> None:
        if entry.blob is not None:
            found = self.store.find(entry.path, entry.blob)
            if found is not None:
                self.links.append(Link(entry, entry.blob, found))
                return
        data = self.source.read(entry.path, entry.blob) if entry.size <= MAX_BYTES else None
        settled = self._settled(entry)
        if data is None or study.is_binary(data):
            self.skipped += 1
            self.links.append(Link(settled, entry.blob or "", None))
            return
        blob = entry.blob or study.blob_hash(data)
        found = self.store.find(entry.path, blob)
        if found is not None:
            self.links.append(Link(settled, blob, found))
            return
        self.contents.append((settled, study.study(entry.path, blob, data, parsing)))
        self.indexed += 1
        if parsing.lost:
            self.unparsed.append(entry.path)

    def _settled(self, entry: Entry) -> Entry:
        """Distrust the stamp of a file written a moment ago: it may change again unnoticed."""
        fresh = entry.blob is None and self.now_ns - entry.mtime_ns < RACY_NS
        return replace(entry, mtime_ns=-1) if fresh else entry

    def _flush(self, done: int, total: int) -> None:
        self.store.apply(links=self.links, contents=self.contents, gone=())
        self.links, self.contents = [], []
        if self.progress is not None:
            self.progress(done, total)

    def _refresh_history(self) -> int:
        head = self.source.head() or ""
        if head == (self.store.meta("head") or ""):
            return 0
        commits = self.source.commits(HISTORY)
        packed = [
            (commit.id, commit.files, pack_terms(_count(commit.message))) for commit in commits
        ]
        self.store.replace_commits(head, packed)
        return len(commits)


def _count(message: str) -> dict[str, float]:
    return {term: float(count) for term, count in Counter(analysis.analyze(message)).items()}
