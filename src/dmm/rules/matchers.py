"""The matchers in a rule's fields, read as the patterns that judge a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.callrules import Need
from dmm.rules.commands.procedures import LINT, TESTS, TYPES
from dmm.rules.formerror import RuleFormError
from dmm.rules.formvalues import mapping, refuse_unknown, strings, text
from dmm.rules.patterns import (
    BranchPattern,
    CommandPattern,
    DependencyPattern,
    PathPattern,
    Pattern,
    ToolPattern,
)
from dmm.rules.syntax import command_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dmm.rules.formerror import Place

COMMAND = (
    "program", "subcommand", "flags", "without", "args", "no_args", "matches", "branch", "remote",
    "host", "package", "env", "via", "bare", "run",
)  # fmt: skip
RUNS = {"tests": TESTS, "lint": LINT, "typecheck": TYPES}


def read_items(value: object, place: Place, folder: str) -> tuple[Pattern, ...]:
    """Read a list of items, any of which suffices."""
    items = value if isinstance(value, list) else [value]
    if not items:
        raise RuleFormError(place, "the list is empty")
    found: list[Pattern] = []
    for number, one in enumerate(items):
        where = (*place, number) if isinstance(value, list) else place
        found += _item(one, where, folder)
    return tuple(found)


def _item(value: object, place: Place, folder: str) -> Iterator[Pattern]:
    """Read one item: every key of it must hold."""
    held = mapping(value, place, "a matcher")
    refuse_unknown(held, _READERS, place)
    parts = [_READERS[key](one, (*place, key), folder) for key, one in held.items()]
    if len(parts) > 1:
        raise RuleFormError(place, "several keys in one item are not supported yet")
    yield from parts[0]


def _command(value: object, place: Place, folder: str) -> tuple[Pattern, ...]:
    del folder
    if not isinstance(value, dict):
        return tuple(
            _short_command(one, (*place, number) if isinstance(value, list) else place)
            for number, one in enumerate(strings(value, place))
        )
    refuse_unknown(value, COMMAND, place)
    programs = strings(value["program"], (*place, "program")) if "program" in value else ("*",)
    flags = strings(value["flags"], (*place, "flags")) if "flags" in value else ()
    without = strings(value["without"], (*place, "without")) if "without" in value else ()
    operands: tuple[str, ...] = ()
    if "subcommand" in value:
        operands = ("|".join(strings(value["subcommand"], (*place, "subcommand"))),)
    return (CommandPattern(programs, operands, flags, without),)


def _short_command(value: str, place: Place) -> Pattern:
    found = command_pattern(value)
    if found is None:
        hint = "write one command: a program, its words and flags"
        raise RuleFormError(place, f"{value!r} is not one command", hint=hint)
    return found


def _path(value: object, place: Place, folder: str) -> tuple[Pattern, ...]:
    del folder
    return tuple(PathPattern(one, ("write",)) for one in strings(value, place))


def _tool(value: object, place: Place, folder: str) -> tuple[Pattern, ...]:
    del folder
    return tuple(ToolPattern(one) for one in strings(value, place))


def _branch(value: object, place: Place, folder: str) -> tuple[Pattern, ...]:
    del folder
    return tuple(BranchPattern(one) for one in strings(value, place))


def _package(value: object, place: Place, folder: str) -> tuple[Pattern, ...]:
    del folder
    return tuple(DependencyPattern(one) for one in strings(value, place))


_READERS: dict[str, Callable[[object, Place, str], tuple[Pattern, ...]]] = {
    "command": _command,
    "path": _path,
    "tool": _tool,
    "branch": _branch,
    "package": _package,
}


def read_needs(value: object, place: Place, folder: str) -> tuple[Need, ...]:
    """Read what has to be done first; all of it is wanted."""
    items = value if isinstance(value, list) else [value]
    return tuple(
        _need(one, (*place, number) if isinstance(value, list) else place, folder)
        for number, one in enumerate(items)
    )


def _need(value: object, place: Place, folder: str) -> Need:
    if isinstance(value, str):
        value = {"run": value} if value in RUNS else {"command": value}
    held = mapping(value, place, "a required step")
    if "run" in held:
        name = text(held["run"], (*place, "run"))
        if name not in RUNS:
            raise RuleFormError((*place, "run"), f"known steps: {', '.join(RUNS)}")
        return Need(name, patterns=(CommandPattern(("*",), check=RUNS[name]),))
    rest = {key: one for key, one in held.items() if key not in ("since", "passed")}
    return Need(_said(rest), patterns=tuple(_item(rest, place, folder)))


def _said(held: dict[str, object]) -> str:
    return ", ".join(str(one) for one in held.values() if isinstance(one, str)) or "a step"
