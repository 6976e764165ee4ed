"""Parse a source into a tree of content, and list what is skipped and why."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dmm.importer.bearing import Voice, strength
from dmm.importer.marks import read_mark
from dmm.importer.outline import Block, BlockKind, Section, edit, outline
from dmm.importer.sources import (
    FileImport,
    FrontMatter,
    Source,
    SourceKind,
    SourceRef,
    mentions,
    read_front_matter,
    split_lines,
)
from dmm.importer.titles import LONGEST
from dmm.text.prose import strip_bullet

if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE_WORDS = 4
_INDEX_LINE = re.compile(r"\[[^\]]*\]\(([^)\s]+\.md)\)(.*)", re.DOTALL)
_FOLLOWS_IMPORTS = (SourceKind.CLAUDE, SourceKind.GEMINI)
_TEXT_KINDS = (BlockKind.PARAGRAPH, BlockKind.ITEM)
_NAMES = {".cursorrules": "Cursor rules", "memory.md": "Memory index"}
# The sentence that tools put on top of the files they make; it tells an agent nothing.
_ABOUT_THE_FILE = re.compile(
    r"this (file|document) (provides|gives|contains) (guidance|guidelines|instructions|context)"
    r" (to|for) ([^.]|\.(?=\S))*\b(repository|repo|codebase|project)\.?",
    re.IGNORECASE,
)


_BADGES = re.compile(
    r"(?:\s*(?:(?:\[\s*)?!\[[^\]]*\]\([^)]*\)(?:\s*\]\([^)]*\))?"
    r"|</?(?:img|p|a|div|br|h1|picture|source)\b[^>]*>))+\s*"
)
_ANCHORS = re.compile(r"(?:\s*(?:[-*+]|\d+[.)])\s+\[[^\]]*\]\(#[^)]*\))+\s*")
# One sentence that names another file and nothing else.
_POINTER = re.compile(
    r"(?:please )?(?:see|refer to|read|check(?: out)?|for [^.]{0,60}(?:see|refer to))"
    r" (?:(?:the|our|also|also the) )?(?:\[[^\]]*\]\([^)]*\)|`[^`]+`|\S*[./]\S*|README\w*)"
    r"(?: (?:for|to) [^.]{0,80})?[.!]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Lines that do not become a memory, and the reason."""

    text: str
    source: SourceRef
    reason: str


@dataclass(frozen=True, slots=True)
class Document:
    """A source with its tree of content and the skipped lines."""

    voice: Voice
    tree: Section
    content: tuple[int, ...]
    skipped: tuple[Skipped, ...]
    imports: tuple[FileImport, ...]
    text: str

    @property
    def path(self) -> str:
        """The path of its source."""
        return self.voice.path

    @property
    def name(self) -> str:
        """A title for a source without one: its given name, or its file name."""
        if self.voice.front.name:
            name = self.voice.front.name
            return humanised(re.sub(r"^(user|feedback|project|reference)[_-]", "", name, count=1))
        file = PurePosixPath(self.path.replace("\\", "/"))
        return _NAMES.get(file.name.casefold(), humanised(file.stem))


def humanised(name: str) -> str:
    """Return a file name or identifier as words."""
    text = " ".join(re.split(r"[\s_-]+", name.strip(" ._-")))
    return text[:1].upper() + text[1:] if text else "Notes"


def read_document(
    source: Source,
    kind: SourceKind,
    together: frozenset[str],
    kept: frozenset[tuple[str, int]] = frozenset(),
) -> Document:
    """Read a source; `together` are the paths of all imported with it, `kept` lines stay."""
    lines = split_lines(source.text)
    front = read_front_matter(lines)
    whole = outline(source.path, source.text, skip_lines=front.last_line)
    whole, bare_headings = _speaking_headings(source.path, whole)
    aside = {
        (one.source, one.text): one
        for one in _left_aside(whole, kind, together)
        if not any((source.path, line) in kept for line in one.source.lines)
    }
    tree = edit(whole, lambda b: None if (b.ref, b.text) in aside or _is_noise(b) else b)
    skipped = (*aside.values(), *bare_headings)
    return Document(
        voice=Voice(source.path, kind, front),
        tree=_described(source.path, tree, front),
        content=_content(whole, lines),
        skipped=tuple(sorted(skipped, key=lambda item: item.source)),
        imports=tuple(_imports(whole, kind)),
        text=source.text,
    )


def _content(tree: Section, lines: list[str]) -> tuple[int, ...]:
    blocks = (
        b for b in tree.every_block() if b.kind not in (BlockKind.COMMENT, BlockKind.SEPARATOR)
    )
    return tuple(n for block in blocks for n in block.lines if lines[n - 1].strip())


def _is_noise(block: Block) -> bool:
    return block.kind in (BlockKind.SEPARATOR, BlockKind.COMMENT) and read_mark((block,)) is None


def _speaking_headings(path: str, section: Section) -> tuple[Section, list[Skipped]]:
    """Turn headings that are rules into content, and report those without text."""
    ref = SourceRef(path, section.line, section.line)
    rule = Block(BlockKind.PARAGRAPH, ref, " ".join(section.heading.split()))
    if not section.blocks and not section.children and section.level:
        if len(section.title.split()) >= _SENTENCE_WORDS or strength("", section.title):
            return replace(section, blocks=(rule,)), []
        return section, [Skipped(section.heading, ref, "heading without text")]
    if len(section.heading) > LONGEST:
        section = replace(section, blocks=(rule, *section.blocks))
    pairs = [_speaking_headings(path, child) for child in section.children]
    skipped = [item for _, found in pairs for item in found]
    return replace(section, children=tuple(child for child, _ in pairs)), skipped


def _described(path: str, tree: Section, front: FrontMatter) -> Section:
    """Prepend the description from the front matter to the text."""
    said = front.description
    texts = (block.text.casefold() for block in tree.every_block())
    if not said or any(said.casefold() in text for text in texts):
        return tree
    match tree.blocks, tree.children:
        case (), ():
            return tree
        case (), (only,):
            return replace(tree, children=(_described(path, only, front),))
    words = Block(BlockKind.PARAGRAPH, SourceRef(path, 1, 1), said)
    return replace(tree, blocks=(words, *tree.blocks))


def _left_aside(tree: Section, kind: SourceKind, together: frozenset[str]) -> Iterator[Skipped]:
    for section in tree.walk():
        says = [one for one in section.blocks if not _reason(one, kind, together)]
        shell = section.level and not section.children and all(map(_points, says))
        default = "only points elsewhere" if shell else ""
        parts = (part for block in section.blocks for part in (block, *block.items))
        found = ((part, _reason(part, kind, together) or default) for part in parts)
        yield from (Skipped(part.text, part.ref, reason) for part, reason in found if reason)


def _reason(block: Block, kind: SourceKind, together: frozenset[str]) -> str:
    match block.kind:
        case BlockKind.SEPARATOR:
            return "separator line"
        case BlockKind.COMMENT:
            return "" if read_mark((block,)) else "comment"
        case _ if _BADGES.fullmatch(block.text):
            return "badge or image"
        case BlockKind.LIST if _ANCHORS.fullmatch(block.text):
            return "table of contents"
        case BlockKind.PARAGRAPH | BlockKind.ITEM:
            return _said_reason(block, kind, together)
    return ""


def _said_reason(block: Block, kind: SourceKind, together: frozenset[str]) -> str:
    if _ABOUT_THE_FILE.fullmatch(" ".join(block.text.split())):
        return "says only what the file is for"
    if kind in _FOLLOWS_IMPORTS and _only_imports(block.text):
        return f"import of {', '.join(mentions(block.text))}"
    return _index_reason(block, together) if kind is SourceKind.MEMORY_INDEX else ""


def _points(block: Block) -> bool:
    """Return whether a block only sends the reader to another file."""
    text = strip_bullet(block.text).strip()
    return block.kind in (*_TEXT_KINDS, BlockKind.QUOTE) and bool(_POINTER.fullmatch(text))


def _index_reason(block: Block, together: frozenset[str]) -> str:
    match = _INDEX_LINE.fullmatch(strip_bullet(block.text).strip())
    if match is None:
        return ""
    folder = block.ref.path.replace("\\", "/").rpartition("/")[0]
    target = f"{folder}/{match[1]}" if folder else match[1]
    if target in together:
        return f"index line of {match[1]}"
    return (
        ""
        if match[2].strip(" -\u2013\u2014:.")
        else f"link to {match[1]}, which is not among the files"
    )


def _only_imports(text: str) -> bool:
    return all(
        mentions(line) and re.fullmatch(r"\s*@\S+\s*", strip_bullet(line))
        for line in text.split("\n")
    )


def _imports(tree: Section, kind: SourceKind) -> Iterator[FileImport]:
    if kind not in _FOLLOWS_IMPORTS:
        return
    for block in tree.every_block():
        if block.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.STEPS):
            continue
        for number, line in zip(block.lines, block.text.split("\n"), strict=True):
            for target in mentions(line):
                yield FileImport(target, SourceRef(block.ref.path, number, number))
