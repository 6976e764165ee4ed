"""The sources of an answer in a real project: packs, recall and code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.ask import howto
from dmm.ask.critic import EDIT, OTHER, RUN, Move
from dmm.ask.evidence import Evidence, Origin, hash_text, safe, safe_line
from dmm.ask.sources import Filters, Told
from dmm.domain.event import EventType
from dmm.domain.observation import Kind
from dmm.domain.pack import QueryRequest
from dmm.domain.plain import to_plain
from dmm.errors import DmmError
from dmm.observations.steps import EDITS, Act, read_steps
from dmm.recall.service import NOTHING_CLEAR
from dmm.redaction.identity import keep_identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.ask.code import Repository
    from dmm.ask.question import Question
    from dmm.domain.pack import PackEntry
    from dmm.packs.service import Packs
    from dmm.recall.results import Row, Searched, Unit
    from dmm.recall.service import Recall
    from dmm.rules.project_ledger import ProjectLedger

MOST_MEMORIES = 8
MOST_ROWS = 20
MOST_UNITS = 10
DOCUMENTS_READ = 20
# Enough for the memories that are told; the budget of the prompt decides among them.
MEMORY_ROOM = 8_000
# Only what happened lately says how a session is going.
EVENTS_BACK = 5_000
TOOL_EVENTS = (EventType.TOOL_USED, EventType.TOOL_FAILED)
UNTRUSTED = "not accepted by you"


@dataclass(frozen=True, slots=True)
class ProjectSources:
    """The sources of one project; whichever fails is left out, and the answer says so."""

    packs: Packs
    recall: Recall
    repository: Repository
    is_trusted: Callable[[], bool]

    @property
    def code(self) -> Repository:
        """The repository."""
        return self.repository

    def memory(self, question: Question) -> Told:
        """Look up the project's memory; nothing is recorded, for no pack is served."""
        indexes = self.packs.indexes
        try:
            indexes.refresh(question.words)
            request = QueryRequest(question.words, MEMORY_ROOM, baseline_budget=0)
            entries = self.packs.supplement(request, ()).entries
            size = len(indexes.snapshot())
            retrieval = "keyword" if indexes.embedder() is None else "hybrid"
        except DmmError as error:
            return Told(notices=(f"memory could not be searched: {error}",))
        doubt = "" if self.is_trusted() else UNTRUSTED
        best = sorted(entries, key=lambda one: (-one.relevance_score, one.path))
        found = tuple(_memory(one, doubt) for one in best[:MOST_MEMORIES])
        return Told(found, tuple(indexes.notices.values()), size, retrieval)

    def instructions(self, question: Question) -> list[Evidence]:
        """Find what people are told to do about a question, in documents and in tasks."""
        if not question.topic:
            return []
        found = self.repository.list_instructions(question.words, DOCUMENTS_READ)
        best = howto.order(question.words, found, self.liken, conceal=self.repository.conceal)
        return [*map(self.repository.cite, best)]

    def liken(self, text: str, others: Sequence[str]) -> list[float]:
        """Return how alike a text and each of some others are; nothing without the model."""
        asked = self.repository.embed(text)
        if asked is None:
            return []
        near = (self.repository.embed(one) for one in others)
        return [0.0 if one is None else float(one @ asked) for one in near]

    def sessions(self, question: Question) -> Told:
        """Look up what sessions did: rows first, then the whole of the best."""
        try:
            for filters in _filters(question):
                told = self.recall.search(
                    question.topic,
                    kind=filters.kind,
                    file=filters.file,
                    since=to_plain(filters.since),
                    until=to_plain(filters.until),
                    limit=MOST_ROWS,
                )
                if told.results and told.hint != NOTHING_CLEAR:
                    break
            # What comes nearest without saying it is no evidence; its rows are told all the same.
            clear = told.hint != NOTHING_CLEAR
            ids = [row.id for row in _untold(told)][:MOST_UNITS] if clear else []
            full = self.recall.get_observations(ids).observations if ids else ()
            size = len(self.recall.observations.units())
        except DmmError as error:
            return Told(notices=(f"sessions could not be searched: {error}",))
        return Told(tuple(map(_unit, full)), told.notices, size, told.retrieval, told, filters)


def _untold(told: Searched) -> Sequence[Row]:
    """Of the newest, leave out messages that an observation among them tells of."""
    rows = told.results
    if told.retrieval != "newest":
        return rows
    observed = {seq for row in rows if row.kind != Kind.MESSAGE for seq in row.sources}
    return [row for row in rows if row.kind != Kind.MESSAGE or observed.isdisjoint(row.sources)]


def _filters(question: Question) -> Iterator[Filters]:
    """Narrow a search as the question says; a narrow one that finds nothing is widened."""
    span = question.span
    days = Filters(span.since, span.until) if span else Filters()
    kind = str(question.kinds[0]) if len(question.kinds) == 1 else None
    file = question.files[0] if len(question.files) == 1 else None
    if question.looks_back:
        if kind and file:
            yield replace(days, kind=kind, file=file)
        if kind:
            yield replace(days, kind=kind)
        if file:
            yield replace(days, file=file)
    yield days


def _memory(entry: PackEntry, doubt: str) -> Evidence:
    labels = f" ({'; '.join(entry.labels)})" if entry.labels else ""
    path = safe_line(entry.path)
    return Evidence(
        id=path,
        origin=Origin.MEMORY,
        cite=path,
        title=safe_line(entry.title + labels),
        text=safe(_without_title(entry.content, entry.title)),
        hash=hash_text(entry.content),
        score=entry.relevance_score,
        doubt=doubt,
        kind=str(entry.scope),
    )


def _without_title(content: str, title: str) -> str:
    first, _, rest = content.lstrip().partition("\n")
    return rest if first.lstrip("# ").strip() == title.strip() else content


def _unit(told: Unit) -> Evidence:
    return Evidence(
        id=told.id,
        origin=Origin.SESSIONS,
        cite=told.id,
        title=safe_line(f"{told.kind} of {told.at[:10]}"),
        text=safe(told.text),
        hash=hash_text(told.text),
        doubt=told.low_trust,
        kind=told.kind,
    )


def read_moves(
    project_ledger: ProjectLedger, session: str | None, root: str
) -> tuple[str, list[Move]]:
    """Read what a session did lately; without a name, the one that did something last."""
    log = project_ledger.reading
    head = log.head().seq
    events = [*log.events_of(TOOL_EVENTS, max(0, head - EVENTS_BACK), head)]
    last = next((one.session for one in reversed(events) if one.session), None)
    named = keep_identity(session) if session else last
    own = [one for one in events if named and one.session == named]
    return named or "", [
        Move(step.seq, _act(step.act), step.target, step.failed)
        for one in own
        for step in read_steps(one, root)
    ]


def _act(act: Act) -> str:
    return RUN if act is Act.RUN else EDIT if act in EDITS else OTHER
