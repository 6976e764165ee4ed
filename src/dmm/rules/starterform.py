"""The form in which starter rules are written down."""

from __future__ import annotations

from dmm.rules.commands.facts import ToolCall
from dmm.rules.patterns import Action, CommandPattern, Pattern, ToolRule

HELP = "--help"
DRY = "--dry-run"


def bash(command: str) -> ToolCall:
    """Write a call of the shell."""
    return ToolCall("Bash", {"command": command})


def command(line: str, *, without: str = "", check: str = "") -> CommandPattern:
    """Write a pattern as a line: programs `a|b`, then operands and flags as they would stand."""
    program, *rest = line.split()
    return CommandPattern(
        programs=tuple(program.split("|")),
        operands=tuple(part for part in rest if not part.startswith("-")),
        flags=tuple(part for part in rest if part.startswith("-")),
        without=(HELP, *without.split()),
        check=check,
    )


def rule(
    name: str,
    patterns: tuple[Pattern, ...],
    texts: tuple[str, str],
    examples: tuple[str, str],
    action: Action = Action.DENY,
) -> ToolRule:
    """Write a rule: its patterns, its reason and the way out, a blocked and an allowed command."""
    return ToolRule(
        id=f"starter.{name}",
        patterns=patterns,
        reason=texts[0],
        suggestion=texts[1],
        blocked=bash(examples[0]),
        allowed=bash(examples[1]),
        action=action,
    )
