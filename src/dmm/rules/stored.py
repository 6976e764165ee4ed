"""Convert rules on calls to plain JSON values and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.rules.callbook import GUARD_VERSION, LEVELS, CallBook, CallEntry
from dmm.rules.callrules import CALLS_VERSION, Action, ToolRule
from dmm.rules.commands.checks import CHECKS
from dmm.rules.commands.facts import ToolCall
from dmm.rules.needs import Need
from dmm.rules.patterns import KINDS, AllOf, CommandPattern, Pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dmm.rules.callbook import Level

BOOK_VERSION = f"2.{GUARD_VERSION}"
HINT = "compile the constraint text again"
# What earlier versions read.
_OLD: dict[str, object] = {"scopes": [], "doubts": [], "instead": ""}
_FAULTS = (KeyError, TypeError, ValueError, AttributeError)


def to_plain(value: object) -> Any:
    """Write a rule, or any part of one, as plain values."""
    if isinstance(value, tuple):
        return [to_plain(one) for one in value]
    if isinstance(value, ToolCall):
        return {"tool": value.tool, "input": dict(value.input), "cwd": value.cwd,
                "branch": value.branch}  # fmt: skip
    if not isinstance(value, Value):
        return value.value if isinstance(value, Action) else value
    kind = {"kind": value.kind} if isinstance(value, Pattern) else {}
    return kind | {name: to_plain(one) for name, one in vars(value).items()}


def rule_to_dict(rule: ToolRule) -> dict[str, object]:
    """Write a tool rule; what it needs is stored beside it."""
    return {name: to_plain(one) for name, one in vars(rule).items() if name != "needs"}


def call_to_dict(rule: ToolRule) -> dict[str, object]:
    """Write one rule with what it needs."""
    return _OLD | {"rule": rule_to_dict(rule), "needs": to_plain(rule.needs)}


def rule_from_dict(values: Mapping[str, Any]) -> ToolRule:
    """Read a tool rule back; anything else is refused."""
    try:
        return _rule(**values)
    except _FAULTS as fault:
        raise UsageError(f"these values are not a tool rule: {fault}", hint=HINT) from fault


def _rule(*, blocked: Any, allowed: Any, action: str, tools: Any, **rest: Any) -> ToolRule:
    patterns, exceptions = (patterns_from(rest.pop(one)) for one in ("patterns", "exceptions"))
    calls = {"blocked": ToolCall(**blocked), "allowed": ToolCall(**allowed)}
    about = {"action": Action(action), "tools": _strings(tools), **calls, **rest}
    return ToolRule(patterns=patterns, exceptions=exceptions, **about)


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError("a list of strings is expected")
    return tuple(value)


def patterns_from(value: object) -> tuple[Pattern, ...]:
    """Read patterns back; fields that an older form lacks have their defaults."""
    if not isinstance(value, list):
        raise TypeError("a list of patterns is expected")
    return tuple(_pattern(**one) for one in value)


def _pattern(*, kind: str, **fields: Any) -> Pattern:
    if kind == AllOf.kind:
        return AllOf(patterns_from(fields["patterns"]))
    held = {name: _strings(one) if isinstance(one, list) else one for name, one in fields.items()}
    pattern = KINDS[kind](**held)  # type: ignore[arg-type]  # the class knows its fields
    if isinstance(pattern, CommandPattern) and pattern.check not in ("", *CHECKS):
        raise ValueError(f"unknown check {pattern.check!r}")
    return pattern


def calls_to_dict(rules: Sequence[ToolRule]) -> object:
    """Write what a constraint says of calls."""
    return {"version": CALLS_VERSION, "rules": [call_to_dict(one) for one in rules]}


def calls_from_dict(stored: Any) -> tuple[ToolRule, ...]:
    """Read what a constraint says of calls; a form from another version is refused."""
    if not isinstance(stored, dict) or stored.get("version") != CALLS_VERSION:
        raise UsageError(f"stored rules on calls are not of version {CALLS_VERSION}", hint=HINT)
    try:
        return tuple(call_from_dict(one) for one in stored["rules"])
    except _FAULTS as fault:
        raise UsageError(f"these values are not rules on calls: {fault}", hint=HINT) from fault


def call_from_dict(stored: Any) -> ToolRule:
    """Read one rule back."""
    if stored["scopes"] or stored["doubts"]:
        raise ValueError("it has a scope or a doubt, as earlier versions wrote it")
    needs = tuple(_need(**one) for one in stored["needs"])
    return rule_from_dict(stored["rule"]).changed(needs=needs)


def _need(*, patterns: object, words: object = (), since: Any = (), **rest: Any) -> Need:
    """Read a need back; an older form has neither `since` nor `passed`, or wants words."""
    if words:
        raise ValueError("a need that is met by words")
    return Need(patterns=patterns_from(patterns), since=tuple(since), **rest)


def book_to_dict(book: CallBook) -> object:
    """Write the rules in force, for hooks."""
    entries = [vars(one) | {"rule": call_to_dict(one.rule)} for one in book.entries]
    return {"version": BOOK_VERSION, "entries": entries}


def book_from_dict(stored: Mapping[str, Any]) -> CallBook:
    """Read the rules in force back; a form of another version is refused."""
    if stored.get("version") != BOOK_VERSION:
        raise UsageError(f"stored rules on calls are not of version {BOOK_VERSION}")
    try:
        return CallBook(_entry(**one) for one in stored["entries"])
    except _FAULTS as fault:
        raise UsageError(f"these values are not rules on calls: {fault}") from fault


def _entry(*, rule: object, most: Level, **rest: Any) -> CallEntry:
    if most not in LEVELS:
        raise ValueError("a level of no known name")
    return CallEntry(rule=call_from_dict(rule), most=most, **rest)
