"""Blocks that belong together: an intro with its list, a paragraph with its code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.importer.outline import Block, BlockKind, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL_WORDS = 8
_TAG_OPEN = re.compile(r"\s*<[A-Za-z][^<>/]*>\s*")
_TAG_CLOSE = re.compile(r"\s*</[A-Za-z][^<>]*>\s*")
_LISTS = (BlockKind.LIST, BlockKind.STEPS)


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that belong together; `label` is the intro line without its colon, if any."""

    blocks: tuple[Block, ...]
    label: str = ""


def group(blocks: Sequence[Block]) -> list[Group]:
    """Join each block to the one before it where the two make sense only together."""
    runs: list[list[Block]] = []
    for block in blocks:
        if runs and _bound(runs[-1], block):
            runs[-1].append(block)
        else:
            runs.append([block])
    return [Group(tuple(run), _label(run)) for run in runs]


def introduces(block: Block, follower: Block | None) -> bool:
    """Return whether a paragraph only leads in to what follows it."""
    if block.kind is not BlockKind.PARAGRAPH:
        return False
    text = plain(block.text)
    if text.endswith(":"):
        return True
    if follower is None or follower.kind not in _LISTS:
        return False
    short = "\n" not in block.text and len(text.split()) <= _LABEL_WORDS
    return short and text[-1:] not in (".", "!", "?")


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
    return introduces(before, block)


def _label(run: list[Block]) -> str:
    if len(run) > 1 and introduces(run[0], run[1]):
        return plain(run[0].text).rstrip(":").strip()
    return ""
