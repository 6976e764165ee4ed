"""Packs that were served: what each held and why, as the ledger keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.memory import Origin
from dmm.domain.pack import Reason
from dmm.domain.payload import PackServed
from dmm.domain.receipt_payload import Found
from dmm.errors import UsageError
from dmm.eventlog.tables import NO_END
from dmm.rules.discretion import discreet

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from dmm.domain.event import Event
    from dmm.domain.payload import Held
    from dmm.domain.receipt_payload import KeptReceipt
    from dmm.index.service import Indexes
    from dmm.rules.project_ledger import ProjectLedger

START, PROMPT, FILES, ASKED = "start", "prompt", "files", "asked"
ALWAYS = "baseline"
# The floor looks at the evidence alone, so a candidate below it may have a higher score than an
# entry: the score also counts the folder, neighbours and what a memory claims.
WORDS = {
    Reason.BUDGET.value: "no room left in the budget",
    Reason.FLOOR.value: "too little of it is about the task, whatever its score",
    Reason.DUPLICATE.value: "says the same as one that is in",
    Reason.LIMIT.value: "beyond the number of candidates",
    Reason.GIVEN.value: "given earlier in this session",
}


@dataclass(frozen=True, slots=True)
class ServedEntry:
    """A memory in a pack; score and tokens are None where no receipt was kept."""

    path: str
    title: str
    score: float | None
    lanes: tuple[str, ...]
    tokens: int | None
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Excluded:
    """A candidate that was left out of a pack; `why` tells the reason in words."""

    path: str
    title: str
    score: float
    reason: str
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class PackTokens:
    """The tokens of a pack; the parts are None where no receipt was kept."""

    baseline: int | None
    retrieved: int | None
    total: int


@dataclass(frozen=True, slots=True)
class PackRow:
    """A pack in a list; `why` is the start of a session, a prompt, files or a call for it."""

    seq: int
    at: str
    why: str
    task: str
    session: str | None
    client: str
    tokens: int
    entries: int


@dataclass(frozen=True, slots=True)
class ServedPack:
    """A pack with its receipt; an old one has none, and `receipt` is False."""

    seq: int
    at: str
    why: str
    task: str
    session: str | None
    client: str
    files: tuple[str, ...]
    budget: int | None
    tokens: PackTokens
    entries: tuple[ServedEntry, ...]
    excluded: tuple[Excluded, ...]
    excluded_more: int
    receipt: bool
    memory_tokens: int | None


@dataclass(frozen=True, slots=True)
class PackRows:
    """The newest packs, the newest first."""

    packs: tuple[PackRow, ...]


@dataclass(frozen=True, slots=True)
class ServedPacks:
    """Reads the packs of one project from its ledger; nothing is recorded."""

    project_ledger: ProjectLedger
    indexes: Callable[[], Indexes]

    @discreet
    def newest(self, limit: int, before: int | None = None) -> PackRows:
        """List the newest packs, or the newest before an event."""
        log = self.project_ledger.reading
        end = NO_END if before is None else before
        events = reversed(log.latest(limit, before=end, kind=EventType.PACK_SERVED))
        read = ((event, PackServed.read(event)) for event in events)
        return PackRows(tuple(_row(event, told) for event, told in read if told is not None))

    @discreet
    def show(self, seq: int) -> ServedPack:
        """Show one pack by the number of its event."""
        event = self.project_ledger.reading.event(seq)
        told = PackServed.read(event)
        if event is None or told is None:
            hint = "dmm ledger pack lists the newest packs"
            raise UsageError(f"event {seq} is not a pack", hint=hint)
        row, kept, entries = _row(event, told), told.receipt, tuple(self._entries(told))
        return ServedPack(
            row.seq,
            row.at,
            row.why,
            row.task,
            row.session,
            row.client,
            told.files,
            told.budget,
            _tokens(row.tokens, kept),
            entries,
            () if kept is None else tuple(self._excluded(kept, {one.path for one in entries})),
            0 if kept is None else kept.more,
            kept is not None,
            None if kept is None or not kept.memory else kept.memory,
        )

    def _entries(self, told: PackServed) -> Iterator[ServedEntry]:
        kept = told.receipt
        always = () if kept is None else kept.baseline
        for number, one in enumerate(told.baseline or ()):
            tokens = always[number] if number < len(always) else None
            yield self._entry(one, Found(1.0, (ALWAYS,), tokens or 0), kept, tokens)
        found = () if kept is None else kept.read_found()
        for number, one in enumerate(told.retrieved):
            why = found[number] if number < len(found) else None
            if one.path:
                yield self._entry(one, why, kept, None if why is None else why.tokens)

    def _entry(
        self, one: Held, why: Found | None, kept: KeptReceipt | None, tokens: int | None
    ) -> ServedEntry:
        labels = () if kept is None else kept.labels.get(one.path, ())
        score, lanes = (None, ()) if why is None else (why.score, why.lanes)
        return ServedEntry(one.path, self._title(one.path), score, lanes, tokens, tuple(labels))

    def _excluded(self, kept: KeptReceipt, held: Collection[str]) -> Iterator[Excluded]:
        """Tell what was left out; old receipts also list what another sentence brought in."""
        for path, score, reason, tokens in kept.read_excluded():
            if path not in held:
                yield Excluded(path, self._title(path), score, reason, tokens, WORDS[reason])

    def _title(self, shown: str) -> str:
        """Return the title that a memory has today; its path where it is gone."""
        own = f"{Origin.USER}:"
        origin = Origin.USER if shown.startswith(own) else Origin.PROJECT
        store = self.indexes().store(origin)
        return (None if store is None else store.title(shown.removeprefix(own))) or shown


def _row(event: Event, told: PackServed) -> PackRow:
    entries = len(told.memories)
    return PackRow(
        event.seq,
        event.at,
        tell_why(event, told),
        told.task or "",
        event.session,
        event.actor,
        told.tokens or 0,
        entries,
    )


def tell_why(event: Event, told: PackServed) -> str:
    """Return what a pack was served for: a session's start, a prompt, files, or a call for it."""
    if event.source != "hook":
        return ASKED
    if told.briefing:
        return START
    return FILES if told.files else PROMPT


def _tokens(total: int, kept: KeptReceipt | None) -> PackTokens:
    if kept is None:
        return PackTokens(None, None, total)
    always = sum(kept.baseline)
    return PackTokens(always, total - always, total)
