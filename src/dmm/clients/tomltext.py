"""TOML edited in place: one marked block at the end of the file; comments of others stay."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OPENING = "# >>> dmm (written by dmm install)"
CLOSING = "# <<< dmm"

# The end of the opening mark where the file had no end of line before ours.
UNENDED = ", after a line without an end"

_BLOCK = re.compile(
    rf"(?P<gap>(?:\r?\n)?)^{re.escape(OPENING)}(?P<unended>{UNENDED})?\r?$"
    rf".*?^{re.escape(CLOSING)}\r?(?:\n|\Z)",
    re.M | re.S,
)
_MARK = re.compile(
    rf"^(?:{re.escape(OPENING)}(?:{UNENDED})?|{re.escape(CLOSING)})\r?(?:\n|\Z)", re.M
)
_HEADER = re.compile(r"^[ \t]*\[", re.M)


def look(text: str, trail: Sequence[str]) -> Any:
    """Return the value at the end of a trail, or None; ValueError names the faulty line."""
    value: Any = tomllib.loads(text)
    for step in trail:
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    return value


def put(text: str, trail: Sequence[str], values: Mapping[str, str | Sequence[str]]) -> str:
    """Add a table at the end, between two marks; one of the same name is taken out before."""
    base = drop(text, trail)
    unended = bool(base) and not base.endswith("\n")
    opening = OPENING + UNENDED if unended else OPENING
    lines = [f"{key} = {_value(value)}" for key, value in values.items()]
    head = [] if not base else ["", ""] if unended else [""]
    end = "\r\n" if "\r\n" in base else "\n"
    made = base + end.join([*head, opening, f"[{'.'.join(trail)}]", *lines, CLOSING, ""])
    others = _without(tomllib.loads(base), trail)
    if not _reads_as(made, others, without=trail) or look(made, trail) != dict(values):
        raise _refusal()
    return made


def drop(text: str, trail: Sequence[str]) -> str:
    """Remove the table and its marks; what a client put between them stays."""
    expected = _without(tomllib.loads(text), trail)
    for made in (_without_block(text), _cut(_MARK.sub("", text), ".".join(trail))):
        # An empty table around ours does not count.
        if _reads_as(made, expected, without=trail) and look(made, trail) is None:
            return made
    raise _refusal()


def _without_block(text: str) -> str:
    """Remove the marked block, with the newlines added before it."""
    while (found := _BLOCK.search(text)) is not None:
        before = text[: found.start()]
        if found["unended"] and not text[found.end() :]:
            before = before.removesuffix("\n").removesuffix("\r")
        text = before + text[found.end() :]
    return text


def _cut(text: str, name: str) -> str:
    """Cut the table and those within it out: from each of their headers to the next header."""
    own = re.compile(rf"^[ \t]*\[\s*{re.escape(name)}\s*[.\]].*$", re.M)
    while (found := own.search(text)) is not None:
        following = _HEADER.search(text, found.end())
        end = following.start() if following else len(text)
        text = text[: found.start()] + text[end:]
    return text.rstrip("\n") + "\n" if text.strip() else ""


def _reads_as(text: str, expected: Mapping[str, Any], *, without: Sequence[str] = ()) -> bool:
    """Make sure that nothing but our own table has changed."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return (_without(found, without) if without else found) == expected


def _refusal() -> ValueError:
    return ValueError("its tables are written in a form that dmm can't change safely")


def _without(values: dict[str, Any], trail: Sequence[str]) -> dict[str, Any]:
    """Drop a table, and the table around it with its last child."""
    first, *rest = trail
    inner = values.get(first)
    left = _without(inner, rest) if rest and isinstance(inner, dict) else {}
    others = {key: value for key, value in values.items() if key != first}
    return values | {first: left} if left else others


def _value(value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return f"[{', '.join(json.dumps(one, ensure_ascii=False) for one in value)}]"
