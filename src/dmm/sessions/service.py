"""Brief sessions, supplement prompts, judge calls and record events.

The service answers one event at a time. What a session was given is known from the ledger, so it
is not given twice, also after the background process was started anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from dmm.branch import find_branch, find_checkout
from dmm.domain.event import EventType, Trust
from dmm.domain.pack import QueryRequest, digest_entry
from dmm.domain.text import neutralise
from dmm.errors import LedgerRefused, StorageError
from dmm.eventlog.open_ledger import Actor
from dmm.packs.render import render_entry
from dmm.redaction.redact import redact, redact_value
from dmm.sessions.events import describe_event
from dmm.sessions.payload import HookKind
from dmm.sessions.reply import Reply
from dmm.sessions.rulings import write_ruling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from dmm.domain.event import Event
    from dmm.domain.pack import PackEntry
    from dmm.packs.service import Packs
    from dmm.rules.callbook import Ruling
    from dmm.rules.guard import Guard
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.sessions.briefing import Briefing
    from dmm.sessions.payload import HookEvent

    Noted = tuple[EventType, dict[str, Any], Trust]

PROMPT_BUDGET = 1_200
SHORTEST_SENTENCE = 3
MOST_SENTENCES = 4
_SENTENCE = re.compile(r"[.;!?\n]+(?:\s|$)")
_MARKER = re.compile(r"\[redacted:[^\]]*\]")
PROMPT_CHARACTERS = 9_500
LONGEST_PROMPT = 4_000
# How long the same event without an identity of its own counts as one delivered twice.
TWICE_WITHIN = 2.0
HEADING = "# From project memory (DMM)\n\nKnowledge for this prompt; cite the paths you use.\n\n"
SESSIONS_KEPT = 64
REQUESTS_KEPT = 250
EVENTS_LOOKED_AT = 5_000
FRESH_CONTEXT = ("startup", "clear", "compact", "")


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event as it was handed over: what is recorded of it, and the name of this delivery.

    The name is given once, by the hook, so that an event that is delivered and kept is known.
    What is recorded is prepared before anybody waits for the ledger.
    """

    event: HookEvent
    noted: Noted | None
    name: str = ""

    @property
    def actor(self) -> Actor:
        """In whose name it is recorded."""
        return actor_for(self.event, Trust.AGENT if self.noted is None else self.noted[2])

    @property
    def identity(self) -> str | None:
        """The id of its record; a second delivery has the same one."""
        if self.event.unique:
            return identify(self.event.key)
        return identify(f"{self.event.key}|{self.name}") if self.name else None


def deliver(event: HookEvent, name: str = "") -> Delivery:
    """Prepare an event: what is recorded of it is free of secrets from here on."""
    return Delivery(event, describe_event(event), name)


@dataclass(frozen=True, slots=True)
class Attended:
    """What the agent is told, and whether the event is kept."""

    reply: Reply = field(default_factory=Reply)
    kept: bool = True


@dataclass(slots=True)
class _Held:
    """What the service remembers of one session."""

    given: set[str] = field(default_factory=set)
    seen: dict[str, float] = field(default_factory=dict)
    requests: OrderedDict[str, int] = field(default_factory=OrderedDict)


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """What is remembered of the sessions of one project, the latest last."""

    sessions: OrderedDict[str, _Held] = field(default_factory=OrderedDict)


@dataclass(frozen=True, slots=True)
class Sessions:
    """Attends to the sessions of one project; what it records is in the name of their agents."""

    project: Path
    project_ledger: ProjectLedger
    find_guard: Callable[[], Guard]
    find_briefing: Callable[[], Briefing]
    memory: SessionMemory = field(default_factory=SessionMemory)

    def judge(self, event: HookEvent, began: str = "") -> Ruling:
        """Hold a tool call against the rules; nothing is recorded yet.

        `began` is the folder of the project that the session began in, where that is another one.
        """
        # The rules take as long to load as all the rest; only calls need them.
        from dmm.rules.commands.calls import ToolCall

        root = find_checkout(began or str(self.project), event.cwd)
        call = ToolCall(event.tool, event.input, event.cwd, find_branch(self.project), root)
        return self.find_guard().rule(call)

    def attend(self, delivery: Delivery, ruling: Ruling | None = None) -> Attended:
        """Say what the agent should be told and record the event; a prompt's pack comes apart.

        The answer holds also where the record fails: a full disk must not open what is forbidden.
        """
        event, held = delivery.event, self._hold(delivery.event.session)
        repeated = self._is_repeated(event, held)
        if event.kind is HookKind.SESSION_START:
            return self._open(delivery, held, repeated=repeated)
        if event.kind is HookKind.TOOL_REQUEST and ruling is not None:
            return self._rule(delivery, held, ruling, repeated=repeated)
        if event.kind is HookKind.COMPACT_DONE:
            held.given.clear()
        return Attended(kept=repeated or self._try(delivery, held) is not None)

    def make_up(self, delivery: Delivery, ruled: str = "") -> None:
        """Record an event that came late: nobody waits for an answer.

        `ruled` says how the hook ruled on a call by itself: a level and the constraint's number.
        """
        held = self._hold(delivery.event.session)
        if delivery.event.kind is HookKind.COMPACT_DONE:
            held.given.clear()
        more: dict[str, Any] = {"late": True}
        if ruled and delivery.event.kind is HookKind.TOOL_REQUEST:
            level, _, seq = ruled.partition("-")
            number = int(seq) if seq.isdigit() and int(seq) else None
            more["verdict"] = {"status": level, "seq": number, "by": "hook"}
        self._record(delivery, held, more)

    def known(self, session: str) -> frozenset[str]:
        """Tell what a session was given, by digests."""
        return frozenset(self._hold(session).given)

    def give(self, delivery: Delivery, entries: Sequence[PackEntry]) -> None:
        """Record and remember what a session is given with a prompt."""
        served = [{"path": one.path, "id": one.id, "hash": digest_entry(one)} for one in entries]
        told = {} if delivery.noted is None else delivery.noted[1]
        payload = {
            "task": str(told.get("text", ""))[:LONGEST_PROMPT],
            "budget": PROMPT_BUDGET,
            "tokens": sum(one.token_count for one in entries),
            "retrieved": served,
        }
        ledger = self.project_ledger.as_actor(delivery.actor)
        ledger.record(ledger.draft(EventType.PACK_SERVED, payload))
        self._hold(delivery.event.session).given |= {str(one["hash"]) for one in served}

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
        """Read from the ledger what a session was given since its context was last emptied."""
        if not self.project_ledger.exists:
            return set()
        log = self.project_ledger.reading
        head = log.head().seq
        types = [EventType.PACK_SERVED, EventType.CONTEXT_COMPACTED]
        given: set[str] = set()
        for event in log.events_of(types, max(0, head - EVENTS_LOOKED_AT), head):
            if event.session != session:
                continue
            if event.type == EventType.PACK_SERVED:
                given |= set(_hashes(event))
            elif event.get("stage") == "after":
                given.clear()
        return given

    def _is_repeated(self, event: HookEvent, held: _Held) -> bool:
        """Know an event that two configured hooks deliver, one right after the other."""
        now = time.monotonic()
        held.seen = {key: at for key, at in held.seen.items() if now - at < TWICE_WITHIN}
        repeated = event.key in held.seen
        held.seen.setdefault(event.key, now)
        return repeated

    def _open(self, delivery: Delivery, held: _Held, *, repeated: bool) -> Attended:
        text = self.find_briefing().write()
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        fresh = delivery.event.source in FRESH_CONTEXT
        if fresh and not repeated:
            held.given.clear()
        told = fresh or repeated or digest not in held.given
        held.given.add(digest)
        kept = repeated or self._try(delivery, held) is not None
        if told and kept and not repeated:
            payload = {"task": "", "briefing": digest, "retrieved": [{"hash": digest}]}
            kept = self._serve(delivery, payload)
        return Attended(Reply(context=text if told else ""), kept)

    def _serve(self, delivery: Delivery, payload: dict[str, Any]) -> bool:
        ledger = self.project_ledger.as_actor(delivery.actor)
        try:
            ledger.record(ledger.draft(EventType.PACK_SERVED, payload))
        except (StorageError, LedgerRefused):
            return False
        return True

    def _rule(self, delivery: Delivery, held: _Held, ruling: Ruling, *, repeated: bool) -> Attended:
        """Answer a call; a second hook is answered as the first, for nobody knows which counts."""
        seq = held.requests.get(delivery.event.call_id or "")
        if repeated:
            return Attended(write_ruling(ruling, seq))
        # What is quoted in the reasons comes from the call, so it may hold its secrets.
        told = {"verdict": ruling.describe(), "branch": find_branch(self.project)}
        if any(one.id for one in ruling.findings):
            told["place"] = self.project_ledger.place
        more = cast("dict[str, Any]", redact_value(told)[0])
        recorded = self._try(delivery, held, more)
        return Attended(write_ruling(ruling, recorded), recorded is not None)

    def _try(
        self, delivery: Delivery, held: _Held, more: dict[str, Any] | None = None
    ) -> int | None:
        """Record an event; None where the ledger can't take it now."""
        try:
            return self._record(delivery, held, more or {})
        except (StorageError, LedgerRefused):
            return None

    def _record(self, delivery: Delivery, held: _Held, more: dict[str, Any]) -> int:
        event, noted = delivery.event, delivery.noted
        if noted is None:
            return 0
        ledger = self.project_ledger.as_actor(delivery.actor)
        requested = event.kind is HookKind.TOOL_REQUEST
        draft = ledger.draft(
            noted[0],
            noted[1] | more,
            caused_by=None if requested else held.requests.get(event.call_id or ""),
            event_id=delivery.identity,
        )
        recorded = ledger.record(draft)
        if event.call_id and requested:
            held.requests[event.call_id] = recorded.seq
            while len(held.requests) > REQUESTS_KEPT:
                held.requests.popitem(last=False)
        return recorded.seq


def supplement(packs: Packs, prompt: str, known: frozenset[str]) -> tuple[PackEntry, ...]:
    """Find what a prompt adds to what its session was given.

    A prompt may ask for several things: each sentence is looked up too, since one request among
    others is lost in the whole. What is found twice is given once, the best first.
    """
    text = _MARKER.sub(" ", redact(prompt).text[:LONGEST_PROMPT])
    found: dict[str, PackEntry] = {}
    for part in dict.fromkeys((text, *_sentences(text))):
        if part.strip():
            request = QueryRequest(part, budget=PROMPT_BUDGET, baseline_budget=0, precise=True)
            for entry in packs.supplement(request, known):
                before = found.get(entry.path)
                if before is None or before.relevance_score < entry.relevance_score:
                    found[entry.path] = entry
    return _fitting(sorted(found.values(), key=lambda one: (-one.relevance_score, one.path)))


def _sentences(text: str) -> list[str]:
    parts = (part.strip() for part in _SENTENCE.split(text))
    return [part for part in parts if len(part.split()) >= SHORTEST_SENTENCE][:MOST_SENTENCES]


def _fitting(entries: Iterable[PackEntry]) -> tuple[PackEntry, ...]:
    left, taken = PROMPT_BUDGET, []
    for entry in entries:
        left -= entry.token_count + entry.heading_tokens
        if left < 0:
            break
        taken.append(entry)
    return tuple(taken)


def write_supplement(entries: Iterable[PackEntry]) -> str:
    """Write the entries for the agent, whole ones only, within what every agent takes."""
    parts = [HEADING]
    left = PROMPT_CHARACTERS - len(parts[0])
    for entry in entries:
        block = neutralise(render_entry(entry).rstrip("\n")) + "\n\n"
        if len(block) > left:
            break
        left -= len(block)
        parts.append(block)
    return "".join(parts).rstrip("\n") + "\n" if len(parts) > 1 else ""


def actor_for(event: HookEvent, trust: Trust = Trust.AGENT) -> Actor:
    """Speak in the name of the agent, with the trust that the kind of event deserves."""
    return Actor(name=event.client, source="hook", trust=trust, session=event.session)


def identify(key: str) -> str:
    """Make the id of an event from what it is, so that a second delivery is known."""
    digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
    # A UUID of version 8: its content is the maker's own matter.
    return f"{digest[:8]}-{digest[8:12]}-8{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _hashes(event: Event) -> list[str]:
    held = event.get("retrieved", [])
    return [str(one.get("hash")) for one in held if isinstance(one, dict)]
