"""The ledger of a project as the services use it: opened when needed, its state held in memory."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dmm.domain.event import ID_RANDOMNESS, Draft, EventType, Trust, new_id
from dmm.errors import DmmError, LedgerRefused
from dmm.files.trusted import Kept
from dmm.ledger.chain import Head
from dmm.ledger.identity import open_own
from dmm.ledger.log import EventLog, is_sealed
from dmm.ledger.replay import replay
from dmm.ledger.state import State

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable
    from pathlib import Path

    from dmm.domain.event import Event
    from dmm.files.trusted import TrustStore
    from dmm.policy.judge import InForce, Recorded
    from dmm.service.rulebook import Lookups, Rulebook

# Tool events are many and seldom a look-up; only those shortly before a decision are read.
TOOL_EVENTS_WITHIN = 2_000
TOOL_EVENTS_READ = 200
LOGS = ("-wal", "-shm")
# The surface of events that nobody heard when they happened: they satisfy no verification.
IMPORTED = "import"


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks: the actor, the surface it came through, its session and how far it is trusted."""

    actor: str = "user"
    source: str = "cli"
    trust: Trust = Trust.USER
    session: str | None = None


@dataclass(frozen=True, slots=True)
class TrustedLedger:
    """What the user's store knows of the ledger of a project, as it stands now."""

    store: TrustStore
    folder: Path

    @property
    def trusted(self) -> bool:
        """Whether the project is trusted; the ledger of any other one is not vouched for."""
        return self.store.is_trusted(self.folder)

    @property
    def kept(self) -> tuple[str, bool] | None:
        """The identity that was noted, and whether its first event is known to be committed."""
        found = self.store.find(self.folder)
        kept = None if found is None else found.ledger
        return None if kept is None else (kept.first, kept.settled)

    def note(self, first: str, *, settled: bool) -> None:
        """Note the identity of a ledger that begins."""
        self.store.keep_ledger(self.folder, Kept(first, settled))


@dataclass(slots=True)
class Folded:
    """The newest state that was read, with its head: held once by all who have a ledger open."""

    at: tuple[Head, State] = field(default_factory=lambda: (Head(), State()))


@dataclass(slots=True)
class Chronicle:
    """One ledger, with the state at its head; without a path it lives as long as the process.

    With a record, the ledger of a trusted project has to be the one that was written here.
    """

    path: Path | None
    now: Callable[[], dt.datetime]
    voice: Voice = Voice()
    record_of: TrustedLedger | None = None
    folded: Folded = field(default_factory=Folded)
    _log: EventLog | None = None
    _nothing: EventLog | None = None
    _sealed: EventLog | None = None
    _rules: tuple[tuple[int, ...], Rulebook] | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a ledger yet."""
        return self._log is not None or self.path is None or self.path.exists()

    @property
    def missing(self) -> bool:
        """Whether a ledger was written here that is there no more."""
        kept = None if self.exists or self.record_of is None else self.record_of.kept
        return kept is not None and kept[1]

    @property
    def log(self) -> EventLog:
        """The log, opened or made on first use; a file put in its place is opened anew."""
        if self._log is not None and self._log.replaced:
            held, self._log = self._log, None
            try:
                self._log = self._open()
            except LedgerRefused:
                self._rescue(held)
                raise
            finally:
                held.close()
        if self._log is None:
            self._log = self._open()
        return self._log

    def _open(self, *, sealed: bool = False) -> EventLog:
        if self.path is None:
            return EventLog.in_memory()
        record = self.record_of
        if record is None or not record.trusted:
            return EventLog.look(self.path) if sealed else EventLog.open(self.path)
        return open_own(self.path, record, sealed=sealed)

    def _rescue(self, held: EventLog) -> None:
        """Write down a ledger whose file is gone, as long as it is still held open."""
        if self.path is None:
            return
        # Where it can't be written, the refusal that follows says what matters.
        with contextlib.suppress(DmmError):
            seq = held.head().seq
            target = self.path.with_name(f"{self.path.name}.rescued-{seq}")
            if seq and not target.exists():
                held.backup(target)
                # All of it is in the copy; a backup put in its place must not meet the old log.
                for end in LOGS:
                    self.path.with_name(self.path.name + end).unlink(missing_ok=True)

    @property
    def reading(self) -> EventLog:
        """The log to look at: one that was never made is empty, and stays unmade.

        One whose place can't be written is looked at all the same.
        """
        if self._log is None and self.path is not None and is_sealed(self.path):
            if self._sealed is None or self._sealed.replaced:
                self._sealed = self._open(sealed=True)
            return self._sealed
        if self.exists or self.missing:
            return self.log
        if self._nothing is None:
            self._nothing = EventLog.in_memory()
        return self._nothing

    def draft(
        self,
        kind: str,
        payload: dict[str, Any],
        *,
        caused_by: int | None = None,
        references: tuple[int, ...] = (),
        event_id: str | None = None,
    ) -> Draft:
        """Prepare an event with the time and the voice of this moment."""
        moment = self.now()
        milliseconds = int(moment.timestamp() * 1000)
        return Draft(
            type=kind,
            payload=payload,
            id=event_id or new_id(milliseconds, secrets.token_bytes(ID_RANDOMNESS)),
            at=moment.isoformat(timespec="milliseconds"),
            actor=self.voice.actor,
            source=self.voice.source,
            trust=self.voice.trust,
            session=self.voice.session,
            caused_by=caused_by,
            references=references,
        )

    def record(self, draft: Draft) -> Event:
        """Record one event; it is kept when this returns."""
        return self.log.append([draft])[0]

    def state(self, to: int | None = None) -> State:
        """Tell what is known now, or was known at an event."""
        log = self.reading
        head = log.head()
        if to is not None and to != head.seq:
            return replay(log, to)
        known, state = self.folded.at
        if to is None and known.seq > head.seq:
            # Another connection has just read a newer event; by now this one sees it too.
            head = log.head()
        if known != head:
            state = replay(log, head.seq, start=state if _goes_on(log, known) else None)
            self.folded.at = head, state
        return state

    def rulebook(self, state: State) -> Rulebook:
        """Compile the constraints in force, once for as long as they are the same."""
        key = tuple(one.seq for one in state.in_force)
        if self._rules is None or self._rules[0] != key:
            from dmm.service.rulebook import Rulebook

            self._rules = key, Rulebook(state.in_force)
        return self._rules[1]

    def lookups(self, state: State) -> Lookups:
        """Tell for a constraint what was looked up since the last decision it applied to."""
        from dmm.policy.judge import Recorded
        from dmm.service.rulebook import asks_lookup

        known: dict[int, list[Recorded]] = {}

        def since(constraint: InForce) -> list[Recorded]:
            if not asks_lookup(constraint.rule):
                return []
            last = state.committed.get(constraint.seq, 0)
            if last not in known:
                asked = [Recorded(seq, text) for seq, text in state.queries.items() if seq > last]
                known[last] = asked + self._by_tools(last, state.seq)
            return known[last]

        return since

    def _by_tools(self, after: int, to: int) -> list[Recorded]:
        from dmm.policy.judge import Recorded

        start = max(after, to - TOOL_EVENTS_WITHIN)
        events = self.reading.events_of([EventType.TOOL_USED], start, to)
        told = [Recorded(event.seq, text) for event in events if (text := tool_text(event))]
        return told[-TOOL_EVENTS_READ:]

    def close(self) -> None:
        """Close the file."""
        for log in (self._log, self._nothing, self._sealed):
            if log is not None:
                log.close()
        self._log = self._nothing = self._sealed = None


def _goes_on(log: EventLog, known: Head) -> bool:
    """Say whether a log still holds the events that a state was folded from."""
    last = log.event(known.seq)
    return last is not None and last.hash == known.hash


def tool_text(event: Event) -> str:
    """Read what a tool was used for, where that was recorded; an import proves nothing."""
    if event.source == IMPORTED:
        return ""
    value = event.get("text") or event.get("summary")
    return value if isinstance(value, str) else ""
