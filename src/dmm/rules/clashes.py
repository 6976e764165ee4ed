"""Clashes: rules that can't both hold, found by what each asks for and shows as allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.procedures import PROCEDURE_CHECKS
from dmm.rules.examples import try_example
from dmm.rules.explain import describe_call
from dmm.rules.patterns import CommandPattern
from dmm.rules.rule import Example
from dmm.rules.syntax import blocked_example

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.rules.commands.facts import ToolCall
    from dmm.rules.needs import Need
    from dmm.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class Clash:
    """Two rules that can't both hold: one asks for or shows what the other forbids."""

    rule: str
    other: str
    what: str


def clashes(rules: Iterable[Rule]) -> list[Clash]:
    """Find the rules of which no one can keep both."""
    held = [one for one in rules if not one.disabled]
    forbidding = [(one, _book(one)) for one in held if _forbids(one)]
    found: list[Clash] = []
    for rule in held:
        for other, book in forbidding:
            what = "" if other is rule else _clash(rule, book)
            if what:
                found.append(Clash(rule.id, other.id, what))
    return found


def _forbids(rule: Rule) -> bool:
    """Whether a rule denies whatever was done before."""
    return rule.level == "deny" and rule.call is not None and not rule.call.needs


def _book(rule: Rule) -> CallBook:
    return CallBook([CallEntry(1, rule.title, rule.call, typed=True)] if rule.call else [])


def _clash(rule: Rule, book: CallBook) -> str:
    for need in rule.call.needs if rule.call else ():
        ways = list(_ways(need))
        if ways and all(_denies(book, way) for way in ways):
            return f"it requires `{describe_call(ways[0])}`, which is denied"
    steps = [one.call for example in rule.allow for one in example.after]
    if steps and _denies_all(book, steps):
        return f"it shows `{describe_call(steps[0])}` as the way, which is denied"
    calls = [example.call for example in rule.allow]
    if calls and _denies_all(book, calls):
        return f"it shows `{describe_call(calls[0])}` as allowed, which is denied"
    return ""


def _ways(need: Need) -> Iterator[ToolCall]:
    """Give a call for each way to do what is required, where it goes by one name."""
    for pattern in need.patterns:
        if isinstance(pattern, CommandPattern) and pattern.check in PROCEDURE_CHECKS:
            continue
        yield blocked_example(pattern, ())


def _denies_all(book: CallBook, calls: Sequence[ToolCall]) -> bool:
    return all(_denies(book, one) for one in calls)


def _denies(book: CallBook, call: ToolCall) -> bool:
    return try_example(book, Example(call, "")).denied
