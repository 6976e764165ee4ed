"""Plain words: what a tool rule stops, with one example it blocks and one it allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy.commands.checks import WORDS_FOR_CHECKS
from dmm.policy.commands.rules import (
    Action,
    BranchPattern,
    CommandPattern,
    DependencyPattern,
    PathPattern,
    ScriptPattern,
    ToolPattern,
    WrappedPattern,
)
from dmm.policy.commands.tools import TELLING_KEYS

if TYPE_CHECKING:
    from dmm.policy.commands.facts import ToolCall
    from dmm.policy.commands.rules import Pattern, ToolRule

_LEADS = {
    Action.DENY: "Blocks",
    Action.ASK: "Asks the user before",
    Action.WARN: "Warns of",
}
_DONE = {
    "push": "pushing",
    "force-push": "force-pushing",
    "delete": "deleting",
    "commit": "committing to",
    "rewrite": "rewriting",
}


def _listed(parts: list[str], last: str = "or") -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _either(text: str) -> str:
    return _listed(text.split("|"))


def _command(pattern: CommandPattern) -> str:
    named = [name or "a bare redirection" for name in pattern.programs if name != "*"]
    program = "any command" if "*" in pattern.programs else _listed(named)
    words = [program, *(_either(one) for one in pattern.operands)]
    text = f"the command {' '.join(words)}" if program != "any command" else program
    if pattern.flags:
        text += f" with {_listed([_either(one) for one in pattern.flags], 'and')}"
    if pattern.check:
        text += f" {WORDS_FOR_CHECKS[pattern.check]}"
    lifted = [one for one in pattern.without if one != "--help"]
    return text + (f", not with {_listed(lifted)}" if lifted else "")


def describe_pattern(pattern: Pattern) -> str:
    """Say in words what a pattern matches."""
    match pattern:
        case ToolPattern():
            return f"any call of the tool {pattern.name}"
        case CommandPattern():
            return _command(pattern)
        case PathPattern():
            done = [{"read": "reading", "write": "writing"}[one] for one in pattern.access]
            return f"{_listed(done)} {pattern.glob}"
        case ScriptPattern():
            return f"running the script {pattern.glob}"
        case WrappedPattern():
            return f"what {pattern.wrapper} runs"
        case DependencyPattern():
            return f"adding the package {pattern.name}"
        case BranchPattern():
            return f"{_listed([_DONE[verb] for verb in pattern.verbs])} the branch {pattern.name}"


def describe_call(call: ToolCall) -> str:
    """Write a call in one line: the command itself, or the tool and its first value."""
    command = call.input.get("command")
    if isinstance(command, str) and call.tool == "Bash":
        return command
    named = [str(call.input[name]) for name in TELLING_KEYS if name in call.input]
    values = named or [str(value) for value in call.input.values()]
    return f"{call.tool} {values[0]}" if values else call.tool


def explain_rule(rule: ToolRule) -> str:
    """Explain a rule in plain words, one statement a line, its two examples last."""
    lead = _LEADS[rule.action]
    tools = f" by the tool {_listed(list(rule.tools))}" if rule.tools else ""
    lines = [f"{lead} {describe_pattern(one)}{tools}." for one in rule.patterns]
    if rule.exceptions:
        named = _listed([describe_pattern(one) for one in rule.exceptions])
        lines.append(f"Not for {named}.")
    lines.append(f"Why: {rule.reason}")
    lines.append(f"Instead: {rule.suggestion}")
    stopped = {"deny": "Blocked", "ask": "Asked", "warn": "Warned"}[rule.action.value]
    lines.append(f"{stopped}: {describe_call(rule.blocked)}")
    lines.append(f"Allowed: {describe_call(rule.allowed)}")
    return "\n".join(lines)
