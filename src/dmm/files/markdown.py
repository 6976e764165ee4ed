"""Parse a file's text into a `Memory`, and write it back."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, TypeVar

import yaml

from dmm.domain.frozen import frozen
from dmm.domain.markers import WAY_OUT, WHAT, find_marker
from dmm.domain.memory import (
    DEPRECATED_DIRECTORY,
    ID_PATTERN,
    Citation,
    Confidence,
    Memory,
    Scope,
    Status,
)
from dmm.errors import MemoryFileError
from dmm.files import front_matter

if TYPE_CHECKING:
    from enum import StrEnum

    from dmm.files.front_matter import Field

BOM = "\N{BYTE ORDER MARK}"
REQUIRED = ("id", "tags", "scope", "priority", "confidence", "status")
OPTIONAL = (
    "created",
    "last_used",
    "usage_count",
    "supersedes",
    "related",
    "expires",
    "cites",
    "aliases",
    "paths",
)

_H1 = re.compile(r" {0,3}#(?=[ \t])")
_FENCE = re.compile(r" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$")
_FENCE_END = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*$")
_SETEXT = re.compile(r" {0,3}=+[ \t]*$")
_NULL = "tag:yaml.org,2002:null"

E = TypeVar("E", bound="StrEnum")


@frozen
class Document:
    """A memory together with the exact text it was read from."""

    memory: Memory
    source: str
    unknown: tuple[tuple[str, int], ...] = ()


def decode(path: str, data: bytes) -> str:
    """Decode a file's bytes, naming the place where they stop being UTF-8 text."""
    if b"\0" in data:
        hint = "save it as UTF-8 text, or remove it"
        raise MemoryFileError(path, "content", "a binary file, not text", hint=hint)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "save it as UTF-8 in an editor, or: iconv -f latin1 -t utf-8 FILE > NEW"
        raise MemoryFileError(path, "content", "not UTF-8 text", line=line, hint=hint) from error


def plain(source: str) -> str:
    """Strip the byte order mark and normalise newlines."""
    return source.removeprefix(BOM).replace("\r\n", "\n").replace("\r", "\n")


def refuse_markers(path: str, text: str) -> None:
    """Refuse a text with conflict markers."""
    line = find_marker(text)
    if line is not None:
        raise MemoryFileError(path, "merge_conflict", WHAT, line=line, hint=WAY_OUT)


def parse(path: str, source: str) -> Document:
    """Read a file's text as a memory; a byte order mark and any newlines are accepted."""
    text = plain(source)
    refuse_markers(path, text)
    parts = front_matter.cut(path, text)
    named = front_matter.read_fields(path, parts)
    missing = [name for name in REQUIRED if name not in named]
    if missing:
        what = f"missing field{'s' if len(missing) > 1 else ''}: {', '.join(missing)}"
        hint = "add them; docs/FORMAT.md lists every field"
        raise MemoryFileError(path, "schema", what, line=parts.front_line, hint=hint)
    # An optional field without a value counts as absent.
    empty = {name for name in OPTIONAL if name in named and named[name].node.tag == _NULL}
    fields = _Fields(path, {k: field for k, field in named.items() if k not in empty})
    unknown = tuple((k, named[k].line) for k in named if k not in {*REQUIRED, *OPTIONAL})
    return Document(_memory(path, parts, fields), source, unknown)


def _memory(path: str, parts: front_matter.Parts, fields: _Fields) -> Memory:
    scope = fields.word("scope", Scope)
    _check_directory(path, scope, fields.fields["scope"].line)
    return Memory(
        id=fields.id(),
        path=path,
        title=_title(path, parts),
        body=parts.body.strip("\n"),
        tags=fields.strings("tags"),
        scope=scope,
        priority=fields.fraction("priority"),
        confidence=fields.word("confidence", Confidence),
        status=fields.word("status", Status),
        created=fields.date("created"),
        last_used=fields.date("last_used"),
        usage_count=fields.count("usage_count"),
        supersedes=fields.strings("supersedes"),
        related=fields.strings("related"),
        expires=fields.date("expires"),
        cites=fields.citations(),
        aliases=fields.strings("aliases"),
        paths=fields.globs("paths"),
    )


def _check_directory(path: str, scope: Scope, line: int) -> None:
    top, _, rest = path.partition("/")
    if top == DEPRECATED_DIRECTORY and rest:
        return
    if top != scope.value or not rest:
        what = f"scope '{scope}' does not match the folder '{top if rest else '.'}'"
        hint = f"move the file to {scope}/ or set scope to its folder's name"
        raise MemoryFileError(path, "schema", what, line=line, hint=hint)


def _heading_text(rest: str) -> str:
    """Strip the closing marks of a heading in linear time."""
    text = rest.strip(" \t")
    bare = text.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else text


def find_title(body: str) -> str | None:
    """Find the first level-one heading outside code fences."""
    fence = previous = ""
    for line in body.split("\n"):
        if fence:
            end = _FENCE_END.match(line)
            fence = "" if end and end[1].startswith(fence) else fence
            continue
        if opened := _FENCE.match(line):
            fence, previous = opened[1] or opened[2], ""
            continue
        heading = _H1.match(line)
        if heading and (title := _heading_text(line[heading.end() :])):
            return title
        if previous and _SETEXT.match(line):
            return previous
        previous = line.strip()
    return None


def _title(path: str, parts: front_matter.Parts) -> str:
    if not parts.body.strip():
        raise MemoryFileError(path, "content", "the body is empty", line=parts.body_line)
    title = find_title(parts.body)
    if title is None:
        hint = "start the body with '# Title'"
        raise MemoryFileError(path, "content", "no title", line=parts.body_line, hint=hint)
    return title


@frozen
class _Fields:
    """Typed access to the front matter; a refusal names field, line and what is wanted."""

    path: str
    fields: dict[str, Field]

    def _refuse(self, name: str, wanted: str, hint: str | None = None) -> MemoryFileError:
        node = self.fields[name].node
        got = f"'{node.value}'" if isinstance(node, yaml.ScalarNode) else "a list or map"
        what = f"'{name}' must be {wanted}, not {got}"
        return MemoryFileError(self.path, "schema", what, line=self.fields[name].line, hint=hint)

    def _scalar(self, name: str) -> str | None:
        field = self.fields.get(name)
        if field is None:
            return None
        return field.node.value if isinstance(field.node, yaml.ScalarNode) else ""

    def id(self) -> str:
        value = self._scalar("id") or ""
        if not ID_PATTERN.fullmatch(value):
            hint = "delete the line; dmm validate --fix gives the memory a free id"
            raise self._refuse("id", "like mem_2026_01_31_001", hint)
        return value

    def word(self, name: str, kind: type[E]) -> E:
        try:
            return kind(self._scalar(name) or "")
        except ValueError:
            raise self._refuse(name, f"one of {', '.join(kind)}") from None

    def fraction(self, name: str) -> float:
        try:
            value = float(self._scalar(name) or "")
        except ValueError:
            raise self._refuse(name, "a number from 0.0 to 1.0") from None
        if not 0.0 <= value <= 1.0:
            raise self._refuse(name, "a number from 0.0 to 1.0")
        return value

    def count(self, name: str) -> int:
        value = self._scalar(name)
        if value is None:
            return 0
        if not re.fullmatch(r"\d{1,9}", value):
            raise self._refuse(name, "a whole number")
        return int(value)

    def date(self, name: str) -> dt.date | None:
        value = self._scalar(name)
        if value is None:
            return None
        try:
            return (
                dt.datetime.fromisoformat(value)
                if len(value) > 10
                else dt.date.fromisoformat(value)
            )
        except ValueError:
            raise self._refuse(name, "a date like 2026-01-31") from None

    def strings(self, name: str) -> tuple[str, ...]:
        field = self.fields.get(name)
        if field is None:
            return ()
        if not isinstance(field.node, yaml.SequenceNode):
            raise self._refuse(name, "a list like [a, b]")
        values = [item.value for item in field.node.value if isinstance(item, yaml.ScalarNode)]
        if len(values) != len(field.node.value) or not all(v.strip() for v in values):
            raise self._refuse(name, "a list of words")
        return tuple(values)

    def globs(self, name: str) -> tuple[str, ...]:
        """Read globs of files, relative to the repository as in a .gitignore."""
        globs = self.strings(name)
        if any(one.startswith("~") or ".." in one.split("/") or "\\" in one for one in globs):
            raise self._refuse(name, "globs of files in the repository, like [src/billing/**]")
        return globs

    def citations(self) -> tuple[Citation, ...]:
        field = self.fields.get("cites")
        if field is None:
            return ()
        if not isinstance(field.node, yaml.SequenceNode):
            raise self._refuse("cites", "a list of places, each with a 'path'")
        return tuple(self._citation(item) for item in field.node.value)

    def _citation(self, node: yaml.Node) -> Citation:
        if isinstance(node, yaml.ScalarNode) and node.value:
            return Citation(node.value)
        parts: dict[str, yaml.Node] = {}
        if isinstance(node, yaml.MappingNode):
            parts = {key.value: value for key, value in node.value if value.tag != _NULL}
        path, symbol, lines, digest = (
            parts.pop(k, None) for k in ("path", "symbol", "lines", "hash")
        )
        if parts or not isinstance(path, yaml.ScalarNode) or not path.value:
            raise self._refuse(
                "cites", "a list of maps with path, and symbol, lines, hash if wanted"
            )
        return Citation(path.value, self._text(symbol), self._span(lines), self._text(digest))

    def _text(self, node: yaml.Node | None) -> str | None:
        if node is None:
            return None
        if not isinstance(node, yaml.ScalarNode):
            raise self._refuse("cites", "a list whose 'symbol' and 'hash' are plain text")
        return str(node.value) or None

    def _span(self, node: yaml.Node | None) -> tuple[int, int] | None:
        if node is None:
            return None
        items = node.value if isinstance(node, yaml.SequenceNode) else [node, node]
        numbers = [int(t) for item in items if re.fullmatch(r"\d{1,7}", t := str(item.value))]
        if len(items) == len(numbers) == 2 and 1 <= numbers[0] <= numbers[1]:
            return numbers[0], numbers[1]
        raise self._refuse("cites", "a list whose 'lines' are [first, last]")


def render(memory: Memory) -> str:
    """Write a memory in the canonical form; reading it back gives the same memory."""
    dump = front_matter.dump_value
    lines = [
        f"id: {memory.id}",
        f"tags: {dump(list(memory.tags))}",
        f"scope: {memory.scope}",
        f"priority: {memory.priority!r}",
        f"confidence: {memory.confidence}",
        f"status: {memory.status}",
    ]
    dates = {"created": memory.created, "last_used": memory.last_used, "expires": memory.expires}
    lines += [f"{name}: {day.isoformat()}" for name, day in dates.items() if day is not None]
    if memory.usage_count:
        lines.append(f"usage_count: {memory.usage_count}")
    lists = {
        "aliases": memory.aliases,
        "paths": memory.paths,
        "supersedes": memory.supersedes,
        "related": memory.related,
    }
    lines += [f"{name}: {dump(list(ids))}" for name, ids in lists.items() if ids]
    if memory.cites:
        lines += ["cites:", *(f"  - {dump(_cite_map(cite))}" for cite in memory.cites)]
    return "\n".join(["---", *lines, "---", "", memory.body, ""])


def _cite_map(cite: Citation) -> dict[str, object]:
    lines = list(cite.lines) if cite.lines else None
    parts = {"path": cite.path, "symbol": cite.symbol, "lines": lines, "hash": cite.hash}
    return {name: value for name, value in parts.items() if value is not None}
