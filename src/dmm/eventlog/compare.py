"""Compare two states: additions, removals, changes and drift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.eventlog.state import State

# The value of a fact, or what counts of a constraint or a decision.
Compared = str | dict[str, str | bool]
WEIGHTS = {"facts": 0.5, "constraints": 0.3, "decisions": 0.2}


@dataclass(frozen=True, slots=True)
class Difference:
    """What leads from one state to the other, by section and name."""

    added: dict[str, list[Any]]
    removed: dict[str, list[Any]]
    changed: dict[str, list[Any]]


def sections(state: State) -> dict[str, dict[str, Compared]]:
    """Return a state for comparison: section, name, value."""
    return {
        "facts": {key: fact.value for key, fact in state.facts.items()},
        "constraints": {
            str(one.seq): {"text": one.text, "priority": one.priority, "active": one.binds}
            for one in state.constraints.values()
        },
        "decisions": {
            str(one.seq): {"text": one.text, "status": one.status}
            for one in state.decisions.values()
        },
    }


def diff(before: State, after: State) -> Difference:
    """Compare two states."""
    old, new = sections(before), sections(after)
    return Difference(
        added={name: _only(new[name], old[name]) for name in WEIGHTS},
        removed={name: _only(old[name], new[name]) for name in WEIGHTS},
        changed={name: _changed(old[name], new[name]) for name in WEIGHTS},
    )


def _only(these: Mapping[str, Compared], those: Mapping[str, Compared]) -> list[Any]:
    return [{"name": name, "value": these[name]} for name in these if name not in those]


def _changed(old: Mapping[str, Compared], new: Mapping[str, Compared]) -> list[Any]:
    return [
        {"name": name, "from": old[name], "to": new[name]}
        for name in old
        if name in new and old[name] != new[name]
    ]


def drift(before: State, after: State) -> float:
    """Measure how far two states are apart, from 0 (the same) to 1 (nothing in common).

    In each section: names added, removed or changed over all names of both. The sections weigh
    0.5 (facts), 0.3 (constraints) and 0.2 (decisions); empty ones do not count.
    """
    old, new = sections(before), sections(after)
    total = weight_sum = 0.0
    for name, weight in WEIGHTS.items():
        names = old[name].keys() | new[name].keys()
        if names:
            moved = sum(old[name].get(one) != new[name].get(one) for one in names)
            total += weight * moved / len(names)
            weight_sum += weight
    return total / weight_sum if weight_sum else 0.0
