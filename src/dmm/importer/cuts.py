"""Split text that is too large for one memory at the best place."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from dmm.importer.groups import Group
from dmm.importer.outline import Block, BlockKind, render_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dmm.importer.notes import Count

T = TypeVar("T")
_SOLID = (BlockKind.FENCE, BlockKind.TABLE)
_HEAD_LINES = {BlockKind.FENCE: 1, BlockKind.TABLE: 2}
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


def fill(parts: Iterable[T], room: int, size: Callable[[T], int]) -> list[list[T]]:
    """Group parts, in order, into as few runs of at most `room` as possible."""
    runs: list[list[T]] = []
    left = 0
    for part in parts:
        needed = size(part)
        if needed > left:
            runs.append([])
            left = room
        runs[-1].append(part)
        left -= needed
    return runs


def pack(groups: list[Group], room: int, count: Count) -> list[list[Group]]:
    """Join groups, in order, into as few runs of at most `room` tokens as possible."""
    parts = [part for found in groups for part in _fitting(found, room, count)]
    return fill(parts, room, lambda part: count(render_blocks(part.blocks)) + 1)


def _fitting(found: Group, room: int, count: Count) -> list[Group]:
    if count(render_blocks(found.blocks)) <= room:
        return [found]
    pieces = [piece for block in found.blocks for piece in _pieces(block, room, count)]
    first, *more = fill(pieces, room, lambda piece: count(piece.text) + 1)
    return [Group(tuple(first), found.label), *(Group(tuple(run)) for run in more)]


def _pieces(block: Block, room: int, count: Count) -> Iterator[Block]:
    size = count(block.text)
    if size <= room:
        yield block
    elif block.items:
        for item in block.items:
            yield from _pieces(item, room, count)
    elif block.kind in _SOLID and count(_head(block)) <= room // 4:
        yield from _wrapped(block, room, count)
    else:
        yield from _halves(block, room, count)


def _head(block: Block) -> str:
    lines = block.text.split("\n")
    return "\n".join(lines[: _HEAD_LINES[block.kind]])


def _wrapped(block: Block, room: int, count: Count) -> Iterator[Block]:
    """Split a table or code block between lines; each part repeats the head or fence."""
    head = _HEAD_LINES[block.kind]
    lines = block.text.split("\n")
    fence = _FENCE.match(lines[0]) if block.kind is BlockKind.FENCE else None
    end = fence[1] if fence else ""
    last_line = lines[-1].strip()
    # A closing fence is as long as the opening one or longer, and has nothing behind it.
    closed = bool(end) and len(lines) > 1 and set(last_line) == set(end) and last_line >= end
    end = last_line if closed else end
    last = len(lines) - closed
    first_line = block.ref.first_line + head
    ref = replace(block.ref, first_line=first_line, last_line=block.ref.first_line + last - 1)
    inner = Block(BlockKind.PARAGRAPH, ref, "\n".join(lines[head:last]))
    before = _head(block)
    after = f"\n{end}" if end else ""
    parts = list(_halves(inner, room - count(before + after), count))
    # The lines of the frame belong to the first and the last part.
    firsts = [block.ref.first_line, *(part.ref.first_line for part in parts[1:])]
    lasts = [*(part.ref.last_line for part in parts[:-1]), block.ref.last_line]
    for part, start, stop in zip(parts, firsts, lasts, strict=True):
        whole = replace(block.ref, first_line=start, last_line=stop)
        yield replace(block, text=f"{before}\n{part.text}{after}", ref=whole)


def _halves(block: Block, room: int, count: Count) -> Iterator[Block]:
    if count(block.text) <= room or len(block.text) < 2:
        yield block
        return
    at = _middle(block.text)
    left, right = block.text[:at], block.text[at:]
    broke_line = right.startswith("\n")
    line = block.ref.first_line + left.count("\n")
    yield from _halves(
        replace(block, text=left, ref=replace(block.ref, last_line=line)), room, count
    )
    rest = replace(block.ref, first_line=line + broke_line)
    yield from _halves(replace(block, text=right[broke_line:], ref=rest, also=()), room, count)


def _middle(text: str) -> int:
    half = len(text) // 2
    for mark in ("\n", ". ", " "):
        places = (text.rfind(mark, 1, half), text.find(mark, half, len(text) - 1))
        found = [at for at in places if at > 0]
        if found:
            at = min(found, key=lambda place: abs(place - half))
            return at if mark == "\n" else at + len(mark)
    return half
