"""Merge front matter field by field.

A field that one side changed is taken as that side wrote it. Lists are merged item by item. Of a
value that both changed, each known field has a rule; of any other, one version counts and the
other stays beside it as a comment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from dmm.domain.memory import Confidence, Status
from dmm.merge.hunks import Clash, agree
from dmm.merge.notes import keep_field

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    Rule = Callable[[str | None, str, str], str]

# From the one that holds an agent back most.
_LEVELS = ("deny", "ask", "warn", "advise")
# From the one that serves a memory least.
_CONFIDENCE = tuple(map(str, (Confidence.DEPRECATED, *Confidence)))


@dataclass(frozen=True, slots=True)
class _Field:
    """A field as it is written, with the comments below it; a missing one has no text."""

    text: str = ""
    node: yaml.Node | None = field(default=None, compare=False)


# What a base that does not name it says of a field.
_NOTHING = {"usage_count": _Field(node=yaml.ScalarNode("tag:yaml.org,2002:int", "0"))}


def merge_fronts(base: str, one: str, other: str) -> str:
    """Merge two front matters; the result is lines without fences."""
    sides = [_read(base), _read(one), _read(other)]
    if base:
        sides[0] = _NOTHING | sides[0]
    merged = ""
    for name in dict.fromkeys(name for side in sides for name in side):
        fields = [side.get(name, _Field()) for side in sides]
        try:
            merged += agree(*fields).text
        except Clash:
            merged += _combine(name, *fields)
    return merged


def _combine(name: str, was: _Field, mine: _Field, theirs: _Field) -> str:
    """Merge a field that both sides changed; what one removed and the other changed stays."""
    if mine.node is None or theirs.node is None:
        return mine.text + theirs.text
    try:
        node = _merge(name, was.node, mine.node, theirs.node)
    except (Clash, KeyError, ValueError):
        return mine.text + keep_field(theirs.text)
    lines = dict.fromkeys(f"{mine.text}{theirs.text}".splitlines(keepends=True))
    return _write(name, node) + "".join(line for line in lines if line.startswith("#"))


def _merge(name: str, was: Any, mine: Any, theirs: Any) -> Any:
    """Merge two values; raise where both changed and there is no rule."""
    meanings = [_meaning(node) for node in (was, mine, theirs)]
    known = dict(zip(meanings, (was, mine, theirs), strict=True))
    try:
        return known[agree(*meanings)]
    except Clash:
        if type(mine) is not type(theirs):
            raise
    merge = {yaml.SequenceNode: _merge_lists, yaml.MappingNode: _merge_maps}
    return merge.get(type(mine), _merge_scalars)(name, was, mine, theirs)


def _merge_scalars(name: str, was: Any, mine: Any, theirs: Any) -> yaml.Node:
    value = _RULES[name](getattr(was, "value", None), mine.value, theirs.value)
    return yaml.ScalarNode(mine.tag, value, style=mine.style)


def _merge_lists(_: str, was: Any, mine: Any, theirs: Any) -> yaml.Node:
    """Keep what neither side removed, and what either added, in order."""
    before, first, second = (
        {_meaning(item): item for item in getattr(side, "value", ())}
        for side in (was, mine, theirs)
    )
    items = {**first, **second}
    kept = [one for key, one in items.items() if agree(key in before, key in first, key in second)]
    return yaml.SequenceNode(mine.tag, kept, flow_style=mine.flow_style)


def _merge_maps(_: str, was: Any, mine: Any, theirs: Any) -> yaml.Node:
    """Merge two maps key by key."""
    sides = [
        {key.value: (key, value) for key, value in getattr(side, "value", ())}
        for side in (was, mine, theirs)
    ]
    pairs = []
    for name in dict.fromkeys(name for side in sides for name in side):
        found = [side.get(name, (None, None)) for side in sides]
        value = _merge("", *(value for _, value in found))
        pairs += [(_scalar(name), value)] * (value is not None)
    return yaml.MappingNode(mine.tag, pairs, flow_style=mine.flow_style)


def _read(front: str) -> dict[str, _Field]:
    """Cut front matter into fields, each with the comment lines below it."""
    root = yaml.compose(front, Loader=yaml.SafeLoader)
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        raise yaml.YAMLError("not a list of fields")
    if root.flow_style:
        return {key.value: _Field(_write(key.value, node), node) for key, node in root.value}
    lines = front.rstrip("\n").split("\n")
    starts = [0, *(key.start_mark.line for key, _ in root.value[1:])]
    ends = [*starts[1:], len(lines)]
    return {
        key.value: _Field("".join(f"{line}\n" for line in lines[start:end]), node)
        for (key, node), start, end in zip(root.value, starts, ends, strict=True)
    }


def _write(name: str, node: yaml.Node) -> str:
    """Write one field as YAML."""
    root = yaml.MappingNode("tag:yaml.org,2002:map", [(_scalar(name), node)], flow_style=False)
    text: str = yaml.serialize(root, Dumper=yaml.SafeDumper, width=2**31, allow_unicode=True)
    return text


def _scalar(text: str) -> yaml.ScalarNode:
    return yaml.ScalarNode("tag:yaml.org,2002:str", text)


def _meaning(node: object) -> Hashable:
    """Strip a YAML node of its marks and style, so that it can be compared."""
    if isinstance(node, yaml.Node):
        return node.tag, _meaning(node.value)
    return tuple(map(_meaning, node)) if isinstance(node, list | tuple) else str(node)


def _count(before: str | None, one: str, other: str) -> str:
    """Add both increments; without a common count, the higher one is the best guess."""
    if before is None:
        return str(max(int(one), int(other)))
    return str(max(0, int(one) + int(other) - int(before)))


def _first_of(order: tuple[str, ...]) -> Rule:
    return lambda _, one, other: min(one, other, key=order.index)


def _later(_: str | None, one: str, other: str) -> str:
    return max(one, other)


def _earlier(_: str | None, one: str, other: str) -> str:
    return min(one, other)


def _higher(_: str | None, one: str, other: str) -> str:
    return max(one, other, key=float)


_RULES: dict[str, Rule] = {
    "usage_count": _count,
    "last_used": _later,
    "expires": _later,
    "created": _earlier,
    "id": _earlier,
    "priority": _higher,
    "status": _first_of((str(Status.DEPRECATED), str(Status.ACTIVE))),
    "confidence": _first_of(_CONFIDENCE),
    "level": _first_of(_LEVELS),
}
