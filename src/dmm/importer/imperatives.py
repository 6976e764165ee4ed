"""Sentences of an instruction file that say what must or must not be done."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.importer.outline import BlockKind, outline
from dmm.importer.sources import SourceRef

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.importer.outline import Block
    from dmm.importer.sources import Source

LONGEST = 400
_PROSE = (BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.ITEM)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)]|>)\s+(?:\[[ xX]\]\s+)?")
# A sentence ends before a capital letter or a quote; code in backticks never ends one.
_CODE = re.compile(r"`[^`]*`")
_END = re.compile(r"([.!?][*_)\"]*)\s+(?=[A-Z\"'`*_(])")
_MARKUP = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_LABEL = re.compile(
    r"(?:important|critical|warning|note|rule|mandatory|required|caution)\s*[:!\N{EM DASH}-]+\s*",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"""^(?: (?:you\ |we\ )?(?: never | do\ not | don'?t | must\ not | mustn't ) | absolutely | no
        | avoid | always | only | ask | ensure | make\ sure | forbidden )\b
    | ^(?: use | prefer | run | keep )\b .* (?: \binstead\ of\b | \brather\ than\b
        | [,;\N{EM DASH}]\ (?:not|never|do\ not|don't)\b | \bbefore\b )
    | \b(?: must\ not | mustn't | must\ never | should\ never | may\ not\ be | shall\ not
        | (?:is|are)\ (?:forbidden|prohibited|banned|not\ allowed)
        | (?:must|has\ to|have\ to)\ pass\ before )\b
    | (?: [;\N{EM DASH}]\ | ,\ and\ )(?: never | do\ not | don't )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKS = re.compile(r"\?\s*$")


@dataclass(frozen=True, slots=True)
class Imperative:
    """One sentence that binds, where it stands, and the folder its file is about."""

    text: str
    source: SourceRef
    folder: str = ""


def find_imperatives(source: Source) -> tuple[Imperative, ...]:
    """Find the sentences that tell what to do or not to do; examples and code are left out."""
    tree = outline(source.path, source.text)
    folder = posixpath.dirname(source.path)
    about = "" if folder.startswith((".", "/", "~")) else folder
    found: dict[str, Imperative] = {}
    for block in tree.every_block():
        for one in block.items or (block,):
            for text, ref in _sentences(one):
                found.setdefault(text.casefold(), Imperative(text, ref, about))
    return tuple(found.values())


def _sentences(block: Block) -> Iterator[tuple[str, SourceRef]]:
    """Cut a block into sentences, each with its first line."""
    if block.kind not in _PROSE:
        return
    for first, lines in _runs(block):
        text = "\n".join(_BULLET.sub("", line, count=1) for line in lines)
        at = 0
        for sentence in _cut(text):
            start = text.index(sentence, at)
            at = start + len(sentence)
            number = first + text.count("\n", 0, start)
            plain = _bare(sentence)
            if _is_imperative(plain):
                yield plain, SourceRef(block.ref.path, number, number)


def _runs(block: Block) -> Iterator[tuple[int, Sequence[str]]]:
    """Give the bullets of a nested list, and other text as one; fenced code is left out."""
    run: list[str] = []
    start = block.ref.first_line
    fenced = False
    for number, line in enumerate(block.text.split("\n"), start=block.ref.first_line):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if fenced:
            continue
        if run and (_BULLET.match(line) or not line.strip()):
            yield start, run
            run = []
        if line.strip():
            start = start if run else number
            run.append(line.strip())
    if run:
        yield start, run


def _cut(text: str) -> list[str]:
    """Cut a text where sentences end, not inside code."""
    hidden = _CODE.sub(lambda code: "`" + "x" * (len(code[0]) - 2) + "`", text)
    ends = [match.end(1) for match in _END.finditer(hidden)]
    starts = [0, *(match.end() for match in _END.finditer(hidden))]
    pieces = [text[a:b] for a, b in zip(starts, [*ends, len(text)], strict=True)]
    return [piece.strip() for piece in pieces if piece.strip()]


def _bare(sentence: str) -> str:
    """Take the emphasis and a leading label off a sentence; code keeps its backticks."""
    parts = re.split(r"(`[^`]*`)", " ".join(sentence.split()))
    plain = "".join(one if one.startswith("`") else _MARKUP.sub("", one) for one in parts)
    plain = plain.lstrip("\N{WARNING SIGN}\N{VARIATION SELECTOR-16}\N{CROSS MARK} ")
    return _LABEL.sub("", plain, count=1).strip(" -\N{EM DASH}")


def _is_imperative(text: str) -> bool:
    if not 8 <= len(text) <= LONGEST or _ASKS.search(text) or text.endswith(":"):
        return False
    return _TELLS.search(_CODE.sub("", text)) is not None
