"""Return the starter rules, which protect the machine, the repository and its data.

They are in `data/starter.txt`, which also says how they are written. One more rule is built in,
active wherever any rule is: only a person changes the rules.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

from dmm.reading import read_table
from dmm.rules.callbook import CallEntry
from dmm.rules.callrules import Action, ToolRule
from dmm.rules.commands.facts import ToolCall
from dmm.rules.patterns import BranchPattern, CommandPattern, PathPattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import Verb
    from dmm.rules.patterns import Pattern

_HELP = "--help"


@cache
def starter_rules() -> tuple[ToolRule, ...]:
    """Return the starter rules, in the order in which they are shown."""
    parts: list[tuple[str, list[tuple[str, str]]]] = []
    for line in read_table("starter.txt"):
        if line.startswith("["):
            parts.append((line, []))
        else:
            key, _, value = line.partition(": ")
            parts[-1][1].append((key, value))
    return tuple(_rule(head, fields) for head, fields in parts)


def _rule(head: str, fields: list[tuple[str, str]]) -> ToolRule:
    name, _, action = head.removeprefix("[").partition("] ")
    said = dict(fields)
    return ToolRule(
        id=f"starter.{name}",
        patterns=tuple(one for key, value in fields for one in _patterns(key, value)),
        reason=said["why"],
        suggestion=said["instead"],
        blocked=_call(said["blocks"]),
        allowed=_call(said["allows"]),
        action=Action(action),
        exceptions=tuple(
            PathPattern(glob) for key, value in fields if key == "except" for glob in value.split()
        ),
    )


def _patterns(key: str, value: str) -> Iterator[Pattern]:
    first, *names = value.split()
    match key:
        case "run":
            yield command(value)
        case "always":
            yield command(value).changed(without=())
        case "path":
            yield from (PathPattern(glob, (first,)) for glob in names)
        case "branch":
            verbs = cast("tuple[Verb, ...]", tuple(first.split("|")))
            yield from (BranchPattern(name, verbs) for name in names)


def command(text: str) -> CommandPattern:
    """Return the pattern of a command in its written form."""
    line, *more = text.split(" ; ")
    clauses = dict(one.split(" ", 1) for one in more)
    program, *rest = line.split()
    return CommandPattern(
        programs=tuple(program.split("|")),
        operands=tuple(part for part in rest if not part.startswith("-")),
        flags=tuple(part for part in rest if part.startswith("-")),
        without=(_HELP, *clauses.get("not", "").split()),
        check=clauses.get("if", ""),
    )


def _call(text: str) -> ToolCall:
    tool, _, path = text.partition(" ")
    match tool:
        case "Read":
            return ToolCall(tool, {"file_path": path})
        case "Write":
            return ToolCall(tool, {"file_path": path, "content": ""})
    return ToolCall("Bash", {"command": text})


# No rule file can have this id: it holds a colon.
ID = "built-in:rules"
TEXT = "Only a person changes the rules."
_FILES = ("**/.dmm", "**/.dmm/rules", "**/.dmm/rules/**")
_RULE = ToolRule(
    id=ID,
    patterns=(
        command("dmm rules disable|enable|edit|accept|adopt|allow"),
        command("dmm trust ; not --list"),
        command("dmm ledger accept"),
        command("dmm ledger constraint --deactivate"),
        *(PathPattern(glob, ("write",)) for glob in _FILES),
    ),
    reason="only a person may change the rules",
    suggestion="Ask the user to do it in a terminal, or propose a rule: dmm rules add.",
    blocked=ToolCall("Bash", {"command": "dmm rules disable never-push-to-main"}),
    allowed=ToolCall("Read", {"file_path": ".dmm/rules/never-push-to-main.md"}),
    action=Action.ASK,
)
BUILT_IN = (CallEntry(0, TEXT, _RULE, id=ID),)
