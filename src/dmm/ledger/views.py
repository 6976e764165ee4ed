"""Ledger state as the operations return it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.rules.views import show_constraint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.event import Event
    from dmm.eventlog.state import Decision, Fact, State


def show_fact(fact: Fact) -> dict[str, Any]:
    """A fact as the operations tell it."""
    return {"key": fact.key, "value": fact.value, "confidence": fact.confidence, "seq": fact.seq}


def show_decision(one: Decision) -> dict[str, Any]:
    """A decision as the operations tell it."""
    return {"text": one.text, "status": one.status, "seq": one.seq}


def show_state(state: State) -> dict[str, Any]:
    """Facts, constraints and decisions as the operations tell them."""
    return {
        "facts": {
            fact.key: {"value": fact.value, "confidence": fact.confidence, "seq": fact.seq}
            for fact in state.facts.values()
        },
        "constraints": [show_constraint(one) for one in state.constraints.values()],
        "decisions": [show_decision(one) for one in state.decisions.values()],
    }


def show_event(event: Event) -> dict[str, Any]:
    """A recorded event with everything that is stored of it."""
    return {
        "seq": event.seq,
        "id": event.id,
        "type": event.type,
        "version": event.version,
        "at": event.at,
        "actor": event.actor,
        "source": event.source,
        "trust": event.trust,
        "session": event.session,
        "caused_by": event.caused_by,
        "references": list(event.references),
        "payload": event.payload,
        "hash": event.hash,
    }


def show_alerts(state: State, replaced: dict[int, Fact]) -> list[dict[str, Any]]:
    """Name facts that changed, and decisions that rest on one; `replaced` tells by what."""
    drifted = [
        {
            "type": "drift",
            "message": f"{fact.key} changed from {fact.previous_value} to {fact.value}",
            "related_seqs": [fact.previous_seq, fact.seq],
        }
        for fact in state.facts.values()
        if fact.drifted
    ]
    return [*drifted, *_stale_decisions(state, replaced)]


def _stale_decisions(state: State, replaced: dict[int, Fact]) -> Iterator[dict[str, Any]]:
    for decision in state.decisions.values():
        for seq in decision.references if decision.status == "committed" else ():
            if seq in replaced:
                fact = replaced[seq]
                yield {
                    "type": "stale_decision",
                    "message": f"decision {decision.seq} is based on an old value of {fact.key}",
                    "related_seqs": [decision.seq, fact.seq],
                }
