"""Rules in plain words, for a person who decides whether they should hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.text import neutralise
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.rules.explain import explain_rule
from dmm.rules.source import find_failures, read_rule, state_of_rule

if TYPE_CHECKING:
    from dmm.rules.rule import Rule

# A rule says what it matches in a few lines; the last ones of its explanation are examples.
_NO_MATCH = ("Why:", "Instead:", "Blocked:", "Asked:", "Warned:", "Allowed:")
EXAMPLES_SHOWN = 4


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule file in plain words; `fault` says why it can't be in force."""

    path: str
    id: str = ""
    title: str = ""
    state: str = ""
    matches: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    allows: tuple[str, ...] = ()
    fault: str = ""


def show_rule_file(path: str, data: bytes) -> ShownRule:
    """Say what a rule file means; nothing that it holds can pass for something of ours."""
    try:
        source = markdown.decode(path, data)
        rule = read_rule(path, source)
        failures = find_failures(path, source)
    except MemoryFileError as fault:
        return ShownRule(path, fault=neutralise(str(fault)))
    if failures:
        return ShownRule(path, rule.id, fault=neutralise(str(failures[0])))
    return ShownRule(
        path,
        rule.id,
        neutralise(rule.title),
        "disabled" if rule.disabled else str(state_of_rule(rule)),
        describe_matches(rule),
        tuple(neutralise(one.text) for one in rule.block[:EXAMPLES_SHOWN]),
        tuple(neutralise(one.text) for one in rule.allow[:EXAMPLES_SHOWN]),
    )


def describe_matches(rule: Rule) -> tuple[str, ...]:
    """Say in words what a rule matches, a line for each kind."""
    if rule.call is None:
        return ()
    lines = explain_rule(rule.call.rule).splitlines()
    needs = [f"Unless this was done first: {one.text}." for one in rule.call.needs]
    return tuple(neutralise(line) for line in (*lines, *needs) if not line.startswith(_NO_MATCH))
