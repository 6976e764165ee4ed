"""A rule made whole: its action, its words, and two examples of calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.policy.commands.calls import ToolCall
from dmm.policy.commands.explain import describe_pattern
from dmm.policy.commands.rules import Action, BranchPattern, CommandPattern, PathPattern, ToolRule
from dmm.policy.commands.syntax import allowed_example, blocked_example
from dmm.policy.spoken.callrules import CallRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.policy.spoken.callrules import Need
    from dmm.policy.spoken.scopes import Scope
    from dmm.policy.spoken.tails import Tail
    from dmm.policy.spoken.things import Thing

_BY_NAME = 'If another command did that, name it with query_memory: "./COMMAND runs {}".'
_WAY_OUT = "Find another way, or ask the user to lift the rule."


def rule_of(tail: Tail, *, soft: bool) -> Iterator[CallRule]:
    """Make the rule of one thing and its tail; a whole program is no ground for a mere hint."""
    thing = tail.thing
    if thing.broad and tail.doubts:
        return
    if tail.doubts and tail.action is Action.ASK:
        thing = replace(thing, exceptions=(*thing.exceptions, *_looks(thing)))
    action = Action.WARN if soft else tail.action
    yield make_rule(
        thing,
        action=action,
        scopes=tuple(tail.scopes),
        needs=tuple(tail.needs),
        doubts=tuple(tail.doubts),
        instead=tail.instead,
    )


def _looks(thing: Thing) -> Iterator[CommandPattern]:
    """What only looks needs nobody's leave."""
    for one in thing.patterns:
        if isinstance(one, CommandPattern):
            yield CommandPattern(one.programs, one.operands, check="only looks")


def make_rule(
    thing: Thing,
    *,
    action: Action = Action.DENY,
    scopes: tuple[Scope, ...] = (),
    needs: tuple[Need, ...] = (),
    doubts: tuple[str, ...] = (),
    instead: str = "",
) -> CallRule:
    """Put a rule together with what is told about it."""
    pattern = thing.patterns[0]
    plain = pattern.changed(without=()) if isinstance(pattern, CommandPattern) else pattern
    what = describe_pattern(plain)
    reason = f"{what} is forbidden"
    if needs:
        reason = f"{what} needs {' and '.join(one.text for one in needs)} first"
    if doubts:
        reason += f'; whether "{"; ".join(doubts)}" holds can\'t be seen in a tool call'
    blocked = _scoped(blocked_example(pattern, thing.tools), scopes)
    rule = ToolRule(
        id="said",
        patterns=thing.patterns,
        reason=reason,
        suggestion=_suggestion(action, needs, instead),
        blocked=blocked,
        allowed=_allowed(thing, blocked),
        action=action,
        exceptions=thing.exceptions,
        tools=thing.tools,
    )
    return CallRule(rule, scopes, needs, doubts, instead)


def _suggestion(action: Action, needs: tuple[Need, ...], instead: str) -> str:
    if needs:
        steps = [f"run {one.text}" if one.patterns else f"look up {one.text}" for one in needs]
        told = f"First {' and '.join(steps)}, then try again."
        known = next((one for one in needs if one.is_procedure), None)
        return f"{told} {_BY_NAME.format(known.text)}" if known else told
    if instead:
        return f"Use {instead}."
    return "Ask the user first." if action is Action.ASK else _WAY_OUT


def _scoped(call: ToolCall, scopes: tuple[Scope, ...]) -> ToolCall:
    """Put an example into the scopes of its rule."""
    command, branch, cwd = call.input.get("command"), call.branch, call.cwd
    for scope in scopes:
        name = scope.names[0].replace("*", "x")
        if scope.kind == "branch":
            branch = name
        elif scope.kind == "folder":
            cwd = f"/{name.strip('/')}"
        elif isinstance(command, str):
            command = f"ENV={name} {command}"
    values = {**call.input, **({"command": command} if command is not None else {})}
    if cwd is not None and "command" not in values and scopes:
        return ToolCall(call.tool, values, call.cwd, branch)
    return ToolCall(call.tool, values, cwd, branch)


def _allowed(thing: Thing, blocked: ToolCall) -> ToolCall:
    first = thing.patterns[0]
    if isinstance(first, CommandPattern) and first.programs == ("*",):
        return ToolCall("Bash", {"command": "ls"})
    everything = isinstance(first, BranchPattern | PathPattern) and set(
        first.name if isinstance(first, BranchPattern) else first.glob
    ) == {"*"}
    if everything:
        return blocked_example(thing.exceptions[0], ())
    return allowed_example(first, blocked)
