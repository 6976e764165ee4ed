"""An open ledger: the log, opened on demand, and its state in memory."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from dmm.branch import find_branch
from dmm.domain.event import ID_RANDOMNESS, Draft, Trust, new_id
from dmm.domain.frozen import frozen
from dmm.domain.payload import ToolCalled
from dmm.domain.plain import to_plain
from dmm.errors import DmmError, LedgerRefused
from dmm.eventlog.chain import Head
from dmm.eventlog.file import is_sealed
from dmm.eventlog.identity import open_own
from dmm.eventlog.log import EventLog
from dmm.eventlog.mark import HighWaterMark
from dmm.eventlog.place import stands
from dmm.eventlog.proof import prove_rules
from dmm.eventlog.replay import replay
from dmm.eventlog.seal import load_seal
from dmm.eventlog.state import State
from dmm.eventlog.verify import verify
from dmm.files.trusted import Kept
from dmm.redaction.identity import keep_identity

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator
    from typing import Self

    from dmm.domain.event import Event
    from dmm.domain.recorded import Payload
    from dmm.eventlog.proof import Proof
    from dmm.eventlog.seal import Seal
    from dmm.files.trusted import TrustStore

LOGS = ("-wal", "-shm")
MARKS = "marks"
# The surface of events that nobody heard when they happened: they satisfy no verification.
IMPORTED = "import"


class Links(TypedDict, total=False):
    """What an event rests on, and the id of one that is delivered again."""

    caused_by: int | None
    references: tuple[int, ...]
    event_id: str | None


@frozen
class Actor:
    """Who acts: a name, the surface it came through, its session and how far it is trusted.

    The name and the session come from outside, and are recorded with every event.
    """

    name: str = "user"
    source: str = "cli"
    trust: Trust = Trust.USER
    session: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", keep_identity(self.name))
        if self.session is not None:
            object.__setattr__(self, "session", keep_identity(self.session))


@frozen
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
        """Record the identity of a new ledger."""
        self.store.keep_ledger(self.folder, Kept(first, settled))

    @property
    def state(self) -> Path:
        """The user's state folder."""
        return self.store.path.parent

    def mark(self, first: str) -> HighWaterMark:
        """Return where the newest event of a ledger is noted."""
        return HighWaterMark(self.state / MARKS / first, first)

    def find_writer(self, log: EventLog) -> str | None:
        """Find the trusted folder in which the user wrote a ledger, all of it and nothing after.

        A folder that still stands somewhere else was not moved: its ledger stays its own.
        """
        first = log.first() or ""
        for one in self.store.list():
            if one.ledger is None or one.ledger.first != first:
                continue
            here = str(self.folder.resolve()) == one.folder.path
            noted = None if not here and stands(Path(one.folder.path)) else self.mark(first).read()
            if noted == log.head() and verify(log.raw(), noted=noted).valid:
                return one.folder.path
        return None

    def seal(self) -> Seal | None:
        """Return the seal of the user's snapshots."""
        return load_seal(self.state)


@frozen
class Fold:
    """A state with the head of the log it was read from, and how far its rules were proved."""

    head: Head = field(default_factory=Head)
    state: State = field(default_factory=State)
    proof: Proof | None = None


@dataclass(slots=True)
class Folded:
    """The newest state that was read, held once by all who have a ledger open."""

    at: Fold = field(default_factory=Fold)


@dataclass(slots=True)
class _Files:
    """The connections to one ledger, each opened when it is first needed."""

    log: EventLog | None = None
    nothing: EventLog | None = None
    sealed: EventLog | None = None

    def close(self) -> None:
        """Close what is open; the next use opens it again."""
        for log in (self.log, self.nothing, self.sealed):
            if log is not None:
                log.close()
        self.log = self.nothing = self.sealed = None


@dataclass(frozen=True, slots=True, eq=False)
class OpenLedger:
    """One ledger as one actor uses it; without a path it lives as long as the process.

    With a record, the ledger of a trusted project has to be the one that was written here. Files
    and state are shared with everyone `as_actor` returns. `checkout` is the folder whose branch the
    events are recorded on.
    """

    path: Path | None
    now: Callable[[], dt.datetime]
    actor: Actor = field(default_factory=Actor)
    record_of: TrustedLedger | None = None
    earlier: tuple[Path, ...] = ()
    folded: Folded = field(default_factory=Folded)
    checkout: Path | None = None
    _files: _Files = field(default_factory=_Files, repr=False)

    def as_actor(self, actor: Actor) -> Self:
        """Return the same ledger for somebody else; what they record is in their name."""
        return replace(self, actor=actor)

    @property
    def exists(self) -> bool:
        """Whether there is a ledger yet; one that is still to be moved here counts."""
        if self._files.log is not None or self.path is None or stands(self.path):
            return True
        known = None if self.record_of is None else self.record_of.kept
        return known is not None and any(stands(old) for old in self.earlier)

    @property
    def is_own(self) -> bool:
        """Whether the ledger is that of a trusted project, whose rules bind agents."""
        return self.record_of is not None and self.record_of.trusted

    @property
    def missing(self) -> bool:
        """Whether a ledger was written here that is there no more."""
        kept = None if self.exists or self.record_of is None else self.record_of.kept
        return kept is not None and kept[1]

    @property
    def log(self) -> EventLog:
        """The log, opened or made on first use; a file put in its place is opened anew."""
        if self._files.log is not None and self._files.log.replaced:
            held, self._files.log = self._files.log, None
            try:
                self._files.log = self._open()
            except LedgerRefused:
                self._rescue(held)
                raise
            finally:
                held.close()
        if self._files.log is None:
            self._files.log = self._open()
        return self._files.log

    def _open(self, *, sealed: bool = False) -> EventLog:
        if self.path is None:
            return EventLog.in_memory()
        record = self.record_of
        if record is None or not record.trusted:
            return EventLog.look(self.path) if sealed else EventLog.open(self.path)
        return open_own(self.path, record, sealed=sealed, earlier=self.earlier)

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
        if self._files.log is None and self.path is not None and is_sealed(self.path):
            if self._files.sealed is None or self._files.sealed.replaced:
                self._files.sealed = self._open(sealed=True)
            return self._files.sealed
        if self.exists or self.missing:
            return self.log
        if self._files.nothing is None:
            self._files.nothing = EventLog.in_memory()
        return self._files.nothing

    def draft(self, told: Payload, **links: Unpack[Links]) -> Draft:
        """Prepare an event of this moment, in the name of the actor, on the branch of now."""
        return self.draft_of(told.kinds[0], self._here() | to_plain(told), **links)

    def _here(self) -> dict[str, str]:
        """Return the branch that is checked out; what is imported happened on any branch."""
        if self.checkout is None or self.actor.source == IMPORTED:
            return {}
        branch = find_branch(self.checkout)
        return {} if branch is None else {"branch": keep_identity(branch)}

    def draft_of(
        self,
        kind: str,
        payload: dict[str, Any],
        *,
        caused_by: int | None = None,
        references: tuple[int, ...] = (),
        event_id: str | None = None,
    ) -> Draft:
        """Prepare an event from the stored form of its payload, also of a type unknown here."""
        moment = self.now()
        milliseconds = int(moment.timestamp() * 1000)
        return Draft(
            type=kind,
            payload=payload,
            id=event_id or new_id(milliseconds, secrets.token_bytes(ID_RANDOMNESS)),
            at=moment.isoformat(timespec="milliseconds"),
            actor=self.actor.name,
            source=self.actor.source,
            trust=self.actor.trust,
            session=self.actor.session,
            caused_by=caused_by,
            references=references,
        )

    def record(self, draft: Draft) -> Event:
        """Record one event; it is kept when this returns."""
        return self.log.append([draft])[0]

    def state(self, to: int | None = None) -> State:
        """Return what is known now, or was known at an event."""
        log = self.reading
        head = log.head()
        if to is not None and to != head.seq:
            return replay(log, to)
        folded = self.folded.at
        if to is None and folded.head.seq > head.seq:
            # Another connection has just read a newer event; by now this one sees it too.
            head = log.head()
        if folded.head != head or (folded.proof is None and self.is_own):
            folded = self._fold(log, head, folded)
            self.folded.at = folded
        return folded.state

    def _fold(self, log: EventLog, head: Head, known: Fold) -> Fold:
        """Read what a state does not have yet, or all of it where the log is another."""
        start = known.state if _goes_on(log, known.head) else None
        proof = None
        if self.is_own:
            # A rule that was edited must not be obeyed, nor one lifted that nobody lifted. After a
            # redaction the events are read again, so they are proved again.
            goes_on = start is not None and log.last_redaction() <= start.seq
            proof = prove_rules(log, known.proof if goes_on else None, head)
        return Fold(head, replay(log, head.seq, start=start), proof)

    @contextlib.contextmanager
    def as_it_is(self) -> Iterator[EventLog]:
        """Open the ledger to examine it, also one that is refused; nothing is recorded in it."""
        if self.path is None or not stands(self.path):
            yield self.reading
            return
        log = EventLog.look(self.path) if is_sealed(self.path) else EventLog.open(self.path)
        with contextlib.closing(log):
            log.seal = None if self.record_of is None else self.record_of.seal()
            yield log

    @property
    def wrong_snapshots(self) -> tuple[int, ...]:
        """The stored states that were found changed since this was opened."""
        return () if self._files.log is None else tuple(sorted(self._files.log.wrong_snapshots))

    def close(self) -> None:
        """Close the file."""
        self._files.close()


def _goes_on(log: EventLog, known: Head) -> bool:
    """Return whether a log still holds the events that a state was folded from."""
    last = log.event(known.seq)
    return last is not None and last.hash == known.hash


def tool_text(event: Event) -> str:
    """Read what a tool was used for, where that was recorded; an import proves nothing."""
    if event.source == IMPORTED:
        return ""
    told = ToolCalled.read(event)
    return "" if told is None else told.text or told.summary
