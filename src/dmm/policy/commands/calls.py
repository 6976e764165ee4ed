"""Tool calls: what a call of an agent's tool would run, read, write, add and push."""

from __future__ import annotations

import posixpath
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dmm.policy.commands.dependencies import DependencyUse, declared, installed
from dmm.policy.commands.options import Options, read_options
from dmm.policy.commands.shell import parse_shell
from dmm.policy.commands.wrappers import SHELLS, language_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.policy.commands.values import Invocation, Script, Span, Word

Access = Literal["read", "write"]
Verb = Literal["push", "force-push", "delete", "commit", "rewrite"]

SHELL_TOOLS = frozenset({
    "bash", "shell", "run_shell_command", "exec", "exec_command", "local_shell", "terminal",
    "run_command", "execute_command", "container.exec", "unified_exec", "run_terminal_cmd",
    "powershell",
})  # fmt: skip
_READERS = frozenset({"read", "read_file", "view", "notebookread", "read_many_files", "cat"})
_WRITERS = frozenset({
    "write", "write_file", "edit", "multiedit", "notebookedit", "replace", "create", "create_file",
    "str_replace", "str_replace_editor", "edit_file", "patch", "delete_file", "search_replace",
})  # fmt: skip
_COMMAND_KEYS = ("command", "cmd", "script", "input")
_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "filename")
TELLING_KEYS = (*_COMMAND_KEYS[:2], *_PATH_KEYS)
_NEW_KEYS = ("content", "new_string", "newString", "new_str", "file_text", "new_source")
_OLD_KEYS = ("old_string", "oldString", "old_str")
_PATCH_HEADER = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$", re.M)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]|[^/]*\\[^/]*$")
_FILE_LIKE = re.compile(r"\.\w{1,5}$|^\.|/$")
_MCP = re.compile(r"mcp__(.+?)__(.+)|mcp_([^_]+)_(.+)")
_SHOWING = frozenset({
    "cat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "awk", "gawk",
    "sed", "cut", "sort", "uniq", "strings", "xxd", "od", "hexdump", "base64", "bat", "batcat",
    "nl", "tac", "jq", "yq", "diff", "vim", "vi", "nano", "emacs", "code", "view", "open",
})  # fmt: skip
_PATTERN_FIRST = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "awk", "gawk", "sed", "jq", "yq"})
_COPYING = frozenset({"cp", "mv", "scp", "rsync", "install", "ln"})
_TAKING = frozenset({"rm", "shred", "truncate", "tee", "touch", "unlink"})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool: its name and input, and where known the directory and the branch."""

    tool: str
    input: Mapping[str, object]
    cwd: str | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class PathUse:
    """One file that would be read or written, and where the call says so."""

    path: str
    access: Access
    span: Span


@dataclass(frozen=True, slots=True)
class BranchUse:
    """One thing done to a branch; no name when the command leaves it to the current branch."""

    name: str | None
    verb: Verb
    span: Span


@dataclass(frozen=True, slots=True)
class CommandUse:
    """One invocation of a script with its arguments sorted, and the branch where it is known."""

    invocation: Invocation
    options: Options
    script: Script
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What a call would do; spans count in `text`, the command or the path of the call."""

    call: ToolCall
    text: str
    commands: tuple[CommandUse, ...] = ()
    paths: tuple[PathUse, ...] = ()
    dependencies: tuple[DependencyUse, ...] = ()
    branches: tuple[BranchUse, ...] = ()
    mcp: tuple[str, str] | None = None
    malformed: bool = False


@dataclass(slots=True)
class _Found:
    paths: list[PathUse] = field(default_factory=list)
    dependencies: list[DependencyUse] = field(default_factory=list)
    branches: list[BranchUse] = field(default_factory=list)


def _text_of(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return shlex.join(value)
    return None


def _first(call: ToolCall, keys: tuple[str, ...]) -> str | None:
    for key in keys:
        text = _text_of(call.input.get(key))
        if text is not None:
            return text
    return None


def relative_path(path: str, cwd: str | None) -> str:
    """Write a path relative to the working directory where it lies inside it."""
    if _DRIVE.match(path):
        path, cwd = path.replace("\\", "/"), (cwd or "").replace("\\", "/")
    normal = posixpath.normpath(path) if path else path
    inside = cwd and normal.startswith(cwd.rstrip("/") + "/")
    return normal[len(cwd.rstrip("/")) + 1 :] if cwd and inside else normal


def _edits(call: ToolCall) -> list[tuple[str, str]]:
    """Pair the new and old texts of an edit; several for a multiple edit."""
    several = call.input.get("edits")
    inputs = [one for one in several if isinstance(one, dict)] if isinstance(several, list) else []
    pairs = []
    for one in (call.input, *inputs):
        part = ToolCall(call.tool, one)
        new = _first(part, _NEW_KEYS)
        if new is not None:
            pairs.append((new, _first(part, _OLD_KEYS) or ""))
    return pairs


def _read_file_tool(call: ToolCall, access: Access) -> CallFacts:
    path = _first(call, _PATH_KEYS)
    if path is None:
        return CallFacts(call, call.tool)
    uses = (PathUse(relative_path(path, call.cwd), access, (0, len(path))),)
    named = [
        use.name
        for new, old in _edits(call)
        if access == "write"
        for use in declared(path, new, old)
    ]
    manifest = path.rpartition("/")[2]
    added = tuple(DependencyUse(name, manifest, (0, len(path))) for name in named)
    return CallFacts(call, path, paths=uses, dependencies=added)


def _read_patch(patch: str, cwd: str | None, offset: int = 0) -> _Found:
    """Read the files of a patch in the `*** Update File:` form and the packages it adds."""
    found = _Found()
    headers = list(_PATCH_HEADER.finditer(patch))
    for header, following in zip(headers, [*headers[1:], None], strict=False):
        path = header[2]
        span = (offset + header.start(2), offset + header.end(2))
        found.paths.append(PathUse(relative_path(path, cwd), "write", span))
        body = patch[header.end() : following.start() if following else len(patch)]
        lines = body.splitlines()
        after = "\n".join(line[1:] for line in lines if line.startswith("+"))
        before = "\n".join(line[1:] for line in lines if line.startswith(("-", " ")))
        found.dependencies += [
            DependencyUse(use.name, use.source, span) for use in declared(path, after, before)
        ]
    return found


def _shell_paths(use: CommandUse, cwd: str | None) -> list[PathUse]:
    invocation, options = use.invocation, use.options
    span = invocation.span
    program = invocation.program
    inner = invocation.context.parent is not None
    redirections = (
        () if inner and invocation.context.via[-1:] == ("sudo",) else invocation.redirections
    )
    found: list[tuple[Word, Access]] = [(one.target, "write") for one in redirections if one.writes]
    found += [(one.target, "read") for one in redirections if one.reads]
    operands = options.operands
    if program in _SHOWING:
        explicit = options.has_exactly("-e|-f|--regexp|--file|--expression")
        skipped = 1 if program in _PATTERN_FIRST and not explicit else 0
        access: Access = "write" if program == "sed" and _in_place(options) else "read"
        found += [(word, access) for word in operands[skipped:]]
    elif program in _COPYING and operands:
        # What is moved is gone from where it was.
        found += [(word, "write") for word in operands[:-1] if program == "mv"]
        found += [(word, "read") for word in operands[:-1]] + [(operands[-1], "write")]
    elif program in _TAKING:
        found += [(word, "write") for word in operands]
    elif program == "git" and operands and operands[0].text == "add":
        found += [(word, "read") for word in operands[1:]]
    return [PathUse(_seen_from(use, word, cwd), access, span) for word, access in found]


def script_of(use: CommandUse) -> str | None:
    """Give the path of the script that an invocation runs, by itself or by an interpreter."""
    program = use.invocation.program
    if program in SHELLS or program in ("source", ".") or language_of(program):
        named = [word for word in use.options.operands if not use.options.has_exactly("-c")]
        text = named[0].text if named else ""
    else:
        text = use.invocation.words[0].text if use.invocation.words else ""
    directory = use.invocation.context.directory
    joins = text and directory and not text.startswith(("/", "~", "$"))
    return f"{directory}/{text}" if joins else text or None


def _in_place(options: Options) -> bool:
    return any(flag.startswith(("-i", "--in-place")) for flag in options.flags)


def _seen_from(use: CommandUse, word: Word, cwd: str | None) -> str:
    directory = use.invocation.context.directory
    text = word.text.partition(":")[2] if ":" in word.text[1:] else word.text
    joined = directory and not text.startswith(("/", "~", "$"))
    return relative_path(f"{directory}/{text}" if joined else text, cwd)


def _pushes(use: CommandUse, branch: str | None) -> list[BranchUse]:
    options = use.options
    span = use.invocation.span
    forced = options.has_exactly("--force|-f|--force-with-lease|--mirror")
    deletes = options.has_exactly("--delete|-d")
    verb: Verb = "delete" if deletes else ("force-push" if forced else "push")
    refspecs = [word.text for word in options.operands[2:]]
    if not refspecs:
        return [BranchUse(branch, verb, span)]
    found = []
    for refspec in refspecs:
        source, colon, target = refspec.lstrip("+").partition(":")
        name = (target if colon else source).removeprefix("refs/heads/")
        name = branch or name if name in ("HEAD", "@") else name
        plus: Verb = "force-push" if refspec.startswith("+") else verb
        found.append(BranchUse(name, "delete" if colon and not source else plus, span))
    return found


def branches_of(use: CommandUse) -> tuple[str, ...]:
    """Name the branches that an invocation of Git pushes to, or works on where that is known."""
    operands = use.options.operands
    if use.invocation.program == "git" and operands and operands[0].text == "push":
        return tuple(one.name for one in _pushes(use, use.branch) if one.name)
    return (use.branch,) if use.branch else ()


def _with_branches(script: Script, call: ToolCall) -> tuple[CommandUse, ...]:
    """Sort the arguments of all invocations, and follow the branch that the script works on."""
    branch = call.branch
    found: list[CommandUse] = []
    for one in script.invocations:
        options = read_options(one)
        here = None if _is_elsewhere(one, call.cwd) else branch
        found.append(CommandUse(one, options, script, here))
        branch = _switched(one, options) or branch
    return tuple(found)


def _is_elsewhere(invocation: Invocation, cwd: str | None) -> bool:
    """Whether an invocation may run in another repository than the call."""
    places = [invocation.context.directory]
    if invocation.program == "git" and "-C" in invocation.argv[:-1]:
        places.append(invocation.argv[invocation.argv.index("-C") + 1])
    outside = [relative_path(place, cwd) for place in places if place and place != cwd]
    return any(place.startswith(("/", "~", "$", "`", "..")) for place in outside)


_MAKES_BRANCH = ("-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan")


def _switched(invocation: Invocation, options: Options) -> str | None:
    """Name the branch that a checkout or switch leads to."""
    operands = [word.text for word in options.operands]
    if invocation.program != "git" or operands[:1] not in (["checkout"], ["switch"]):
        return None
    after = invocation.argv[invocation.argv.index(operands[0]) :]
    made = [after[at + 1] for at, text in enumerate(after[:-1]) if text in _MAKES_BRANCH]
    if made:
        return made[0]
    named = len(operands) == 2 and not options.separated
    return operands[1] if named and not _FILE_LIKE.search(operands[1]) else None


def _branch_uses(use: CommandUse, branch: str | None) -> list[BranchUse]:
    operands = use.options.operands
    if (
        use.invocation.program != "git"
        or not operands
        or use.options.has_exactly("--dry-run|--help")
    ):
        return []
    span = use.invocation.span
    subcommand = operands[0].text
    if subcommand == "push":
        return _pushes(use, branch)
    if subcommand == "branch" and use.options.has_exactly("-d|-D|--delete"):
        return [BranchUse(word.text, "delete", span) for word in operands[1:]]
    if subcommand == "commit":
        verb: Verb = "rewrite" if use.options.has("--amend") else "commit"
        return [BranchUse(branch, verb, span)]
    if subcommand in ("rebase", "filter-branch", "filter-repo"):
        named = operands[2].text if subcommand == "rebase" and len(operands) > 2 else branch
        return [BranchUse(named, "rewrite", span)]
    return []


def _read_shell(call: ToolCall, text: str) -> CallFacts:
    script = parse_shell(text)
    commands = _with_branches(script, call)
    found = _Found()
    for use in commands:
        found.paths += _shell_paths(use, call.cwd)
        found.dependencies += installed(use.invocation)
        found.branches += _branch_uses(use, use.branch)
        if use.invocation.program == "apply_patch":
            _add_patch(use, call, found)
    return CallFacts(
        call,
        text,
        commands,
        tuple(found.paths),
        tuple(found.dependencies),
        tuple(found.branches),
        malformed=script.malformed or script.truncated,
    )


def _add_patch(use: CommandUse, call: ToolCall, found: _Found) -> None:
    bodies = [(one.body, one.body_span[0]) for one in use.invocation.redirections if one.body]
    bodies += [(word.text, word.start) for word in use.invocation.words[1:]]
    for body, _ in bodies:
        patch = _read_patch(body, call.cwd)
        span = use.invocation.span
        found.paths += [PathUse(one.path, one.access, span) for one in patch.paths]
        found.dependencies += [
            DependencyUse(one.name, one.source, span) for one in patch.dependencies
        ]


def read_call(call: ToolCall) -> CallFacts:
    """Read what a tool call would do; an unknown tool gives its name alone."""
    name = call.tool.lower()
    mcp = _MCP.fullmatch(call.tool)
    if mcp:
        return CallFacts(call, call.tool, mcp=(mcp[1] or mcp[3], mcp[2] or mcp[4]))
    if name in ("apply_patch", "applypatch"):
        patch = _first(call, (*_COMMAND_KEYS, "patch")) or ""
        found = _read_patch(patch, call.cwd)
        return CallFacts(
            call, patch, paths=tuple(found.paths), dependencies=tuple(found.dependencies)
        )
    if name in SHELL_TOOLS:
        command = _first(call, _COMMAND_KEYS)
        return CallFacts(call, call.tool) if command is None else _read_shell(call, command)
    if name in _READERS or name in _WRITERS:
        return _read_file_tool(call, "read" if name in _READERS else "write")
    return CallFacts(call, call.tool)
