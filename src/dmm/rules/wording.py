"""Describe rule files in plain words for the person who decides on them."""

from __future__ import annotations

from dataclasses import dataclass

from dmm.domain.text import neutralise
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.rules.explain import describe_matcher
from dmm.rules.source import find_failures, read_rule, state_of_rule

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
    why: str = ""


def show_rule_file(path: str, data: bytes) -> ShownRule:
    """Return a rule file in plain words, quoted so that it can't imitate DMM."""
    try:
        source = markdown.decode(path, data)
        rule = read_rule(path, source)
        failures = find_failures(path, source)
    except MemoryFileError as fault:
        return ShownRule(path, fault=neutralise(str(fault)))
    if failures:
        return ShownRule(path, rule.id, fault=neutralise(str(failures[0])))
    matches = () if rule.call is None else describe_matcher(rule.call, rule.level)
    return ShownRule(
        path,
        rule.id,
        neutralise(rule.title),
        "disabled" if rule.disabled else str(state_of_rule(rule)),
        tuple(map(neutralise, matches)),
        tuple(neutralise(one.text) for one in rule.block[:EXAMPLES_SHOWN]),
        tuple(neutralise(one.text) for one in rule.allow[:EXAMPLES_SHOWN]),
        why=neutralise(rule.why),
    )
