"""A rule on tool calls that plain words gave, its scope, what it wants done first, its doubts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.policy.commands.calls import CallFacts, ToolCall, read_call
from dmm.policy.commands.procedures import EVERYDAY, PROCEDURE_CHECKS, may_run
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
from dmm.policy.spoken.names import NAMES_VERSION
from dmm.policy.spoken.scopes import Kind, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.policy.commands.calls import CommandUse

CALLS_VERSION = 2
_QUOTES = r"[\s`'\",;:]+"
SPOKEN_VERSION = f"{CALLS_VERSION}.{NAMES_VERSION}"


class Done(NamedTuple):
    """A recorded query or tool call that may count as done before."""

    seq: int
    text: str
    call: ToolCall | None = None

    def may_match(self, patterns: Sequence[Pattern]) -> bool:
        """Tell cheaply whether patterns could match: a command names its program."""
        return self.call is not None and any(_may_match(one, self.text) for one in patterns)

    def facts(self) -> CallFacts:
        """Read what the call did."""
        return read_call(self.call or ToolCall("", {}))


def _may_match(pattern: Pattern, text: str) -> bool:
    if not isinstance(pattern, CommandPattern):
        return True
    if pattern.check in PROCEDURE_CHECKS:
        return may_run(pattern.check, text)
    return any(name.strip("*") in text for name in pattern.programs)


class Need(Value):
    """What has to be done first: a command that matches, or a look-up that holds the words."""

    text: str
    words: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()

    @property
    def is_procedure(self) -> bool:
        """Whether it goes by many names, such as the tests."""
        return any(
            isinstance(one, CommandPattern) and one.check in PROCEDURE_CHECKS
            for one in self.patterns
        )

    def met_by(self, done: Done) -> bool:
        """Whether something recorded is what has to be done first."""
        if self.patterns:
            if not done.may_match(self.patterns):
                return False
            return self._ran(done.facts())
        return self._looked_up(done.text)

    def met_within(self, facts: CallFacts, earlier: Sequence[CommandUse]) -> bool:
        """Whether earlier commands of the same call are what has to be done first."""
        if self.patterns:
            return self._ran(facts._replace(commands=tuple(earlier)))
        words = [word for use in earlier for word in use.invocation.argv]
        return bool(words) and self._looked_up(" ".join(words))

    def met_by_name(self, done: Sequence[Done]) -> bool:
        """Whether a query says which command was it, and that command ran."""
        checks = {one.check for one in self.patterns if isinstance(one, CommandPattern)}
        asked = [
            f" {one.text} "
            for one in done
            if one.call is None and any(may_run(name, one.text) for name in checks - {""})
        ]
        return bool(asked) and any(
            program in re.sub(_QUOTES, " ", text).replace(" ./", " ").split()
            for one in done
            if one.call is not None
            for program in _programs(one.facts())
            for text in asked
        )

    def _ran(self, facts: CallFacts) -> bool:
        return any(True for pattern in self.patterns for _ in pattern.find(facts))

    def _looked_up(self, text: str) -> bool:
        # A call is judged without its words; only a look-up is read as prose.
        from dmm.policy.language import tokens_of

        held = _meant(text)
        return not any(
            held.isdisjoint(wanted.forms) for word in self.words for wanted in tokens_of(word)
        )


def _programs(facts: CallFacts) -> Iterator[str]:
    for use in facts.commands:
        if use.invocation.words and use.invocation.program not in EVERYDAY:
            yield use.invocation.words[0].text.removeprefix("./")


@lru_cache(maxsize=2_048)
def _meant(text: str) -> frozenset[str]:
    """All that the words of a text may stand for; the same past is looked through at every call."""
    from dmm.policy.language import tokens_of

    tokens = tokens_of(_apart(text))
    return frozenset(form for token in tokens for form in (*token.forms, *token.kinds))


def _apart(text: str) -> str:
    """Part the words of paths and identifiers: `plans/next_step.md` holds plans, next and step."""
    return "".join(letter if letter.isalnum() else " " for letter in text)


class CallRule(Value):
    """A tool rule with its scopes and needs; `doubts` say why it doesn't deny."""

    rule: ToolRule
    scopes: tuple[Scope, ...] = ()
    needs: tuple[Need, ...] = ()
    doubts: tuple[str, ...] = ()
    instead: str = ""


class Meeting(NamedTuple):
    """A call that meets a rule: how hard, and what of it is not known."""

    match: Match
    action: Action
    unknown: tuple[str, ...] = ()
    missing: tuple[Need, ...] = ()
    history_unknown: bool = False


def meet(
    rule: CallRule, facts: CallFacts, done: Callable[[], Sequence[Done]] | None = tuple
) -> Meeting | None:
    """Hold a call against a rule; a scope that doesn't show leaves a warning at most.

    Without `done` nobody knows what was done before: a rule that wants something done first asks.
    """
    for subject, match in matches(rule.rule, facts):
        states = [(scope, scope.holds(facts, subject)) for scope in rule.scopes]
        if any(state is False for _, state in states):
            continue
        unknown = tuple(scope.describe() for scope, state in states if state is None)
        missing: tuple[Need, ...] = ()
        if rule.needs:
            missing = _missing(rule, facts, subject, done)
            if not missing:
                continue
        blind = done is None and bool(missing)
        action = Action.ASK if blind and match.action is Action.DENY else match.action
        return Meeting(match, Action.WARN if unknown else action, unknown, missing, blind)
    return None


def _missing(
    rule: CallRule, facts: CallFacts, subject: object, done: Callable[[], Sequence[Done]] | None
) -> tuple[Need, ...]:
    """Find what was not done first, by itself or before it in the same call."""
    earlier = _earlier(facts, subject)
    open_needs = [one for one in rule.needs if not one.met_within(facts, earlier)]
    past = done() if open_needs and done is not None else ()
    return tuple(
        need
        for need in open_needs
        if not any(need.met_by(one) for one in past) and not need.met_by_name(past)
    )


def _earlier(facts: CallFacts, subject: object) -> list[CommandUse]:
    """Give the commands of a call that have succeeded when its subject is reached."""
    span = getattr(subject, "span", None)
    for use in facts.commands:
        if use is subject or use.invocation.span == span:
            before = {one.id for one in use.script.succeeded_before(use.invocation)}
            return [one for one in facts.commands if one.invocation.id in before]
    return []


def calls_to_dict(rules: Sequence[CallRule]) -> dict[str, Any]:
    """Write rules as plain values for JSON."""
    return {"version": CALLS_VERSION, "rules": [call_to_dict(one) for one in rules]}


def call_to_dict(rule: CallRule) -> dict[str, Any]:
    """Write one rule as plain values for JSON."""
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
        return tuple(call_from_dict(one) for one in stored["rules"])
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise UsageError(f"these values are no rules on calls: {fault}", hint=hint) from fault


def call_from_dict(stored: dict[str, Any]) -> CallRule:
    """Read one rule back from plain values."""
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
