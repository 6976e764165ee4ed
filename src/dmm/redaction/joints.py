"""Join texts that are split over lines or code strings."""

from __future__ import annotations

from itertools import pairwise

from dmm.redaction.layers import read_parts
from dmm.redaction.patterns import later, places_of
from dmm.redaction.randomness import is_hex, is_torn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer, Piece

# What may stand between the end of one string and the start of the next that belongs to it.
_BETWEEN = later(r"[\"'`][ \t\r\n\\+.&|~<>_-]{1,120}[fFbBrRuU]{0,2}(?=[\"'`])")
_INDENT = r"[ \t>|]{0,40}[+-]?[ \t]{0,40}"
_ADDED = later(
    rf".[ \t]*(?:[_\\]?\r?\n{_INDENT})?(?:\+{{1,2}}|\.{{1,2}}|&|\|\||~|<>)[ \t]*"
    rf"(?:[_\\]?\r?\n{_INDENT})?[fFbBrRuU]{{0,2}}"
)
_BESIDE = later(rf".(?:[ \t]*\\?\r?\n{_INDENT}|[ \t]{{1,4}})[fFbBrRuU]{{0,2}}")
# A shell takes the quotes out of a word.
_WITHIN = later(r"([\"'])(?<=[A-Za-z0-9_-]{4}.)([A-Za-z0-9_+/=.-]{4,})\1")
_QUOTES = ('""', "''", "\"'", "'\"")
# Calls that make one text of the items of a list: before the list, or behind it.
_CALLS = ("join", "oncat", "CONCAT", "implode")
_CALLED = later(r"\w*[ \t]*\([^()\n]{0,400}")
_LIST_END = later(r"\][ \t]*\.?\Z")
_LIST = 400
_COMMA = later(r"([\"'`])\s{0,8},\s{0,8}[\"'`]")
# A line that continues in the next one. What begins with a dash there is a separate word.
_CONTINUED = later(r"\\\r?\n([+>|]?[ \t]{0,40})")
_WORD = later(r"[\w+/=.~!@#$%^*:-]")
# The rest of a word on the next line, behind the signs of diffs, quotes and indents.
_REST = later(r"([A-Za-z0-9_+/=.-]{4,})")
_REST_ALONE = later(r"[>|+-]?[ \t]{0,40}([A-Za-z0-9_+/=.-]{4,})[\"'`,;)\]}\\ \t\r]*\Z")
_HEX_END = later(r"[0-9a-f]{8}\Z")
_HEX = 8
_SHORTEST = 4
# Lines that a terminal broke are as wide as it is, and no line of the text is wider.
_NARROWEST = 40
_WIDEST = 400
_BEFORE = 120
_MOST = 200
_PART = 4_000


def joined(layer: Layer) -> Layer | None:
    """Return a layer of the lines that code or a shell joins, or None."""
    text = layer.text
    joints: list[Piece] = []
    if "\\\n" in text or "\\\r\n" in text:
        joints += _continued(text)
    if '"' in text or "'" in text or "`" in text:
        joints += _added(text)
    return read_parts(layer, _parts(text, sorted(joints))) if joints else None


def unbroken(layer: Layer) -> Layer | None:
    """Return a layer of the lines that were broken within a word, or None."""
    joints = list(_broken(layer.text)) if "\n" in layer.text else []
    return read_parts(layer, _parts(layer.text, joints)) if joints else None


def _parts(text: str, joints: list[Piece]) -> Iterator[tuple[int, int, list[Piece]]]:
    """Return the lines around joints; overlapping or adjacent ones are one part."""
    first = last = done = 0
    pieces: list[Piece] = []
    for start, end, meaning in joints:
        if start < done:
            continue
        if pieces and start > last:
            yield first, last, pieces
            pieces = []
        if not pieces:
            line = text.rfind("\n", max(first, last, start - _PART), start) + 1
            first = max(last, line or start - _BEFORE, 0)
            first = _line_before(text, first, last)
        pieces.append((start, end, meaning))
        done = end
        behind = text.find("\n", end, end + _PART)
        last = min(len(text), end + _BEFORE) if behind < 0 else behind
    if pieces:
        yield first, last, pieces


def _line_before(text: str, first: int, floor: int) -> int:
    """Return the start of the line before if it is short: it may name the value."""
    least = max(floor, first - _BEFORE)
    before = text.rfind("\n", least, max(first - 1, 0)) + 1
    return max(before, least) if before or least == floor else first


def _continued(text: str) -> Iterator[Piece]:
    for found in _CONTINUED.finditer(text):
        start, end = found.span()
        torn = start > 0 and _WORD.match(text, start - 1) and text[end : end + 1] != "-"
        yield (start, end if torn else found.start(1), "")


def _added(text: str) -> Iterator[Piece]:
    for found in _BETWEEN.finditer(text):
        start, end = found.span()
        # Without a sign that adds them, what ends before the next has to be a word.
        word = text[start - 1 : start].isalnum() or text[start - 1 : start] == "_"
        beside = word and "`" not in (found[0][0], text[end])
        if _ADDED.fullmatch(found[0]) or (beside and _BESIDE.fullmatch(found[0])):
            yield (start, end + 1, "")
    for found in _WITHIN.finditer(text):
        if is_torn(found[2]) or is_hex(found[2]):
            yield (found.start(), found.start() + 1, "")
            yield (found.end() - 1, found.end(), "")
    for quotes in _QUOTES:
        for place in places_of(text, quotes) if quotes in text else ():
            if _WORD.match(text, max(place - 1, 0)) and _WORD.match(text, place + 2):
                yield (place, place + 2, "")
    for call in _CALLS:
        for place in places_of(text, call) if call in text else ():
            yield from _listed(text, place, place + len(call))


def _listed(text: str, start: int, end: int) -> Iterator[Piece]:
    called = _CALLED.match(text, end)
    places = [] if called is None else [called.span()]
    if _LIST_END.search(text, max(0, start - 4), start):
        places.append((max(0, text.rfind("[", max(0, start - _LIST), start)), start))
    for place in places:
        for found in _COMMA.finditer(text, *place):
            yield (*found.span(), "")


def _broken(text: str) -> Iterator[Piece]:
    """Find line breaks in a random word: its rest is alone on a line, or the line was full."""
    lines = text.split("\n")
    widest = max(map(len, lines))
    width = widest if _NARROWEST <= widest <= _WIDEST else -1
    place = count = 0
    for line, following in pairwise(lines):
        place += len(line) + 1
        bare = following.strip(" \t\r+>|-")
        full = len(line) == width
        if len(bare) < _SHORTEST or (" " in bare and not full):
            continue
        rest = _REST_ALONE.match(following) or (_REST.match(following) if full else None)
        if rest is not None and count <= _MOST and _is_rest(line.rstrip("\r"), rest[1]):
            count += 1
            yield (place - 1 - line.endswith("\r"), place + rest.start(1), "")


def _is_rest(line: str, rest: str) -> bool:
    """Return whether the next line begins with the rest of a word."""
    if not line or _WORD.match(line, len(line) - 1) is None:
        return False
    return is_torn(rest) or (is_hex(rest) and _HEX_END.search(line, len(line) - _HEX) is not None)
