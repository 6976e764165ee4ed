"""A query answered with a pack: refresh, search, rank, assemble; the baseline is always in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.memory import RETRIEVED_SCOPES, Origin
from dmm.domain.pack import (
    Freshness,
    Pack,
    PackEntry,
    QueryRequest,
    Receipt,
    label_line,
    shown_path,
)
from dmm.errors import StorageError, UsageError
from dmm.files import citations
from dmm.files.durable import write_atomic
from dmm.retrieval import assemble, baseline, render
from dmm.retrieval.rank import demote
from dmm.retrieval.retrieve import retrieve
from dmm.retrieval.twins import find_twin

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from dmm.config import RetrievalConfig
    from dmm.domain.pack import Baseline, CitationCheck
    from dmm.files.roots import Root
    from dmm.index.snapshot import Snapshot
    from dmm.index.sync import Progress
    from dmm.retrieval.assemble import Choice, Ranked
    from dmm.service.baselines import Baselines
    from dmm.service.indexes import Indexes

MAX_QUERY_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Answer:
    """A pack and how it came about."""

    pack: Pack
    stats: dict[str, Any]

    @property
    def markdown(self) -> str:
        """The pack as an agent reads it."""
        return render.render_pack(self.pack)

    def describe(self) -> dict[str, Any]:
        """The answer as plain data."""
        return {
            "pack": render.describe_pack(self.pack),
            "pack_markdown": self.markdown,
            "stats": self.stats,
        }


@dataclass(frozen=True, slots=True)
class Packs:
    """Answers queries of one project."""

    root: Root
    settings: RetrievalConfig
    indexes: Indexes
    baselines: Baselines
    count: Callable[[str], int]
    today: Callable[[], dt.date]

    def query(
        self, request: QueryRequest, *, refresh: bool = True, progress: Progress | None = None
    ) -> Answer:
        """Compile the pack for a request; `refresh` looks for changed files first."""
        _check(request)
        day = self.today()
        always = self.baselines.compile()
        retrieved: tuple[PackEntry, ...] = ()
        receipt = Receipt()
        stats: dict[str, Any] = {"indexed": 0, "candidates": 0, "retrieval": "none"}
        notices = list(always.notices)
        try:
            if refresh:
                self.indexes.refresh(progress=progress)
            snapshot = self.indexes.snapshot()
            stats["indexed"] = len(snapshot)
            if request.query.strip():
                retrieved, receipt = self._retrieve(snapshot, request, always, day)
                stats |= self._count(receipt)
        except StorageError as error:
            notices.append(f"only the baseline could be served: {error}")
        over = baseline.overflow_notice(always, request.baseline_budget)
        notices += [*([over] if over else []), *self.indexes.notices.values()]
        pack = Pack(
            query=request.query,
            day=day,
            budget=request.budget,
            baseline_budget=request.baseline_budget,
            baseline_entries=always.entries,
            retrieved_entries=retrieved,
            receipt=receipt,
            notices=tuple(notices),
        )
        answer = Answer(pack, stats)
        self._keep(answer)
        return answer

    def _count(self, receipt: Receipt) -> dict[str, Any]:
        hybrid = self.indexes.embedder() is not None
        return {
            "candidates": receipt.considered,
            "directories": [path for path, _ in receipt.directories],
            "retrieval": "hybrid" if hybrid else "keyword",
        }

    def _retrieve(
        self, snapshot: Snapshot, request: QueryRequest, always: Baseline, day: dt.date
    ) -> tuple[tuple[PackEntry, ...], Receipt]:
        embedder = self.indexes.embedder()
        vector = None if embedder is None else embedder.embed_query(request.query)
        retrieval = retrieve(snapshot, request, vector, day, self.settings)
        checks = self._check_citations(snapshot, retrieval.ranked)
        stale = {row for row, found in checks.items() if _stale(found)}
        ranked = demote(retrieval.ranked, stale)
        choice = assemble.choose(
            ranked,
            room=request.budget - always.tokens,
            most=self.settings.max_candidates,
            twin=find_twin(snapshot, self.settings.diversity_threshold),
        )
        choice, entries = self._entries(snapshot, choice, checks, request.budget - always.tokens)
        receipt = Receipt(
            directories=retrieval.directories,
            candidates=choice.receipt,
            considered=retrieval.considered,
            abstained=not any(candidate.relevant for candidate in ranked),
        )
        return _by_scope(entries), receipt

    def _check_citations(
        self, snapshot: Snapshot, ranked: Sequence[Ranked]
    ) -> dict[int, tuple[CitationCheck, ...]]:
        """Look at the cited code of the candidates that may be served."""
        checks: dict[int, tuple[CitationCheck, ...]] = {}
        for candidate in ranked[: self.settings.max_candidates]:
            place = snapshot.places[candidate.row]
            if candidate.relevant and snapshot.columns.cited[candidate.row]:
                cites = self.indexes.memory(place).cites
                if place.origin is Origin.PROJECT:
                    found = tuple(citations.check(self.root.project, cite) for cite in cites)
                    checks[candidate.row] = found
        return checks

    def _entries(
        self,
        snapshot: Snapshot,
        choice: Choice,
        checks: dict[int, tuple[CitationCheck, ...]],
        room: int,
    ) -> tuple[Choice, list[PackEntry]]:
        entries = [
            self._entry(snapshot, candidate, checks.get(candidate.row, ()))
            for candidate in choice.included
        ]
        used = sum(entry.token_count + entry.heading_tokens for entry in entries)
        if used > max(room, 0) and entries:
            # Labels cost tokens too: the last entry gives way.
            choice = assemble.drop_last(choice)
            return self._entries(snapshot, choice, checks, room)
        return choice, entries

    def _entry(
        self, snapshot: Snapshot, candidate: Ranked, checks: tuple[CitationCheck, ...]
    ) -> PackEntry:
        place = snapshot.places[candidate.row]
        memory = self.indexes.memory(place)
        labels = tuple(_label(check) for check in checks if check.state is not Freshness.FRESH)
        if not memory.in_force:
            labels = ("deprecated", *labels)
        extra = sum(self.count(label_line(label)) for label in labels)
        return PackEntry(
            id=memory.id,
            path=shown_path(place.path, place.origin),
            title=memory.title,
            content=memory.content,
            token_count=memory.token_count,
            heading_tokens=memory.heading_tokens + extra,
            source="retrieved",
            scope=memory.scope,
            origin=place.origin,
            relevance_score=candidate.score,
            labels=labels,
            citations=checks,
        )

    def _keep(self, answer: Answer) -> None:
        """Leave the pack for others to read; where that is impossible nothing else suffers."""
        try:
            self.root.packs.mkdir(parents=True, exist_ok=True)
            data = answer.markdown.encode("utf-8", "replace")
            write_atomic(self.root.packs / "last_pack.md", data, durable=False)
        except (OSError, StorageError):
            return


def _check(request: QueryRequest) -> None:
    for name, value in (("budget", request.budget), ("baseline budget", request.baseline_budget)):
        if value < 0:
            raise UsageError(f"the {name} is negative", hint="give a number of tokens, 0 or more")
    if len(request.query) > MAX_QUERY_CHARACTERS:
        what = f"the task has more than {MAX_QUERY_CHARACTERS:,} characters"
        raise UsageError(what, hint="describe the task in a few sentences")


def _stale(checks: tuple[CitationCheck, ...]) -> bool:
    return any(check.state in (Freshness.CHANGED, Freshness.GONE) for check in checks)


def _label(check: CitationCheck) -> str:
    now = f", now {check.now}" if check.now else ""
    return f"cites {check.cite}: {check.state}{now}"


def _by_scope(entries: Sequence[PackEntry]) -> tuple[PackEntry, ...]:
    """Order the entries as the pack shows them: by scope, best first within each."""
    return tuple(sorted(entries, key=lambda entry: RETRIEVED_SCOPES.index(entry.scope)))
