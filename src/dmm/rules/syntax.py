"""The written form of a tool rule: one line that people can write and read.

    tool: NAME                     any call of the tool; `*` stands for anything (mcp__*__delete_*)
    tool: NAME(PATTERN)            Bash(git push --force*), Write(generated/**), Read(.env)
    command: PROGRAM WORDS…        flags in any order and form, other words in order
    path: GLOB (read|write)        `**` crosses folders; without a slash the name in any folder
    dependency: NAME               a package added by a command or in a manifest
    branch: GLOB (VERBS)           push, force-push, delete, commit, rewrite; none means all

Clauses may follow, each after a semicolon: `except: PATTERN, PATTERN`, `action: deny|ask|warn`,
`reason: TEXT`, `use: TEXT`. A text in any other form is prose and gives no tool rule.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, get_args

from dmm.rules.callrules import Action, ToolRule, match_tool
from dmm.rules.commands.facts import ToolCall, Verb
from dmm.rules.commands.options import LONG_WITH_ONE_DASH, SUBCOMMANDED, VALUED
from dmm.rules.commands.shell import parse_shell
from dmm.rules.commands.tools import SHELL_TOOLS
from dmm.rules.explain import describe_pattern
from dmm.rules.patterns import (
    BranchPattern,
    CommandPattern,
    DependencyPattern,
    PathPattern,
    Pattern,
    ToolPattern,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_HEAD = re.compile(r"\s*(tool|command|path|dependency|branch):\s*(.+?)\s*$", re.S | re.I)
_CLAUSE = re.compile(r";\s*(except|action|reason|use):\s*", re.I)
_TOOL = re.compile(r"([\w.*?-]+)(?:\((.*)\))?", re.S)
_MARKED = re.compile(r"(\S+)(?:\s+\(([a-z, |/-]+)\))?")
_SEPARATORS = re.compile(r"[,|/\s]+")


def command_pattern(body: str) -> CommandPattern | None:
    """Read one command as a pattern: flags in any order and form, other words in order."""
    script = parse_shell(body)
    if script.malformed or not script.invocations or not script.invocations[0].words:
        return None
    first = script.invocations[0]
    if any(one.context.parent is None for one in script.invocations[1:]):
        return None
    program = first.program
    arguments = [text for text in first.argv[1:] if text not in ("*", "**", "--")]
    flags: list[str] = []
    for text in arguments:
        if text.startswith("-") and len(text) > 1:
            flags += flags_of(program, text)
    operands = tuple(text for text in arguments if not text.startswith("-"))
    return CommandPattern((program,), operands, tuple(flags))


_SAME = {
    "-r": "-r|-R|--recursive", "-R": "-r|-R|--recursive", "--recursive": "-r|-R|--recursive",
    "-f": "-f|--force", "--force": "-f|--force", "-a": "-a|--all", "--all": "-a|--all",
}  # fmt: skip
_LONG_FORMS = {
    "rm": _SAME, "cp": _SAME, "chmod": _SAME, "chown": _SAME,
    "git": {
        "-f": "-f|--force", "--force": "-f|--force", "-A": "-A|--all", "--all": "-A|--all",
    },
    "docker": {
        **{key: _SAME[key] for key in ("-a", "--all", "-f", "--force")},
        "-v": "-v|--volumes", "--volumes": "-v|--volumes",
    },
    "npm": {"-g": "-g|--global", "--global": "-g|--global"},
    "pnpm": {"-g": "-g|--global", "--global": "-g|--global"},
}  # fmt: skip


def flags_of(program: str, text: str) -> list[str]:
    """Split bundled short flags and add the long names where a program knows both."""
    name = text.partition("=")[0]
    if "*" in name:
        return [name]
    short = not name.startswith("--")
    known = program in VALUED or program in _LONG_FORMS
    if program in LONG_WITH_ONE_DASH:
        return [f"-{name.lstrip('-')}|--{name.lstrip('-')}"]
    single = [f"-{letter}" for letter in name[1:]] if short and known else [name]
    forms = _LONG_FORMS.get(program, {})
    return [forms.get(one, one) for one in single]


def _path(body: str) -> PathPattern | None:
    marked = _MARKED.fullmatch(body)
    if not marked:
        return None
    known = ("read", "write", "create", "delete", "rename")
    wanted = _SEPARATORS.split(marked[2]) if marked[2] else ["read", "write"]
    access = tuple(one for one in known if one in wanted)
    return PathPattern(marked[1], access) if len(access) == len(set(wanted)) else None


def _branch(body: str) -> BranchPattern | None:
    marked = _MARKED.fullmatch(body)
    if not marked:
        return None
    wanted = _SEPARATORS.split(marked[2]) if marked[2] else list(get_args(Verb))
    verbs = tuple(one for one in get_args(Verb) if one in wanted)
    if len(verbs) != len(set(wanted)):
        return None
    # A push that is forced is a push all the same.
    both = ("push", "force-push") if "push" in verbs else ()
    return BranchPattern(marked[1], tuple(dict.fromkeys((*both, *verbs))))


def _dependency(body: str) -> DependencyPattern | None:
    return DependencyPattern(body) if re.fullmatch(r"\S+", body) else None


_BODIES: dict[str, Callable[[str], Pattern | None]] = {
    "command": command_pattern,
    "path": _path,
    "branch": _branch,
    "dependency": _dependency,
}


def _tool(body: str) -> tuple[Pattern, tuple[str, ...]] | None:
    named = _TOOL.fullmatch(body)
    if not named:
        return None
    name, inner = named[1], (named[2] or "").strip()
    if inner in ("", "*", "**"):
        return ToolPattern(name), ()
    if name.lower() in SHELL_TOOLS:
        pattern: Pattern | None = command_pattern(inner.replace(":*", " *"))
    else:
        pattern = PathPattern(inner)
    return (pattern, (name,)) if pattern else None


def _head(text: str) -> tuple[Pattern, tuple[str, ...]] | None:
    head = _HEAD.fullmatch(text)
    if not head:
        return None
    kind = head[1].lower()
    if kind == "tool":
        return _tool(head[2])
    pattern = _BODIES[kind](head[2])
    return (pattern, ()) if pattern else None


def _exceptions(kind: str, text: str) -> tuple[Pattern, ...] | None:
    read = _BODIES.get(kind)
    patterns = [read(part.strip()) if read else None for part in text.split(",") if part.strip()]
    found = tuple(one for one in patterns if one is not None)
    return found if len(found) == len(patterns) else None


_PLAIN = {"**": "part/file", "*": "x", "?": "x"}


def _sample(glob: str) -> str:
    return re.sub(r"\*\*|\*|\?", lambda found: _PLAIN[found.group()], glob)


def blocked_example(pattern: Pattern, tools: tuple[str, ...]) -> ToolCall:
    """Return an example call that a pattern matches."""
    match pattern:
        case ToolPattern():
            return ToolCall(_sample(pattern.name), {})
        case CommandPattern():
            flags = [one.split("|")[0].replace("*", "") for one in pattern.flags]
            operands = [_sample(one.split("|")[0]) for one in pattern.operands]
            first = 1 if pattern.programs[0] in SUBCOMMANDED else 0
            words = [_program(pattern), *operands[:first], *flags, *operands[first:]]
            return ToolCall(tools[0] if tools else "Bash", {"command": " ".join(words)})
        case PathPattern():
            return _on_path(pattern, tools)
        case DependencyPattern():
            return ToolCall("Bash", {"command": f"npm install {_sample(pattern.name)}"})
        case BranchPattern():
            return _on_branch(pattern.verbs[0], _sample(pattern.name))
    # The written form has no words for the rest.
    return ToolCall("Write", {})


def _on_path(pattern: PathPattern, tools: tuple[str, ...]) -> ToolCall:
    path = _sample(pattern.glob.partition("\n")[0])
    only = pattern.access[0] if len(pattern.access) == 1 else ""
    commands = {
        "delete": f"rm {path}",
        "rename": f"mv {path} {path}.old",
        "create": f"touch {path}",
    }
    if only in commands and not tools:
        return ToolCall("Bash", {"command": commands[only]})
    tool = "Write" if "write" in pattern.access else "Read"
    return ToolCall(_sample(tools[0]) if tools else tool, {"file_path": path})


def _program(pattern: CommandPattern) -> str:
    first = pattern.programs[0]
    return "some-command" if first == "*" else first.replace("*", "")


def _on_branch(verb: Verb, name: str) -> ToolCall:
    commands = {
        "push": f"git push origin {name}",
        "force-push": f"git push --force origin {name}",
        "delete": f"git branch -d {name}",
        "commit": "git commit -m 'Fix it'",
        "rewrite": "git commit --amend",
    }
    return ToolCall("Bash", {"command": commands[verb]}, branch=name)


def allowed_example(pattern: Pattern, blocked: ToolCall) -> ToolCall:
    """Return a similar call that the pattern does not match."""
    match pattern:
        case CommandPattern():
            command = str(blocked.input["command"])
            return ToolCall(blocked.tool, {"command": f"echo '{command}'"})
        case PathPattern():
            if blocked.tool == "Bash":
                return ToolCall("Bash", {"command": f"ls {_sample(pattern.glob)}"})
            return ToolCall(blocked.tool, {"file_path": "other-folder/other.txt"})
        case DependencyPattern():
            return ToolCall("Bash", {"command": "npm install some-other-package"})
        case BranchPattern():
            return _on_branch(pattern.verbs[0], "some-other-branch")
    return ToolCall("SomeOtherTool", {})


def compile_tool_rule(text: str) -> ToolRule | None:
    """Compile the written form of a tool rule; none for prose and for what can't be read."""
    pieces = _CLAUSE.split(text)
    head = _head(pieces[0])
    if head is None:
        return None
    pattern, tools = head
    clauses = {pieces[at].lower(): pieces[at + 1].strip() for at in range(1, len(pieces), 2)}
    exceptions = _exceptions(pattern.kind, clauses.get("except", ""))
    action = clauses.get("action", Action.DENY.value).lower()
    if exceptions is None or action not in tuple(Action):
        return None
    blocked = blocked_example(pattern, tools)
    rule = ToolRule(
        id=f"tool.{hashlib.sha256(text.strip().encode()).hexdigest()[:10]}",
        patterns=(pattern,),
        reason=clauses.get("reason") or f"A rule in force forbids {describe_pattern(pattern)}.",
        suggestion=clauses.get("use") or "Find another way, or ask the user to lift the rule.",
        blocked=blocked,
        allowed=allowed_example(pattern, blocked),
        action=Action(action),
        exceptions=exceptions,
        tools=tools,
    )
    return rule if match_tool(rule, blocked) and not match_tool(rule, rule.allowed) else None
