"""Rebuild the state at any event from the nearest snapshot, which holds it as compact bytes."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from dmm.eventlog.state import CODE, FOLDED, Constraint, Decision, Fact, State, fold

if TYPE_CHECKING:
    from dmm.eventlog.log import EventLog

EVERY = 8_192
FAST = 1


def replay(log: EventLog, to: int, *, start: State | None = None, keep: bool = True) -> State:
    """Fold the log up to an event; on a long way snapshots are left for the next time.

    A state to start from is taken only if no payload was blanked after it.
    """
    to = min(to, log.head().seq)
    redaction = log.last_redaction()
    usable = start is not None and redaction <= start.seq <= to
    state = start if start is not None and usable else _nearest(log, to)
    snapshots = []
    while state.seq < to:
        stop = min(to, (state.seq // EVERY + 1) * EVERY)
        state = _advance(log, state, stop)
        if stop % EVERY == 0:
            snapshots.append((stop, pack(state)))
    if snapshots and keep:
        log.keep_snapshots(snapshots, CODE, redaction)
    return state


def _nearest(log: EventLog, to: int) -> State:
    found = log.nearest_snapshot(to, CODE)
    # A damaged one can't be told from the outside; all events tell the same.
    return (None if found is None else unpack(found[1], found[0])) or State()


def _advance(log: EventLog, state: State, stop: int) -> State:
    return fold(state, log.events_of(FOLDED, state.seq, stop), to=stop)


def prove_snapshots(log: EventLog) -> tuple[int, ...]:
    """Fold the whole log and name each snapshot that is not the state at its event.

    It is left where it is: it shows that somebody changed it.
    """
    state, wrong = State(), []
    for seq, data in log.snapshots(CODE):
        if seq <= log.head().seq:
            state = _advance(log, state, seq)
        if state.seq != seq or data is None or unpack(data, seq) != state:
            wrong.append(seq)
    return tuple(wrong)


def pack(state: State) -> bytes:
    """Write a state in rows; equal states give equal bytes."""
    rows = [
        state.seq,
        [_fact_row(fact) for fact in state.facts.values()],
        [_constraint_row(one) for one in state.constraints.values()],
        [_decision_row(one) for one in state.decisions.values()],
        list(state.queries.items()),
        sorted(state.committed.items()),
    ]
    text = json.dumps(rows, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return zlib.compress(text.encode(), FAST)


def unpack(data: bytes, seq: int) -> State | None:
    """Read a state of an event back; bytes that are not such a state give None."""
    try:
        found, facts, constraints, decisions, queries, committed = json.loads(zlib.decompress(data))
        state = State(
            seq=found,
            facts={row[0]: Fact(*row) for row in facts},
            constraints={row[0]: Constraint(*row) for row in constraints},
            decisions={row[0]: _decision(*row) for row in decisions},
            queries=dict(queries),
            committed=dict(committed),
        )
    except (zlib.error, ValueError, TypeError, LookupError):
        return None
    return state if found == seq else None


def _fact_row(fact: Fact) -> tuple[Any, ...]:
    previous = (fact.previous_value, fact.previous_seq)
    return (fact.key, fact.value, fact.confidence, fact.seq, *previous)


def _constraint_row(one: Constraint) -> tuple[Any, ...]:
    return (one.seq, one.text, one.priority, one.trust, one.triggered_by, one.active, one.rule)


def _decision(
    seq: int, text: str, status: str, rationale: str | None, references: list[int]
) -> Decision:
    return Decision(seq, text, status, rationale, tuple(references))


def _decision_row(one: Decision) -> tuple[Any, ...]:
    return (one.seq, one.text, one.status, one.rationale, one.references)
