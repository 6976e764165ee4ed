"""Find secrets in every reading of a text, excluding known public values."""

from __future__ import annotations

from bisect import bisect_right

from dmm.redaction.blocks import scan_keys, scan_private
from dmm.redaction.carriers import is_pair, scan_carriers
from dmm.redaction.encoded import SHORTEST, decode_text, runs_in
from dmm.redaction.flags import scan_flags
from dmm.redaction.formats import scan_formats
from dmm.redaction.joints import joined, unbroken
from dmm.redaction.layers import Layer, layers_of
from dmm.redaction.names import scan_names
from dmm.redaction.phrases import scan_phrases
from dmm.redaction.public import digests_in, public_in
from dmm.redaction.randomness import is_identity, is_opaque
from dmm.redaction.values import MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dmm.redaction.patterns import Span
    from dmm.redaction.public import Place

    Scans = tuple[Callable[[Layer], Iterator[Span]], ...]

_SCANS = (scan_keys, scan_formats, scan_carriers, scan_flags, scan_names, scan_phrases)
# What can go over several words of a list; each word is looked through by itself too.
_LINE_SCANS = (scan_carriers, scan_flags, scan_names, scan_phrases)
_TOKEN_SCANS = (scan_formats, scan_names)
_PRIVATE = frozenset({"private", "private-key"})
# A value in a place for secrets is one, even if it has the form of a digest.
_TOLD = frozenset({"password", "authorization", "cookie"})
_DEEPEST_CODE = 2
_LONGEST_MARKER = 64
# How long a random word has to be in a text that somebody encoded.
_CODED = 20


class _Places:
    """Ranges of a text that are not secrets, sorted once all are known."""

    def __init__(self, places: Iterable[Place] = ()) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(places):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def hold(self, start: int, end: int) -> bool:
        """Return whether a range is inside one of them."""
        near = bisect_right(self._starts, start) - 1
        return near >= 0 and end <= self._ends[near]

    def leave(self, start: int, end: int) -> Iterator[Place]:
        """Return what is left of a range without them."""
        near = max(bisect_right(self._starts, start) - 1, 0)
        while near < len(self._starts) and self._starts[near] < end:
            if self._ends[near] > start:
                yield start, max(start, self._starts[near])
                start = self._ends[near]
            near += 1
        yield start, max(start, end)


def find_secrets(text: str, *, line: bool = False) -> list[Span]:
    """Find secrets in every reading of a text; places count in the text itself."""
    spans = _look(text, _LINE_SCANS if line else _SCANS, 0)
    return [span for span in spans if not _is_marked(text, span)]


def _look(text: str, scans: Scans, depth: int) -> list[Span]:
    """Find secrets in every reading of a text, without false ones."""
    spans: list[Span] = []
    plain: list[Place] = []
    layers = list(layers_of(text))
    for layer in layers:
        found = [span for scan in scans for span in scan(layer) if layer.is_one(*span[:2])]
        for start, end, label in _decode(layer, depth):
            if label is None:
                plain.append(layer.place(start, end))
            else:
                found.append((start, end, label))
        spans += [(*layer.place(start, end), label) for start, end, label in found]
        spans += _private(layer, len(text))
        for reading, used in ((joined(layer), scans), (unbroken(layer), _TOKEN_SCANS)):
            if reading is not None:
                spans += _look_across(reading, used)
    return list(_without(text, spans, layers, plain)) if spans else []


def _private(layer: Layer, length: int) -> Iterator[Span]:
    """Find private passages in a reading; an open one reaches to the end of the text."""
    for start, end, label in scan_private(layer):
        first, last = layer.place(start, end)
        yield (first, length if end == len(layer.text) else last, label)


def _look_across(layer: Layer, scans: Scans) -> Iterator[Span]:
    """Find secrets in joined lines, without values that look random only when joined."""
    for scan in scans:
        for start, end, label in scan(layer):
            if label != "opaque" and layer.is_one(start, end):
                yield (*layer.place(start, end), label)


def _decode(layer: Layer, depth: int) -> Iterator[tuple[int, int, str | None]]:
    """Find base64 texts, each with the kind of secret in it, if any."""
    text = layer.text
    if depth <= _DEEPEST_CODE:
        for start, end, run in runs_in(layer):
            inner = decode_text(run)
            if inner is None and "-" in run:
                start += run.rindex("-") + 1  # a word may stand before it
                inner = decode_text(text[start:end]) if end - start >= SHORTEST else None
            # What goes on behind a point is one part of a token.
            if inner is not None and "." not in (text[start - 1 : start], text[end : end + 1]):
                yield start, end, _label_of(inner, depth + 1)


def _label_of(text: str, depth: int) -> str | None:
    """Return the kind of secret in a decoded text, or None."""
    spans = _look(text, _SCANS, depth)
    if spans:
        return spans[0][2]
    if is_pair(text):
        return "password"
    layer = Layer(text)
    known = _Places([*public_in(layer), *digests_in(layer)])
    for start, end, run in runs_in(layer):
        if decode_text(run) is None and not is_identity(run):
            left = known.leave(start, end)
            if any(is_opaque(text[first:last], _CODED) for first, last in left):
                return "opaque"
    return None


def _without(
    text: str, spans: list[Span], layers: list[Layer], decoded: list[Place]
) -> Iterator[Span]:
    """Drop the ranges that are not secrets, by form or by content.

    What is only random is left out too where something else tells all that is random in it.
    """
    forms = [layer.place(*place) for layer in layers for place in public_in(layer)]
    sums = [layer.place(*place) for layer in layers for place in digests_in(layer)]
    told = [(start, end) for start, end, label in spans if label != "opaque"]
    public, digests, plain = _Places(forms), _Places(sums), _Places(decoded)
    known = _Places([*told, *forms, *sums, *decoded])
    for start, end, label in spans:
        if label in _PRIVATE:
            yield (start, end, label)
        elif label == "opaque":
            left = known.leave(start, end)
            if any(is_opaque(text[first:last]) for first, last in left):
                yield (start, end, label)
        elif public.hold(start, end) or (label == "jwt" and plain.hold(start, end)):
            continue
        elif label in _TOLD or not digests.hold(start, end):
            yield (start, end, label)


def _is_marked(text: str, span: Span) -> bool:
    """Return whether a range is only a marker or a part of one."""
    start, end, _ = span
    held = text[start:end]
    if not held:
        return True
    if held.startswith(MARKER):
        close = text.find("]", start)
        return close >= end - 1
    before = text.rfind(MARKER, max(0, start - _LONGEST_MARKER), end)
    return before >= 0 and before < start and text.find("]", before) >= end - 1
