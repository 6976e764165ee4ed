"""Procedures that go by many names: tests, linters, type checks, builds and formatters.

A rule that wants them run first must know them when it sees them. A command that was not one and
passes for it does less harm than tests that ran and do not count.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.wordlists import listed, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dmm.rules.commands.facts import CommandUse

TESTS, LINT, TYPES = "runs tests", "runs a linter", "checks types"
BUILD, FORMAT = "runs a build", "formats code"


class _Procedure(NamedTuple):
    """Programs that do nothing else, and the words in the names of scripts and targets."""

    programs: frozenset[str]
    words: frozenset[str]


_PROCEDURES = {
    name: _Procedure(listed(name), listed(f"{name} by name"))
    for name in (TESTS, LINT, TYPES, BUILD, FORMAT)
}
PROGRAMS = frozenset().union(*(one.programs for one in _PROCEDURES.values()))
EVERYDAY = listed("everyday")
_FETCHING = listed("fetching")
_NOTHING_RUN = "--help|--version|--collect-only|--dry-run|--list"
_CONTAINERS = names("docker podman docker-compose")
_INSIDE = names("run exec compose")
_PART = r"[a-z]+\d+[a-z]+(?![a-z0-9])|[A-Z]?[a-z]+|[A-Z]+|\d+"
_MOST_WORDS = 40
_LONGEST_NAME = 4_096


def may_run(name: str, text: str) -> bool:
    """Return, cheaply, whether a text could invoke a procedure."""
    return _signs(name).search(text.lower()) is not None


@cache
def _signs(name: str) -> re.Pattern[str]:
    one = _PROCEDURES[name]
    words = "|".join(sorted(map(re.escape, one.programs | one.words)))
    return re.compile(words + r"|\b(?:t|tst|make)\b")


def _runs(name: str, use: CommandUse) -> str | None:
    program = use.invocation.program
    if program in EVERYDAY or _only_fetches(use) or use.options.has_exactly(_NOTHING_RUN):
        return None
    wanted = _PROCEDURES[name]
    if _operand(use) in _PROCEDURES[FORMAT].words:
        # `ruff format` lints nothing.
        return f"it {name}" if name == FORMAT else None
    if any(one in wanted.programs for one in (program, *_names(use))):
        return f"it {name}"
    short = program in ("npm", "pnpm", "yarn", "bun") and _operand(use) in ("t", "tst")
    default = program == "make" and not use.options.operands
    if (short and name == TESTS) or (default and name == BUILD) or _says(name, use):
        return f"it {name}"
    return None


def _operand(use: CommandUse) -> str:
    return use.options.operands[0].text if use.options.operands else ""


def _only_fetches(use: CommandUse) -> bool:
    first = _operand(use)
    if use.invocation.program in _CONTAINERS:
        return first not in _INSIDE
    return first in _FETCHING


def _names(use: CommandUse) -> Iterator[str]:
    """Return the operands that can be the name of a program, without their folders."""
    for word in use.options.operands[:_MOST_WORDS]:
        if not any(letter.isspace() for letter in word.text):
            yield word.text.rpartition("/")[2]


def _says(name: str, use: CommandUse) -> bool:
    """Whether a script, a target or a task bears the name of the procedure."""
    wanted = _PROCEDURES[name].words
    others = [one for other, one in _PROCEDURES.items() if other != name]
    named = {use.invocation.program, *_names(use)}
    if any(named & one.programs for one in others) or named >= {"cargo", "check"}:
        # `ruff check` and `cargo check` are checks of their own kind.
        return name == TYPES and named >= {"cargo", "check"}
    words = [one.text for one in use.options.operands[:_MOST_WORDS] if " " not in one.text]
    texts = [one for one in (use.invocation.program, *words) if len(one) <= _LONGEST_NAME]
    parts = {part.lower() for text in texts for part in re.findall(_PART, text)}
    joined = {"typecheck"} if {"type", "check"} <= parts else set()
    return bool((parts | joined) & wanted)


PROCEDURE_CHECKS: dict[str, Callable[[CommandUse], str | None]] = {
    name: partial(_runs, name) for name in _PROCEDURES
}
WORDS_FOR_PROCEDURES = {name: f"that {name}" for name in _PROCEDURES}
