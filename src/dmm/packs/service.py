"""Answer a query with a pack: refresh, search, rank, assemble, always with the baseline."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from dmm.domain.memory import RETRIEVED_SCOPES, Origin
from dmm.domain.pack import (
    Baseline,
    Freshness,
    Pack,
    PackEntry,
    QueryRequest,
    Reason,
    Receipt,
    Supplement,
    digest_entry,
    label_line,
    shown_path,
)
from dmm.errors import DmmError, IndexBroken, IndexBusy, StorageError, UsageError
from dmm.files import citations
from dmm.files.durable import write_derived
from dmm.packs import assemble, baseline, render
from dmm.packs.rank import demote
from dmm.packs.retrieve import retrieve
from dmm.packs.scoped import ScopedMemories
from dmm.packs.twins import find_twin
from dmm.redaction.clean import clean

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from dmm.config import RetrievalConfig
    from dmm.domain.pack import CitationCheck
    from dmm.files.roots import Root
    from dmm.index.records import IndexedMemory
    from dmm.index.service import Indexes
    from dmm.index.snapshot import Snapshot
    from dmm.index.sync import Progress
    from dmm.packs.active_constraints import ActiveConstraints
    from dmm.packs.assemble import Ranked
    from dmm.packs.baselines import Baselines
    from dmm.packs.scoped import Scoped

    # What is said of memories in conflict, by their ids.
    Marks = Mapping[str, tuple[str, ...]]

MAX_QUERY_CHARACTERS = 20_000
MOST_CITES = 16


@dataclass(frozen=True, slots=True)
class Stats:
    """How a pack came about: what was searched, how, and how many files are not indexed yet."""

    indexed: int
    candidates: int
    directories: tuple[str, ...]
    retrieval: str
    waiting: int = 0
    milliseconds: float | None = None


@dataclass(frozen=True)
class Answer:
    """A pack and how it came about; its receipt is included if the request asks for it."""

    pack: Pack
    stats: Stats
    explain: bool = False

    @cached_property
    def markdown(self) -> str:
        """The pack as an agent reads it."""
        return render.render_pack(self.pack)

    def describe(self) -> object:
        """The answer as plain data."""
        pack, receipt = render.describe_pack(self.pack), self.pack.receipt
        told = {"pack": pack, "pack_markdown": self.markdown, "stats": self.stats}
        return told | ({"receipt": render.describe_receipt(receipt)} if self.explain else {})


@dataclass(frozen=True, slots=True)
class Packs:
    """Answers queries of one project."""

    root: Root
    settings: RetrievalConfig
    indexes: Indexes
    baselines: Baselines
    count: Callable[[str], int]
    today: Callable[[], dt.date]
    find_standing: Callable[[], ActiveConstraints | None] = lambda: None
    find_marks: Callable[[], Marks] = dict
    scoped: ScopedMemories = field(default_factory=ScopedMemories)

    def query(
        self,
        request: QueryRequest,
        *,
        refresh: bool = True,
        progress: Progress | None = None,
        record: bool = True,
    ) -> Answer:
        """Compile the pack for a request; `refresh` looks for changed files first.

        Without `record` it is a try: it counts as served nowhere.
        """
        _check(request)
        # The task is in the pack, on the disk and in the ledger.
        request = replace(request, query=clean(request.query))
        answer = self._compile(request, refresh=refresh, progress=progress)
        if record:
            answer = replace(answer, pack=_recorded(answer.pack, self.find_standing()))
            self._keep(answer)
        return answer

    def _compile(
        self, request: QueryRequest, *, refresh: bool, progress: Progress | None
    ) -> Answer:
        day = self.today()
        marks = self.find_marks()
        always = self._marked(self.baselines.compile(), marks)
        retrieved, receipt = tuple[PackEntry, ...](), Receipt()
        indexed, waiting, retrieval = 0, 0, "none"
        notices = list(always.notices)
        try:
            if refresh:
                report = self.indexes.refresh(request.query, progress=progress)
                waiting = 0 if report is None else report.waiting
            snapshot = self.indexes.snapshot()
            indexed = len(snapshot)
            if request.query.strip():
                retrieved, receipt = self._look_up(snapshot, request, always, day, marks)
                retrieval = "keyword" if self.indexes.embedder() is None else "hybrid"
        except DmmError as error:
            notices.append(f"only the baseline could be served: {error}")
        standing = self.find_standing()
        constraints = () if standing is None else standing.constraints()
        over = baseline.overflow_notice(always, request.baseline_budget)
        notices += [*([over] if over else []), *self.indexes.notices.values()]
        notices += [] if standing is None else standing.notices
        pack = Pack(
            query=request.query,
            day=day,
            budget=request.budget,
            baseline_budget=request.baseline_budget,
            baseline_entries=always.entries,
            retrieved_entries=retrieved,
            receipt=receipt,
            notices=tuple(notices),
            constraints=constraints,
            incomplete=self.indexes.incomplete,
        )
        directories = tuple(path for path, _ in receipt.directories)
        stats = Stats(indexed, receipt.considered, directories, retrieval, waiting)
        return Answer(pack, stats, request.explain)

    def supplement(self, request: QueryRequest, known: Collection[str]) -> Supplement:
        """Find what a prompt adds to what a session was given, told by digests.

        The index is taken as it stands: whoever waits for this answer is a person.
        """
        _check(request)
        snapshot = self.indexes.snapshot_at_hand()
        marks = self.find_marks()
        found, receipt = self._look_up(snapshot, request, Baseline(), self.today(), marks)
        new = tuple(entry for entry in found if digest_entry(entry) not in known)
        given = {entry.path for entry in found} - {entry.path for entry in new}
        candidates = (
            one._replace(reason=Reason.GIVEN) if one.path in given else one
            for one in receipt.candidates
        )
        return Supplement(new, replace(receipt, candidates=tuple(candidates)))

    def about_files(self, found: Iterable[Scoped], budget: int) -> tuple[PackEntry, ...]:
        """Return memories about files, as many in their order as fit; the first is always given."""
        marks, left, taken = self.find_marks(), budget, list[PackEntry]()
        for one in found:
            entry = self._scoped_entry(one, marks)
            if entry is None:
                continue
            left -= entry.token_count + entry.heading_tokens
            if taken and left < 0:
                break
            taken.append(entry)
        return tuple(taken)

    def _scoped_entry(self, one: Scoped, marks: Marks) -> PackEntry | None:
        """Make an entry of a memory, unless it is out of date.

        A file that is not as it was indexed waits for the index: the branch may have changed.
        """
        place, memory = one.place, self.indexes.memory(one.place)
        day = self.today().toordinal()
        expired = memory.expires is not None and memory.expires.toordinal() < day
        if expired or not self.indexes.is_current(place, memory.content_hash):
            return None
        checks = self._check_cites(memory) if place.origin is Origin.PROJECT else ()
        entry = PackEntry(
            id=place.id,
            path=shown_path(place.path, place.origin),
            title=place.title,
            content=memory.content,
            token_count=memory.token_count,
            heading_tokens=memory.heading_tokens,
            source="retrieved",
            scope=memory.scope,
            origin=place.origin,
            citations=checks,
            lanes=("files",),
        )
        return self._with_labels(entry, (*_stale_labels(checks), *marks.get(place.id, ())))

    def _look_up(
        self,
        snapshot: Snapshot,
        request: QueryRequest,
        always: Baseline,
        day: dt.date,
        marks: Marks,
    ) -> tuple[tuple[PackEntry, ...], Receipt]:
        try:
            return self._retrieve(snapshot, request, always, day, marks)
        except (IndexBusy, IndexBroken) as error:
            # Another process may have indexed in between; if not, the index is damaged.
            if isinstance(error, IndexBroken) and self.indexes.snapshot().places is snapshot.places:
                self.indexes.fix(error)
            return self._retrieve(self.indexes.snapshot(), request, always, day, marks)

    def _retrieve(
        self,
        snapshot: Snapshot,
        request: QueryRequest,
        always: Baseline,
        day: dt.date,
        marks: Marks,
    ) -> tuple[tuple[PackEntry, ...], Receipt]:
        vector = self.indexes.embed(request.query)
        retrieval = retrieve(
            snapshot,
            request,
            vector,
            day,
            self.settings,
            self.indexes.is_word,
            aim=self.scoped.aim(request.query, self._is_there),
            is_common=self.indexes.is_common,
        )
        # A checkout may just have taken a file away: its memory belongs to another branch.
        is_there, places = self.indexes.is_there, snapshot.places
        there = [one for one in retrieval.ranked if is_there(places[one.row])]
        checks = self._check_citations(snapshot, there)
        stale = {row for row, found in checks.items() if _stale(found)}
        ranked = demote(there, stale)
        labels = {
            one.row: (
                *_labels(snapshot, one.row, checks.get(one.row, ())),
                *marks.get(snapshot.places[one.row].id, ()),
            )
            for one in ranked
        }
        choice = assemble.choose(
            [self._priced(one, labels[one.row]) for one in ranked],
            room=request.budget - always.cost,
            twin=find_twin(snapshot, self.settings.diversity_threshold),
        )
        entries = [
            self._entry(snapshot, one, labels[one.row], checks.get(one.row, ()))
            for one in choice.included
        ]
        receipt = Receipt(
            directories=retrieval.directories,
            candidates=assemble.account(choice, retrieval.others),
            considered=retrieval.considered,
            abstained=not ranked,
            memory=snapshot.memory_tokens,
        )
        return _by_scope(entries), receipt

    def _is_there(self, path: str) -> bool:
        return os.path.lexists(self.root.project / path)

    def _marked(self, always: Baseline, marks: Marks) -> Baseline:
        """Mark the rules of the baseline that are in conflict with something."""
        if not marks:
            return always
        entries = (self._with_labels(one, marks.get(one.id, ())) for one in always.entries)
        return replace(always, entries=tuple(entries))

    def _with_labels(self, entry: PackEntry, told: tuple[str, ...]) -> PackEntry:
        """Add labels to an entry, and what they cost."""
        extra = sum(self.count(label_line(label)) for label in told)
        labels, heading = (*entry.labels, *told), entry.heading_tokens + extra
        return replace(entry, labels=labels, heading_tokens=heading) if told else entry

    def _priced(self, candidate: Ranked, labels: tuple[str, ...]) -> Ranked:
        """Add what its labels cost to the tokens of a candidate."""
        if not labels:
            return candidate
        extra = sum(self.count(label_line(label)) for label in labels)
        return candidate._replace(tokens=candidate.tokens + extra)

    def _check_citations(
        self, snapshot: Snapshot, ranked: Sequence[Ranked]
    ) -> dict[int, tuple[CitationCheck, ...]]:
        """Check the cited code of the candidates that may be served."""
        checks: dict[int, tuple[CitationCheck, ...]] = {}
        for candidate in ranked:
            place = snapshot.places[candidate.row]
            if place.origin is Origin.PROJECT and snapshot.columns.cited[candidate.row]:
                checks[candidate.row] = self._check_cites(self.indexes.memory(place))
        return checks

    def _check_cites(self, memory: IndexedMemory) -> tuple[CitationCheck, ...]:
        cites = memory.cites[:MOST_CITES]
        return tuple(citations.check(self.root.project, cite) for cite in cites)

    def _entry(
        self,
        snapshot: Snapshot,
        candidate: Ranked,
        labels: tuple[str, ...],
        checks: tuple[CitationCheck, ...],
    ) -> PackEntry:
        place = snapshot.places[candidate.row]
        content, tokens, heading_tokens = self.indexes.served(place)
        if tokens + heading_tokens != snapshot.columns.tokens[candidate.row]:
            raise IndexBusy(f"{place.path} has just changed", hint="run the command again")
        return PackEntry(
            id=place.id,
            path=candidate.path,
            title=place.title,
            content=content,
            token_count=tokens,
            heading_tokens=candidate.tokens - tokens,
            source="retrieved",
            scope=snapshot.scope_of(candidate.row),
            origin=place.origin,
            relevance_score=candidate.score,
            labels=labels,
            citations=checks,
            lanes=candidate.lanes,
        )

    def _keep(self, answer: Answer) -> None:
        """Write the pack for others to read; a failure affects nothing else."""
        try:
            data = answer.markdown.encode("utf-8", "replace")
            write_derived(self.root.make_packs() / "last_pack.md", data)
        except StorageError:
            return


def _recorded(pack: Pack, standing: ActiveConstraints | None) -> Pack:
    """Record that the pack is served; where that fails, the pack says so."""
    fault = None if standing is None else standing.record(pack)
    return pack if fault is None else replace(pack, notices=(*pack.notices, fault))


def _check(request: QueryRequest) -> None:
    for name, value in (("budget", request.budget), ("baseline budget", request.baseline_budget)):
        if value < 0:
            raise UsageError(f"the {name} is negative", hint="give a number of tokens, 0 or more")
    if len(request.query) > MAX_QUERY_CHARACTERS:
        what = f"the task has more than {MAX_QUERY_CHARACTERS:,} characters"
        raise UsageError(what, hint="describe the task in a few sentences")


def _stale(checks: tuple[CitationCheck, ...]) -> bool:
    return any(check.state in (Freshness.CHANGED, Freshness.GONE) for check in checks)


def _labels(snapshot: Snapshot, row: int, checks: tuple[CitationCheck, ...]) -> tuple[str, ...]:
    stale = _stale_labels(checks)
    return stale if snapshot.columns.in_force[row] else ("deprecated", *stale)


def _stale_labels(checks: tuple[CitationCheck, ...]) -> tuple[str, ...]:
    return tuple(_label(check) for check in checks if check.state is not Freshness.FRESH)


def _label(check: CitationCheck) -> str:
    now = f", now {check.now}" if check.now else ""
    return f"cites {check.cite}: {check.state}{now}"


def _by_scope(entries: Sequence[PackEntry]) -> tuple[PackEntry, ...]:
    """Order the entries as the pack shows them: by scope, best first, parts of a note in order."""
    ordered = assemble.order_parts(entries)
    return tuple(sorted(ordered, key=lambda entry: RETRIEVED_SCOPES.index(entry.scope)))
