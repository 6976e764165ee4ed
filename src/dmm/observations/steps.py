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
    is_outside,
    named_path,
    patched_paths,
    relate,
    removed_by_shell,
    texts_of,
    written_by_shell,
)
from dmm.observations.wording import clip, squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
        mine = (self.act, self.target, self.failed, self.quote, self.note)
        return mine == (other.act, other.target, other.failed, other.quote, other.note)


_COMMANDS = ("command", "cmd", "script")
_PATCHED = {
    "Add File": Act.CREATE,
    "Update File": Act.EDIT,
    "Delete File": Act.DELETE,
    "Move to": Act.CREATE,
}
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SHELLS = frozenset(("bash", "shell", "exec", "terminal", "command", "powershell", "run"))
# What a tool does to a file: the first act of which its own name has a word of each set.
_NAMED_ACTS: dict[Act, list[tuple[str, ...]]] = {
    Act.EDIT: [("edit", "multiedit", "replace", "patch", "insert", "update", "append", "str")],
    Act.CREATE: [
        ("write", "create", "save", "new"),
        ("file", "notebook", "text", "patch", "editor", "edit", "write", "replace"),
    ],
    Act.DELETE: [("delete", "remove")],
}


def read_steps(event: Event, root: str) -> list[Step]:
    """Read the steps of a tool event; a patch may have several."""
    return list(_READERS[event.type](event, root)) if event.type in _READERS else []


def _read_refusal(event: Event, _root: str) -> Iterator[Step]:
    """Read a call that the rules stopped; most were allowed, and are read no further."""
    verdict = event.get("verdict")
    denied = isinstance(verdict, dict) and verdict.get("status") == "deny"
    if denied and (told := ToolRequested.read(event)) is not None:
        why = told.verdict.get("reason")
        note = clip(squeeze(why), LONGEST_REFUSAL) if isinstance(why, str) else ""
        target = clip(squeeze(told.text or told.tool), LONGEST_REFUSAL)
        yield Step(event.seq, Act.REFUSED, target, note=note)


def _read_call(event: Event, root: str) -> Iterator[Step]:
    """Read a call that was made."""
    told = ToolCalled.read(event)
    if told is None:
        return
    given = told.input or {}
    patched = [(_PATCHED[what], path) for what, path in patched_paths(given)]
    command = next(texts_of(given, _COMMANDS, " "), "")
    words = {word.casefold() for word in _NAME.findall(told.tool.rpartition("__")[2])}
    named = relate(named_path(given), told.cwd, root)
    if patched:
        yield from (
            _edit(event.seq, told, act, relate(path, told.cwd, root)) for act, path in patched
        )
    elif command and (_SHELLS & words or not named):
        yield from _run(event.seq, told, command, root)
    else:
        yield _edit(event.seq, told, _act_on(named, words, told.said), named)


_READERS: dict[str, Callable[[Event, str], Iterator[Step]]] = {
    EventType.TOOL_REQUESTED: _read_refusal,
    EventType.TOOL_USED: _read_call,
    EventType.TOOL_FAILED: _read_call,
}


def _act_on(path: str, words: set[str], said: str) -> Act:
    """Return what a tool did to the file it names."""
    # What agents write into a memory is no file of the project.
    if is_outside(path) or "memory" in words:
        return Act.LOOK
    found = (act for act, each in _NAMED_ACTS.items() if all(words & set(one) for one in each))
    act = next(found, Act.LOOK)
    rewritten = act is Act.CREATE and said[:20].casefold().startswith("update")
    return Act.EDIT if rewritten else act


def _edit(seq: int, told: ToolCalled, act: Act, path: str) -> Step:
    # A file that could not be written was only looked at.
    failed = isinstance(told, ToolFailed)
    return Step(seq, Act.LOOK if failed else act, path, failed=failed)


def _run(seq: int, told: ToolCalled, command: str, root: str) -> list[Step]:
    failed = isinstance(told, ToolFailed)
    written = relate("" if failed else written_by_shell(command), told.cwd, root)
    if not is_outside(written):
        return [Step(seq, Act.EDIT, written)]
    sort = sort_command(command)
    failed = failed or has_failed(sort, told.said)
    if sort is Sort.CHANGE and not failed:
        removed = [relate(path, told.cwd, root) for path in removed_by_shell(command)]
        gone = [Step(seq, Act.DELETE, path) for path in removed if not is_outside(path)]
        if gone:
            return gone
    if sort is Sort.LOOK:
        return [Step(seq, Act.LOOK, "", failed=failed)]
    quote = note = ""
    if failed or sort is Sort.TEST:
        quote = quote_outcome(told.said, failed=failed)
    elif sort is Sort.COMMIT:
        note, quote = read_commit(command, told.said)
    return [Step(seq, Act.RUN, simplify(command), sort, failed, quote, note)]
