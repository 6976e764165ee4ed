"""Parse the text of a rule file into fields with line numbers, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from dmm.errors import MemoryFileError
from dmm.files import front_matter
from dmm.files.markdown import find_title, plain, refuse_markers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = "rules"
MAX_DEPTH = 12
MAX_BYTES = 64 * 1024
Place = tuple[str | int, ...]
_TAG = "tag:yaml.org,2002:"
_TITLE = re.compile(r" {0,3}#[ \t]+.*\n?")
_ORDER = ("id", "level", "folder", "match", "unless", "before", "require", "examples")


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule file as it was read: plain fields, title, body, and the lines of the fields."""

    path: str
    fields: dict[str, Any]
    title: str
    body: str
    source: str
    lines: Mapping[Place, int] = field(default_factory=dict)

    def line_of(self, place: Place) -> int:
        """Return the line of a field, or of the nearest one around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def parse_rule(path: str, source: str) -> RuleText:
    """Read a rule file's text; anything that can't be one is refused with its line."""
    if len(source.encode()) > MAX_BYTES:
        what = f"the file is larger than {MAX_BYTES // 1024} KiB"
        raise MemoryFileError(path, "content", what)
    text = plain(source)
    refuse_markers(path, text)
    parts = front_matter.cut(path, text, reference="docs/rules.md")
    nodes = front_matter.read_fields(path, parts, depth=MAX_DEPTH)
    lines: dict[Place, int] = {(): parts.front_line}
    lines |= {(name,): one.named for name, one in nodes.items()}
    fields = {
        name: _value(path, one.node, (name,), lines, parts.front_line)
        for name, one in nodes.items()
    }
    title = find_title(parts.body)
    if title is None:
        hint = "start the body with '# ' and the rule in one sentence"
        raise MemoryFileError(path, "content", "no title", line=parts.body_line, hint=hint)
    body = _TITLE.sub("", parts.body.lstrip("\n"), count=1).strip("\n")
    return RuleText(path, fields, title, body, source, lines)


def _value(path: str, node: yaml.Node, place: Place, lines: dict[Place, int], first: int) -> object:
    """Read a value as plain data and note its line."""
    lines.setdefault(place, first + node.start_mark.line)
    if isinstance(node, yaml.MappingNode):
        for key, _ in node.value:
            lines[(*place, key.value)] = first + key.start_mark.line
        return {
            key.value: _value(path, value, (*place, key.value), lines, first)
            for key, value in node.value
        }
    if isinstance(node, yaml.SequenceNode):
        return [
            _value(path, value, (*place, number), lines, first)
            for number, value in enumerate(node.value)
        ]
    return _scalar(path, node, lines[place])


def _scalar(path: str, node: yaml.Node, line: int) -> object:
    """Read a scalar: text stays text, also where YAML would see a date or a fraction."""
    kind, text = node.tag.removeprefix(_TAG), str(node.value)
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in ("yes", "true", "on", "y")
    if kind == "int" and re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    if kind not in ("str", "int", "float", "timestamp"):
        raise MemoryFileError(path, "yaml", f"a value of the kind '{kind}'", line=line)
    return text


def write_rule(fields: Mapping[str, object], title: str, body: str = "") -> str:
    """Write a rule file; reading it back gives the same fields, title and body."""
    named = [name for name in _ORDER if name in fields]
    named += [name for name in fields if name not in _ORDER]
    front = "".join(_block(name, fields[name]) for name in named)
    text = f"---\n{front}---\n# {' '.join(title.split())}\n"
    return f"{text}\n{body.strip()}\n" if body.strip() else text


def _block(name: str, value: object) -> str:
    """Write one field: lists with an item a line, everything below on one line."""
    if isinstance(value, dict) and name == "examples":
        return f"{name}:\n" + "".join(f"  {_list(key, one, 2)}" for key, one in value.items())
    return _list(name, value, 0)


def _list(name: str, value: object, indent: int) -> str:
    if isinstance(value, list) and value:
        items = "".join(f"{' ' * indent}  - {front_matter.dump_value(one)}\n" for one in value)
        return f"{name}:\n{items}"
    return f"{name}: {front_matter.dump_value(value)}\n"


def name_rule(title: str, taken: Sequence[str] = ()) -> str:
    """Make the id of a new rule from its title, and another one where that is taken."""
    plain = re.sub(r"\]\([^)]*\)", "]", title).lower().replace("'", "")
    words = re.findall(r"[a-z0-9]+", plain)
    stem = ""
    for word in words:
        if stem and len(stem) + len(word) >= 48:
            break
        stem = f"{stem}-{word}" if stem else word[:48]
    stem = stem or "rule"
    number = 2
    found = stem
    while found in taken:
        found = f"{stem}-{number}"
        number += 1
    return found
