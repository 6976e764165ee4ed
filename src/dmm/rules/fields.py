"""Convert a compiled rule back to the fields of a rule file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.errors import RuleFormError
from dmm.rules.callrules import Action
from dmm.rules.matchers import RUNS, read_items
from dmm.rules.patterns import (
    BranchPattern,
    CommandPattern,
    DependencyPattern,
    PathPattern,
    ToolPattern,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.rules.callrules import ToolRule
    from dmm.rules.commands.facts import ToolCall
    from dmm.rules.patterns import Pattern

Fields = dict[str, object]


def fields_of(rule: ToolRule) -> Fields | None:
    """Return a rule as fields of a file, or None if no fields mean exactly the same."""
    matched, lifted = _items(rule.patterns), _items(rule.exceptions)
    if rule.tools or matched is None or lifted is None:
        return None
    level = {} if rule.action is Action.DENY else {"level": rule.action.value}
    return {**level, "match": matched, **({"unless": lifted} if lifted else {})}


def example_of(call: ToolCall) -> object:
    """Return a call in the form of an example."""
    if call.tool == "Bash":
        command = str(call.input.get("command", ""))
        return command if call.branch is None else {"run": command, "branch": call.branch}
    path = call.input.get("file_path")
    if call.tool == "Read" and path:
        return {"read": path}
    if call.tool == "Write" and path:
        return {"write": path, "text": str(call.input.get("content", ""))}
    return {"tool": call.tool, "input": dict(call.input)}


def _items(patterns: Iterable[Pattern]) -> list[object] | None:
    found: list[object] = [_item(one) for one in patterns]
    return None if None in found else found


def _item(pattern: Pattern) -> Fields | None:
    """Return the fields of one pattern: the first form that parses to the same pattern."""
    for item in _forms(pattern):
        try:
            if read_items(item, (), "") == (pattern,):
                return item
        except RuleFormError:
            continue
    return None


def _forms(pattern: Pattern) -> Iterator[Fields]:
    match pattern:
        case ToolPattern():
            yield {"tool": pattern.name}
        case CommandPattern():
            yield from _command_forms(pattern)
        case PathPattern():
            yield {"path": pattern.glob}
            yield {"path": {"glob": pattern.glob, "access": _one(pattern.access)}}
        case DependencyPattern():
            yield {"command": {"package": pattern.name}}
            yield {"package": pattern.name}
        case BranchPattern():
            yield {"command": {"branch": pattern.name}}
            yield {"branch": pattern.name}
            verbs = [verb for verb in pattern.verbs if verb != "force-push"]
            yield {"command": {"program": "git", "subcommand": verbs, "branch": pattern.name}}


def _command_forms(pattern: CommandPattern) -> Iterator[Fields]:
    for name, check in RUNS.items():
        if pattern.check == check:
            yield {"command": {"run": name}}
    words = (*pattern.operands, *(flag.partition("|")[0] for flag in pattern.flags))
    yield {"command": " ".join((pattern.programs[0], *words))}
    mapping: Fields = {}
    if pattern.programs != ("*",):
        mapping["program"] = _one(pattern.programs)
    if pattern.operands:
        mapping["subcommand"] = _one(pattern.operands[0].split("|"))
    if pattern.flags:
        mapping["flags"] = _one(pattern.flags)
    if pattern.without:
        mapping["without"] = _one(pattern.without)
    yield {"command": mapping}


def _one(values: Sequence[str]) -> object:
    return values[0] if len(values) == 1 else list(values)
