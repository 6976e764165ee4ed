"""File notes: the scoped memories that a session gets when a call first touches their files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dmm.branch import find_checkout
from dmm.domain.frozen import frozen
from dmm.domain.text import neutralise
from dmm.packs.render import render_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from dmm.domain.pack import PackEntry
    from dmm.packs.scoped import Scoped
    from dmm.packs.service import Packs
    from dmm.sessions.payload import HookEvent

BUDGET = 1_000
MOST_CHARACTERS = 9_500
FILES_NAMED = 3
HEADING = "# From project memory (DMM)\n\nKnowledge about {files}; cite the paths you use.\n\n"


@frozen
class FileNote:
    """The files that a call touched, the memories about them, and the text to serve."""

    files: tuple[str, ...]
    entries: tuple[PackEntry, ...]
    text: str


@frozen
class FileNotes:
    """Finds the memories to serve for the files of a call."""

    project: Path
    find_packs: Callable[[], Packs]

    def find(self, event: HookEvent, known: Collection[str]) -> FileNote | None:
        """Return the memories about a call's files whose digests are not in `known`.

        A call is read only where it may touch such a file; most projects and calls end before that.
        """
        packs = self.find_packs()
        fresh = [one for one in packs.scoped.all() if one.digest not in known]
        wanted = _select_possible(event, fresh) if fresh else []
        files = find_files(event, str(self.project)) if wanted else ()
        found = [one for one in wanted if any(map(one.covers, files))]
        entries = packs.about_files(found, BUDGET) if found else ()
        named = tuple(path for path in files if any(one.covers(path) for one in found))
        text = _write(entries, named)
        return FileNote(named, entries, text) if text else None


def _select_possible(event: HookEvent, scoped: Sequence[Scoped]) -> list[Scoped]:
    """Select the memories a call could touch, by its words, before the command is parsed."""
    from dmm.rules.commands.tools import COMMAND_KEYS, PATH_KEYS, SHELL_TOOLS, first_text

    shell = event.tool.lower() in SHELL_TOOLS
    named = first_text(event.input, COMMAND_KEYS if shell else PATH_KEYS)
    if named is None:
        return list(scoped)
    text = f"{event.cwd} {named}"
    return [one for one in scoped if one.may_cover(text)]


def find_files(event: HookEvent, project: str) -> tuple[str, ...]:
    """Return the files of a project that a call read or wrote, relative to it.

    In another worktree there is another branch with memories of its own: its files do not count.
    """
    from dmm.rules.commands.calls import ToolCall, read_call

    if find_checkout(project, event.cwd) != project:
        return ()
    call = ToolCall(event.tool, event.input, event.cwd, root=project)
    paths = (use.path for use in read_call(call).paths if not use.glob and use.access != "delete")
    return tuple(dict.fromkeys(_within(project, paths)))


def _within(project: str, paths: Iterator[str]) -> Iterator[str]:
    for path in paths:
        # A client may name the project by a link, such as /tmp on macOS.
        own = os.path.relpath(os.path.realpath(path), project) if path[:1] == "/" else path
        if own.partition("/")[0] != "..":
            yield own


def _write(entries: Sequence[PackEntry], files: Sequence[str]) -> str:
    """Return the entries as text, or nothing if one is too long for agents."""
    if not entries:
        return ""
    more = f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else ""
    named = neutralise(", ".join(files[:FILES_NAMED])) + more
    blocks = (neutralise(render_entry(entry).rstrip("\n")) for entry in entries)
    text = HEADING.format(files=named) + "\n\n".join(blocks) + "\n"
    return text if len(text) <= MOST_CHARACTERS else ""
