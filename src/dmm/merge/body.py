"""Merge markdown bodies paragraph by paragraph; lists and code line by line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.merge.hunks import Chunk, Clash, align, share
from dmm.merge.notes import drop_settled, keep_versions

if TYPE_CHECKING:
    from collections.abc import Iterable

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s|\s*\|")


def merge_bodies(base: str, one: str, other: str) -> str:
    """Merge two bodies; where both changed a passage differently, both versions stay."""
    origin, first, second = split(base), split(one), split(other)
    chunks = align(origin or share(first, second), first, second)
    texts = (text for chunk in chunks for text in _settle(chunk, known=bool(origin)))
    return drop_settled("\n\n".join(texts))


def split(body: str) -> list[str]:
    """Split a body into paragraphs; fenced code is never cut."""
    paragraphs: list[list[str]] = [[]]
    fence = ""
    for line in body.split("\n"):
        found = _FENCE.match(line)
        if fence:
            closes = found and line.strip() == found[1] and found[1].startswith(fence)
            fence = "" if closes else fence
        elif found:
            fence = found[1]
        elif not line.strip():
            paragraphs.append([])
            continue
        paragraphs[-1].append(line)
    return ["\n".join(lines) for lines in paragraphs if lines]


def _settle(chunk: Chunk, *, known: bool) -> Iterable[str]:
    """Merge a passage; `known` says whether the base is what both sides come from."""
    try:
        return chunk.agreed()
    except Clash:
        return _merge_passage(chunk) if chunk.base or not known else _join(chunk)


def _merge_passage(chunk: Chunk) -> list[str]:
    """Merge a passage that both sides changed."""
    changed = [side for side in (chunk.one, chunk.other) if side]
    if len(changed) == 1:
        return keep_versions(*changed)
    if len(chunk.base) == len(chunk.one) == len(chunk.other):
        triples = zip(chunk.base, chunk.one, chunk.other, strict=True)
        return [text for triple in triples for text in _merge_paragraph(*triple)]
    return _keep_both(chunk)


def _merge_paragraph(base: str, one: str, other: str) -> Iterable[str]:
    """Merge a paragraph line by line, or keep both versions."""
    try:
        return [_merge_lines(base, one, other)]
    except Clash:
        return keep_versions((one,), (other,))


def _merge_lines(base: str, one: str, other: str) -> str:
    """Merge a paragraph line by line; raise where both changed the same lines."""
    merged: list[str] = []
    texts = (base.split("\n"), one.split("\n"), other.split("\n"))
    for chunk in align(*texts, apart=True):
        # Two branches may each add an item to a list.
        listed = not chunk.base and all(map(_ITEM.match, (*chunk.one, *chunk.other)))
        merged += _join(chunk) if listed else chunk.agreed()
    return "\n".join(merged)


def _join(chunk: Chunk) -> Iterable[str]:
    """Keep what each side added at the same place; that contradicts nothing."""
    return dict.fromkeys((*chunk.one, *chunk.other))


def _keep_both(chunk: Chunk) -> list[str]:
    """Keep the versions of both sides; paragraphs that they share stand once."""
    kept: list[str] = []
    for part in align(share(chunk.one, chunk.other), chunk.one, chunk.other):
        try:
            kept += part.agreed()
        except Clash:
            kept += keep_versions(part.one, part.other)
    return kept
