"""Markdown as a tree of headings and blocks, each a slice of the original lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from dmm.importer.sources import SourceRef, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from markdown_it.token import Token

DEEPEST = 6
# No part may run past the next bracket, so that a text full of brackets takes linear time.
_LINK = re.compile(r"!?\[([^\[\]]*)\](\([^()]*\)|\[[^\[\]]*\])?")
_COMMENTS = re.compile(r"\s*(?:<!(?=--)(?:(?!-->).)*-->\s*)*", re.DOTALL)
_MARKUP = re.compile(r"(\*\*|__|[*`])")


class BlockKind(StrEnum):
    """What a block is in markdown."""

    PARAGRAPH = "paragraph"
    LIST = "list"
    STEPS = "steps"
    ITEM = "item"
    FENCE = "fence"
    CODE = "code"
    TABLE = "table"
    QUOTE = "quote"
    HTML = "html"
    COMMENT = "comment"
    SEPARATOR = "separator"


_KINDS = {
    "paragraph_open": BlockKind.PARAGRAPH,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.STEPS,
    "fence": BlockKind.FENCE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
    "blockquote_open": BlockKind.QUOTE,
    "html_block": BlockKind.HTML,
    "hr": BlockKind.SEPARATOR,
}


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines that belong together; `also` names other places that say the same."""

    kind: BlockKind
    ref: SourceRef
    text: str
    items: tuple[Block, ...] = ()
    loose: bool = False
    also: tuple[SourceRef, ...] = ()

    @property
    def lines(self) -> Iterator[int]:
        """The numbers of its lines in the source."""
        return iter(range(self.ref.first_line, self.ref.last_line + 1))

    @property
    def parts(self) -> tuple[Block, ...]:
        """The items of a list; another block is its only part."""
        return self.items or (self,)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the blocks right under it and its sub-sections; level 0 is the document."""

    level: int
    heading: str
    line: int
    blocks: tuple[Block, ...] = ()
    children: tuple[Section, ...] = ()

    @property
    def title(self) -> str:
        """The heading without its markup."""
        return plain(self.heading)

    def walk(self) -> Iterator[Section]:
        """Return this section and all below it, in the order of the text."""
        yield self
        for child in self.children:
            yield from child.walk()

    def every_block(self) -> Iterator[Block]:
        """Return the blocks of this section and of all below it."""
        for section in self.walk():
            yield from section.blocks


@lru_cache(maxsize=4_096)
def plain(inline: str) -> str:
    """Strip the markup from a line of markdown."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", inline)).split())


def outline(path: str, text: str, *, skip_lines: int = 0) -> Section:
    """Read a markdown text as a tree; the first `skip_lines` lines are front matter."""
    lines = split_lines(text)
    # Blank lines in place of the front matter keep the line numbers true.
    kept = [""] * skip_lines + lines[skip_lines:]
    flat = list(_flat(path, kept, _parse("\n".join(kept))))
    return _grow(Section(0, "", 0), flat, 0)[0]


def edit(section: Section, change: Callable[[Block], Block | None]) -> Section:
    """Return the tree with each block and list item mapped, or dropped on None."""
    changed = (_edit_block(block, change) for block in section.blocks)
    blocks = tuple(block for block in changed if block is not None)
    children = tuple(edit(child, change) for child in section.children)
    return replace(section, blocks=blocks, children=children)


def refs_of(block: Block) -> tuple[SourceRef, ...]:
    """Return the source places of a block: its own lines and those merged into it."""
    if not block.items:
        return (block.ref, *block.also)
    return tuple(ref for item in block.items for ref in refs_of(item)) + block.also


def render_blocks(blocks: Sequence[Block]) -> str:
    """Join blocks into text, with their original spacing."""
    gaps = ["\n" if _close(before, after) else "\n\n" for before, after in pairwise(blocks)]
    return "".join(block.text + gap for block, gap in zip(blocks, [*gaps, ""], strict=False))


def shift_headings(text: str, by: int, *, least: int = 1) -> str:
    """Move every heading of a markdown text by some levels, keeping within `least` and six."""
    lines = text.split("\n")
    for token, inline in reversed(_headings(_parse(text))):
        first, end = token.map or (0, 0)
        level = min(max(int(token.tag[1]) + by, least), DEEPEST)
        lines[first:end] = [heading_line(level, inline.content)]
    return "\n".join(lines)


def heading_line(level: int, heading: str) -> str:
    """Write a heading as one line."""
    return f"{'#' * min(level, DEEPEST)} {' '.join(heading.split())}".rstrip()


def _parse(text: str) -> list[Token]:
    return _reader().parse(text)


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    # Only the block structure is wanted, so the costly inline pass is left out.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def _headings(tokens: Sequence[Token]) -> list[tuple[Token, Token]]:
    return [
        (token, tokens[number + 1])
        for number, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


def _flat(path: str, lines: list[str], tokens: list[Token]) -> Iterator[Section | Block]:
    done = 0
    for number, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        first, end = token.map
        yield from _unclaimed(path, lines, done, first)
        done = max(done, end)
        if token.type == "heading_open":
            yield Section(int(token.tag[1]), tokens[number + 1].content.strip(), first + 1)
        else:
            yield _block(path, lines, tokens, number)
    yield from _unclaimed(path, lines, done, len(lines))


def _unclaimed(path: str, lines: list[str], first: int, end: int) -> Iterator[Block]:
    # Link definitions give no token, yet they are content.
    if any(line.strip() for line in lines[first:end]):
        yield _slice(BlockKind.PARAGRAPH, path, lines, first, end)


def _block(path: str, lines: list[str], tokens: list[Token], number: int) -> Block:
    token = tokens[number]
    first, end = token.map or (0, 0)
    block = _slice(_KINDS.get(token.type, BlockKind.PARAGRAPH), path, lines, first, end)
    if block.kind in (BlockKind.LIST, BlockKind.STEPS):
        return _with_items(path, lines, block, tokens, number + 1)
    if block.kind is BlockKind.HTML and _COMMENTS.fullmatch(block.text):
        return replace(block, kind=BlockKind.COMMENT)
    return block


def _with_items(
    path: str, lines: list[str], block: Block, tokens: list[Token], number: int
) -> Block:
    inner = takewhile(lambda token: token.level, tokens[number:])
    opened = [one for one in inner if one.type == "list_item_open" and one.level == 1]
    starts = [token.map[0] for token in opened if token.map]
    ends = [*starts[1:], block.ref.last_line]
    items = tuple(
        _slice(BlockKind.ITEM, path, lines, start, end)
        for start, end in zip(starts, ends, strict=True)
    )
    loose = any(a.ref.last_line + 1 < b.ref.first_line for a, b in pairwise(items))
    if loose:
        items = tuple(replace(item, loose=True) for item in items)
    return replace(block, items=items, loose=loose)


def _slice(kind: BlockKind, path: str, lines: list[str], first: int, end: int) -> Block:
    filled = [number for number in range(first, end) if lines[number].strip()]
    first, end = min(filled, default=first), max(filled, default=first) + 1
    return Block(kind, SourceRef(path, first + 1, end), "\n".join(lines[first:end]))


def _grow(section: Section, flat: Sequence[Section | Block], number: int) -> tuple[Section, int]:
    blocks: list[Block] = []
    children: list[Section] = []
    while number < len(flat):
        part = flat[number]
        if isinstance(part, Block):
            blocks.append(part)
            number += 1
        elif part.level > section.level:
            child, number = _grow(part, flat, number + 1)
            children.append(child)
        else:
            break
    return replace(section, blocks=tuple(blocks), children=tuple(children)), number


def _edit_block(block: Block, change: Callable[[Block], Block | None]) -> Block | None:
    changed = change(block)
    if changed is None or not changed.items:
        return changed
    items = tuple(item for item in (change(item) for item in changed.items) if item is not None)
    if items == changed.items:
        return changed
    if not items:
        return None
    ref = replace(
        changed.ref, first_line=items[0].ref.first_line, last_line=items[-1].ref.last_line
    )
    return replace(changed, items=items, ref=ref, text=render_blocks(items))


def _close(before: Block, after: Block) -> bool:
    if (before.kind, after.kind) == (BlockKind.ITEM, BlockKind.ITEM):
        return not after.loose
    return (before.ref.path, before.ref.last_line + 1) == (after.ref.path, after.ref.first_line)
