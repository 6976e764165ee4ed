"""Finding: secrets in every reading of a text, and what looks like one and is none."""

from __future__ import annotations

from dmm.capture.blocks import scan_keys, scan_private
from dmm.capture.carriers import is_pair, scan_carriers
from dmm.capture.encoded import decode_text, runs_in
from dmm.capture.flags import scan_flags
from dmm.capture.formats import scan_formats
from dmm.capture.joints import joined, unbroken
from dmm.capture.layers import Layer, layers_of
from dmm.capture.names import scan_names
from dmm.capture.phrases import scan_phrases
from dmm.capture.public import public_places
from dmm.capture.randomness import OPAQUE, is_identity, is_opaque
from dmm.capture.values import MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dmm.capture.patterns import Span
    from dmm.capture.public import Place

    Scans = tuple[Callable[[Layer], Iterator[Span]], ...]

_SCANS = (scan_keys, scan_formats, scan_carriers, scan_flags, scan_names, scan_phrases)
# What can go over several words of a list; each word is looked through by itself too.
_LINE_SCANS = (scan_carriers, scan_flags, scan_names, scan_phrases)
_TOKEN_SCANS = (scan_formats,)
_NEVER_PUBLIC = frozenset({"private", "private-key", "password", "authorization", "cookie"})
_DEEPEST_CODE = 2
# How long a random word has to be in a text that somebody encoded.
_CODED = 20


def find_secrets(text: str, *, line: bool = False) -> list[Span]:
    """Find secrets in every reading of a text; places count in the text itself."""
    spans = _look(text, _LINE_SCANS if line else _SCANS, 0)
    return [span for span in spans if not _is_marked(text, span)]


def _look(text: str, scans: Scans, depth: int) -> list[Span]:
    """Find secrets in every reading of a text, without what is public."""
    spans: list[Span] = []
    public: list[Place] = []
    plain: list[Place] = []
    for layer in layers_of(text):
        found = [span for scan in scans for span in scan(layer) if layer.is_one(*span[:2])]
        spans += _private(layer, len(text))
        for start, end, label in _decode(layer, depth):
            if label is None:
                plain.append(layer.place(start, end))
            else:
                found.append((start, end, label))
        if found:
            public += [layer.place(*place) for place in public_places(layer)]
        spans += [(*layer.place(start, end), label) for start, end, label in found]
        for reading, used in ((joined(layer), scans), (unbroken(layer), _TOKEN_SCANS)):
            if reading is not None:
                spans += _look_across(reading, used)
    return _without_public(text, spans, public, plain)


def _private(layer: Layer, length: int) -> Iterator[Span]:
    """Find what is private in a reading; what is open there is open to the end of the text."""
    for start, end, label in scan_private(layer):
        first, last = layer.place(start, end)
        yield (first, length if end == len(layer.text) else last, label)


def _look_across(layer: Layer, scans: Scans) -> Iterator[Span]:
    """Find secrets in lines that were joined; what is random only since it is joined is none."""
    for scan in scans:
        for start, end, label in scan(layer):
            if label != "opaque" and layer.is_one(start, end):
                yield (*layer.place(start, end), label)


def _decode(layer: Layer, depth: int) -> Iterator[tuple[int, int, str | None]]:
    """Find texts in base64, each with the kind of secret that it holds, if it holds one."""
    text = layer.text
    if depth <= _DEEPEST_CODE:
        for start, end, run in runs_in(layer):
            inner = decode_text(run)
            # What goes on behind a point is one part of a token.
            if inner is not None and "." not in (text[start - 1 : start], text[end : end + 1]):
                yield start, end, _label_of(inner, depth + 1)


def _label_of(text: str, depth: int) -> str | None:
    """Tell what kind of secret a text that was encoded holds; None where it holds none."""
    spans = _look(text, _SCANS, depth)
    if spans:
        return spans[0][2]
    if is_pair(text):
        return "password"
    layer = Layer(text)
    public = list(public_places(layer))
    for start, end, run in runs_in(layer):
        known = decode_text(run) is not None or is_identity(run)
        if not known and _is_left(text, start, end, public, _CODED):
            return "opaque"
    return None


def _without_public(
    text: str, spans: list[Span], public: list[Place], plain: list[Place]
) -> list[Span]:
    """Leave out what is public. What is told to be a password, or private, never is."""
    kept = []
    for start, end, label in spans:
        if label not in _NEVER_PUBLIC and _lies_in(start, end, public):
            continue
        if label == "opaque" and not _is_left(text, start, end, [*public, *plain]):
            continue
        if label == "jwt" and _lies_in(start, end, plain):
            continue
        kept.append((start, end, label))
    return kept


def _lies_in(start: int, end: int, places: list[Place]) -> bool:
    return any(first <= start and end <= last for first, last in places)


def _is_left(text: str, start: int, end: int, known: list[Place], length: int = OPAQUE) -> bool:
    """Say whether something random is left of a place without what is known to be none."""
    for first, last in sorted(known):
        if first < end and last > start:
            if is_opaque(text[start : max(start, first)], length):
                return True
            start = max(start, last)
    return is_opaque(text[start:end], length)


def _is_marked(text: str, span: Span) -> bool:
    """Say whether a place holds nothing but a marker, whole or in part."""
    start, end, _ = span
    held = text[start:end]
    if not held:
        return True
    if held.startswith(MARKER):
        close = text.find("]", start)
        return close >= end - 1
    before = text.rfind(MARKER, 0, end)
    return before >= 0 and before < start and text.find("]", before) >= end - 1
