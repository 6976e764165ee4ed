"""Convert rules to the plain values that operations return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dmm.domain.event import canonical
from dmm.eventlog.state import Constraint
from dmm.rules.authorship import first_paragraph
from dmm.rules.explain import ADVICE, ON_DECISIONS, describe_call, describe_matcher
from dmm.rules.folder import digest_source
from dmm.rules.results import ConstraintView, Examples, RuleFault, RuleRow, RuleShown, RuleView
from dmm.rules.rule import State
from dmm.rules.rulebook import on_calls
from dmm.rules.states import describe_constraint, hardest, is_starter, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dmm.errors import MemoryFileError
    from dmm.rules.folder import FileRule
    from dmm.rules.rule import Rule

ORDER = tuple(State)
R = TypeVar("R", bound=RuleRow)
C = TypeVar("C", bound=ConstraintView)

V = TypeVar("V", bound=RuleView)


def digest_rule(one: FileRule | Constraint) -> str:
    """Return the digest of a rule's whole text, which says what a person has seen."""
    if isinstance(one, Constraint) and not one.from_file:
        return digest_source(canonical([one.text, one.priority, one.rule]))
    return digest_source(one.source)


def digest_rules(rules: Sequence[FileRule | Constraint]) -> str:
    """Return the digest of some rules; that of one is its own."""
    found = [digest_rule(one) for one in rules]
    return found[0] if len(found) == 1 else digest_source("\n".join(found))


def show_shelved(one: FileRule, kind: type[R], **more: Any) -> R:
    """Return a rule file in brief."""
    return kind(
        one.rule.id,
        one.rule.title,
        one.state.value,
        one.rule.level,
        "file",
        f".dmm/{one.path}",
        one.seq or None,
        held=one.held,
        disabled=one.rule.disabled,
        **more,
    )


def show_constraint_rule(one: Constraint, kind: type[R], **more: Any) -> R:
    """Return a constraint of the ledger or the team in brief; it is known by its number."""
    return kind(
        one.id if one.is_shared else str(one.seq),
        one.text,
        state_of(one).value,
        hardest(one),
        "team" if one.is_shared else "ledger",
        None,
        None if one.is_shared else one.seq,
        pending=one.pending,
        starter=is_starter(one),
        **more,
    )


def detail_rule(show: Callable[..., V], rule: Rule, state: State, **more: Any) -> V:
    """Show a rule with what it does in plain words, and its examples."""
    return show(
        matches=matches_of(rule, state),
        examples=examples_of(rule),
        why=first_paragraph(rule.why),
        origin=rule.origin or None,
        triggered_by=rule.triggered_by,
        **more,
    )


def matches_of(rule: Rule, state: State) -> tuple[str, ...]:
    """Return what a rule does in plain words."""
    if rule.disabled:
        return ("Disabled: nothing is stopped or checked.",)
    if rule.call is None:
        return (ON_DECISIONS if state is State.DECISIONS else ADVICE,)
    return tuple(describe_matcher(rule.call, rule.level))


def examples_of(rule: Rule) -> Examples:
    """Return the examples of a rule."""
    return Examples(tuple(one.text for one in rule.block), tuple(one.text for one in rule.allow))


def detail_constraint(one: Constraint, **more: Any) -> RuleShown:
    """Return a constraint with what it does in plain words, and its examples."""
    rules = [entry.rule for entry in on_calls(one)]
    return show_constraint_rule(
        one,
        RuleShown,
        matches=tuple(describe_constraint(one)),
        examples=Examples(
            tuple(describe_call(rule.blocked) for rule in rules if rule.blocked.tool),
            tuple(describe_call(rule.allowed) for rule in rules if rule.allowed.tool),
        ),
        why="",
        origin=one.by,
        triggered_by=one.triggered_by,
        source=None,
        **more,
    )


def show_fault(error: MemoryFileError) -> RuleFault:
    """Return a rule file that can't be used, with its line."""
    return RuleFault(f".dmm/{error.path}", error.line, error.what, error.hint)


def ordered(views: Iterable[RuleRow]) -> list[RuleRow]:
    """Put the most binding first, and the newest first among equals."""
    return sorted(views, key=lambda one: (ORDER.index(State(one.state)), -(one.seq or 0)))


def count_states(views: Iterable[RuleRow]) -> dict[str, int]:
    """Count rules by state."""
    states = [one.state for one in views]
    return {state.value: states.count(state.value) for state in State}


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """The rule that a sentence becomes; `why_not` says why it stops no call."""

    id: str
    title: str
    state: str
    matches: tuple[str, ...]
    examples: Examples
    source: str
    would_block: tuple[str, ...]
    would_allow: tuple[str, ...]
    why_not: str
    digest: str


def show_constraint(one: Constraint) -> ConstraintView:
    """Return a constraint in brief."""
    return view_constraint(one, ConstraintView)


def view_constraint(one: Constraint, kind: type[C], **more: Any) -> C:
    """Return a constraint in brief, with more about it."""
    state = str(state_of(one)) if one.active else ""
    about = one.text, one.priority, one.binds, one.seq
    return kind(*about, one.id, one.path, state, one.active and one.pending, **more)
