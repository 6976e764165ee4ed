"""Parse YAML front matter within limits, and edit single keys in place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from dmm.domain.frozen import frozen
from dmm.errors import MemoryFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 16 * 1024
MAX_DEPTH = 6
FENCE = "---"
_OPENING = re.compile(r"\ufeff?---[^\S\r\n]*(\r\n|\n|\r)")
_WORD = re.compile(r"[a-z][a-z0-9-]*")
# Words that YAML reads as something else.
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_CLOSING = re.compile(r"(?<=[\r\n])---[^\S\r\n]*(?=[\r\n]|\Z)")

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@frozen
class Parts:
    """A file cut in two: the front matter's text and the body, with the lines where each begins."""

    front_matter: str
    body: str
    front_line: int
    body_line: int


def cut(path: str, text: str, *, reference: str = "docs/FORMAT.md") -> Parts:
    """Separate the front matter from the body; `text` has plain newlines."""
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        hint = f"start the file with a line '---', the fields, and another '---' (see {reference})"
        raise MemoryFileError(path, "yaml", "no front matter", line=1, hint=hint)
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == FENCE:
            front = "\n".join(lines[1:number])
            return Parts(front, "\n".join(lines[number + 1 :]), 2, number + 2)
        if number * 2 > MAX_BYTES:
            break
    hint = "close the front matter with a line '---'"
    raise MemoryFileError(path, "yaml", "the front matter is not closed", line=1, hint=hint)


def read_fields(path: str, parts: Parts, *, depth: int = MAX_DEPTH) -> dict[str, Field]:
    """Read the front matter's top-level fields as nodes, refusing what only causes surprises."""
    if len(parts.front_matter.encode()) > MAX_BYTES:
        what = f"the front matter is larger than {MAX_BYTES // 1024} KiB"
        raise MemoryFileError(path, "yaml", what, line=parts.front_line)
    try:
        _refuse_surprises(path, parts, depth)
        root = yaml.compose(parts.front_matter, Loader=_Loader)
    except yaml.YAMLError as error:
        raise _translate(path, parts, error) from error
    if root is None:
        raise MemoryFileError(path, "schema", "the front matter is empty", line=parts.front_line)
    if not isinstance(root, yaml.MappingNode):
        what = "the front matter is not a list of 'key: value' fields"
        raise MemoryFileError(path, "yaml", what, line=parts.front_line)
    _refuse_odd_keys(path, parts, root)
    line = parts.front_line
    return {
        k.value: Field(v, line + v.start_mark.line, line + k.start_mark.line) for k, v in root.value
    }


@frozen
class Field:
    """One value of the front matter, the line of the file it stands on, and that of its name."""

    node: yaml.Node
    line: int
    named: int


def _refuse_odd_keys(path: str, parts: Parts, node: yaml.Node) -> None:
    seen: set[str] = set()
    for item in node.value if isinstance(node, yaml.CollectionNode) else ():
        key, value = item if isinstance(node, yaml.MappingNode) else (None, item)
        _refuse_odd_keys(path, parts, value)
        if key is None:
            continue
        line = parts.front_line + key.start_mark.line
        if not isinstance(key, yaml.ScalarNode):
            raise MemoryFileError(path, "yaml", "a field name must be a plain word", line=line)
        if key.value in seen:
            raise MemoryFileError(
                path, "yaml", f"the field '{key.value}' is listed twice", line=line
            )
        seen.add(key.value)


def _refuse_surprises(path: str, parts: Parts, deepest: int) -> None:
    depth = 0
    for event in yaml.parse(parts.front_matter, Loader=_Loader):
        line = parts.front_line + event.start_mark.line
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            what = "YAML anchors and aliases ('&', '*') are not allowed"
            raise MemoryFileError(path, "yaml", what, line=line, hint="quote the text")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > deepest:
            raise MemoryFileError(path, "yaml", "the front matter is nested too deeply", line=line)


def _translate(path: str, parts: Parts, error: yaml.YAMLError) -> MemoryFileError:
    mark = getattr(error, "problem_mark", None)
    before = 0 if mark is None else mark.line
    if isinstance(error, yaml.reader.ReaderError):
        before = parts.front_matter.encode().count(b"\n", 0, error.position)
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
    what, line = f"not valid YAML: {problem}", parts.front_line + before
    hint = "quote values that contain ':', '#', brackets or quotes"
    return MemoryFileError(path, "yaml", what, line=line, hint=hint)


def dump_value(value: object) -> str:
    """Write one value as YAML on one line, quoted where a reader could mistake it."""
    if isinstance(value, list) and value and all(map(_is_plain_word, value)):
        return f"[{', '.join(value)}]"
    text = _dump(value, None)
    return text if len(text.splitlines()) == 1 else _dump(value, '"')


def _is_plain_word(value: object) -> bool:
    """Return whether YAML writes a value unchanged; asking YAML itself is slow."""
    return isinstance(value, str) and bool(_WORD.fullmatch(value)) and value not in _RESERVED


def _dump(value: object, style: str | None) -> str:
    text = yaml.safe_dump(
        value,
        default_flow_style=True,
        default_style=style,
        width=2**31,
        allow_unicode=True,
        sort_keys=False,
    )
    return text.removesuffix("\n").removesuffix("\n...")


def edit(source: str, changes: Mapping[str, str]) -> str:
    """Set fields (given as YAML text) in valid front matter; every other byte stays."""
    opening = _OPENING.match(source)
    closing = opening and _CLOSING.search(source, opening.end())
    if not opening or not closing:
        raise ValueError("the text has no front matter")
    front = source[opening.end() : closing.start()]
    root = yaml.compose(front, Loader=yaml.SafeLoader)
    places = {} if root is None else {key.value: _place(front, key, v) for key, v in root.value}
    known = [(*places[key], value) for key, value in changes.items() if key in places]
    for start, end, value in sorted(known, reverse=True):
        gap = "" if front[start - 1].isspace() else ": "
        front = f"{front[:start]}{gap}{value}{front[end:]}"
    new = [f"{key}: {value}{opening[1]}" for key, value in changes.items() if key not in places]
    front += "".join(new)
    return source[: opening.end()] + front + source[closing.start() :]


def _place(front: str, key: yaml.Node, value: yaml.Node) -> tuple[int, int]:
    """Find where a value stands: behind its colon, or all that follows its key."""
    start, last = value.start_mark.index, value
    while isinstance(last, yaml.CollectionNode) and not last.flow_style and last.value:
        last = last.value[-1][1] if isinstance(last, yaml.MappingNode) else last.value[-1]
    gap = front[key.end_mark.index : start]
    if gap.splitlines() != [gap] or not gap[-1].isspace():
        start = key.end_mark.index
    return start, start + len(front[start : last.end_mark.index].rstrip())
