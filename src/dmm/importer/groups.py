"""Blocks that belong together: an intro with its list, a paragraph with its code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.importer.outline import Block, BlockKind, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAG_OPEN = re.compile(r"\s*<[A-Za-z][^<>/]*>\s*")
_TAG_CLOSE = re.compile(r"\s*</[A-Za-z][^<>]*>\s*")
_LISTS = (BlockKind.LIST, BlockKind.STEPS)
# A few words that are no sentence lead in to the list below them.
_LABEL = re.compile(r"(?:\S+ ){0,7}(?:\S*[^\s.!?])?")


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that belong together; `label` is the intro line without its colon, if any."""

    blocks: tuple[Block, ...]
    label: str = ""

    @property
    def lead(self) -> Block | None:
        """The intro, if any."""
        return self.blocks[0] if self.label else None

    @property
    def items(self) -> tuple[Block, ...]:
        """The items of a group that is an intro with a list; none for any other group."""
        rest = [block for block in self.blocks if block is not self.lead]
        if any(block.kind is not BlockKind.LIST for block in rest):
            return ()
        return tuple(item for block in rest for item in block.items)


def group(blocks: Sequence[Block]) -> list[Group]:
    """Group blocks that only make sense together."""
    runs: list[list[Block]] = []
    for block in blocks:
        if runs and _bound(runs[-1], block):
            runs[-1].append(block)
        else:
            runs.append([block])
    return [Group(tuple(run), _label(run)) for run in runs]


def _introduces(block: Block, follower: Block) -> bool:
    """Return whether a paragraph only introduces the next block."""
    text = plain(block.text)
    label = follower.kind in _LISTS and "\n" not in block.text and _LABEL.fullmatch(text)
    return block.kind is BlockKind.PARAGRAPH and bool(text.endswith(":") or label)


def _bound(run: list[Block], block: Block) -> bool:
    before = run[-1]
    match before.kind, block.kind:
        case BlockKind.HTML, _ if _TAG_OPEN.fullmatch(before.text):
            return True
        case _, BlockKind.HTML if _TAG_CLOSE.fullmatch(block.text):
            return True
        case BlockKind.TABLE, _:
            return False
        case _, BlockKind.FENCE | BlockKind.CODE | BlockKind.TABLE:
            return True
    return _introduces(before, block)


def _label(run: list[Block]) -> str:
    if len(run) > 1 and _introduces(run[0], run[1]):
        return plain(run[0].text).rstrip(":").strip()
    return ""
