"""A constraint of the ledger written as a rule file that does the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.errors import DmmError
from dmm.files.rules import FOLDER, name_rule, write_rule
from dmm.rules.authorship import Composed, compile_english
from dmm.rules.fields import example_of, fields_of
from dmm.rules.rule import State
from dmm.rules.rulebook import on_calls, on_tools
from dmm.rules.source import check_rule, state_of_rule
from dmm.rules.states import state_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.eventlog.state import Constraint

ORDER = tuple(State)
INEXPRESSIBLE = "what it matches can't be written as a matcher; it stays active in the ledger"


def adopt_constraint(one: Constraint, taken: Sequence[str]) -> Composed | str:
    """Write a constraint as a rule file that binds as hard; or say why that can't be done."""
    before = state_of(one)
    for fields in _readings(one):
        title = " ".join(one.text.split())
        name = name_rule(title, taken)
        whole = {"id": name, **fields, "origin": f"ledger constraint {one.seq}"}
        if one.triggered_by is not None:
            whole["triggered_by"] = one.triggered_by
        source = write_rule(whole, title)
        try:
            rule = check_rule(f"{FOLDER}/{name}.md", source)
        except DmmError:
            continue
        if ORDER.index(state_of_rule(rule)) <= ORDER.index(before):
            return Composed(rule, source)
    return INEXPRESSIBLE


def _readings(one: Constraint) -> Iterator[dict[str, Any]]:
    """Return the fields that may say the same: from its patterns, from its words, or none."""
    calls = [entry.rule for entry in on_calls(one)]
    soft = one.priority == "preferred"
    if not calls:
        level = "deny" if state_of(one) is State.DECISIONS else "advise"
        yield {"level": level}
        return
    typed = on_tools(one)
    exact = None if typed is None else fields_of(typed)
    spoken = compile_english(one.text).fields
    for fields in (exact, spoken):
        if fields is None:
            continue
        examples = {
            "block": [example_of(call.blocked) for call in calls],
            "allow": [example_of(call.allowed) for call in calls],
        }
        yield fields | {"examples": examples} | ({"level": "warn"} if soft else {})
