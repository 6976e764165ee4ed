"""What a tool call did, read from its event."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from dmm.domain.event import EventType
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
    written_by_shell,
)
from dmm.observations.wording import clip, squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        """Say whether two calls in a row tell the same."""
        mine = (self.act, self.target, self.failed, self.note)
        return mine == (other.act, other.target, other.failed, other.note) and (
            self.act is not Act.RUN or self.quote == other.quote
        )


_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WRITERS = frozenset(("write", "create", "save", "new"))
_EDITORS = frozenset(("edit", "multiedit", "replace", "patch", "insert", "update", "append", "str"))
_FILES = frozenset(("file", "notebook", "text", "patch", "editor", "edit", "write", "replace"))
_SHELLS = frozenset(("bash", "shell", "exec", "terminal", "command", "powershell", "run"))
_DELETERS = frozenset(("delete", "remove"))


def read_steps(event: Event, root: str) -> list[Step]:
    """Read the steps of a tool event; a patch may have several."""
    if event.type == EventType.TOOL_REQUESTED:
        return _refusal(event)
    given = event.get("input")
    given = given if isinstance(given, dict) else {}
    tool = str(event.get("tool", ""))
    words = [word.casefold() for word in _NAME.findall(tool.rpartition("__")[2] or tool)]
    cwd = str(event.get("cwd") or "")
    patched = list(patched_paths(given))
    if patched:
        return [_edit(event, _patch_act(what), relate(path, cwd, root)) for what, path in patched]
    command = _command(given)
    if command and (_SHELLS & set(words) or not named_path(given)):
        return _run(event, command, cwd, root)
    return _by_path(event, words, relate_named(given, cwd, root))


def relate_named(given: Mapping[str, Any], cwd: str, root: str) -> str:
    """Tell the path that a call names, relative to the project."""
    path = named_path(given)
    return relate(path, cwd, root) if path else ""


def _by_path(event: Event, words: list[str], path: str) -> list[Step]:
    named = set(words)
    act = Act.LOOK
    # What agents write into a memory is no file of the project.
    if path and not is_scratch(path) and "memory" not in named:
        if named & _EDITORS and named & (_FILES | _EDITORS):
            act = Act.EDIT
        elif named & _WRITERS and named & _FILES:
            said = str(event.get("output", ""))[:20].casefold()
            act = Act.EDIT if said.startswith("update") else Act.CREATE
        elif named & _DELETERS:
            act = Act.DELETE
    return [_edit(event, act, path)]


def _edit(event: Event, act: Act, path: str) -> Step:
    # A file that could not be written was only looked at.
    failed = event.type == EventType.TOOL_FAILED
    return Step(event.seq, Act.LOOK if failed else act, path, failed=failed)


def _patch_act(what: str) -> Act:
    return {"add": Act.CREATE, "delete": Act.DELETE}.get(what, Act.EDIT)


def _run(event: Event, command: str, cwd: str, root: str) -> list[Step]:
    said = event.get("output") or event.get("error") or ""
    output = said if isinstance(said, str) else ""
    failed = event.type == EventType.TOOL_FAILED
    written = "" if failed else written_by_shell(command)
    if written and not is_scratch(path := relate(written, cwd, root)):
        return [Step(event.seq, Act.EDIT, path)]
    sort = sort_command(command)
    failed = failed or has_failed(sort, output)
    if sort is Sort.CHANGE and not failed:
        gone = [relate(path, cwd, root) for path in removed_by_shell(command)]
        kept = [path for path in gone if not is_scratch(path)]
        if kept:
            return [Step(event.seq, Act.DELETE, path) for path in kept]
    quote = note = ""
    if sort is Sort.COMMIT and not failed:
        note, quote = read_commit(command, output)
    elif failed or sort is Sort.TEST:
        quote = quote_outcome(output, failed=failed)
    if sort is Sort.LOOK:
        return [Step(event.seq, Act.LOOK, "", failed=failed)]
    return [Step(event.seq, Act.RUN, simplify(command), sort, failed, quote, note)]


def _command(given: Mapping[str, Any]) -> str:
    for name in ("command", "cmd", "script"):
        value = given.get(name)
        if isinstance(value, list):
            value = " ".join(one for one in value if isinstance(one, str))
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _refusal(event: Event) -> list[Step]:
    """Read a call that the rules stopped."""
    verdict = event.get("verdict")
    if not isinstance(verdict, dict) or verdict.get("status") != "deny":
        return []
    why = verdict.get("reason")
    note = clip(squeeze(why), LONGEST_REFUSAL) if isinstance(why, str) else ""
    target = clip(squeeze(str(event.get("text") or event.get("tool") or "")), LONGEST_REFUSAL)
    return [Step(event.seq, Act.REFUSED, target, note=note)]
