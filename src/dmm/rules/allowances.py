"""Let a call through once that a rule asks about."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import PERSONS, EventType, Trust, canonical
from dmm.domain.payload import CallAllowed, ToolRequested
from dmm.errors import LedgerRefused
from dmm.rules.callbook import name_rule
from dmm.rules.commands.tools import SHELL_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.event import Event
    from dmm.rules.callbook import Ruling
    from dmm.rules.commands.facts import ToolCall
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.rules.results import AskedCall

# Enough to go back to the agent and have it try again.
VALID = dt.timedelta(minutes=15)
MOST = 100
# How the record of a long text goes on behind its first part, and what it keeps of long lists.
LEFT_OUT, MOST_ITEMS = "characters left out]", 50
# What an agent says of a command, it may say in other words when it tries again.
_REMARKS = ("description", "justification")


def describe_asked(call: ToolCall, ruling: Ruling) -> str:
    """Return what identifies a call: its input, its branch, and the rules that ask."""
    asking = sorted(one.name for one in ruling.findings if one.level == "ask")
    remarks = _REMARKS if call.tool.lower() in SHELL_TOOLS else ()
    done = {name: value for name, value in call.input.items() if name not in remarks}
    # Unlike what is recorded, a call may hold numbers that are none.
    return json.dumps([call.tool, done, call.cwd, call.branch, asking], sort_keys=True)


@dataclass(frozen=True, slots=True)
class Allowances:
    """The calls that a person allowed, from the ledger; each is valid once and for a short time."""

    project_ledger: ProjectLedger

    def name(self, call: ToolCall, ruling: Ruling) -> str:
        """Return a keyed digest of a call, or an empty text without the user's key.

        What is removed from the record is a part of the call, too.
        """
        record = self.project_ledger.record_of
        seal = None if record is None else record.seal()
        return "" if seal is None else seal.name_text(describe_asked(call, ruling))

    def find(self, digest: str) -> int | None:
        """Return the unused event that allows a call."""
        if not digest:
            return None
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
        from dmm.rules.results import AskedCall

        event = self.project_ledger.reading.event(seq)
        told = ToolRequested.read(event)
        if event is None or told is None or told.verdict.get("status") != "ask":
            what = f"event {seq} is not a call that a rule asked about"
            raise LedgerRefused(
                what, hint="see what was asked: dmm ledger log --type ToolRequested"
            )
        if not told.digest:
            # The hook judged it alone, and keeps no more than what a record may hold.
            what = f"event {seq} does not say which call it was"
            raise LedgerRefused(what, hint="let the agent try the call again")
        given = told.input or {}
        partial = bool(told.redacted) or _is_cut(given)
        call = (told.tool, given, told.cwd, tuple(_rules(told.verdict)))
        return AskedCall(seq, event.actor, event.at, *call, told.digest, partial)

    def allow(self, seq: int) -> AskedCall:
        """Allow the call of an event once; repeating this changes nothing."""
        shown = self.show(seq)
        ledger = self.project_ledger
        if self.find(shown.digest) is None:
            ledger.record(ledger.draft(CallAllowed(of=seq, digest=shown.digest), references=(seq,)))
        return shown


def _is_cut(value: object) -> bool:
    """Return whether a recorded value was cut."""
    if isinstance(value, str):
        return LEFT_OUT in value
    if not isinstance(value, (Mapping, list, tuple)):
        return False
    inner = value.values() if isinstance(value, Mapping) else value
    return len(value) >= MOST_ITEMS or any(map(_is_cut, inner))


def _rules(verdict: Any) -> Iterator[str]:
    """Name the rules that asked, with their reasons."""
    asking = [one for one in verdict.get("violations") or () if one.get("level") == "ask"]
    for one in asking or [verdict]:
        named = one.get("id") or one.get("seq")
        lead = f"{name_rule(one.get('seq'), one.get('id') or '')}: " if named else ""
        yield f"{lead}{one.get('reason', '')}"
