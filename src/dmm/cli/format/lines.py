"""Ledger results as lines of at most 80 columns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dmm.cli.format.wrapping import WIDTH, wrapped
from dmm.cli.options import counted
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from dmm.eventlog.compare import Difference
    from dmm.eventlog.state import Decision, Fact
    from dmm.ledger import results
    from dmm.ledger.backups import Backup
    from dmm.rules import results as rules
    from dmm.rules.rulebook import Compiled

NARROWEST = 60
TYPE_WIDTH = 21
SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def made(told: results.Created) -> Iterator[str]:
    """Return the line that a ledger exists."""
    done = "Created" if told.created else f"Already recorded, at event {told.seq}:"
    yield f"{done} {told.ledger}"


def fact(told: results.FactRecorded) -> Iterator[str]:
    """Return the lines for a recorded fact."""
    yield from wrapped(f"{told.key} = {told.value}", f"fact {told.seq}: ")
    if told.drift_alert:
        yield from wrapped(told.previous_value or "", "  previous value: ")
        yield "  decisions based on the old value: dmm ledger context"


def constraint(
    told: rules.ConstraintRecorded, compiled: Compiled, state: str, does: list[str]
) -> Iterator[str]:
    """Return the lines for a recorded constraint: state, effect and two examples."""
    yield from wrapped(told.constraint, f"constraint {told.seq} ({told.priority}): ")
    waits = told.pending
    if waits:
        yield from wrapped(told.note, "  ")
    yield f"  state once accepted: {state}" if waits else f"  state: {state}"
    for line in does:
        yield from wrapped(line, "    " if waits else "  ")
    if compiled.enforceable:
        stops, allows = _EXAMPLES.get(state, _WARNS)
        if waits and state == "enforced":
            stops = "asks about until then"
        yield from wrapped(compiled.blocks, f"  {stops}: ")
        yield from wrapped(compiled.allows, f"  {allows}: ")


# How the two examples of a constraint are introduced: only what blocks says so.
_EXAMPLES = {
    "enforced": ("would block", "would allow"),
    "asks": ("would ask about", "would allow"),
    "checked on decisions only": ("would reject the decision", "would accept the decision"),
}
_WARNS = ("would warn about", "would allow")


def untrusted() -> Iterator[str]:
    """Return the warning that a rule is recorded but not enforced here yet."""
    yield "dmm: note: this project is not trusted yet, so nothing is enforced."
    yield "  To trust it and keep the rules recorded so far: dmm trust --with-ledger"


def guidance(told: rules.ConstraintRecorded, compiled: Compiled) -> Iterator[str]:
    """Return the warning that a constraint blocks nothing."""
    yield f"dmm: NOT ENFORCED: constraint {told.seq} is advice and blocks nothing"
    yield from wrapped(compiled.why_not or "", "  why: ")


def starter(told: rules.StarterAdded) -> Iterator[str]:
    """Return which starter rules were added."""
    for one in told.added:
        yield from wrapped(one.constraint, f"constraint {one.seq}: ")
    yield f"{len(told.added)} starter rules added, {told.present} were already active"
    if told.pending:
        yield from wrapped(told.note, "  ")


def deactivated(told: rules.ConstraintLifted) -> list[str]:
    """Return the line that a constraint is inactive."""
    return wrapped(told.constraint, f"constraint {told.deactivated} is inactive: ")


def pending(told: rules.PendingConstraints) -> Iterator[str]:
    """Return which constraints wait for a person, and where each came from."""
    for one in told.pending:
        yield from wrapped(one.text, f"constraint {one.seq} ({one.priority}): ")
        source = f"added by {one.actor}"
        if one.tainted is not None:
            source = f"text returned by a tool (event {one.tainted}), {source}"
        session = f", session {one.session}" if one.session else ""
        yield from wrapped(f"{source}{session}", "    ")
    if not told.pending:
        yield "No constraint is pending."
    else:
        yield ""
        numbers = [str(one.seq) for one in told.pending]
        yield "Until you decide, they can only ask, and no session sees their text."
        yield f"  drop one:  dmm ledger constraint --deactivate {numbers[0]}"
        yield f"  accept:    dmm ledger accept {' '.join(numbers)}"


def decision(told: results.Committed | results.Blocked) -> Iterator[str]:
    """Return the verdict on a decision."""
    from dmm.ledger import results

    if isinstance(told, results.Blocked):
        yield f"BLOCKED by constraint {told.violated_constraint_seq}"
        yield from wrapped(told.reason, "  reason: ")
        yield from wrapped(told.suggestion, "  hint:   ")
        return
    yield from wrapped(told.decision, f"COMMITTED as event {told.seq}: ")
    yield from wrapped(told.rationale, "  because: ")
    if told.warning is not None:
        yield from wrapped(told.warning, "  warning: ")


def answer(told: results.Found) -> Iterator[str]:
    """Return what a question found."""
    yield f"recorded as event {told.query_seq}"
    facts = {one.key: one for one in told.facts}
    found = list(_sections(facts, told.constraints or (), told.decisions or ()))
    yield from found or ["nothing found"]


def context(told: results.Context) -> Iterator[str]:
    """Return everything that is known."""
    yield f"At event {told.current_seq}"
    yield from _sections(told.facts, told.constraints, told.decisions)
    if told.alerts:
        yield "Alerts"
    for alert in told.alerts:
        yield from wrapped(alert.message, "     ! ")


def _sections(
    facts: Mapping[str, results.Holding | results.FactView | Fact],
    constraints: Collection[rules.ConstraintView],
    decisions: Collection[results.DecisionView | Decision],
) -> Iterator[str]:
    if facts:
        yield "Facts"
    for key, held in facts.items():
        sure = "" if held.confidence == 1 else f" (confidence {held.confidence:g})"
        yield from wrapped(f"{key} = {held.value}{sure}", f"{held.seq:6} ")
    if constraints:
        yield "Constraints"
    for rule in constraints:
        state = rule.priority + (f", {rule.state}" if rule.state else "")
        state += ", pending" if rule.pending else "" if rule.active else ", inactive"
        yield from wrapped(f"{rule.text} ({state})", f"{rule.seq:6} ")
    if decisions:
        yield "Decisions"
    for one in decisions:
        yield from wrapped(f"{one.text} ({one.status})", f"{one.seq:6} ")


def chain(told: results.Chain) -> Iterator[str]:
    """Return where something came from, one event after the other."""
    if not told.chain:
        yield "nothing to follow"
    for one in told.chain:
        stale = " (STALE: the value has changed)" if one.stale else ""
        lead = f"{one.seq:6} {one.type:{TYPE_WIDTH}} "
        yield from wrapped(line_of(one) + stale, lead)
        sources = [] if one.caused_by is None else [f"caused by {one.caused_by}"]
        rests = (one.payload or {}).get("references") or []
        if rests:
            sources.append(f"based on {', '.join(map(str, rests))}")
        if sources:
            yield " " * len(lead) + "; ".join(sources)


def replayed(told: results.Replayed) -> Iterator[str]:
    """Return the lines for a state and its hash."""
    from dmm.rules import results as rules

    state = told.state
    held = [
        rules.ConstraintView(
            one.text, one.priority, one.binds, one.seq, pending=one.active and one.pending
        )
        for one in state.constraints.values()
    ]
    yield f"State at event {told.seq}"
    yield f"  {told.state_hash}"
    yield from _sections(state.facts, held, state.decisions.values())


def flashback(told: results.Flashback) -> Iterator[str]:
    """Return what was known at an event, and what has happened since."""
    yield f"FLASHBACK to event {told.viewing_seq} of {told.current_seq}"
    then = told.historical_state
    known = list(_sections(then.facts, then.constraints, then.decisions))
    yield from known or ["nothing known"]
    yield from difference(told.diff_from_current, "Since then")


def difference(told: results.Compared | Difference, title: str) -> Iterator[str]:
    """Return what leads from one state to another."""
    found = list(_changes(told))
    yield title
    yield from found or ["  nothing changed"]


def drifted(told: results.Drift) -> Iterator[str]:
    """Return how far two points are apart."""
    yield f"drift from event {told.from_seq} to event {told.to_seq}: {told.drift}"


def _changes(told: results.Compared | Difference) -> Iterator[str]:
    for section in ("facts", "constraints", "decisions"):
        for way, sign in SIGNS.items():
            for one in getattr(told, way)[section]:
                if way == "changed":
                    what = f"{_value(one['from'])} -> {_value(one['to'])}"
                else:
                    what = _value(one["value"])
                yield from wrapped(f"{one['name']}: {what}", f"  {sign} {section[:-1]} ")


def _value(value: Any) -> str:
    if isinstance(value, str):
        return value
    rest = [value[name] for name in ("priority", "status") if name in value]
    if value.get("active") is False:
        rest.append("inactive")
    return f"{value['text']} ({', '.join(rest)})"


def simulated(told: results.Simulation) -> Iterator[str]:
    """Return how a decision ends in another timeline."""
    yield f"Timeline {told.timeline}, nothing is recorded"
    lead = f"  since event {told.injected_at_seq} ({told.injected_priority}): "
    yield from wrapped(told.injected_constraint, lead)
    yield from wrapped(told.tested_decision, "  decision: ")
    yield f"  {told.result}"
    if told.reason:
        yield from wrapped(told.reason, "  reason: ")


def rehearsed(told: rules.Rehearsed) -> Iterator[str]:
    """Return what a rule would have blocked."""
    if not told.enforceable:
        yield "This text is advice: as a constraint it would block nothing."
        return
    decisions, calls = counted(told.decisions, "decision"), counted(told.tool_calls, "tool call")
    yield f"Would have blocked {len(told.would_block)} of {decisions} and {calls} in the past"
    for one in told.would_block:
        yield from wrapped(one.text, f"{one.seq:6} ")
        yield from wrapped(one.reason, "       ")


def explained(told: rules.VerdictExplained) -> Iterator[str]:
    """Return the grounds of a verdict."""
    then, now = told.recorded, told.replayed
    where = f" on {neutralise(told.branch)}" if told.branch else ""
    yield from wrapped(told.decision, f"event {told.seq}{where}: ")
    yield f"  {then.get('status')} by engine {then.get('engine')}"
    yield from wrapped(then.get("reason", ""), "  reason: ")
    for step in then.get("trace", ()):
        yield from wrapped(step, "    - ")
    if told.agrees:
        yield f"  Engine {now['engine']} decides the same today."
    else:
        yield f"  Engine {now['engine']} would decide differently today: {now['status']}"
        yield from wrapped(now["reason"], "  reason: ")


def verified(told: results.Checked) -> Iterator[str]:
    """Return whether a ledger is as it was recorded."""
    from dmm.ledger import results

    if told.first_bad_seq is not None:
        yield f"NOT VALID: the first bad event is {told.first_bad_seq}"
        yield from wrapped(told.reason or "", "  reason: ")
        return
    wrong = (told.wrong_snapshots or ()) if isinstance(told, results.Verified) else ()
    for seq in wrong:
        yield f"NOT VALID: the stored state at event {seq} was changed; it is not used"
    blanked = f", {told.blanked} of them blanked" if told.blanked else ""
    lead = "the chain itself is valid" if wrong else "valid"
    yield f"{lead}: {told.events} events{blanked}, {told.anchors} anchors"
    yield f"  head {told.head}"
    if told.foreign_anchors:
        yield f"  {told.foreign_anchors} anchors belong to other ledgers"
    if not isinstance(told, results.Verified):
        return
    for line in told.unread_anchor_lines:
        yield f"  line {line} of the anchor file is not an anchor"
    if told.anchored is None:
        yield "  nothing new to anchor"
    elif told.anchored:
        yield f"  anchored event {told.anchored}; commit .dmm/ledger.anchor"


def backups(found: Collection[Backup]) -> Iterator[str]:
    """Return which backups there are."""
    for one in found:
        yield f"{one.day}  up to event {one.seq}, {one.bytes / 1e6:.1f} MB"
        yield from wrapped(str(one.path), "    ")
    if not found:
        yield "There is no backup yet; the daemon makes one every day."


def restored(told: results.Restored) -> Iterator[str]:
    """Return what a backup was put in place of, and what it lacks."""
    yield f"The ledger is restored up to event {told.seq}."
    if told.missing:
        yield f"  {told.missing} later events are missing"
    if told.aside:
        yield from wrapped(told.aside, "  the file it replaced is now ")


def copied(told: results.Copied) -> Iterator[str]:
    """Return the line for a backup."""
    yield from wrapped(told.path, "copied to ")
    yield from verified(told)


def terminal_width() -> int:
    """Return the line width: that of the terminal, else 80 columns."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and told.isascii():
        return max(NARROWEST, int(told))
    try:
        return max(NARROWEST, os.get_terminal_size().columns)
    except OSError:
        return WIDTH


def log(told: results.Entries) -> Iterator[str]:
    """List events, one line each, as wide as the terminal is."""
    from dmm.domain.brief import describe

    if not told.events:
        yield "no events"
    width = terminal_width()
    kinds = max((len(one.type) for one in told.events), default=0)
    several = len({one.branch for one in told.events if one.branch}) > 1
    for one in told.events:
        moment = one.at[:16].replace("T", " ")
        lead = f"{one.seq:6} {moment} {neutralise(one.type):{kinds}} "
        lead += f"[{neutralise(one.branch)}] " if several and one.branch else ""
        yield lead + describe(one, max(20, width - len(lead)))


def line_of(one: results.Link) -> str:
    """Return an event of a provenance in one line, as the page words it."""
    from dmm.domain.brief import describe
    from dmm.domain.event import Event

    payload = None if one.payload is None else dict(one.payload)
    nobody = "", "", "", None, one.caused_by, ()
    return describe(Event(one.seq, "", one.type, 1, "", *nobody, payload))
