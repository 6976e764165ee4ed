"""Record earlier sessions from client transcripts, once, with their own times.

A transcript is a file that any program of the user can write, so nothing in it is trusted like
words that a hook heard: what the user is said to have typed counts as the agent's account of it.
"""

from __future__ import annotations

import datetime as dt
import heapq
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from dmm.domain.event import Draft, EventType, Trust, least
from dmm.domain.plain import to_plain
from dmm.eventlog.open_ledger import IMPORTED
from dmm.redaction.redact import redact
from dmm.sessions.events import KEPT, describe_event
from dmm.sessions.payload import HookEvent, HookKind
from dmm.sessions.service import identify
from dmm.sessions.transcripts.entry import Entry, Fault
from dmm.sessions.transcripts.recognise import read_transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dmm.eventlog.log import EventLog
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.sessions.archives import Archives, Transcript
    from dmm.sessions.transcripts.entry import Read

    Advance = Callable[[int, int], None]

BATCH = 500
MOST_OPEN = 64
MOST_FAULTS = 100
# A session that is still written gets its end with a later import.
QUIET = dt.timedelta(hours=1)
_MESSAGES = (EventType.USER_MESSAGE_RECEIVED, EventType.TURN_ENDED)
_TOOLS = (EventType.TOOL_USED, EventType.TOOL_FAILED)


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that could not be read, and why."""

    path: str
    line: int
    reason: str


@dataclass(slots=True)
class SessionImport:
    """What an import adds for one session, or why it adds nothing.

    `state` is `new`, `known` (already recorded), `captured` (already recorded by hooks), `older`
    (it started before the requested day) or `secret` (its name looks like a secret and would be
    recorded with every event).
    """

    client: str
    session: str
    path: str
    at: str
    state: str
    messages: int = 0
    tools: int = 0
    events: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import has added, or would add."""

    dry_run: bool
    files: int
    sessions: tuple[SessionImport, ...]
    skipped: tuple[SkippedLine, ...]
    skipped_lines: int
    redacted: dict[str, int]

    def count(self, name: str) -> int:
        """Return the sum of one number over all sessions."""
        return sum(int(getattr(one, name)) for one in self.sessions)


@dataclass(frozen=True, slots=True)
class Transcripts:
    """Imports the transcripts of one project."""

    project_ledger: ProjectLedger
    archives: Archives
    require_trust: Callable[[], None]

    def find(self, paths: Sequence[Path] = (), client: str | None = None) -> list[Transcript]:
        """Find the named transcripts, or all of this project."""
        return self.archives.find(paths, client)

    def plan(self, found: Sequence[Transcript], since: dt.date | None = None) -> Imported:
        """Return what an import would add; nothing is written, and secrets are not counted."""
        return self._run(found, since, dry_run=True, advance=None)

    def record(
        self,
        found: Sequence[Transcript],
        since: dt.date | None = None,
        advance: Advance | None = None,
    ) -> Imported:
        """Record what is new in the transcripts; stopping this keeps what was recorded."""
        return self._run(found, since, dry_run=False, advance=advance)

    def _run(
        self,
        found: Sequence[Transcript],
        since: dt.date | None,
        *,
        dry_run: bool,
        advance: Advance | None,
    ) -> Imported:
        self.require_trust()
        captured = self.project_ledger.reading.sessions("hook")
        run = _Run(self.project_ledger, since, dry_run, captured)
        for done, transcript in enumerate(found, 1):
            run.read(transcript)
            if advance is not None:
                advance(done, len(found))
        run.write()
        return run.told(sum(1 + len(one.helpers) for one in found))


@dataclass(slots=True)
class _Run:
    project_ledger: ProjectLedger
    since: dt.date | None
    dry_run: bool
    captured: set[str]
    sessions: dict[tuple[str, str], SessionImport] = field(default_factory=dict)
    redacted: Counter[str] = field(default_factory=Counter)
    faults: list[SkippedLine] = field(default_factory=list)
    skipped: int = 0
    batch: list[Draft] = field(default_factory=list)

    @property
    def log(self) -> EventLog:
        return self.project_ledger.reading if self.dry_run else self.project_ledger.log

    def read(self, transcript: Transcript) -> None:
        """Read a whole transcript, merged with those of its subagents by time."""
        last: dict[str, Entry] = {}
        log = self.log
        for path, read in _entries(transcript):
            if isinstance(read, Fault):
                self._skip(path, read)
            elif self._admit(path, read):
                before = last.get(read.event.session)
                last[read.event.session] = read if before is None else max(before, read, key=_at)
                self._take(log, read)
        for entry in last.values():
            if self._is_over(entry):
                self._take(log, _end(entry))

    def _skip(self, path: Path, fault: Fault) -> None:
        self.skipped += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(SkippedLine(str(path), fault.line, fault.reason))

    def _admit(self, path: Path, entry: Entry) -> bool:
        """Decide about a session when it is first seen."""
        client, session = entry.event.client, entry.event.session
        known = self.sessions.get((client, session))
        if known is None:
            state = "known"
            if session in self.captured:
                state = "captured"
            elif redact(session).counts:
                state = "secret"
            elif self.since is not None and entry.at[:10] < self.since.isoformat():
                state = "older"
            told = redact(session).text
            known = SessionImport(client, told, str(path), entry.at, state)
            self.sessions[client, session] = known
        return known.state in ("new", "known")

    def _is_over(self, entry: Entry) -> bool:
        return self.project_ledger.now() - dt.datetime.fromisoformat(entry.at) > QUIET

    def _take(self, log: EventLog, entry: Entry) -> None:
        event = entry.event
        identity = identify(f"{IMPORTED}|{event.client}|{event.key}")
        # Asked before the text is looked through, which takes a hundred times as long.
        if log.find(identity) is not None:
            self.sessions[event.client, event.session].known += 1
            return
        known = KEPT[event.kind]
        # A dry run counts alone: nothing of what was said is prepared.
        noted = None if self.dry_run else describe_event(event)
        self.batch.append(
            Draft(
                type=known.type,
                payload={} if noted is None else to_plain(noted.told),
                id=identity,
                at=entry.at,
                actor=event.client,
                source=IMPORTED,
                trust=least([known.trust, Trust.AGENT]),
                session=event.session,
            )
        )
        if len(self.batch) >= BATCH:
            self.write()

    def write(self) -> None:
        """Record what was gathered in one transaction, and count what was new."""
        batch, self.batch = self.batch, []
        if not batch:
            return
        added = batch
        if not self.dry_run:
            with self.project_ledger.log.writing() as writer:
                added = []
                for draft in batch:
                    before = writer.head
                    writer.extend((draft,))
                    if writer.head != before:
                        added.append(draft)
        for draft in added:
            self._count(draft)

    def _count(self, draft: Draft) -> None:
        told = self.sessions[draft.actor, draft.session or ""]
        told.state = "new"
        told.events += 1
        told.messages += draft.type in _MESSAGES
        told.tools += draft.type in _TOOLS
        self.redacted.update(draft.payload.get("redacted", {}))

    def told(self, files: int) -> Imported:
        """Return the outcome."""
        sessions = sorted(self.sessions.values(), key=lambda one: (one.at, one.session))
        redacted = dict(sorted(self.redacted.items()))
        faults = tuple(self.faults)
        return Imported(self.dry_run, files, tuple(sessions), faults, self.skipped, redacted)


def _at(entry: Entry) -> str:
    return entry.at


def _end(last: Entry) -> Entry:
    """Return the end of a session, which transcripts lack; a continued one ends again."""
    event = last.event
    key = f"{HookKind.SESSION_END}|{event.session}|{event.key}"
    ended = HookEvent(
        event.client, HookKind.SESSION_END, IMPORTED, event.session, "", key, reason=IMPORTED
    )
    return Entry(last.line, last.at, ended)


def _entries(transcript: Transcript) -> Iterator[tuple[Path, Read]]:
    client = transcript.head.client
    streams = [_stream(path, client) for path in (transcript.path, *transcript.helpers)]
    together = heapq.merge(*streams[:MOST_OPEN], key=lambda one: one[1].at)
    return chain(together, *streams[MOST_OPEN:])


def _stream(path: Path, client: str) -> Iterator[tuple[Path, Read]]:
    try:
        with path.open("rb") as stream:
            for read in read_transcript(client, stream):
                yield path, read
    except OSError as error:
        yield path, Fault(0, f"unreadable: {error.strerror}")
