"""A rule on tool calls that plain words gave, its scope, what it wants done first, its doubts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from dmm.errors import UsageError
from dmm.policy.commands.calls import CallFacts, ToolCall, read_call
from dmm.policy.commands.rules import (
    Action,
    CommandPattern,
    Match,
    Pattern,
    ToolRule,
    matches,
    pattern_to_dict,
    patterns_from,
    rule_from_dict,
    rule_to_dict,
)
from dmm.policy.language import tokens_of
from dmm.policy.spoken.names import NAMES_VERSION
from dmm.policy.spoken.scopes import Kind, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CALLS_VERSION = 1
SPOKEN_VERSION = f"{CALLS_VERSION}.{NAMES_VERSION}"


@dataclass(frozen=True, slots=True)
class Done:
    """A recorded query or tool call that may count as done before."""

    seq: int
    text: str
    call: ToolCall | None = None

    def may_match(self, patterns: Sequence[Pattern]) -> bool:
        """Tell cheaply whether patterns could match: a command names its program."""
        if self.call is None:
            return False
        programs = [
            name.strip("*")
            for one in patterns
            for name in (one.programs if isinstance(one, CommandPattern) else ("",))
        ]
        return any(name in self.text for name in programs)

    def facts(self) -> CallFacts:
        """Read what the call did."""
        return read_call(self.call or ToolCall("", {}))


@dataclass(frozen=True, slots=True)
class Need:
    """What has to be done first: a command that matches, or a look-up that holds the words."""

    text: str
    words: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()

    def met_by(self, done: Done) -> bool:
        """Whether something recorded is what has to be done first."""
        if self.patterns:
            if not done.may_match(self.patterns):
                return False
            facts = done.facts()
            return any(True for pattern in self.patterns for _ in pattern.find(facts))
        held = tokens_of(_apart(done.text))
        return all(
            any(token.stands_for(wanted.forms) for token in held)
            for word in self.words
            for wanted in tokens_of(word)
        )


def _apart(text: str) -> str:
    """Part the words of paths and identifiers: `plans/next_step.md` holds plans, next and step."""
    return "".join(letter if letter.isalnum() else " " for letter in text)


@dataclass(frozen=True, slots=True)
class CallRule:
    """A tool rule with its scopes and needs; `doubts` say why it doesn't deny."""

    rule: ToolRule
    scopes: tuple[Scope, ...] = ()
    needs: tuple[Need, ...] = ()
    doubts: tuple[str, ...] = ()
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A call that meets a rule: how hard, and what of it is not known."""

    match: Match
    action: Action
    unknown: tuple[str, ...] = ()
    missing: tuple[Need, ...] = ()


def meet(
    rule: CallRule, facts: CallFacts, done: Callable[[], Sequence[Done]] = tuple
) -> Meeting | None:
    """Hold a call against a rule; a scope that doesn't show leaves a warning at most."""
    for subject, match in matches(rule.rule, facts):
        states = [(scope, scope.holds(facts, subject)) for scope in rule.scopes]
        if any(state is False for _, state in states):
            continue
        unknown = tuple(scope.describe() for scope, state in states if state is None)
        missing: tuple[Need, ...] = ()
        if rule.needs:
            past = done()
            missing = tuple(n for n in rule.needs if not any(n.met_by(one) for one in past))
            if not missing:
                return None
        return Meeting(match, Action.WARN if unknown else match.action, unknown, missing)
    return None


def calls_to_dict(rules: Sequence[CallRule]) -> dict[str, Any]:
    """Write rules as plain values for JSON."""
    return {"version": CALLS_VERSION, "rules": [_to_dict(one) for one in rules]}


def _to_dict(rule: CallRule) -> dict[str, Any]:
    return {
        "rule": rule_to_dict(rule.rule),
        "scopes": [{"kind": one.kind, "names": list(one.names)} for one in rule.scopes],
        "needs": [
            {
                "text": one.text,
                "words": list(one.words),
                "patterns": [pattern_to_dict(pattern) for pattern in one.patterns],
            }
            for one in rule.needs
        ],
        "doubts": list(rule.doubts),
        "instead": rule.instead,
    }


def calls_from_dict(stored: Any) -> tuple[CallRule, ...]:
    """Read rules back; a form from another version is refused."""
    hint = "compile the constraint text again"
    if not isinstance(stored, dict) or stored.get("version") != CALLS_VERSION:
        raise UsageError(f"stored rules on calls are not of version {CALLS_VERSION}", hint=hint)
    try:
        return tuple(_from_dict(one) for one in stored["rules"])
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise UsageError(f"these values are no rules on calls: {fault}", hint=hint) from fault


def _from_dict(stored: dict[str, Any]) -> CallRule:
    scopes = tuple(Scope(one["kind"], tuple(one["names"])) for one in stored["scopes"])
    if any(one.kind not in get_args(Kind) for one in scopes):
        raise ValueError("a scope of no known kind")
    needs = tuple(
        Need(one["text"], tuple(one["words"]), patterns_from(one["patterns"]))
        for one in stored["needs"]
    )
    return CallRule(
        rule_from_dict(stored["rule"]), scopes, needs, tuple(stored["doubts"]), stored["instead"]
    )
