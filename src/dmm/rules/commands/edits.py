"""Work out what a call does to the text of files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.rules.commands.tools import PATH_KEYS, arguments_of, first_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.rules.commands.facts import Access
    from dmm.rules.commands.scripts import TextOf
    from dmm.rules.commands.values import Span

_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "search", "needle")
_NEW = (
    "new_string", "newString", "new_str", "newText", "new_text", "replace", "replacement", "repl",
    "insert_text", "body", "code_edit",
)  # fmt: skip
_WHOLE = ("content", "contents", "file_text", "fileText", "text", "new_source")
_SEVERAL = ("edits", "changes", "replacements", "files", "operations")
_EVERY = ("replace_all", "replaceAll", "allow_multiple_occurrences")
_PATHS = (*PATH_KEYS, "relative_path", "target_file", "targetFile", "file", "uri")
_MAX_EDITS = 500
_MAX_DEPTH = 3
_TWO_ENDS = 2


class Change(NamedTuple):
    """One step: put `new` in the place of `old`, everywhere or once.

    Without `old` the new text goes somewhere into the file. `lines` says that the old text is made
    of whole lines, whose blanks at the ends may differ. `added` are the lines of the new text that
    are new, where the call says so itself.
    """

    old: str
    new: str
    every: bool = False
    lines: bool = False
    added: tuple[Span, ...] | None = None


class FileChange(NamedTuple):
    """All that a call does to one file; `text` replaces it as a whole, or goes to its end.

    `copied` are files whose text comes before it. `doubt` says why the text may not get there.
    `source` is the file that it is made of, and moved from where `access` is `rename`. `span` is
    where a patch names the file.
    """

    path: str
    text: str | None = None
    steps: tuple[Change, ...] = ()
    append: bool = False
    source: str = ""
    language: str = ""
    copied: tuple[str, ...] = ()
    doubt: str = ""
    access: Access = "write"
    span: Span = (0, 0)

    @property
    def after(self) -> str:
        """The new text, as far as the call hands it over."""
        return "\n".join([self.text or "", *(step.new for step in self.steps)])

    @property
    def before(self) -> str:
        """The text that is replaced."""
        return "\n".join(step.old for step in self.steps)


def file_changes(
    values: Mapping[str, object], path: str = "", depth: int = 0
) -> Iterator[FileChange]:
    """Read the changes that arguments ask for, those of nested lists too."""
    path = (first_text(values, _PATHS) or path).removeprefix("file://")
    steps = [] if path == "" else list(_steps(values))
    for name in _SEVERAL:
        several = values.get(name)
        if not isinstance(several, list) or depth >= _MAX_DEPTH:
            continue
        for one in several[:_MAX_EDITS]:
            if isinstance(one, dict) and path and first_text(one, _PATHS) is None:
                steps += _steps(one)
            elif isinstance(one, dict):
                yield from file_changes(one, "", depth + 1)
    text = first_text(values, _WHOLE)
    if path and steps:
        yield FileChange(path, steps=tuple(steps))
    elif path and text is not None:
        yield FileChange(path, text)


def _steps(values: Mapping[str, object]) -> Iterator[Change]:
    old, new = first_text(values, _OLD), first_text(values, _NEW)
    if new is None and old is not None:
        new = first_text(values, _WHOLE)
    if new is None:
        return
    every = any(values.get(name) is True for name in _EVERY)
    yield Change(old or "", new, every=every or values.get("expected_replacements", 1) != 1)


def moved_by_tool(tool: str, values: Mapping[str, object]) -> Iterator[FileChange]:
    """Read a tool that moves a file: from whichever of its ends is there to the other one."""
    ends = [one.path for one in arguments_of(tool, values) if one.access == "rename"]
    if len(ends) == _TWO_ENDS:
        for source, target in (ends, reversed(ends)):
            yield FileChange(target, source=source, access="rename")


def notebook_change(values: Mapping[str, object], files: TextOf | None) -> Iterator[FileChange]:
    """Read the change of one cell of a notebook; the cell counts as the text."""
    path = first_text(values, PATH_KEYS) or ""
    text = first_text(values, ("new_source",))
    if not path or (text is None and values.get("edit_mode") != "delete"):
        return
    cell = _cell(files(path) if files else None, values)
    kind = values.get("cell_type") or cell.get("cell_type") or "code"
    old = cell.get("source") or ""
    old = "".join(map(str, old)) if isinstance(old, list) else str(old)
    if values.get("edit_mode") == "insert":
        old = ""
    yield FileChange(
        path, steps=(Change(old, text or ""),), language="python" if kind == "code" else ""
    )


def _cell(notebook: str | None, values: Mapping[str, object]) -> dict[str, Any]:
    try:
        cells = json.loads(notebook or "{}").get("cells", [])
        number = values.get("cell_number")
        if isinstance(number, int):
            return dict(cells[number])
        return next((dict(one) for one in cells if one.get("id") == values.get("cell_id")), {})
    except (ValueError, AttributeError, TypeError, IndexError, RecursionError):
        return {}
