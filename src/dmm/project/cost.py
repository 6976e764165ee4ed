"""What DMM put into sessions: how many tokens, when and why, and what they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.frozen import frozen
from dmm.domain.payload import PackServed
from dmm.errors import LedgerRefused, StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dmm.domain.event import Event
    from dmm.index.service import Indexes
    from dmm.rules.project_ledger import ProjectLedger

# As far back as sessions are looked for.
RECENT = 20_000
TYPES = (EventType.SESSION_STARTED, EventType.USER_MESSAGE_RECEIVED, EventType.PACK_SERVED)
START, PROMPT, FILE, ASKED = "start", "prompt", "file", "asked"
NO_SESSION = ""


@frozen
class Injection:
    """What was put into a session at once, and why: its start, a prompt, a file, or a call for it.

    `task` is what was asked, or the files that a call touched.
    """

    seq: int
    at: str
    why: str
    task: str
    tokens: int
    paths: tuple[str, ...]


@frozen
class SessionCost:
    """What one session was given; calls outside of any session have an empty name."""

    session: str
    client: str
    prompts: int
    injections: tuple[Injection, ...]

    @property
    def tokens(self) -> int:
        """All tokens that were put into it."""
        return sum(one.tokens for one in self.injections)


@frozen
class CostReport:
    """The last sessions, newest first, and the memory that would be loaded without DMM."""

    sessions: tuple[SessionCost, ...]
    memories: int
    memory_tokens: int


@dataclass(slots=True)
class _Tally:
    client: str = ""
    prompts: int = 0
    injections: list[Injection] = field(default_factory=list)


@frozen
class Costs:
    """Reads the cost of sessions from the ledger of one project; nothing is recorded."""

    project_ledger: ProjectLedger
    indexes: Callable[[], Indexes]
    is_trusted: Callable[[], bool]

    def report(self, *, session: str | None = None, limit: int = 5) -> CostReport:
        """Report the last sessions, or the one whose id begins as given."""
        found = self._sessions()
        if session is not None:
            found = [one for one in found if one.session and one.session.startswith(session)]
            if not found:
                hint = "list the last sessions: dmm cost"
                raise UsageError(f"no session id starts with {session!r}", hint=hint)
        indexes = self.indexes()
        indexes.refresh()
        snapshot = indexes.snapshot()
        memories = int(snapshot.columns.in_force.sum())
        return CostReport(tuple(found[:limit]), memories, snapshot.memory_tokens)

    def last(self) -> SessionCost | None:
        """Return the newest session that was given anything; None where there is none."""
        try:
            return next((one for one in self._sessions() if one.session), None)
        except (StorageError, LedgerRefused):
            # Whoever shows the state of the ledger says what is wrong with it.
            return None

    def _sessions(self) -> list[SessionCost]:
        if not self.is_trusted() or not self.project_ledger.exists:
            return []
        log = self.project_ledger.reading
        head = log.head().seq
        tallies = _tally(log.events_of(TYPES, max(0, head - RECENT), head))
        found = [
            SessionCost(name, one.client, one.prompts, tuple(one.injections))
            for name, one in tallies.items()
            if one.injections
        ]
        return sorted(found, key=lambda one: -one.injections[-1].seq)


def _tally(events: Iterable[Event]) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    for event in events:
        if event.session is None and event.source == "cli":
            # A person who looks at a pack puts it into no session.
            continue
        tally = tallies.setdefault(event.session or NO_SESSION, _Tally())
        tally.client = event.actor
        if event.type == EventType.USER_MESSAGE_RECEIVED:
            tally.prompts += 1
        elif (served := PackServed.read(event)) is not None:
            tally.injections.append(_read(event, served))
    return tallies


def _read(event: Event, told: PackServed) -> Injection:
    paths = tuple(one.path for one in told.memories)
    task = told.task or ", ".join(told.files)
    return Injection(event.seq, event.at, _reason(event, told), task, told.tokens or 0, paths)


def _reason(event: Event, told: PackServed) -> str:
    if event.source != "hook":
        return ASKED
    if told.files:
        return FILE
    return START if told.briefing else PROMPT
