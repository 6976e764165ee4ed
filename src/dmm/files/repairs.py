"""Safe automatic repairs of memory files; every valid byte is kept."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from dmm.domain.markers import find_marker
from dmm.domain.memory import (
    DEPRECATED_DIRECTORY,
    ID_PATTERN,
    Confidence,
    Scope,
    Status,
    next_id,
    suffixed_id,
)
from dmm.domain.proposal import Edit
from dmm.domain.report import Repair
from dmm.errors import DmmError, MemoryFileError, StaleBase
from dmm.files import front_matter, markdown

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Mapping

    from dmm.domain.memory import Memory
    from dmm.files.front_matter import Field

    Write = Callable[[Edit, str], object]
    Step = tuple[str, list[str]]

_LONE_RETURN = re.compile(r"\r(?!\n)")
_UNDATED = "9999-12-31"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file's text after its repairs, and what they were."""

    text: str
    what: tuple[str, ...] = ()


def repair(files: Mapping[str, bytes], day: dt.date, write: Write) -> list[Repair]:
    """Fix what can be fixed without guessing; `files` are the files as they were just read."""
    repairs: list[Repair] = []
    for path, fixed in sorted(_plan(files, day).items()):
        if fixed.what:
            refusal = _write(write, path, files[path], fixed)
            if refusal is None:
                repairs += [Repair(path, what) for what in fixed.what]
            else:
                repairs.append(Repair(path, refusal, applied=False))
    return repairs


def _write(write: Write, path: str, read: bytes, fixed: Fixed) -> str | None:
    """Write the fixed text, or return why not."""
    try:
        write(Edit(path, markdown.decode(path, read), fixed.text), ", ".join(fixed.what))
    except StaleBase:
        return "not repaired: another process has just changed it"
    except DmmError as error:
        return f"not repaired: {error}"
    return None


def _plan(files: Mapping[str, bytes], day: dt.date) -> dict[str, Fixed]:
    texts = {path: text for path, data in files.items() if (text := _decode(path, data))}
    memories = {path: _parse(path, text) for path, text in texts.items()}
    taken = {_name(path, text, memories[path]) for path, text in texts.items()}
    plan: dict[str, Fixed] = {}
    for path, text in texts.items():
        if memories[path] is None or text.startswith(markdown.BOM):
            plan[path] = fix(path, text, next_id(day, taken), day)
            memories[path] = _parse(path, plan[path].text)
            taken.add(_name(path, plan[path].text, memories[path]))
    for later, _earlier in clashes(memory for memory in memories.values() if memory):
        name = suffixed_id(later.id, taken)
        taken.add(name)
        plan[later.path] = _rename(later, plan.get(later.path, Fixed(texts[later.path])), name)
    return plan


def _name(path: str, text: str, memory: Memory | None) -> str:
    return memory.id if memory else claimed_id(path, text) or ""


def _rename(memory: Memory, fixed: Fixed, name: str) -> Fixed:
    text = _set_values(memory.path, fixed.text, {"id": name})
    if text == fixed.text:
        return fixed
    return Fixed(text, (*fixed.what, f"id {memory.id} was taken; it is now {name}"))


def clashes(memories: Iterable[Memory]) -> list[tuple[Memory, Memory]]:
    """Pair each memory whose id an earlier one has already with that earlier one."""

    def age(memory: Memory) -> tuple[str, str]:
        return memory.created.isoformat()[:10] if memory.created else _UNDATED, memory.path

    first: dict[str, Memory] = {}
    ordered = sorted(memories, key=age)
    return [(m, first[m.id]) for m in ordered if first.setdefault(m.id, m) is not m]


def claimed_id(path: str, text: str) -> str | None:
    """Find the id that a file states, also where the file is otherwise no sound memory."""
    try:
        field = _fields(path, text.removeprefix(markdown.BOM)).get("id")
    except MemoryFileError:
        return None
    value = field.node.value if field and isinstance(field.node, yaml.ScalarNode) else ""
    return value if ID_PATTERN.fullmatch(value) else None


def fix(path: str, source: str, new_id: str, day: dt.date) -> Fixed:
    """Repair one file's text by itself; a file whose front matter can't be read is left alone."""
    text = source.removeprefix(markdown.BOM)
    if _LONE_RETURN.search(text) or find_marker(text) is not None:
        return Fixed(source)
    defaults = _defaults(path, new_id, day)
    what = ["byte order mark removed"] if text != source else []
    try:
        for step in (_add_front_matter, _add_fields, _set_scope, add_title):
            text, done = step(path, text, defaults)
            what += done
    except MemoryFileError:
        return Fixed(source)
    return Fixed(text, tuple(what))


def _defaults(path: str, new_id: str, day: dt.date) -> dict[str, str]:
    top, *folders = path.split("/")[:-1]
    retired = top == DEPRECATED_DIRECTORY
    return {
        "id": new_id,
        "tags": front_matter.dump_value(folders or [top]),
        "scope": Scope.PROJECT.value if retired else top,
        "priority": "0.5",
        "confidence": Confidence.ACTIVE.value,
        "status": (Status.DEPRECATED if retired else Status.ACTIVE).value,
        "created": day.isoformat(),
    }


def _add_front_matter(_path: str, text: str, defaults: Mapping[str, str]) -> Step:
    """Add a complete front matter to a text without one."""
    start = text.lstrip()
    if not start or start.startswith(front_matter.FENCE):
        return text, []
    fields = (f"{name}: {value}" for name, value in defaults.items())
    newline = "\r\n" if "\r\n" in text else "\n"
    head = newline.join((front_matter.FENCE, *fields, front_matter.FENCE, "", ""))
    return head + text, ["front matter added"]


def _add_fields(path: str, text: str, defaults: Mapping[str, str]) -> Step:
    """Add the required fields that are missing, behind the last field."""
    fields = _fields(path, text)
    missing = {name: defaults[name] for name in markdown.REQUIRED if name not in fields}
    fixed = _set_values(path, text, missing)
    if fixed == text:
        return text, []
    return fixed, ["added " + ", ".join(f"{name}: {value}" for name, value in missing.items())]


def _set_scope(path: str, text: str, _defaults: Mapping[str, str]) -> Step:
    """Set the scope by the folder; a deprecated memory keeps its scope."""
    top = path.partition("/")[0]
    field = _fields(path, text).get("scope")
    if top == DEPRECATED_DIRECTORY or field is None or field.node.value == top:
        return text, []
    fixed = _set_values(path, text, {"scope": top})
    return fixed, [] if fixed == text else [f"scope set to {top}"]


def add_title(path: str, text: str, _defaults: Mapping[str, str] | None = None) -> Step:
    """Make a title of the file name where the body has none."""
    parts = front_matter.cut(path, markdown.plain(text))
    if not parts.body.strip() or markdown.find_title(parts.body) is not None:
        return text, []
    stem = path.rpartition("/")[2].rpartition(".")[0]
    title = string.capwords(re.sub(r"[\s_-]+", " ", stem)) or stem
    lines = text.split("\n")
    start = parts.body_line - 1
    ending = "\r" if lines[0].endswith("\r") else ""
    gap = [ending] if lines[start].strip() else []
    lines[start:start] = [ending, f"# {title}{ending}", *gap]
    return "\n".join(lines), [f"title added: {title}"]


def _set_values(path: str, text: str, values: Mapping[str, str]) -> str:
    """Set fields, or give the same text where that would change anything else."""
    try:
        fixed = front_matter.edit(text, values)
    except (ValueError, yaml.YAMLError):
        return text
    return fixed if _only_changed(path, text, fixed, set(values)) else text


def _only_changed(path: str, before: str, after: str, names: set[str]) -> bool:
    """Make sure that an edit meant what it did: all other fields read as before."""
    old = _fields(path, before)
    try:
        new = _fields(path, after)
    except MemoryFileError:
        return False
    others = old.keys() - names
    return new.keys() == others | names and all(
        _plain(old[name].node) == _plain(new[name].node) for name in others
    )


def _plain(node: object) -> object:
    """Strip a YAML node of its marks, so that it can be compared."""
    if isinstance(node, yaml.Node):
        return node.tag, _plain(node.value)
    return [_plain(part) for part in node] if isinstance(node, (list, tuple)) else node


def _fields(path: str, text: str) -> dict[str, Field]:
    parts = front_matter.cut(path, markdown.plain(text))
    try:
        return front_matter.read_fields(path, parts)
    except MemoryFileError as fault:
        if fault.fault == "schema":  # The front matter is there, but empty.
            return {}
        raise


def _decode(path: str, data: bytes) -> str | None:
    try:
        return markdown.decode(path, data)
    except MemoryFileError:
        return None


def _parse(path: str, text: str) -> Memory | None:
    try:
        return markdown.parse(path, text).memory
    except MemoryFileError:
        return None
