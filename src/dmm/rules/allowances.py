"""Calls that a rule asks about and that a person lets through, once."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import PERSONS, EventType, Trust, canonical
from dmm.domain.payload import CallAllowed, ToolRequested
from dmm.errors import LedgerRefused
from dmm.redaction.redact import redact_value
from dmm.rules.callbook import name_rule
from dmm.rules.results import AskedCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.event import Event
    from dmm.rules.callbook import Ruling
    from dmm.rules.commands.facts import ToolCall
    from dmm.rules.project_ledger import ProjectLedger

# Enough to go back to the agent and have it try again.
VALID = dt.timedelta(minutes=15)
MOST = 100
# What an agent says of a call, it may say in other words when it tries again.
_REMARKS = ("description", "justification")


def digest_asked(call: ToolCall, ruling: Ruling) -> str:
    """Return what tells a call from every other one: all of it, its branch, the rules that ask."""
    asking = sorted(one.name for one in ruling.findings if one.level == "ask")
    done = {name: value for name, value in call.input.items() if name not in _REMARKS}
    given = [call.tool, done, call.cwd, call.branch, asking]
    # Unlike what is recorded, a call may hold numbers that are none.
    return hashlib.sha256(json.dumps(redact_value(given)[0], sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Allowances:
    """What a person allowed, in the ledger; each counts for one call, and not for long."""

    project_ledger: ProjectLedger

    def find(self, digest: str) -> int | None:
        """Return the event that lets a call through and was not used yet."""
        log = self.project_ledger.reading
        head = log.head().seq
        for event in reversed(log.latest(MOST, kind=EventType.CALL_ALLOWED)):
            told = CallAllowed.read(event)
            if told is None or told.digest != digest or not self._counts(event):
                continue
            used = canonical({"allowed": event.seq})[1:-1]
            if not any(log.events_of([EventType.TOOL_REQUESTED], event.seq, head, used)):
                return event.seq
        return None

    def _counts(self, event: Event) -> bool:
        age = self.project_ledger.now() - dt.datetime.fromisoformat(event.at)
        return Trust(event.trust) in PERSONS and dt.timedelta() <= age <= VALID

    def show(self, seq: int) -> AskedCall:
        """Show a call that a rule asked about."""
        event = self.project_ledger.reading.event(seq)
        told = ToolRequested.read(event)
        if event is None or told is None or told.verdict.get("status") != "ask":
            what = f"event {seq} is no call that a rule asked about"
            raise LedgerRefused(
                what, hint="see what was asked: dmm ledger log --type ToolRequested"
            )
        if not told.digest:
            # The hook judged it alone, and keeps no more than what a record may hold.
            what = f"event {seq} does not say which call it was"
            raise LedgerRefused(what, hint="let the agent try the call again")
        call = (told.tool, told.input or {}, told.cwd)
        return AskedCall(
            seq, event.actor, event.at, *call, tuple(_rules(told.verdict)), told.digest
        )

    def allow(self, seq: int) -> AskedCall:
        """Let the call of an event pass once."""
        shown = self.show(seq)
        ledger = self.project_ledger
        ledger.record(ledger.draft(CallAllowed(of=seq, digest=shown.digest), references=(seq,)))
        return shown


def _rules(verdict: Any) -> Iterator[str]:
    """Name the rules that asked, with their reasons."""
    asking = [one for one in verdict.get("violations") or () if one.get("level") == "ask"]
    for one in asking or [verdict]:
        named = one.get("id") or one.get("seq")
        lead = f"{name_rule(one.get('seq'), one.get('id') or '')}: " if named else ""
        yield f"{lead}{one.get('reason', '')}"
