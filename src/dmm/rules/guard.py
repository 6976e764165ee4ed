"""Judge tool calls by the active constraints."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.payload import ToolCalled
from dmm.errors import LedgerRefused, StorageError
from dmm.eventlog.open_ledger import IMPORTED, tool_text
from dmm.rules.allowances import Allowances
from dmm.rules.budget import Stopped
from dmm.rules.callbook import Ruling
from dmm.rules.callrules import meet
from dmm.rules.commands.calls import ToolCall
from dmm.rules.needs import Done
from dmm.rules.on_file import files_of
from dmm.rules.outcomes import Outcome, read_output, runs_in_background
from dmm.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.domain.event import Event
    from dmm.eventlog.state import State
    from dmm.rules.budget import Budget
    from dmm.rules.callbook import CallEntry, DoneBefore
    from dmm.rules.callrules import ToolRule
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.rules.published import PublishedRules
    from dmm.rules.shelf import RuleShelf

# Tool calls are many; what was done longer ago counts as not done.
CALLS_WITHIN = 2_000
# How calls end; a step that failed is known to have run.
FINISHED = (EventType.TOOL_USED, EventType.TOOL_FAILED)


@dataclass(frozen=True, slots=True)
class Guard:
    """Judges tool calls; it records changed rule files, but no calls."""

    project_ledger: ProjectLedger
    published: PublishedRules | None = None
    shelf: RuleShelf | None = None

    def rule(self, call: ToolCall) -> Ruling:
        """Return the ruling on a call by the active rules, then record changed rule files."""
        try:
            state = self.project_ledger.state()
            rules = self.project_ledger.rulebook(state)
        except (StorageError, LedgerRefused):
            ruling = self._rule_by_readable(call)
            if ruling.level in ("ask", "deny"):
                return ruling
            # The rules on file say what the ledger said when it could be read.
            raise
        ruling = self._rule(call, state, rules)
        if self.shelf is not None:
            self.shelf.record()
        if self.published is not None:
            # Another process may have changed the rules; the file follows with the next call.
            self.published.publish()
        return ruling

    def judge(self, call: ToolCall) -> Ruling:
        """Return the ruling on a call by the active rules, and record nothing."""
        state = self.project_ledger.state()
        return self._rule(call, state, self.project_ledger.rulebook(state))

    def rule_at(self, call: ToolCall, state: State) -> Ruling:
        """Return the ruling on a call by the rules of an earlier state."""
        return self._rule(call, state, Rulebook(state.in_force))

    def _rule(self, call: ToolCall, state: State, rules: Rulebook) -> Ruling:
        if not rules.guarding.entries:
            return Ruling()
        return rules.guarding.rule(call, self.done_before(state, call.root), *files_of(call))

    def _rule_by_readable(self, call: ToolCall) -> Ruling:
        """Return the ruling by the readable rules, without knowledge of earlier steps."""
        rules = Rulebook(self.project_ledger.readable()).guarding
        return rules.rule(call, None, *files_of(call))

    def let_through(self, call: ToolCall, ruling: Ruling) -> tuple[str, int | None, Ruling]:
        """Return the digest of an asked call, the event that allows it, and the ruling."""
        if ruling.level != "ask":
            return "", None, ruling
        allowances = Allowances(self.project_ledger)
        digest, allowed = allowances.name(call, ruling), None
        # A ledger that can't be read lets nothing through.
        with contextlib.suppress(StorageError, LedgerRefused):
            allowed = allowances.find(digest)
        return digest, allowed, ruling if allowed is None else Ruling()

    def done_before(self, state: State, root: str | None = None) -> DoneBefore:
        """Return the recorded look-ups and runs, and which of them a rule has used up."""

        @cache
        def past() -> list[Done]:
            start = max(0, state.seq - CALLS_WITHIN)
            events = self.project_ledger.reading.events_of(FINISHED, start, state.seq)
            asked = [Done(seq, text) for seq, text in state.queries.items()]
            return asked + [one for event in events if (one := done_by(event, root)) is not None]

        def since(entry: CallEntry, budget: Budget | None = None) -> list[Done]:
            return spend(entry.rule, past(), state.committed.get(entry.seq, 0), budget)

        return since


def done_by(event: Event, root: str | None = None) -> Done | None:
    """Return a recorded tool event as an earlier step; imported events do not count.

    `root` is the folder of the repository.
    """
    if event.source == IMPORTED:
        return None
    told, text = ToolCalled.read(event), tool_text(event)
    call = recorded_call(event)
    if call is None and text:
        call = ToolCall("Bash", {"command": text})
    if told is None or call is None:
        return None
    held = " ".join(str(value) for value in call.input.values())
    return Done(
        event.seq,
        f"{text} {held}",
        call if root is None else call.changed(root=root),
        told.status,
        _printed(told),
        told.unfinished or runs_in_background(call.input),
    )


def _printed(told: ToolCalled) -> Outcome:
    """Return the recorded summary of an output, or read it from the kept part."""
    return Outcome(told.outcome) if told.outcome in tuple(Outcome) else read_output(told.output)


def recorded_call(event: Event, project: str = "") -> ToolCall | None:
    """Return the tool call of an event if it was recorded, with the project if it ran there."""
    told = ToolCalled.read(event)
    if told is None or not told.tool or told.input is None:
        return None
    inside = bool(project) and f"{told.cwd}/".startswith(f"{project}/")
    root = project if inside else None
    return ToolCall(told.tool, told.input, told.cwd or None, told.branch, root)


def spend(
    rule: ToolRule, done: Sequence[Done], after: int = 0, budget: Budget | None = None
) -> list[Done]:
    """Mark the steps that a guarded call has used up.

    `Stopped` where the time does not suffice to find that out.
    """
    last = max(after, _last_use(rule, done, budget))
    return [one._replace(spent=one.seq <= last) for one in done]


def _last_use(rule: ToolRule, done: Sequence[Done], budget: Budget | None) -> int:
    guarded = rule.changed(needs=())
    for one in sorted(done, key=lambda one: -one.seq):
        ran = not one.exit_status and one.may_match(rule.patterns)
        met = meet(guarded, one.facts(budget)) if ran else None
        if met is not None and met.stopped:
            raise Stopped(met.stopped)
        if met is not None:
            return one.seq
    return 0
