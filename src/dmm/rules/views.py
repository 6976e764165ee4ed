"""Rules as the operations return them: plain values, the same on every surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import canonical
from dmm.eventlog.state import Constraint
from dmm.rules.authorship import first_paragraph
from dmm.rules.explain import ADVICE, ON_DECISIONS, describe_call, describe_matcher
from dmm.rules.folder import digest_source
from dmm.rules.rule import State
from dmm.rules.rulebook import on_calls
from dmm.rules.states import describe_constraint, hardest, is_starter, state_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dmm.errors import MemoryFileError
    from dmm.rules.rule import Rule
    from dmm.rules.shelf import ShelvedRule

ORDER = tuple(State)
View = dict[str, Any]


def digest_rule(one: ShelvedRule | Constraint) -> str:
    """Return the digest of the whole text of a rule, by which somebody can say what was seen."""
    if isinstance(one, Constraint) and not one.from_file:
        return digest_source(canonical([one.text, one.priority, one.rule]))
    return digest_source(one.source)


def digest_rules(rules: Sequence[ShelvedRule | Constraint]) -> str:
    """Return the digest of some rules; that of one is its own."""
    found = [digest_rule(one) for one in rules]
    return found[0] if len(found) == 1 else digest_source("\n".join(found))


def show_shelved(one: ShelvedRule) -> View:
    """Return a rule file in brief."""
    told: View = {
        "id": one.rule.id,
        "title": one.rule.title,
        "state": one.state.value,
        "level": one.rule.level,
        "kind": "file",
        "path": f".dmm/{one.path}",
        "seq": one.seq or None,
    }
    flags = {"held": one.held, "disabled": one.rule.disabled}
    return told | {name: True for name, value in flags.items() if value}


def show_constraint_rule(one: Constraint) -> View:
    """Return a constraint of the ledger or the team in brief; it is known by its number."""
    told: View = {
        "id": one.id if one.is_shared else str(one.seq),
        "title": one.text,
        "state": state_of(one).value,
        "level": hardest(one),
        "kind": "team" if one.is_shared else "ledger",
        "path": None,
        "seq": None if one.is_shared else one.seq,
    }
    flags = {"pending": one.pending, "starter": is_starter(one)}
    return told | {name: True for name, value in flags.items() if value}


def detail_rule(rule: Rule, state: State) -> View:
    """Return what a rule does in plain words, and its examples."""
    if rule.disabled:
        matches = ["Disabled: nothing is stopped or checked."]
    elif rule.call is None:
        matches = [ON_DECISIONS if state is State.DECISIONS else ADVICE]
    else:
        matches = list(describe_matcher(rule.call, rule.level))
    return {
        "matches": matches,
        "examples": {
            "block": [one.text for one in rule.block],
            "allow": [one.text for one in rule.allow],
        },
        "why": first_paragraph(rule.why),
        "origin": rule.origin or None,
        "triggered_by": rule.triggered_by,
    }


def detail_constraint(one: Constraint) -> View:
    """Return what a constraint does in plain words, and its examples."""
    rules = [entry.rule.rule for entry in on_calls(one)]
    return {
        "matches": list(describe_constraint(one)),
        "examples": {
            "block": [describe_call(rule.blocked) for rule in rules if rule.blocked.tool],
            "allow": [describe_call(rule.allowed) for rule in rules if rule.allowed.tool],
        },
        "why": "",
        "origin": None,
        "triggered_by": one.triggered_by,
    }


def show_fault(error: MemoryFileError) -> View:
    """Return a rule file that can't be used, with its line."""
    return {
        "path": f".dmm/{error.path}",
        "line": error.line,
        "what": error.what,
        "hint": error.hint,
    }


def ordered(views: Iterable[View]) -> list[View]:
    """Put the most binding first, and the newest first among equals."""
    return sorted(views, key=lambda one: (ORDER.index(State(one["state"])), -(one["seq"] or 0)))


def count_states(views: Iterable[View]) -> dict[str, int]:
    """Count rules by state."""
    states = [one["state"] for one in views]
    return {state.value: states.count(state.value) for state in State}


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """The rule that a sentence would be; `why_not` says why it stops no call."""

    id: str
    title: str
    state: str
    matches: tuple[str, ...]
    examples: Mapping[str, Sequence[str]]
    source: str
    would_block: tuple[str, ...]
    would_allow: tuple[str, ...]
    why_not: str
    digest: str


@dataclass(frozen=True, slots=True)
class ConstraintView:
    """A constraint in brief; one in force has the word for what it does."""

    text: str
    priority: str
    active: bool
    seq: int
    id: str = ""
    file: str = ""
    state: str = ""
    pending: bool = False


def show_constraint(one: Constraint) -> ConstraintView:
    """Return a constraint in brief."""
    state = str(state_of(one)) if one.active else ""
    about = one.text, one.priority, one.active, one.seq
    return ConstraintView(*about, one.id, one.path, state, one.pending)
