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
    # All that forbid in one book, each by its place: a call is then read once, not once a rule.
    book = CallBook(
        CallEntry(number, one.title, one.call, typed=True)
        for number, one in enumerate(held)
        if one.call is not None and _forbids(one)
    )
    found: list[Clash] = []
    for number, rule in enumerate(held):
        against = _find_against(rule, book)
        others = sorted(against.keys() - {number})
        found += [Clash(rule.id, held[one].id, against[one]) for one in others]
    return found


def _forbids(rule: Rule) -> bool:
    """Whether a rule denies whatever was done before."""
    return rule.level == "deny" and rule.call is not None and not rule.call.needs


def _find_against(rule: Rule, book: CallBook) -> dict[int, str]:
    """Return what each rule of the book denies of all that a rule asks for or shows as allowed."""
    found: dict[int, str] = {}
    for need in rule.call.needs if rule.call else ():
        ways = list(_ways(need))
        for other in _denied_by(book, ways):
            found.setdefault(other, f"it requires `{describe_call(ways[0])}`, which is denied")
    steps = [one.call for example in rule.allow for one in example.after]
    for other in _denied_by(book, steps):
        found.setdefault(other, f"it shows `{describe_call(steps[0])}` as the way, which is denied")
    calls = [example.call for example in rule.allow]
    for other in _denied_by(book, calls):
        found.setdefault(other, f"it shows `{describe_call(calls[0])}` as allowed, which is denied")
    return found


def _ways(need: Need) -> Iterator[ToolCall]:
    """Return a call for each way to do what is required, where it goes by one name."""
    for pattern in need.patterns:
        if isinstance(pattern, CommandPattern) and pattern.check in PROCEDURE_CHECKS:
            continue
        yield blocked_example(pattern, ())


def _denied_by(book: CallBook, calls: Sequence[ToolCall]) -> set[int]:
    """Name the rules of the book that deny every one of some calls."""
    denying: set[int] | None = None
    for call in calls:
        findings = try_example(book, Example(call, "")).findings
        these = {one.seq for one in findings if one.level == "deny"}
        denying = these if denying is None else denying & these
        if not denying:
            break
    return denying or set()
