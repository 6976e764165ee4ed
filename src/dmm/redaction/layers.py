"""Read a text with its escapes resolved, mapped back to the original."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from dmm.redaction.patterns import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    # Where a piece of the text below is, and what is read in its place.
    Piece = tuple[int, int, str]

DEEPEST = 6
TOKEN = 14
# What separates two parts of a text that are read alone: no pattern matches across it.
APART = "\n\0\n"

_SIGNS = later(r"[\x9b\u00ad\u200b-\u200f\u2060\ufeff]")
# Every branch begins with a fixed sign: the search then skips what is none of them.
_ESCAPES = later(
    r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\"'\\/bfnrt])"
    r"|%[0-9a-fA-F]{2}"
    r"|&(?:quot|amp|apos|lt|gt|nbsp|#[0-9]{1,4}|#x[0-9a-fA-F]{1,4});"
    r"|\x1b(?:\[[0-9;:?]{0,32}[@-~]|\][^\x07\x1b\n]{0,256}(?:\x07|\x1b\\))"
    r"|\x9b[0-9;:?]{0,32}[@-~]"
    r"|[\u00ad\u200b-\u200f\u2060\ufeff]"
    # A quote inside the quotes of a shell: 'it'"'"'s' and 'it'\''s'.
    r"|'(?:\"'\"|\\')'"
)
# Quotes are doubled inside the quotes of CSV, SQL and YAML; two of them alone are an empty text.
_DOUBLED = tuple(
    later(
        rf"{sign}{sign}(?<!{sign}{sign}{sign})(?<!\\{sign}{sign})(?![{sign}\s,;:)\]}}+.])"
        rf"([^{sign}\n]{{1,400}})(?<![\s,;(\[{{+]){sign}{sign}(?:(?!{sign})|(?={sign}[\s,;)]))"
    )
    for sign in ('"', "'")
)
# In what a form sends, a plus is a blank: in a word with other codes, or with several pairs.
_ADDING = later(r"(?<![^\s\"'<>])[^\s\"'<>+]*+\+[^\s\"'<>]*+")
_SENT = later(r"%[0-9a-fA-F]{2}|&[\w.\[\]-]{1,40}=")
_NEAR_BEFORE = later(r"[^\s\"'<>]*\Z")
_NEAR_AFTER = later(r"[^\s\"'<>]*")
_NEAR = 400
_MANY = 3
_LINES_BEFORE = 3
_LINES_AFTER = 3
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NAMED = {"quot": '"', "amp": "&", "apos": "'", "lt": "<", "gt": ">", "nbsp": " "}


class Layer:
    """A text, and the pieces of the layer below that it reads differently.

    Each piece is known by where it ends, here and below, and by where it begins below.
    """

    __slots__ = ("_above", "_begun", "_below", "_long", "_lowered", "_under", "text")

    def __init__(
        self,
        text: str,
        under: Layer | None = None,
        above: list[int] | None = None,
        below: list[int] | None = None,
        begun: list[int] | None = None,
    ) -> None:
        self.text = text
        self._lowered: str | None = None
        self._long: list[str] | None = None
        self._under = under
        self._above = above or [0]
        self._below = below or [0]
        self._begun = begun or [0]

    @property
    def lowered(self) -> str:
        """The text in small letters, with all positions unchanged."""
        if self._lowered is None:
            text = self.text.lower()
            if len(text) != len(self.text):
                text = "".join(char.lower() if char < "\x80" else char for char in self.text)
            self._lowered = text
        return self._lowered

    @property
    def long_words(self) -> list[str]:
        """The words of the text that are long enough for a token."""
        if self._long is None:
            self._long = [word for word in self.text.split() if len(word) >= TOKEN]
        return self._long

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the original range of a range in this layer."""
        first = self.origin(start)
        return first, max(first, self.origin_end(end))

    def is_one(self, start: int, end: int) -> bool:
        """Return whether a range of this layer is within one piece of the layer below."""
        return APART not in self.text[start:end]

    def origin(self, place: int) -> int:
        """Return the original position of a position in this layer."""
        if self._under is None:
            return place
        return self._under.origin(self._lower(bisect_right(self._above, place) - 1, place))

    def origin_end(self, place: int) -> int:
        """Return the original end of a range that ends here, before skipped text."""
        if self._under is None:
            return place
        near = bisect_left(self._above, place)
        if near and near < len(self._above) and self._above[near] == place:
            before = self._below[near - 1] + place - self._above[near - 1]
            resolved = self._begun[near] < before
            return self._under.origin_end(self._below[near] if resolved else self._begun[near])
        return self._under.origin_end(self._lower(max(near - 1, 0), place))

    def _lower(self, near: int, place: int) -> int:
        """Map a position to the layer below, between this piece and the next."""
        lower = self._below[near] + place - self._above[near]
        return min([lower, *self._begun[near + 1 : near + 2]])


def read_parts(layer: Layer, parts: Iterable[tuple[int, int, list[Piece]]]) -> Layer:
    """Return parts of a layer as the lines of a new one, with their pieces resolved."""
    text = layer.text
    written: list[str] = []
    above, below, begun = [], [], []
    length = 0

    def note(meaning: str, start: int, end: int) -> None:
        nonlocal length
        written.append(meaning)
        length += len(meaning)
        above.append(length)
        below.append(end)
        begun.append(start)

    done = 0
    for first, last, pieces in parts:
        note(APART if length else "", done, first)
        done = first
        for start, end, meaning in pieces:
            written.append(text[done:start])
            length += start - done
            note(meaning, start, end)
            done = end
        written.append(text[done:last])
        length += last - done
        done = last
    return Layer("".join(written), layer, above, below, begun)


def layers_of(text: str) -> Iterator[Layer]:
    """Yield the text, then readings with one more level of escapes resolved each."""
    layer = Layer(text)
    yield layer
    sent = True
    for _ in range(DEEPEST):
        resolved = _resolve(layer, sent=sent)
        if resolved is None:
            return
        # A plus that was written as a code is one.
        sent = sent and "%" not in layer.text
        layer = resolved
        yield layer


def _resolve(layer: Layer, *, sent: bool) -> Layer | None:
    text = layer.text
    doubled = '""' in text or "''" in text
    if not doubled and "'\"'" not in text and not _has_signs(text):
        return None
    many = text.count("%") > _MANY
    pieces = [
        (*found.span(), _meaning(found[0]))
        for found in _ESCAPES.finditer(text)
        if found[0][0] != "%" or many or _is_code(text, found.start())
    ]
    if doubled:
        pieces += _doubled(text)
    if sent and "+" in text and _SENT.search(text):
        pieces += _blanks(text)
    return read_parts(layer, _around(text, list(_apart(pieces)))) if pieces else None


def _has_signs(text: str) -> bool:
    if "\\" in text or "%" in text or "&" in text or "\x1b" in text:
        return True
    return not text.isascii() and _SIGNS.search(text) is not None


def _is_code(text: str, place: int) -> bool:
    """Return whether this is an escape such as %2F rather than a percent sign."""
    before = _NEAR_BEFORE.search(text, max(0, place - _NEAR), place)
    after = _NEAR_AFTER.match(text, place + 1, place + _NEAR)
    word = (before[0] if before else "") + (after[0] if after else "")
    return any(sign in word for sign in "%/=&?")


def _around(text: str, pieces: list[Piece]) -> Iterator[tuple[int, int, list[Piece]]]:
    """Return the lines around some pieces, or the whole text if they are many."""
    parts: list[tuple[int, int, list[Piece]]] = []
    length = 0
    for piece in pieces:
        if parts and piece[0] < parts[-1][1]:
            parts[-1][2].append(piece)
            continue
        first, last = _back(text, piece[0]), _on(text, piece[1])
        if parts and first <= parts[-1][1]:
            begun, end, held = parts[-1]
            length += last - end
            held.append(piece)
            parts[-1] = (begun, last, held)
        else:
            length += last - first
            parts.append((first, last, [piece]))
    if length * 2 > len(text):
        return iter([(0, len(text), pieces)])
    return iter(parts)


def _back(text: str, place: int) -> int:
    """Return a position a few lines before the start of the line."""
    for _ in range(_LINES_BEFORE):
        place = text.rfind("\n", 0, max(place, 0))
    return place + 1


def _on(text: str, place: int) -> int:
    """Return a position a few lines after the end of the line."""
    for _ in range(_LINES_AFTER):
        place = text.find("\n", place + 1)
        if place < 0:
            return len(text)
    return place


def _apart(pieces: list[Piece]) -> Iterator[Piece]:
    """Sort pieces, without those contained in an earlier one."""
    done = 0
    for piece in sorted(pieces):
        if piece[0] >= done:
            done = piece[1]
            yield piece


def _doubled(text: str) -> Iterator[Piece]:
    for doubled in _DOUBLED:
        for found in doubled.finditer(text):
            start, end = found.span(1)
            yield (start - 2, start, text[start - 1])
            yield (end, end + 2, text[end])


def _blanks(text: str) -> Iterator[Piece]:
    for sent in _ADDING.finditer(text):
        if _SENT.search(sent[0]) is None:
            continue
        place = text.find("+", *sent.span())
        while place >= 0:
            yield (place, place + 1, " ")
            place = text.find("+", place + 1, sent.end())


def _meaning(escape: str) -> str:
    first = escape[0]
    if first == "\\":
        kind = escape[1]
        if kind in "ux":
            return chr(int(escape[2:], 16))
        return _SIMPLE.get(kind, kind)
    if first == "%":
        code = int(escape[1:], 16)
        return chr(code)
    if first == "&":
        return _entity(escape[1:-1])
    return "'" if first == "'" else ""


def _entity(name: str) -> str:
    if name[0] != "#":
        return _NAMED[name]
    return chr(int(name[2:], 16) if name[1] in "xX" else int(name[1:]))
