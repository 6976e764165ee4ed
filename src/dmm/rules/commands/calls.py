"""Work out what an agent's tool call would run, read, write, add and push."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dmm.rules.commands.arrivals import arriving_files
from dmm.rules.commands.branches import branch_uses, branches_of, with_branches
from dmm.rules.commands.dependencies import installed
from dmm.rules.commands.facts import (
    Access,
    BranchUse,
    CallFacts,
    CommandUse,
    MessageUse,
    PathUse,
    ScriptFacts,
    ToolCall,
    Verb,
    located,
    relative_path,
)
from dmm.rules.commands.inlineruns import COMPUTED
from dmm.rules.commands.messages import messages_in, messages_of
from dmm.rules.commands.outputs import DECODERS
from dmm.rules.commands.paths import links_of, path_uses, script_of
from dmm.rules.commands.reach import Reach, settle
from dmm.rules.commands.readings import MOST, other_readings, with_known_words
from dmm.rules.commands.runs import SHELL
from dmm.rules.commands.scripts import MAX_FILES, MAX_TOTAL, TextOf, commands_in
from dmm.rules.commands.shell import parse_code, parse_shell
from dmm.rules.commands.tools import (
    COMMAND_KEYS,
    PATCH_TOOLS,
    PATH_KEYS,
    SHELL_TOOLS,
    TELLING_KEYS,
    WRITERS,
    arguments_of,
    commands_of,
    first_text,
    is_patching,
)
from dmm.rules.commands.written import moves

if TYPE_CHECKING:
    from dmm.rules.commands.dependencies import DependencyUse
    from dmm.rules.commands.reach import Tree
    from dmm.rules.commands.scripts import Commands
    from dmm.rules.commands.values import FileRun, Script, Span, Unresolved

__all__ = [
    "PATH_KEYS", "SHELL_TOOLS", "TELLING_KEYS", "Access", "BranchUse", "CallFacts", "CommandUse",
    "PathUse", "ScriptFacts", "TextOf", "ToolCall", "Verb", "branches_of", "read_call",
    "relative_path", "script_of",
]  # fmt: skip

_MAX_DEPTH = 4
_BY_TOOL: dict[str, Access] = {"delete_file": "delete", "create_file": "create"}
_MCP = r"mcp__(.+?)__(.+)|mcp_([^_]+)_(.+)"


def _of_script(base: CallFacts, script: Script) -> CallFacts:
    """Return the facts of a parsed shell text; `base` has the call and its files."""
    known = tuple(with_known_words(one, base.files) for one in script.invocations)
    commands = with_branches(script._replace(invocations=known), base.call)
    facts = base._replace(
        text=script.text,
        malformed=script.malformed or script.truncated,
        unresolved=tuple(dict.fromkeys(_in_words(one) for one in script.unresolved)),
    )
    found = _of_commands(facts, commands)
    others = [list(other_readings(use)) for use in commands]
    most = max(map(len, others), default=0)
    readings = [_reading(facts, commands, others, number) for number in range(min(most, MOST))]
    # With more, nobody can say what would run.
    return found._replace(readings=tuple(readings), malformed=facts.malformed or most > MOST)


def _reading(
    facts: CallFacts,
    commands: tuple[CommandUse, ...],
    others: list[list[tuple[CommandUse, str]]],
    number: int,
) -> CallFacts:
    """Read every command in the way of this number, where there is one."""
    pairs = [
        held[number] if number < len(held) else (use, "")
        for use, held in zip(commands, others, strict=True)
    ]
    doubts = tuple((use.invocation.span, doubt) for use, doubt in pairs if doubt)
    return _of_commands(facts._replace(doubts=doubts), tuple(use for use, _ in pairs))


def _of_commands(facts: CallFacts, commands: tuple[CommandUse, ...]) -> CallFacts:
    """Return the facts of a call with what its commands do."""
    paths: list[PathUse] = []
    packages: list[DependencyUse] = []
    branches: list[BranchUse] = []
    messages: list[MessageUse] = []
    for use in commands:
        named = path_uses(use)
        paths += named
        if facts.reach is not None and moves(use.invocation):
            paths += arriving_files(use, named, facts.reach)
        packages += installed(use.invocation)
        branches += branch_uses(use)
        messages += messages_of(use, facts.files)
        if is_patching(use.invocation.argv):
            _add_patch(use, facts, paths, packages)
    return facts._replace(
        commands=commands,
        paths=settle(paths, facts, links_of(commands)),
        dependencies=tuple(packages),
        branches=tuple(branches),
        messages=tuple(messages),
    )


def _in_words(one: Unresolved) -> str:
    if one.made == COMPUTED:
        return f"{one.what} is put together while it runs"
    made = one.made if " " in one.made else f"`{one.made}`"
    return f"{one.what} is made by {made}"


def _add_patch(
    use: CommandUse, facts: CallFacts, paths: list[PathUse], packages: list[DependencyUse]
) -> None:
    from dmm.rules.commands.patches import patch_changes, patches_of, uses_of

    span = use.invocation.span
    for body in patches_of(use, facts.files):
        changed, added = uses_of(patch_changes(body), facts.call)
        paths += [one._replace(span=span) for one in changed]
        packages += [one._replace(span=span) for one in added]


class _Files:
    """Reads the files that a call runs, and those that they run in turn."""

    def __init__(self, base: CallFacts, files: TextOf) -> None:
        self._base = base
        self._files = files
        self._left = MAX_TOTAL
        self._seen: set[tuple[object, ...]] = set()
        self.found: list[ScriptFacts] = []
        self.unresolved: list[str] = []

    def read(self, runs: tuple[FileRun, ...], depth: int = 0) -> None:
        """Add what some scripts would do to `found`."""
        for run in runs:
            key = (run.path, run.language, run.words, run.directory)
            if depth >= _MAX_DEPTH or key in self._seen or len(self.found) >= MAX_FILES:
                continue
            self._seen.add(key)
            for commands in commands_in(run, self._files):
                self._left -= len(commands.text)
                if self._left > 0:
                    self._take(commands, depth)

    def _take(self, commands: Commands, depth: int) -> None:
        script = parse_shell(
            commands.text,
            directory=commands.directory,
            from_file=True,
            arguments=commands.arguments,
        )
        call = self._base.call.changed(input={"command": commands.text})
        facts = _of_script(self._base._replace(call=call), script)
        found = ScriptFacts(commands.path, facts, commands.lines)
        self.found.append(found)
        # Scripts often run what they have put together; only plain decoding counts as hiding.
        self.unresolved += [
            f"{_in_words(one)} ({found.where(one.span[0])})"
            for one in script.unresolved
            if one.made in DECODERS
        ]
        self.read(script.files, depth + 1)


def _read_shell(base: CallFacts, script: Script) -> CallFacts:
    facts = _of_script(base, script)
    if base.files is None or not script.files:
        return facts
    held = _Files(base, base.files)
    held.read(script.files)
    unresolved = (*facts.unresolved, *held.unresolved)
    return facts._replace(scripts=tuple(held.found), unresolved=unresolved)


def _read_patch(base: CallFacts) -> CallFacts:
    """Read a tool that takes a patch of several files."""
    from dmm.rules.commands.patches import patch_changes, uses_of

    patch = first_text(base.call.input, (*COMMAND_KEYS, "patch")) or ""
    paths, packages = uses_of(patch_changes(patch), base.call)
    settled = settle(paths, base, edits=True)
    return base._replace(text=patch, paths=settled, dependencies=tuple(packages))


def _read_edit(base: CallFacts) -> CallFacts:
    """Read a tool that writes one file."""
    from dmm.rules.commands.edits import file_changes
    from dmm.rules.commands.patches import uses_of

    call = base.call
    path = first_text(call.input, PATH_KEYS)
    if path is None:
        return base
    span = (0, len(path))
    changes = list(file_changes(call.input))
    use = PathUse(located(call, path), _BY_TOOL.get(call.tool.lower(), "write"), span)
    # An edit that names a text to replace changes a file that exists.
    edits = any(step.old for one in changes for step in one.steps)
    added = tuple(one._replace(span=span) for one in uses_of(changes, call)[1])
    return base._replace(text=path, paths=settle([use], base, edits=edits), dependencies=added)


def _merged(first: CallFacts, other: CallFacts, *, guess: bool) -> CallFacts:
    """Merge the facts of two arguments; a guess adds only what is certain."""
    shift = len(first.text) + 1

    def moved(span: Span) -> Span:
        return span[0] + shift, span[1] + shift

    def joined(name: str) -> tuple[Any, ...]:
        added = (one._replace(span=moved(one.span)) for one in getattr(other, name))
        return *getattr(first, name), *added

    invocations = (
        one._replace(invocation=one.invocation._replace(span=moved(one.invocation.span)))
        for one in other.commands
    )
    alone = first._replace(readings=())
    return first.with_placed(joined)._replace(
        text=f"{first.text}\n{other.text}",
        commands=(*first.commands, *invocations),
        malformed=first.malformed or (other.malformed and not guess),
        unresolved=(*first.unresolved, *(() if guess else other.unresolved)),
        scripts=(*first.scripts, *other.scripts),
        readings=(*first.readings, *(_merged(alone, one, guess=guess) for one in other.readings)),
        doubts=(*first.doubts, *((moved(place), doubt) for place, doubt in other.doubts)),
    )


def _read_other(base: CallFacts, tool: str) -> CallFacts:
    """Read a tool by the names of its arguments: files that it names, commands that it runs."""
    call = base.call
    named = arguments_of(tool, call.input)
    at = len(call.tool) + 1
    paths = []
    for one in named:
        span = (at, at + len(one.path))
        wild = one.glob or any(mark in one.path for mark in "*?[")
        paths.append(PathUse(located(call, one.path), one.access, span, wild))
        at = span[1] + 1
    facts = base._replace(
        text="\n".join((call.tool, *(one.path for one in named))),
        paths=settle(paths, base),
        messages=tuple(messages_in(tool, call.input)),
    )
    for command in commands_of(tool, call.input):
        shell = command.language in ("", "bash", "sh", SHELL, "zsh")
        script = parse_shell(command.text) if shell else parse_code(command.language, command.text)
        facts = _merged(facts, _read_shell(base, script), guess=command.guess)
    return facts


def read_call(call: ToolCall, files: TextOf | None = None, tree: Tree | None = None) -> CallFacts:
    """Return the facts of a tool call; of an unknown tool, only its name.

    `files` gives the text of a file by its path, seen from the directory of the call; with it, what
    the scripts do that the call runs is read too. `tree` knows the files that exist: with it links
    are followed, and what is done to a folder is done to what lies in it.
    """
    base = CallFacts(call, call.tool, files=files, reach=None if tree is None else Reach(tree))
    name = call.tool.lower()
    mcp = re.fullmatch(_MCP, call.tool)
    if mcp:
        server, tool = mcp[1] or mcp[3], mcp[2] or mcp[4]
        return _read_other(base._replace(mcp=(server, tool)), tool)
    if name in PATCH_TOOLS:
        return _read_patch(base)
    if name in SHELL_TOOLS:
        command = first_text(call.input, COMMAND_KEYS)
        return base if command is None else _read_shell(base, parse_shell(command))
    if name in WRITERS:
        return _read_edit(base)
    return _read_other(base, call.tool)
