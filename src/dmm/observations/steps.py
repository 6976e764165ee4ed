"""What a tool call did, read from its event."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.payload import ToolCalled, ToolFailed, ToolRequested
from dmm.observations.commands import (
    Sort,
    has_failed,
    quote_outcome,
    read_commit,
    simplify,
    sort_command,
)
from dmm.observations.files import (
    is_scratch,
    named_path,
    patched_paths,
    relate,
    removed_by_shell,
    texts_of,
    written_by_shell,
)
from dmm.observations.wording import clip, squeeze

if TYPE_CHECKING:
    from dmm.domain.event import Event

LONGEST_REFUSAL = 160


class Act(StrEnum):
    """What a call did."""

    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"
    RUN = "run"
    REFUSED = "refused"
    LOOK = "look"


EDITS = (Act.EDIT, Act.CREATE, Act.DELETE)


@dataclass(frozen=True, slots=True)
class Step:
    """One call: a file that was changed or looked at, or a command with its end.

    `quote` was said by the tool itself, `note` by the agent; `times` counts calls that were alike.
    """

    seq: int
    act: Act
    target: str
    sort: Sort = Sort.LOOK
    failed: bool = False
    quote: str = ""
    note: str = ""
    times: int = 1

    def is_like(self, other: Step) -> bool:
        """Return whether two consecutive calls say the same."""
        mine = (self.act, self.target, self.failed, self.note)
        return mine == (other.act, other.target, other.failed, other.note) and (
            self.act is not Act.RUN or self.quote == other.quote
        )


_COMMANDS = ("command", "cmd", "script")
_PATCHED = {
    "Add File": Act.CREATE,
    "Update File": Act.EDIT,
    "Delete File": Act.DELETE,
    "Move to": Act.CREATE,
}
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WRITERS = frozenset(("write", "create", "save", "new"))
_EDITORS = frozenset(("edit", "multiedit", "replace", "patch", "insert", "update", "append", "str"))
_FILES = frozenset(("file", "notebook", "text", "patch", "editor", "edit", "write", "replace"))
_SHELLS = frozenset(("bash", "shell", "exec", "terminal", "command", "powershell", "run"))
_DELETERS = frozenset(("delete", "remove"))


def read_steps(event: Event, root: str) -> list[Step]:
    """Read the steps of a tool event; a patch may have several."""
    if event.type == EventType.TOOL_REQUESTED and not _is_refused(event):
        return []
    told = ToolCalled.read(event)
    if told is None or isinstance(told, ToolRequested):
        return [] if told is None else _refusal(event.seq, told)
    given, cwd = told.input or {}, told.cwd
    words = {word.casefold() for word in _NAME.findall(told.tool.rpartition("__")[2])}
    patched = [(_PATCHED[what], relate(path, cwd, root)) for what, path in patched_paths(given)]
    if patched:
        return [_edit(event.seq, told, act, path) for act, path in patched]
    named = named_path(given)
    command = next(texts_of(given, _COMMANDS, " "), "")
    if command and (_SHELLS & words or not named):
        return _run(event.seq, told, command, root)
    path = relate(named, cwd, root) if named else ""
    return [_edit(event.seq, told, _act_on(path, words, told.said), path)]


def _act_on(path: str, words: set[str], said: str) -> Act:
    """Return what a tool did to the file it names, by the words of its own name."""
    # What agents write into a memory is no file of the project.
    if not path or is_scratch(path) or "memory" in words:
        return Act.LOOK
    if words & _EDITORS:
        return Act.EDIT
    if words & _WRITERS and words & _FILES:
        return Act.EDIT if said[:20].casefold().startswith("update") else Act.CREATE
    return Act.DELETE if words & _DELETERS else Act.LOOK


def _edit(seq: int, told: ToolCalled, act: Act, path: str) -> Step:
    # A file that could not be written was only looked at.
    failed = isinstance(told, ToolFailed)
    return Step(seq, Act.LOOK if failed else act, path, failed=failed)


def _run(seq: int, told: ToolCalled, command: str, root: str) -> list[Step]:
    output, cwd, failed = told.said, told.cwd, isinstance(told, ToolFailed)
    written = "" if failed else written_by_shell(command)
    if written and not is_scratch(path := relate(written, cwd, root)):
        return [Step(seq, Act.EDIT, path)]
    sort = sort_command(command)
    failed = failed or has_failed(sort, output)
    if sort is Sort.CHANGE and not failed:
        gone = [relate(path, cwd, root) for path in removed_by_shell(command)]
        kept = [path for path in gone if not is_scratch(path)]
        if kept:
            return [Step(seq, Act.DELETE, path) for path in kept]
    quote = note = ""
    if sort is Sort.COMMIT and not failed:
        note, quote = read_commit(command, output)
    elif failed or sort is Sort.TEST:
        quote = quote_outcome(output, failed=failed)
    if sort is Sort.LOOK:
        return [Step(seq, Act.LOOK, "", failed=failed)]
    return [Step(seq, Act.RUN, simplify(command), sort, failed, quote, note)]


def _is_refused(event: Event) -> bool:
    """Return whether the rules stopped a call; most were allowed, and are read no further."""
    verdict = (event.payload or {}).get("verdict")
    return isinstance(verdict, dict) and verdict.get("status") == "deny"


def _refusal(seq: int, told: ToolRequested) -> list[Step]:
    """Read a call that the rules stopped."""
    why = told.verdict.get("reason")
    note = clip(squeeze(why), LONGEST_REFUSAL) if isinstance(why, str) else ""
    target = clip(squeeze(told.text or told.tool), LONGEST_REFUSAL)
    return [Step(seq, Act.REFUSED, target, note=note)]
