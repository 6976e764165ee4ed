"""JSON edited in place: only added and removed entries change; every other byte stays.

Comments and trailing commas, as some clients allow them, are read and kept.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Step = str | int
DEEPEST = 100

_TRIVIA = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]}/:\"\[{]+")
_INDENT = re.compile(r"\n([ \t]+)(?=\S)")


@dataclass(frozen=True, slots=True)
class Part:
    """A member of an object or an item of an array, and where the comma after it stands."""

    key: str | None
    start: int
    node: Node
    comma: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its place in the text."""

    start: int
    end: int
    value: Any
    parts: tuple[Part, ...] = ()

    def part(self, step: Step) -> Part | None:
        """Find a member by its key or an item by its number."""
        if isinstance(step, str):
            return next((part for part in self.parts if part.key == step), None)
        return self.parts[step] if isinstance(self.value, list) else None


class _Reader:
    """Reads a text from the left to the right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def document(self) -> Node:
        self._skip()
        node = self._value(0)
        self._skip()
        if self.at < len(self.text):
            raise self._fault("something follows the end")
        return node

    def _fault(self, what: str) -> ValueError:
        return ValueError(f"line {self.text.count(chr(10), 0, self.at) + 1}: {what}")

    def _skip(self) -> None:
        found = _TRIVIA.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _sign(self) -> str:
        return self.text[self.at : self.at + 1]

    def _value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self._fault("it is nested too deeply")
        sign = self._sign()
        if sign in ("{", "["):
            return self._parts(depth, sign)
        start = self.at
        value = self._scalar()
        return Node(start, self.at, value)

    def _scalar(self) -> Any:
        pattern = _STRING if self._sign() == '"' else _PLAIN
        found = pattern.match(self.text, self.at)
        if found is None:
            raise self._fault("a value is missing or broken")
        try:
            value = json.loads(found[0])
        except ValueError:
            raise self._fault(f"{found[0][:40]!r} is not a value") from None
        self.at = found.end()
        return value

    def _parts(self, depth: int, opening: str) -> Node:
        start, closing = self.at, "}" if opening == "{" else "]"
        self.at += 1
        parts: list[Part] = []
        self._skip()
        while self._sign() != closing:
            if parts and parts[-1].comma is None:
                raise self._fault("a comma is missing")
            parts.append(self._part(depth, named=opening == "{"))
            self._skip()
        self.at += 1
        if opening == "[":
            return Node(start, self.at, [part.node.value for part in parts], tuple(parts))
        value = {part.key: part.node.value for part in parts}
        if len(value) < len(parts):
            raise self._fault("a key occurs twice")
        return Node(start, self.at, value, tuple(parts))

    def _part(self, depth: int, *, named: bool) -> Part:
        start, key = self.at, None
        if named:
            if self._sign() != '"':
                raise self._fault("a key is missing")
            key = self._scalar()
            self._skip()
            if self._sign() != ":":
                raise self._fault("a colon is missing")
            self.at += 1
            self._skip()
        node = self._value(depth + 1)
        self._skip()
        comma = self.at if self._sign() == "," else None
        self.at += comma is not None
        return Part(key, start, node, comma)


def parse(text: str) -> Node:
    """Read a text with the places of its values; ValueError tells the line of a fault."""
    return _Reader(text).document()


def read(text: str) -> Any:
    """Read the value of a text; an empty one is an empty object."""
    return parse(text).value if text.strip() else {}


def look(text: str, trail: Sequence[Step]) -> Any:
    """Read the value at the end of a trail, or None."""
    value = read(text)
    for step in trail:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def put(text: str, trail: Sequence[str], value: Any) -> str:
    """Set the member at the end of a trail; objects on the way are made where they are missing."""
    text = text if text.strip() else "{}\n"
    node, done = _follow(parse(text), trail)
    if not isinstance(node.value, dict) and done < len(trail):
        raise _misfit(trail[:done], "an object")
    if done == len(trail):
        return text[: node.start] + _write(text, node.start, value) + text[node.end :]
    for key in reversed(trail[done + 1 :]):
        value = {key: value}
    return _insert(text, node, f"{json.dumps(trail[done], ensure_ascii=False)}: ", value)


def append(text: str, trail: Sequence[str], value: Any) -> str:
    """Add an item to the array at the end of a trail, which is made where it is missing."""
    text = text if text.strip() else "{}\n"
    node, done = _follow(parse(text), trail)
    if done < len(trail):
        return put(text, trail, [value])
    if not isinstance(node.value, list):
        raise _misfit(trail, "a list")
    return _insert(text, node, "", value)


def drop(text: str, trail: Sequence[Step]) -> str:
    """Remove a member or an item."""
    *way, last = trail
    holder, done = _follow(parse(text), way)
    part = holder.part(last) if done == len(way) else None
    if part is None:
        return text
    number = holder.parts.index(part)
    start = _line_start(text, part.start)
    end = part.node.end if part.comma is None else part.comma + 1
    if start == part.start and part.comma is not None:
        # On one line with others: the blanks before the next one go too.
        end += len(text[end:]) - len(text[end:].lstrip(" "))
    elif start == part.start and number:
        start = len(text[:start].rstrip(" "))
    text = text[:start] + text[end:]
    before = holder.parts[number - 1].comma if number else None
    if part.comma is None and before is not None:
        text = text[:before] + text[before + 1 :]
    return text if len(holder.parts) > 1 else _closed(text, way)


def _misfit(trail: Sequence[Step], wanted: str) -> ValueError:
    return ValueError(f"{'.'.join(map(str, trail)) or 'its content'} is not {wanted}")


def _closed(text: str, way: Sequence[Step]) -> str:
    """Write an object or array that has become empty without blanks in it."""
    node, _ = _follow(parse(text), way)
    inner = text[node.start + 1 : node.end - 1]
    return text if inner.strip() else text[: node.start + 1] + text[node.end - 1 :]


def _line_start(text: str, at: int) -> int:
    """Go back over the blanks and the line break before a place."""
    start = len(text[:at].rstrip(" \t"))
    if text[:start].endswith("\n"):
        return start - (2 if text[:start].endswith("\r\n") else 1)
    return at


def _follow(node: Node, trail: Sequence[Step]) -> tuple[Node, int]:
    """Follow a trail to its end; return the place and the number of steps."""
    for done, step in enumerate(trail):
        part = node.part(step)
        if part is None:
            return node, done
        node = part.node
    return node, len(trail)


def _insert(text: str, node: Node, prefix: str, value: Any) -> str:
    close = node.end - 1
    if _is_compact(text, node):
        gap = ", " if node.parts else ""
        at = node.parts[-1].node.end if node.parts else node.start + 1
        return text[:at] + gap + prefix + json.dumps(value, ensure_ascii=False) + text[at:]
    line, unit = _newline(text), _unit(text)
    outer = _indent_at(text, node.start)
    inner = _indent_at(text, node.parts[-1].start) if node.parts else outer + unit
    end = len(text[:close].rstrip())
    made = line + inner + prefix + _lines(value, unit, line + inner)
    if "\n" not in text[end:close]:
        made += line + outer
    if not node.parts:
        return text[:end] + made + text[end:]
    last = node.parts[-1]
    if last.comma is not None:
        # A comma at the end was allowed before, so it is after.
        return text[:end] + made + "," + text[end:]
    return text[: last.node.end] + "," + text[last.node.end : end] + made + text[end:]


def _is_compact(text: str, node: Node) -> bool:
    """Whether an addition stays on the line: all is on one, or all of this value is."""
    if node.parts:
        return "\n" not in text[node.start : node.end]
    return "\n" not in text.strip() and text.strip() != "{}"


def _write(text: str, at: int, value: Any) -> str:
    if "\n" not in text.strip():
        return json.dumps(value, ensure_ascii=False)
    return _lines(value, _unit(text), _newline(text) + _indent_at(text, at))


def _lines(value: Any, unit: str, break_: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", break_)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _indent_at(text: str, at: int) -> str:
    """Return the blanks at the beginning of the line that a place is in."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
