"""The facts of a tool call: what it would run, read, write, add and push."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from dmm.domain.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dmm.rules.budget import Budget
    from dmm.rules.commands.dependencies import DependencyUse
    from dmm.rules.commands.options import Options
    from dmm.rules.commands.values import Invocation, Script, Span

Access = Literal["read", "load", "write", "create", "delete", "rename"]
MessageKind = Literal["commit", "branch", "pr_title", "pr_body", "tag"]
MESSAGES: tuple[MessageKind, ...] = get_args(MessageKind)
Verb = Literal["push", "force-push", "delete", "commit", "rewrite"]
EVERY_BRANCH = "*"
# The facts of a call that have a place in its text.
PLACED = ("paths", "dependencies", "branches", "messages")


class ToolCall(Value):
    """A call of a tool: its name and input, and where known the directory and the branch.

    `root` is the folder of the repository, where the call may be in one below it.
    """

    tool: str
    input: Mapping[str, object]
    cwd: str | None = None
    branch: str | None = None
    root: str | None = None


class PathUse(NamedTuple):
    """One file that would be read or changed, and where the call says so.

    A file that is renamed counts by both its names. It is created where the call or the files that
    exist say so; `load` is reading it into a shell. `glob` says that the path holds wildcards that
    the shell or the tool fills in. `reach` says what else is meant: `all` that lies in a folder,
    what a search finds `deep` in it, what is `changed`, `staged`, `untracked` or `ignored` in Git
    (several joined by `+`), `some` files of a folder that nobody can name, `any` files that others
    or a script may have changed, or the `link` alone and not what it leads to.
    """

    path: str
    access: Access
    span: Span
    glob: bool = False
    reach: str = ""

    @property
    def changes(self) -> bool:
        """Whether the file is not only read."""
        return self.access not in ("read", "load")


class BranchUse(NamedTuple):
    """One thing done to a branch; no name when the command leaves it to the current branch."""

    name: str | None
    verb: Verb
    span: Span


class Writing(NamedTuple):
    """The text that a call leaves in one file.

    `text` is the whole file where that is known, else the piece that the call hands over. `added`
    are the lines of it that are new, counted from zero; `removed` is what is taken away. `language`
    is set where the name of the file does not tell it. `doubt` says why the text may not get there.
    `source` is the file that is moved there: all its lines are new to this place. `unread` says why
    the text was not worked out.
    """

    path: str
    text: str
    added: tuple[tuple[int, int], ...]
    removed: str = ""
    whole: bool = False
    span: Span = (0, 0)
    language: str = ""
    doubt: str = ""
    source: str = ""
    unread: str = ""


class MessageUse(NamedTuple):
    """One text that others will read: a commit message, a pull request, the name of a branch."""

    kind: MessageKind
    text: str
    span: Span


class CommandUse(NamedTuple):
    """One invocation of a script with its arguments sorted, and the branch where it is known."""

    invocation: Invocation
    options: Options
    script: Script
    call: ToolCall
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
    their `doubts` pair places of commands with what would make them so. `writings` are worked out
    when a rule first asks for them. `files` gives the text of a file by its path, where the call is
    read with the files that exist. `budget` is the time that all searches of the call share.
    `reach`, a `Reach`, knows the tree of files that the call is made in.
    """

    call: ToolCall
    text: str
    commands: tuple[CommandUse, ...] = ()
    paths: tuple[PathUse, ...] = ()
    dependencies: tuple[DependencyUse, ...] = ()
    branches: tuple[BranchUse, ...] = ()
    messages: tuple[MessageUse, ...] = ()
    mcp: tuple[str, str] | None = None
    malformed: bool = False
    unresolved: tuple[str, ...] = ()
    scripts: tuple[ScriptFacts, ...] = ()
    readings: tuple[CallFacts, ...] = ()
    doubts: tuple[tuple[Span, str], ...] = ()
    writings: Iterable[Writing] = ()
    files: Callable[[str], str | None] | None = None
    budget: Budget | None = None
    reach: Any = None

    def doubt_at(self, span: Span) -> str:
        """Return what is uncertain about the command at a position."""
        return next((doubt for place, doubt in self.doubts if place == span), "")

    def with_placed(self, choose: Callable[[str], Iterable[Any]]) -> CallFacts:
        """Replace all that has a place in the text, one kind after the other by its name."""
        held: Any = {name: tuple(choose(name)) for name in PLACED}
        return self._replace(**held)


def located(call: ToolCall, path: str) -> str:
    """Write a path of a call relative to the repository, or to the call's directory."""
    if call.root is None or call.root == call.cwd:
        return relative_path(path, call.cwd)
    if call.cwd and path and not path.startswith(("/", "~", "$", "`")):
        path = f"{call.cwd}/{path}"
    return relative_path(path, call.root)


def relative_path(path: str, cwd: str | None) -> str:
    """Write a path relative to the working directory where it lies inside it."""
    if "\\" in path or path[1:2] == ":":
        drive = re.match(r"[A-Za-z]:[\\/]|[^/]*\\[^/]*$", path)
        if drive:
            path, cwd = path.replace("\\", "/"), (cwd or "").replace("\\", "/")
    normal = posixpath.normpath(path) if path else path
    inside = cwd and normal.startswith(cwd.rstrip("/") + "/")
    return normal[len(cwd.rstrip("/")) + 1 :] if cwd and inside else normal
