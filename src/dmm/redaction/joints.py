"""Texts split over lines or code strings, read as one."""

from __future__ import annotations

from itertools import islice

from dmm.redaction.layers import read_parts
from dmm.redaction.patterns import later, past, places_of
from dmm.redaction.randomness import is_hex, is_torn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer, Piece

# What may stand between the end of one string and the start of the next that belongs to it.
_SIGN = r"[\w+/=.~!@#$%^*:-]"
_INDENT = r"[ \t>|]{0,40}[+-]?[ \t]{0,40}"
_BREAK = rf"[ \t]*(?:[_\\]?\r?\n{_INDENT})?"
_JOINT = later(
    r"([\"'`])(?:(?=[ \t\r\n\\+.&|~<>_-]{1,120}[fFbBrRuU]{0,2}[\"'`])(?:"
    rf"{_BREAK}(?:\+{{1,2}}|\.{{1,2}}|&|\|\||~|<>){_BREAK}[fFbBrRuU]{{0,2}}[\"'`]"
    # Without a sign that adds them, what ends before the next has to be a word.
    rf"|(?<=\w[\"'])(?:[ \t]*\\?\r?\n{_INDENT}|[ \t]{{1,4}})[fFbBrRuU]{{0,2}}[\"'])"
    # A shell takes the quotes out of a word.
    r"|(?<=[A-Za-z0-9_-]{4}[\"'])(?=([A-Za-z0-9_+/=.-]{4,})\1)"
    rf"|(?<={_SIGN}[\"'])[\"'](?={_SIGN}))"
)
# Calls that make one text of the items of a list: before the list, or behind it.
_CALLS = ("join", "oncat", "CONCAT", "implode")
_CALLED = later(r"\w*[ \t]*\([^()\n]{0,400}")
_LIST_END = later(r"\][ \t]*\.?\Z")
_LIST = 400
_COMMA = later(r"([\"'`])\s{0,8},\s{0,8}[\"'`]")
# A line that goes on in the next one. What begins with a dash there is a word of its own.
_CONTINUED = later(rf"\\(?:(?<={_SIGN}\\)\r?\n(?>[+>|]?[ \t]{{0,40}})(?!-)|\r?\n)")
# A break behind a word, and the rest of it on the next line, behind the signs of diffs, quotes and
# indents; the last group is there where nothing else is.
_TORN = later(
    rf"(?:\n(?<={_SIGN}\n)|\r\n(?<={_SIGN}\r\n))([>|+-]?[ \t]{{0,40}})([A-Za-z0-9_+/=.-]{{4,}})"
    r"([\"'`,;)\]}\\ \t\r]*(?=\n|\Z))?"
)
_HEX_END = later(r"[0-9a-f]{8}\Z")
_HEX = 8
# Lines that a terminal broke are as wide as it is, and no line of the text is wider.
_NARROWEST = 40
_WIDEST = 400
_BEFORE = 120
_MOST = 200
_PART = 4_000


def joined(layer: Layer) -> Layer | None:
    """Read those lines of a layer alone that code or a shell makes one; None without any."""
    joints = sorted(_joints(layer.text))
    return read_parts(layer, _parts(layer.text, joints)) if joints else None


def unbroken(layer: Layer) -> Layer | None:
    """Read those lines of a layer alone that were broken within a word; None without any."""
    joints = list(islice(_broken(layer.text), _MOST))
    return read_parts(layer, _parts(layer.text, joints)) if joints else None


def _parts(text: str, joints: list[Piece]) -> Iterator[tuple[int, int, list[Piece]]]:
    """Take the lines around joints; those that share lines, or follow at once, are one part."""
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
    """Step back one short line: it may hold the name of what follows."""
    least = max(floor, first - _BEFORE)
    before = text.rfind("\n", least, max(first - 1, 0)) + 1
    return max(before, least) if before or least == floor else first


def _joints(text: str) -> Iterator[Piece]:
    for found in _CONTINUED.finditer(text):
        yield (*found.span(), "")
    for found in _JOINT.finditer(text):
        if found[2] is None:
            yield (*found.span(), "")
        elif is_torn(found[2]) or is_hex(found[2]):
            yield (found.start(), found.start() + 1, "")
            yield (found.end(2), found.end(2) + 1, "")
    for call in _CALLS:
        for place in places_of(text, call):
            yield from _listed(text, place, place + len(call))


def _listed(text: str, start: int, end: int) -> Iterator[Piece]:
    places = [(end, past(_CALLED, text, end))]
    if _LIST_END.search(text, max(0, start - 4), start):
        places.append((max(0, text.rfind("[", max(0, start - _LIST), start)), start))
    for place in places:
        for found in _COMMA.finditer(text, *place):
            yield (*found.span(), "")


def _broken(text: str) -> Iterator[Piece]:
    """Find the breaks within a random word: its rest is alone on its line, or the line was full."""
    width = max(map(len, text.split("\n")))
    for found in _TORN.finditer(text):
        end = text.index("\n", found.start())
        full = end - text.rfind("\n", 0, end) - 1 == width and _NARROWEST <= width <= _WIDEST
        alone = found[3] is not None
        first = found.start(2 if alone else 1)
        rest = text[first : found.end(2)]
        told = alone or (full and not found[1].strip("+-"))
        if told and _is_rest(text, found.start(), rest):
            yield (found.start(), first, "")


def _is_rest(text: str, end: int, rest: str) -> bool:
    """Return whether a word that ends there goes on in what begins the next line."""
    return is_torn(rest) or (
        is_hex(rest) and _HEX_END.search(text, max(0, end - _HEX), end) is not None
    )
