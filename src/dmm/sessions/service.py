"""Brief sessions, supplement prompts, judge calls and record events.

The service answers one event at a time. What a session was given is known from the ledger, so it
is not given twice, also after the background process was started anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from dmm.branch import find_branch, find_checkout, find_common
from dmm.clients.registry import find_client
from dmm.domain.event import EventType, Trust
from dmm.domain.frozen import frozen
from dmm.domain.pack import digest_entry
from dmm.domain.payload import ContextCompacted, Held, HookReport, PackServed, ToolRequested, Words
from dmm.domain.receipt_payload import keep_receipt
from dmm.domain.recorded import Payload
from dmm.errors import DmmError, LedgerRefused, StorageError
from dmm.eventlog.open_ledger import Actor
from dmm.packs.active_constraints import held as name_entry
from dmm.redaction.identity import keep_identity
from dmm.redaction.redact import redact_value
from dmm.sessions.events import describe_event
from dmm.sessions.file_notes import BUDGET
from dmm.sessions.payload import HookKind
from dmm.sessions.reply import Reply
from dmm.sessions.rulings import write_ruling
from dmm.sessions.supplement import LONGEST_PROMPT, PROMPT_BUDGET

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dmm.domain.pack import Supplement
    from dmm.rules.callbook import Ruling
    from dmm.rules.commands.calls import ToolCall
    from dmm.rules.guard import Guard
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.sessions.briefing import Briefing
    from dmm.sessions.file_notes import FileNotes
    from dmm.sessions.payload import HookEvent

# How long the same event without an identity of its own counts as one delivered twice.
TWICE_WITHIN = 2.0
SESSIONS_KEPT = 64
REQUESTS_KEPT = 250
EVENTS_LOOKED_AT = 5_000
FRESH_CONTEXT = ("startup", "clear", "compact", "")
NEW_SESSION = ("startup", "clear", "")


@frozen
class Delivery:
    """An event with its record and the key of this delivery.

    The name is given once, by the hook, so that an event that is delivered and kept is known.
    What is recorded is prepared before anybody waits for the ledger.
    """

    event: HookEvent
    told: HookReport | None = None
    trust: Trust = Trust.AGENT
    name: str = ""

    @property
    def actor(self) -> Actor:
        """The actor that it is recorded for."""
        return actor_for(self.event, self.trust)

    @property
    def identity(self) -> str | None:
        """The id of its record; a second delivery has the same one."""
        if self.event.unique:
            return identify(self.event.key)
        return identify(f"{self.event.key}|{self.name}") if self.name else None

    def name_record(self, told: HookReport) -> str | None:
        """Return the id of its record, one for each permission: a call id may come again."""
        allowed = told.allowed if isinstance(told, ToolRequested) else None
        return self.identity if allowed is None else identify(f"{self.event.key}|{allowed}")


def deliver(event: HookEvent, name: str = "") -> Delivery:
    """Return an event with its redacted record."""
    noted = describe_event(event)
    if noted is None:
        return Delivery(event, name=name)
    return Delivery(event, noted.told, noted.trust, name)


@frozen
class Attended:
    """The reply to the agent, and whether the event was recorded."""

    reply: Reply = field(default_factory=Reply)
    kept: bool = True


@dataclass(slots=True)
class _Held:
    """The state of one session."""

    given: set[str] = field(default_factory=set)
    answered: tuple[str, Ruling] | None = None
    seen: dict[str, float] = field(default_factory=dict)
    requests: OrderedDict[str, int] = field(default_factory=OrderedDict)

    def answer_again(self, digest: str, ruling: Ruling) -> Ruling:
        """Return the earlier answer to a repeated call; `digest` identifies the call."""
        if self.answered is None or not digest:
            return ruling
        return self.answered[1] if self.answered[0] == digest else ruling

    def given_to(self, agent: str) -> set[str]:
        """Return the digests of the memories given to the session's agent or a subagent."""
        if not agent:
            return self.given
        own = name_given("", agent)
        return {one.removeprefix(own) for one in self.given if one.startswith(own)}


@frozen
class SessionMemory:
    """The states of a project's sessions, the latest last."""

    sessions: OrderedDict[str, _Held] = field(default_factory=OrderedDict)


@frozen
class Sessions:
    """Handles the events of a project's sessions and records them for their agents."""

    project: Path
    project_ledger: ProjectLedger
    find_guard: Callable[[], Guard]
    find_briefing: Callable[[], Briefing]
    memory: SessionMemory
    file_notes: FileNotes
    tell_last: Callable[[str, str], str]

    def judge(self, event: HookEvent, began: str = "") -> Ruling:
        """Judge a tool call by the rules; nothing is recorded yet.

        `began` is the folder of the project that the session began in, where that is another one.
        """
        # The rules take as long to load as all the rest; only calls need them.
        from dmm.rules.commands.calls import ToolCall

        root = find_checkout(began or str(self.project), event.cwd)
        call = ToolCall(event.tool, event.input, event.cwd, find_branch(self.project), root)
        return self.find_guard().rule(call)

    def attend(self, delivery: Delivery, ruling: Ruling | None = None) -> Attended:
        """Record the event and return the reply to the agent, without the pack of a prompt.

        The answer holds also where the record fails: a full disk must not open what is forbidden.
        """
        event, held = delivery.event, self._hold(delivery.event.session)
        repeated = self._is_repeated(event, held)
        match event.kind:
            case HookKind.SESSION_START:
                return self._open(delivery, held, repeated=repeated)
            case HookKind.TOOL_REQUEST if ruling is not None:
                return self._rule(delivery, held, ruling, repeated=repeated)
            case HookKind.TOOL_DONE if not repeated:
                return self._note_files(delivery, held)
            case HookKind.COMPACT_DONE:
                held.given.clear()
        return Attended(kept=repeated or self._try(delivery, held) is not None)

    def make_up(self, delivery: Delivery, ruled: str = "") -> None:
        """Record an event that came late, for which nobody waits.

        `ruled` says how the hook ruled on a call by itself: a level and the constraint's number.
        """
        held = self._hold(delivery.event.session)
        if delivery.event.kind is HookKind.COMPACT_DONE:
            held.given.clear()
        if delivery.told is None:
            return
        told = replace(delivery.told, late=True)
        if ruled and isinstance(told, ToolRequested):
            level, _, seq = ruled.partition("-")
            number = int(seq) if seq.isdigit() and int(seq) else None
            told = replace(told, verdict={"status": level, "seq": number, "by": "hook"})
        self._record(delivery, held, told)

    def known(self, session: str) -> frozenset[str]:
        """Return the digests of the memories that a session was given."""
        return frozenset(self._hold(session).given)

    def give(self, delivery: Delivery, given: Supplement) -> None:
        """Record the memories that a session gets with a prompt, and why."""
        asked = delivery.told
        entries, why = given.entries, given.receipt
        served = PackServed(
            task=(asked.text or "")[:LONGEST_PROMPT] if isinstance(asked, Words) else "",
            budget=PROMPT_BUDGET,
            tokens=sum(one.token_count for one in entries),
            retrieved=tuple(map(name_entry, entries)),
            receipt=keep_receipt(
                (), entries, why.candidates, considered=why.considered, memory=why.memory
            ),
        )
        ledger = self.project_ledger.as_actor(delivery.actor)
        ledger.record(ledger.draft(served))
        self._hold(delivery.event.session).given |= _hashes(served)

    def _hold(self, session: str) -> _Held:
        known = self.memory.sessions
        if session not in known:
            given: set[str] = set()
            # A ledger that can't be read tells nothing; what is told twice does no harm.
            with contextlib.suppress(StorageError, LedgerRefused):
                given = self._given_before(session)
            known[session] = _Held(given=given)
            while len(known) > SESSIONS_KEPT:
                known.popitem(last=False)
        known.move_to_end(session)
        return known[session]

    def _given_before(self, session: str) -> set[str]:
        """Return what a session was given since its last compaction, from the ledger."""
        if not self.project_ledger.exists:
            return set()
        log = self.project_ledger.reading
        head = log.head().seq
        types = [EventType.PACK_SERVED, EventType.CONTEXT_COMPACTED]
        given: set[str] = set()
        for event in log.events_of(types, max(0, head - EVENTS_LOOKED_AT), head):
            if event.session != session:
                continue
            told = Payload.read(event)
            if isinstance(told, PackServed):
                given |= _hashes(told)
            elif isinstance(told, ContextCompacted) and told.stage == "after":
                given.clear()
        return given

    def _is_repeated(self, event: HookEvent, held: _Held) -> bool:
        """Return whether two configured hooks delivered the same event."""
        now = time.monotonic()
        held.seen = {key: at for key, at in held.seen.items() if now - at < TWICE_WITHIN}
        repeated = event.key in held.seen
        held.seen.setdefault(event.key, now)
        return repeated

    def _open(self, delivery: Delivery, held: _Held, *, repeated: bool) -> Attended:
        briefing = self.find_briefing()
        text, record = briefing.write(), self._tell_last(delivery.event)
        if repeated:
            return Attended(Reply(context=text + record))
        if delivery.event.source in FRESH_CONTEXT:
            held.given.clear()
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        told = digest not in held.given
        held.given.add(digest)
        kept = self._try(delivery, held) is not None
        if told and kept:
            served = PackServed(
                task="",
                briefing=digest,
                tokens=briefing.count(text + record),
                retrieved=(Held(hash=digest),),
            )
            kept = self._serve(delivery.actor, served)
        return Attended(Reply(context=text + record if told else ""), kept)

    def _tell_last(self, event: HookEvent) -> str:
        """Return the record of the last session on this branch, for a new session."""
        branch = find_branch(self.project)
        if event.source not in NEW_SESSION or (branch is None and find_common(self.project)):
            return ""
        # A ledger that can't be read is reported by the briefing.
        with contextlib.suppress(StorageError, LedgerRefused):
            record = self.tell_last(keep_identity(branch or ""), event.session)
            return f"\n{record}" if record else ""
        return ""

    def _note_files(self, delivery: Delivery, held: _Held) -> Attended:
        """Record a finished call and return the memories about its files."""
        event, note = delivery.event, None
        if event.kind in find_client(event.client).takes_context:
            # What can't be looked up now may be told with the next call.
            with contextlib.suppress(DmmError):
                note = self.file_notes.find(event, held.given_to(event.agent))
        kept = self._try(delivery, held) is not None
        if note is None:
            return Attended(kept=kept)
        served = PackServed(
            task="",
            files=tuple(note.files),
            budget=BUDGET,
            tokens=sum(one.token_count for one in note.entries),
            retrieved=tuple(map(name_entry, note.entries)),
            agent=event.agent,
            receipt=keep_receipt((), note.entries),
        )
        self._serve(actor_for(event), served)
        held.given |= {name_given(digest_entry(one), event.agent) for one in note.entries}
        return Attended(Reply(context=note.text), kept)

    def _serve(self, actor: Actor, served: PackServed) -> bool:
        ledger = self.project_ledger.as_actor(actor)
        try:
            ledger.record(ledger.draft(served))
        except (StorageError, LedgerRefused):
            return False
        return True

    def _rule(self, delivery: Delivery, held: _Held, ruling: Ruling, *, repeated: bool) -> Attended:
        """Answer a call; a second hook gets the same answer as the first."""
        digest, allowed, answer = self.find_guard().let_through(self._call(delivery), ruling)
        if repeated:
            seq = held.requests.get(delivery.event.call_id)
            return Attended(write_ruling(held.answer_again(digest, ruling), seq, digest))
        # What is quoted in the reasons comes from the call, so it may hold its secrets.
        told = delivery.told
        if isinstance(told, ToolRequested):
            in_files = any(one.id for one in ruling.findings)
            said = [ruling.describe(), self.project_ledger.place if in_files else None]
            verdict, place = cast("list[Any]", redact_value(said)[0])
            told = replace(told, verdict=verdict, place=place, digest=digest, allowed=allowed)
        recorded = self._try(delivery, held, told)
        # What was allowed once counts as used only where the ledger says so.
        answer = ruling if recorded is None else answer
        held.answered = digest, answer
        return Attended(write_ruling(answer, recorded, digest), recorded is not None)

    def _call(self, delivery: Delivery) -> ToolCall:
        from dmm.rules.commands.calls import ToolCall

        event = delivery.event
        return ToolCall(event.tool, event.input, event.cwd, find_branch(self.project))

    def _try(self, delivery: Delivery, held: _Held, told: HookReport | None = None) -> int | None:
        """Record an event or its ruling; return None if the ledger can't take it now."""
        told = told or delivery.told
        if told is None:
            return 0
        try:
            return self._record(delivery, held, told)
        except (StorageError, LedgerRefused):
            return None

    def _record(self, delivery: Delivery, held: _Held, told: HookReport) -> int:
        event = delivery.event
        ledger = self.project_ledger.as_actor(delivery.actor)
        requested = event.kind is HookKind.TOOL_REQUEST
        draft = ledger.draft(
            told,
            caused_by=None if requested else held.requests.get(event.call_id),
            event_id=delivery.name_record(told),
        )
        recorded = ledger.record(draft)
        if event.call_id and requested:
            held.requests[event.call_id] = recorded.seq
            while len(held.requests) > REQUESTS_KEPT:
                held.requests.popitem(last=False)
        return recorded.seq


def actor_for(event: HookEvent, trust: Trust = Trust.AGENT) -> Actor:
    """Return the agent as actor, with the trust that the kind of event deserves."""
    return Actor(name=event.client, source="hook", trust=trust, session=event.session)


def identify(key: str) -> str:
    """Return an id made from the key, so that a second delivery is recognised."""
    digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
    # A UUID of version 8: its content is the maker's own matter.
    return f"{digest[:8]}-{digest[8:12]}-8{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _hashes(served: PackServed) -> set[str]:
    return {name_given(str(one.hash), served.agent) for one in served.retrieved}


def name_given(digest: str, agent: str) -> str:
    """Return a key for a given memory: subagents have a context of their own."""
    return f"{agent} {digest}" if agent else digest
