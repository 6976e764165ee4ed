"""Facts: what a tool call would run, read, write, add and push, as values."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Literal, NamedTuple

from dmm.domain.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.policy.commands.dependencies import DependencyUse
    from dmm.policy.commands.options import Options
    from dmm.policy.commands.values import Invocation, Script, Span

Access = Literal["read", "write"]
Verb = Literal["push", "force-push", "delete", "commit", "rewrite"]
EVERY_BRANCH = "*"


class ToolCall(Value):
    """A call of a tool: its name and input, and where known the directory and the branch."""

    tool: str
    input: Mapping[str, object]
    cwd: str | None = None
    branch: str | None = None


class PathUse(NamedTuple):
    """One file that would be read or written, and where the call says so.

    `glob` says that the path holds wildcards that the shell or the tool fills in.
    """

    path: str
    access: Access
    span: Span
    glob: bool = False


class BranchUse(NamedTuple):
    """One thing done to a branch; no name when the command leaves it to the current branch."""

    name: str | None
    verb: Verb
    span: Span


class CommandUse(NamedTuple):
    """One invocation of a script with its arguments sorted, and the branch where it is known."""

    invocation: Invocation
    options: Options
    script: Script
    branch: str | None = None


class ScriptFacts(NamedTuple):
    """What a file would do that the call runs; `lines` pairs places in its text with its lines."""

    path: str
    facts: CallFacts
    lines: tuple[tuple[int, int], ...]

    def where(self, at: int) -> str:
        """Name the file and the line of a place."""
        number = bisect_right([start for start, _ in self.lines], at) - 1
        return f"{self.path} line {self.lines[number][1]}" if number >= 0 else self.path


class CallFacts(NamedTuple):
    """What a call would do; spans count in `text`, the command or the path of the call.

    `unresolved` says in plain words what is run and can't be read. `scripts` are the files whose
    text the call runs. `readings` are what the call would do if its words mean something else;
    their `doubts` pair places of commands with what would make them so.
    """

    call: ToolCall
    text: str
    commands: tuple[CommandUse, ...] = ()
    paths: tuple[PathUse, ...] = ()
    dependencies: tuple[DependencyUse, ...] = ()
    branches: tuple[BranchUse, ...] = ()
    mcp: tuple[str, str] | None = None
    malformed: bool = False
    unresolved: tuple[str, ...] = ()
    scripts: tuple[ScriptFacts, ...] = ()
    readings: tuple[CallFacts, ...] = ()
    doubts: tuple[tuple[Span, str], ...] = ()

    def doubt_at(self, span: Span) -> str:
        """Say what is not certain of the command at a place."""
        return next((doubt for place, doubt in self.doubts if place == span), "")


def relative_path(path: str, cwd: str | None) -> str:
    """Write a path relative to the working directory where it lies inside it."""
    if "\\" in path or path[1:2] == ":":
        drive = re.match(r"[A-Za-z]:[\\/]|[^/]*\\[^/]*$", path)
        if drive:
            path, cwd = path.replace("\\", "/"), (cwd or "").replace("\\", "/")
    normal = posixpath.normpath(path) if path else path
    inside = cwd and normal.startswith(cwd.rstrip("/") + "/")
    return normal[len(cwd.rstrip("/")) + 1 :] if cwd and inside else normal
