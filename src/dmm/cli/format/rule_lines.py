"""Rules as lines: at most 80 columns on a terminal, whole lines in a pipe."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from dmm.cli.format.lines import terminal_width
from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import counted
from dmm.domain.text import neutralise
from dmm.rules import results

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


NOT_IN_FORCE = "Inactive: this project is not trusted yet (dmm trust)"
WIDEST_ID = 32
MOST_SHOWN = 20
# The rule that DMM brings itself has no page of its own.
BUILT_IN = "built-in:rules"
# What a rule does to the calls in its examples, by level; a rule that stops nothing says so.
STOPS = {"deny": "blocks", "ask": "asks about", "warn": "warns about", "advise": "is about"}


def listed(told: results.RuleList) -> Iterator[str]:
    """List rules by state, one line each; then pending ones, broken files and the way on."""
    rules = [one for one in told.rules if not one.starter]
    pending = [one for one in rules if one.pending]
    active = [one for one in rules if not one.pending and not one.disabled]
    yield from _untrusted(told)
    if not told.rules and not told.faults:
        yield 'No rules yet. Add one with: dmm rules add "never push to main"'
    for state, count in told.counts.items():
        starters = _count_starters(told, state)
        if count:
            yield f"{state}: {count}"
            yield from _rows([one for one in active if one.state == state])
        if starters:
            yield f"  and {counted(starters, 'starter rule')}"
    for title, group in (
        ("disabled", [one for one in rules if one.disabled]),
        ("pending, until you accept them (dmm rules accept ID)", pending),
    ):
        if group:
            yield f"{title}: {len(group)}"
            yield from _rows(group)
    yield from _held(rules)
    for one in told.rules:
        if one.unchecked:
            yield from wrapped(f"{one.id} {not_checked(one.unchecked)}")
    yield from faults(told.faults)


def _untrusted(told: results.InForce) -> Iterator[str]:
    if not told.trusted:
        yield NOT_IN_FORCE


def _count_starters(told: results.RuleList, state: str) -> int:
    starters = [one for one in told.rules if one.starter and not one.pending]
    return sum(one.state == state for one in starters)


def _rows(rules: Iterable[results.RuleRow]) -> Iterator[str]:
    shown = list(rules)
    wide = min(WIDEST_ID, max((len(one.id) for one in shown), default=0))
    for one in shown:
        title = neutralise(" ".join(one.title.split()))
        if one.level == "warn" and one.state == "advice":
            title = f"(warns) {title}"
        yield _cut(f"  {neutralise(one.id):{wide}}  {title}")


def _cut(line: str) -> str:
    """Cut a line at the edge of a terminal; a pipe gets all of it."""
    if not sys.stdout.isatty():
        return line
    width = terminal_width()
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def _held(rules: Iterable[results.RuleRow]) -> Iterator[str]:
    names = [one.id for one in rules if one.held]
    if names:
        yield from wrapped(
            f"{', '.join(names)}: the file has changed; the text you approved is still active."
            " Review it with: dmm trust"
        )


def not_checked(mark: results.Mark | results.UncheckedRule) -> str:
    """Return on how many calls a rule could not be checked, and why on the last of them."""
    where = f" ({mark.where})" if mark.where else ""
    calls = counted(mark.calls, "call")
    return neutralise(f"could not be checked on {calls}: {mark.why}{where}")


def faults(found: Iterable[results.RuleFault]) -> Iterator[str]:
    """Name broken files, each with its line."""
    broken = list(found)
    if broken:
        yield f"{counted(len(broken), 'fault')} in rule files:"
    for one in broken:
        yield from wrapped(f"{_where(one)}: {one.what}", "  ")
        if one.hint:
            yield from wrapped(one.hint, "    hint: ")


def _where(one: results.RuleFault) -> str:
    return one.path or "" if one.line is None else f"{one.path}:{one.line}"


def shown(told: results.RuleView) -> Iterator[str]:
    """Show one rule: its state, what it does, its examples and where it comes from."""
    yield from _untrusted(told)
    yield from wrapped(told.title, f"{told.id}: ")
    yield from _fields(told)


def _fields(told: results.RuleView) -> Iterator[str]:
    yield f"  state:    {_state(told)}"
    if told.path:
        yield from wrapped(told.path, "  file:     ")
    for line in told.matches:
        yield from wrapped(line, "            " if line != told.matches[0] else "  does:     ")
    yield from _examples(told)
    if told.why:
        yield from wrapped(told.why, "  why:      ")
    if told.origin:
        yield from wrapped(told.origin, "  from:     ")
    learned = told.triggered_by
    if told.seq:
        tail = "" if learned is None else f", learned from event {learned}"
        yield f"  recorded: event {told.seq}{tail}"
    if isinstance(told, results.RuleShown):
        yield f"  stopped:  {counted(told.stopped, 'call')}"
    if told.unchecked:
        yield from wrapped(not_checked(told.unchecked), "  mark:     ")
    if told.note:
        yield from wrapped(told.note, "  note:     ")


def _state(told: results.RuleView) -> str:
    notes = [name for name in ("pending", "disabled") if getattr(told, name)]
    if told.held:
        notes.append("its file has changed: dmm trust")
    if told.level == "warn":
        notes.append("warns on the call")
    if isinstance(told, results.RuleShown) and told.becomes:
        notes.append(f"{told.becomes} once accepted")
    if not told.trusted:
        notes.append("once this project is trusted")
    return f"{told.state} ({', '.join(notes)})" if notes else told.state


def _examples(told: results.RuleView) -> Iterator[str]:
    lead = STOPS[told.level] if told.state != "checked on decisions only" else "is about"
    for one in told.examples.block:
        yield from wrapped(one, f"  {lead + ':':9} ")
    for one in told.examples.allow:
        yield from wrapped(one, "  allows:   ")


def added(told: results.RuleView | results.ConstraintRecorded) -> Iterator[str]:
    """Return the lines for a new rule: active, or proposed by an agent."""
    if isinstance(told, results.ConstraintRecorded):
        yield from wrapped(told.constraint, f"proposed as constraint {told.seq}: ")
        yield from wrapped(told.note, "  ") if told.note else ()
        return
    yield from _untrusted(told)
    yield from wrapped(told.title, f"added {told.id}: ")
    yield from _fields(told)


def switched(told: results.RuleRow | results.ConstraintLifted) -> Iterator[str]:
    """Return the line that a rule is active or inactive."""
    if isinstance(told, results.ConstraintLifted):
        yield from wrapped(told.constraint, f"constraint {told.deactivated} is inactive: ")
        return
    yield from _untrusted(told)
    if told.disabled:
        yield f"rule {told.id} is disabled"
    else:
        yield f"rule {told.id} is {told.state}"


def accepted(found: Iterable[results.RuleAccepted | results.ConstraintBinds]) -> Iterator[str]:
    """Return which rules are in force now."""
    for one in found:
        if isinstance(one, results.RuleAccepted):
            yield from wrapped(one.constraint, f"rule {one.id} is {one.state}: ")
            yield from wrapped(one.path or "", "  file: ")
        else:
            yield from wrapped(one.constraint, f"constraint {one.accepted} is active: ")


def asked(told: results.AskedCall) -> Iterator[str]:
    """Return a call that rules asked about, with all that was recorded of it, and those rules."""
    yield from wrapped(f"{told.tool} in {told.cwd}", f"event {told.seq}, {told.actor}: ")
    for name, value in told.input.items():
        text = value if isinstance(value, str) else json.dumps(value)
        # A command of several lines must not look like one with a comment.
        named = name if name.isidentifier() else json.dumps(name)
        for number, line in enumerate(text.splitlines() or [""]):
            yield from wrapped(line, " " * (len(named) + 4) if number else f"  {named}: ")
    for rule in told.rules:
        yield from wrapped(rule, "  asked by ")
    if told.partial:
        yield "  Secrets and parts of long texts are not shown: see the call in your client."


def tested(told: results.Proved) -> Iterator[str]:
    """Return how the examples of the rule files came out."""
    for one in told.failures:
        yield f"{_where(one)}: {one.what}"
        if one.hint:
            yield f"  hint: {one.hint}"
    for rule in told.unchecked:
        yield f"{rule.id} {not_checked(rule)}"
    failed = len(told.failures)
    outcome = counted(failed, "failure") if failed else "all passed"
    examples = counted(told.examples, "example")
    yield f"{counted(told.files, 'rule file')}, {examples}: {outcome}"


def rehearsed(told: results.RuleRehearsed) -> Iterator[str]:
    """Return what a rule would have stopped in past sessions."""
    calls = f"{told.tool_calls:,} past {'call' if told.tool_calls == 1 else 'calls'}"
    if told.state in ("enforced", "asks"):
        yield f"would have stopped {told.calls_blocked:,} of {calls}"
        if told.would_ask:
            yield f"would have asked about {len(told.would_ask):,} of {calls}"
    else:
        yield f"{told.state}: it would have stopped no calls"
    decided = len(told.would_block) - told.calls_blocked
    if told.decisions:
        blocked = f"{decided:,} of {counted(told.decisions, 'past decision')}"
        yield f"would have blocked {blocked}"
    found = [*told.would_block, *told.would_ask]
    for one in found[-MOST_SHOWN:]:
        yield from wrapped(one.text, f"{one.seq:6} ")
        yield from wrapped(one.reason, "       ")
    if len(found) > MOST_SHOWN:
        yield f"       and {len(found) - MOST_SHOWN:,} earlier"


def explained(told: results.RuleExplained) -> Iterator[str]:
    """Return what a rule does and what it stopped last."""
    yield from wrapped(told.title, f"{told.id} ({told.state}): ")
    for line in told.matches:
        yield from wrapped(line, "  ")
    yield f"  stopped {counted(told.stopped, 'call')}"
    for one in told.stops:
        moment = one.at[:16].replace("T", " ")
        yield from wrapped(f"{moment} {one.level}: {one.call}", f"{one.seq:6} ")
        if one.reason:
            yield from wrapped(one.reason, "       ")


def adopted(told: results.Adopted) -> Iterator[str]:
    """Return which constraints are rule files now, and which stayed in the ledger."""
    for one in told.adopted:
        yield from wrapped(one.title, f"constraint {one.adopted} -> {one.path}: ")
        yield f"  state: {one.state}"
    for kept in told.kept:
        yield from wrapped(kept.title, f"constraint {kept.seq} stays: ")
        yield from wrapped(kept.why, "  why: ")
    if not told.adopted and not told.kept:
        yield "There are no ledger constraints to adopt."


def checked(told: results.CallChecked) -> Iterator[str]:
    """Return what would be said to a call."""
    yield from wrapped(told.call, f"{told.outcome}: ")
    if not told.trusted:
        yield "  note:   nothing is active here until this project is trusted (dmm trust)"
    yield from wrapped(told.reason, "  reason: ")
    if told.outcome == "allowed":
        return
    for one in told.findings:
        if (one.rule, one.seq) != (told.rule, told.seq):
            yield from wrapped(f"{_name(one)} ({one.outcome}): {one.title}", "  also:   ")
    if told.suggestion:
        yield from wrapped(told.suggestion, "  hint:   ")
    name = told.rule or told.seq
    if name is not None and name != BUILT_IN:
        yield f"  see:    dmm rules show {name}"


def _name(finding: results.CallFinding) -> str:
    return f"rule {finding.rule}" if finding.rule else f"constraint {finding.seq}"
