"""States as compact bytes, so that a replay need not start at event one."""

from __future__ import annotations

import json
import zlib
from typing import Any

from dmm.eventlog.state import Constraint, Decision, Fact, State

FAST = 1


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
