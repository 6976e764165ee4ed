"""Read YAML as plain texts with their lines: nothing is built from tags, and no alias followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

# A reader in C builds deep lists on the stack; nobody writes them so deep.
DEEPEST, MOST_EVENTS = 40, 50_000
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Text(str):
    """A text, the line it begins on, from 1, and whether it is a block below that."""

    line = 1
    is_block = False


def read_yaml(text: str) -> dict[Any, Any]:
    """Read the first document as mappings, lists and texts; an empty one without a mapping."""
    events = iter(yaml.parse(text, Loader=_LOADER))
    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            return _read_mapping(_counted(events), 1)
        if isinstance(event, (yaml.SequenceStartEvent, yaml.ScalarEvent)):
            break
    return {}


def _counted(events: Iterator[Any]) -> Iterator[Any]:
    for number, event in enumerate(events):
        if number > MOST_EVENTS:
            raise ValueError("too long")
        yield event


def _read_mapping(events: Iterator[Any], depth: int) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            break
        key = _read(event, events, depth)
        value = _read(next(events), events, depth)
        if isinstance(key, Text):
            found[key] = value
    return found


def _read(event: Any, events: Iterator[Any], depth: int) -> object:
    if depth > DEEPEST:
        raise ValueError("too deep")
    if isinstance(event, yaml.MappingStartEvent):
        return _read_mapping(events, depth + 1)
    if isinstance(event, yaml.SequenceStartEvent):
        found = []
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            found.append(_read(inner, events, depth + 1))
        return found
    told = Text(event.value if isinstance(event, yaml.ScalarEvent) else "")
    told.line = event.start_mark.line + 1
    told.is_block = getattr(event, "style", None) in ("|", ">")
    return told
