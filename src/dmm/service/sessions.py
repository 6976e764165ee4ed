"""Sessions of agents: what each is told at its start and with a prompt, and what it did, recorded.

The service answers one event at a time. What a session was given is known from the ledger, so it
is not given twice, also after the background process was started anew.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dmm.capture.events import describe_event
from dmm.capture.payload import HookKind
from dmm.capture.redact import redact
from dmm.capture.reply import Reply
from dmm.domain.event import EventType, Trust
from dmm.domain.pack import QueryRequest, digest_entry
from dmm.domain.text import neutralise
from dmm.files.repository import find_branch
from dmm.policy.commands.calls import ToolCall
from dmm.retrieval.render import render_entry
from dmm.service.chronicle import Voice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from dmm.capture.payload import HookEvent
    from dmm.domain.event import Event
    from dmm.domain.pack import PackEntry
    from dmm.service.briefing import Briefing
    from dmm.service.chronicle import Chronicle
    from dmm.service.guard import Guard, Ruling
    from dmm.service.packs import Packs

    Noted = tuple[EventType, dict[str, Any], Trust]

PROMPT_BUDGET = 1_200
PROMPT_CHARACTERS = 9_500
LONGEST_PROMPT = 4_000
# How long the same event without an identity of its own counts as one delivered twice.
TWICE_WITHIN = 20.0
HEADING = "# From project memory (DMM)\n\nKnowledge for this prompt; cite the paths you use.\n\n"
SESSIONS_KEPT = 64
EVENTS_LOOKED_AT = 5_000
FRESH_CONTEXT = ("startup", "clear", "compact", "")


@dataclass(slots=True)
class _Attended:
    """What the service remembers of one session."""

    given: set[str] = field(default_factory=set)
    seen: dict[str, float] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Sessions:
    """Attends to the sessions of one project."""

    project: Path
    chronicle: Chronicle
    guard: Guard
    briefing: Briefing
    _held: OrderedDict[str, _Attended] = field(default_factory=OrderedDict)

    def attend(self, event: HookEvent) -> Reply:
        """Record an event and say what the agent should be told; a prompt's pack comes apart."""
        held = self._hold(event.session)
        if self._is_repeated(event, held):
            return self._rule_again(event, held)
        noted = self._note(event)
        match event.kind:
            case HookKind.SESSION_START:
                return self._open(event, held, noted)
            case HookKind.TOOL_REQUEST:
                return self._rule(event, held, noted)
            case HookKind.COMPACT_DONE:
                held.given.clear()
        self._record(event, held, noted)
        return Reply()

    def make_up(self, event: HookEvent, moment: float) -> None:
        """Record an event that came late: nobody waits for an answer, and no rule was asked.

        The moment at which it was kept is part of its identity, so a second try is harmless.
        """
        held = self._hold(event.session)
        noted = self._note(event)
        if noted is None or self._was_taken(event, noted, moment):
            return
        identity = identify(event if event.unique else replace(event, key=f"{event.key}|{moment}"))
        self._record(event, held, (noted[0], noted[1] | {"late": True}, noted[2]), identity)

    def _note(self, event: HookEvent) -> Noted | None:
        noted = describe_event(event)
        self.chronicle.voice = voice_of(event, Trust.AGENT if noted is None else noted[2])
        return noted

    def _was_taken(self, event: HookEvent, noted: Noted, moment: float) -> bool:
        """Know an event that was recorded when it happened, though its hook did not hear of it."""
        if event.unique or not self.chronicle.exists:
            return False
        log = self.chronicle.reading
        head = log.head().seq
        return any(
            one.session == event.session
            and one.payload == noted[1]
            and abs(dt.datetime.fromisoformat(one.at).timestamp() - moment) < TWICE_WITHIN
            for one in log.events_of([noted[0]], max(0, head - EVENTS_LOOKED_AT), head)
        )

    def known(self, session: str) -> frozenset[str]:
        """Tell what a session was given, by digests."""
        return frozenset(self._hold(session).given)

    def give(self, event: HookEvent, entries: Sequence[PackEntry]) -> None:
        """Record and remember what a session is given with a prompt."""
        served = [{"path": one.path, "id": one.id, "hash": digest_entry(one)} for one in entries]
        payload = {
            "task": redact(event.prompt).text[:LONGEST_PROMPT],
            "budget": PROMPT_BUDGET,
            "tokens": sum(one.token_count for one in entries),
            "retrieved": served,
        }
        self.chronicle.record(self.chronicle.draft(EventType.PACK_SERVED, payload))
        self._hold(event.session).given |= {str(one["hash"]) for one in served}

    def _hold(self, session: str) -> _Attended:
        if session not in self._held:
            self._held[session] = _Attended(given=self._given_before(session))
            while len(self._held) > SESSIONS_KEPT:
                self._held.popitem(last=False)
        self._held.move_to_end(session)
        return self._held[session]

    def _given_before(self, session: str) -> set[str]:
        """Read from the ledger what a session was given since its context was last emptied."""
        if not self.chronicle.exists:
            return set()
        log = self.chronicle.reading
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

    def _is_repeated(self, event: HookEvent, held: _Attended) -> bool:
        """Know an event that two hooks deliver; one with an identity the ledger knows by itself."""
        now = time.monotonic()
        held.seen = {key: at for key, at in held.seen.items() if now - at < TWICE_WITHIN}
        repeated = event.key in held.seen
        held.seen[event.key] = now
        return repeated

    def _open(self, event: HookEvent, held: _Attended, noted: Noted | None) -> Reply:
        text = self.briefing.write()
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        fresh = event.source in FRESH_CONTEXT
        if fresh:
            held.given.clear()
        told = fresh or digest not in held.given
        held.given.add(digest)
        self._record(event, held, noted)
        if told:
            payload = {"task": "", "briefing": digest, "retrieved": [{"hash": digest}]}
            self.chronicle.record(self.chronicle.draft(EventType.PACK_SERVED, payload))
        return Reply(context=text if told else "")

    def _rule_again(self, event: HookEvent, held: _Attended) -> Reply:
        """Answer a second hook as the first: nobody knows which of the two the agent heeds."""
        if event.kind is not HookKind.TOOL_REQUEST:
            return Reply()
        ruling = self.guard.rule(self._call(event, find_branch(self.project)))
        return write_ruling(ruling, held.requests.get(event.call_id or ""))

    def _call(self, event: HookEvent, branch: str | None) -> ToolCall:
        return ToolCall(event.tool, event.input, event.cwd, branch)

    def _rule(self, event: HookEvent, held: _Attended, noted: Noted | None) -> Reply:
        branch = find_branch(self.project)
        ruling = self.guard.rule(self._call(event, branch))
        if noted is not None:
            more = {"verdict": ruling.describe(), "branch": branch}
            noted = (noted[0], noted[1] | more, noted[2])
        recorded = self._record(event, held, noted)
        return write_ruling(ruling, None if recorded is None else recorded.seq)

    def _record(
        self, event: HookEvent, held: _Attended, noted: Noted | None, identity: str | None = None
    ) -> Event | None:
        if noted is None:
            return None
        requested = event.kind is HookKind.TOOL_REQUEST
        draft = self.chronicle.draft(
            noted[0],
            noted[1],
            caused_by=None if requested else held.requests.get(event.call_id or ""),
            event_id=identity or (identify(event) if event.unique else None),
        )
        recorded = self.chronicle.record(draft)
        if event.call_id and requested:
            held.requests[event.call_id] = recorded.seq
        return recorded


def supplement(packs: Packs, prompt: str, known: frozenset[str]) -> tuple[PackEntry, ...]:
    """Find what a prompt adds to what its session was given."""
    text = redact(prompt).text[:LONGEST_PROMPT]
    request = QueryRequest(query=text, budget=PROMPT_BUDGET, baseline_budget=0, precise=True)
    return packs.supplement(request, known) if text.strip() else ()


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


def write_ruling(ruling: Ruling, seq: int | None) -> Reply:
    """Say to an agent what became of its tool call, and why."""
    if ruling.level == "allow":
        return Reply()
    rule = "DMM" if ruling.seq is None else f'DMM constraint {ruling.seq}: "{ruling.text}"'
    why = ruling.findings[0].reason if ruling.findings else ruling.reason
    told = [rule, why, ruling.suggestion]
    if seq is not None:
        told.append(f"(event {seq}; a person can read why with: dmm ledger explain {seq})")
    reason = neutralise(". ".join(part.rstrip(". ") for part in told if part)) + "."
    if ruling.level == "warn":
        return Reply(warning=reason)
    return Reply(decision=ruling.level, reason=reason)


def voice_of(event: HookEvent, trust: Trust = Trust.AGENT) -> Voice:
    """Speak in the name of the agent, with the trust that the kind of event deserves."""
    return Voice(actor=event.client, source="hook", trust=trust, session=event.session)


def identify(event: HookEvent) -> str:
    """Make the id of an event from what it is, so that a second delivery is known."""
    digest = hashlib.sha256(event.key.encode("utf-8", "replace")).hexdigest()
    # A UUID of version 8: its content is the maker's own matter.
    return f"{digest[:8]}-{digest[8:12]}-8{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _hashes(event: Event) -> list[str]:
    held = event.get("retrieved", [])
    return [str(one.get("hash")) for one in held if isinstance(one, dict)]
