"""Hide the words of constraints that no person has accepted from agents."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from dmm.domain.event import PERSONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.rules.project_ledger import ProjectLedger

HIDDEN = "pending; text hidden from agents"


class Reader(Protocol):
    """A reader of the ledger for a known actor."""

    @property
    def project_ledger(self) -> ProjectLedger:
        """The ledger."""
        ...


P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=Reader)


def discreet(operation: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Make an operation hide the words of pending constraints from agents."""

    @functools.wraps(operation)
    def run(reader: S, /, *arguments: P.args, **named: P.kwargs) -> T:
        told = operation(reader, *arguments, **named)
        project_ledger = reader.project_ledger
        if project_ledger.actor.trust in PERSONS or not project_ledger.exists:
            return told
        waiting = [one for one in project_ledger.state().constraints.values() if one.pending]
        if not waiting:
            return told
        veil = _Veil(tuple({one.text for one in waiting}), frozenset(one.seq for one in waiting))
        return cast("T", veil.over(told))

    return run


@dataclass(frozen=True, slots=True)
class _Veil:
    """Removes the texts of some constraints, and anything quoting them, from a value."""

    texts: tuple[str, ...]
    seqs: frozenset[int]

    def over(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._over_text(value)
        if isinstance(value, list | tuple):
            return type(value)(self.over(one) for one in value)
        if hasattr(type(value), "__dataclass_fields__"):
            told = self.over({one.name: getattr(value, one.name) for one in fields(value)})
            return replace(value, **told)
        if not isinstance(value, dict):
            return value
        if _is_verdict(value):
            value = self._over_verdict(value)
        elif value.get("text") in self.texts and "rule" in value:
            # The compiled rule says the same in other words.
            value = value | {"rule": None}
        return {name: self.over(one) for name, one in value.items()}

    def _over_text(self, text: str) -> str:
        """Hide a text that is the whole of a string, or quoted in it."""
        for one in self.texts:
            if text == one:
                return HIDDEN
            for quote in "\"'":
                text = text.replace(f"{quote}{one}{quote}", f"({HIDDEN})")
        return text

    def _over_verdict(self, verdict: dict[str, Any]) -> dict[str, Any]:
        """Hide the reasons that a verdict takes from these constraints."""
        steps = tuple(f"constraint {seq}: " for seq in self.seqs)
        hidden = verdict | {
            "violations": [
                one | ({"reason": HIDDEN} if one.get("seq") in self.seqs else {})
                for one in verdict["violations"]
            ],
            "trace": [one for one in verdict["trace"] if not one.startswith(steps)],
        }
        for seq in self.seqs:
            if verdict["reason"].startswith(f'constraint {seq} "'):
                hidden |= {"reason": f"constraint {seq} ({HIDDEN})", "suggestion": ""}
        return hidden


def _is_verdict(value: object) -> bool:
    """Return whether a recorded value describes a verdict."""
    match value:
        case {"reason": str(), "violations": list(grounds), "trace": list(trace)}:
            kinds = {type(one) for one in trace}, {type(one) for one in grounds}
            return kinds[0] <= {str} and kinds[1] <= {dict}
    return False
