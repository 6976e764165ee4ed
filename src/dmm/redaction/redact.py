"""Remove secrets and private passages from a text."""

from __future__ import annotations

from collections import Counter

from dmm.redaction.blocks import scan_private
from dmm.redaction.finding import find_secrets
from dmm.redaction.layers import Layer
from dmm.redaction.names import is_named_secret
from dmm.redaction.patterns import places_of
from dmm.redaction.randomness import has_digit, is_mixed, is_random
from dmm.redaction.values import MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dmm.redaction.patterns import Span

DEEPEST = 64
# What is looked through of one text, at its start and at its end, and of one payload in all.
MARGIN = 32_000
ROOM = 200_000
_ROUNDS = 4
_REMEMBERED = 64
_RECOGNISABLE = 8


class Redacted:
    """A text without its secrets, and how many of each kind were taken out."""

    __slots__ = ("counts", "text")

    def __init__(self, text: str, counts: dict[str, int]) -> None:
        self.text = text
        self.counts = counts


def redact(text: str) -> Redacted:
    """Replace private passages and secrets by markers that only name their kind."""
    redaction = _Redaction()
    return Redacted(redaction.clean(text), dict(redaction.counts))


def strip_private(text: str) -> str:
    """Replace only the private passages."""
    return _mark_spans(text, _merge(scan_private(Layer(text))))


def _mark_spans(text: str, spans: list[Span]) -> str:
    pieces, done = [], 0
    for start, end, label in spans:
        pieces += [text[done:start], mark(label)]
        done = end
    return "".join([*pieces, text[done:]])


def narrow(text: str) -> str:
    """Cut the middle out of a huge text, and say how much was cut.

    The rest reaches so far beyond what is kept of it that no secret can reach into that.
    """
    if len(text) <= 3 * MARGIN:
        return text
    # What is private may begin in the part that goes and end in the part that stays.
    text = strip_private(text)
    if len(text) <= 2 * MARGIN:
        return text
    gone = len(text) - 2 * MARGIN
    return f"{text[:MARGIN]}\n[{gone} characters left out]\n{text[-MARGIN:]}"


def narrow_value(value: object, most_items: int, room: int = ROOM) -> object:
    """Shorten plain data so that scanning it is fast: few items, short texts."""
    left = [room]

    def take(value: object, depth: int) -> object:
        if isinstance(value, str):
            text = narrow(value)
            if len(text) > left[0]:
                return f"[{len(value)} characters left out]"
            left[0] -= len(text)
            return text
        if depth > DEEPEST:
            return None
        if isinstance(value, dict):
            items = list(value.items())[:most_items]
            return {str(take(key, depth + 1)): take(one, depth + 1) for key, one in items}
        if isinstance(value, list | tuple):
            return [take(one, depth + 1) for one in list(value)[:most_items]]
        return value

    return take(value, 0)


def redact_value(value: object) -> tuple[object, dict[str, int]]:
    """Redact every text in plain data; a secret found once is removed everywhere."""
    redaction = _Redaction()
    cleaned = redaction.clean_value(value, "", 0)
    if redaction.known:
        cleaned = redaction.forget(cleaned)
    return cleaned, dict(redaction.counts)


def mark(label: str) -> str:
    """Return the marker for a kind of secret."""
    return f"{MARKER}{label}]"


class _Redaction:
    """One run over a text or plain data, with its counts and the secrets it has learnt."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.known: dict[str, str] = {}

    def clean(self, text: str) -> str:
        """Redact until nothing is found any more, so that a second run changes nothing."""
        for _ in range(_ROUNDS):
            spans = _merge(find_secrets(text))
            if not spans:
                break
            text = self._replace(text, spans)
        return text

    def _replace(self, text: str, spans: list[Span]) -> str:
        for start, end, label in spans:
            self._learn(text[start:end], label)
        spans = _merge([*spans, *self._repeats(text)])
        self.counts.update(label for _, _, label in spans)
        return _mark_spans(text, spans)

    def _learn(self, value: str, label: str) -> None:
        bare = value.strip()
        recognisable = len(bare) >= _RECOGNISABLE or (len(bare) > 5 and has_digit(bare))
        if label == "private" or not recognisable or len(self.known) >= _REMEMBERED:
            return
        if (is_mixed(bare) or is_random(bare)) and MARKER not in bare:
            self.known.setdefault(bare, label)

    def _repeats(self, text: str) -> Iterator[Span]:
        for value, label in self.known.items():
            for place in places_of(text, value):
                yield (place, place + len(value), label)

    def clean_value(self, value: object, name: str, depth: int) -> object:
        """Redact plain data; `name` is the name that the value goes by."""
        if isinstance(value, str):
            return self._clean_named(value, name)
        if depth >= DEEPEST:
            return None
        if isinstance(value, dict):
            return self._clean_mapping(value, name, depth)
        if isinstance(value, (list, tuple)):
            return self._clean_list(value, name, depth)
        if isinstance(value, int) and not isinstance(value, bool) and name:
            return self._clean_number(value, name)
        return value

    def _clean_named(self, value: str, name: str) -> str:
        label = is_named_secret(name, value) if name else None
        if label is None:
            return self.clean(value)
        self._learn(value, label)
        self.counts[label] += 1
        return mark(label)

    def _clean_number(self, value: int, name: str) -> object:
        label = is_named_secret(name, str(value))
        if label not in ("password", "pin"):
            return value
        self.counts[label] += 1
        return mark(label)

    def _clean_mapping(self, value: Mapping[object, object], name: str, depth: int) -> object:
        cleaned: dict[str, object] = {}
        told = _told_name(value)
        for key, one in value.items():
            key_text = self.clean(str(key))
            own = told if told and key in ("value", "Value") else str(key)
            while key_text in cleaned:
                key_text += "'"
            cleaned[key_text] = self.clean_value(one, own or name, depth + 1)
        return cleaned

    def _clean_list(self, values: Iterable[object], name: str, depth: int) -> list[object]:
        items = list(values)
        words = [one for one in items if isinstance(one, str)]
        if len(words) > 1 and len(words) == len(items):
            items = self._clean_words(words)
        return [self.clean_value(one, name, depth + 1) for one in items]

    def _clean_words(self, words: list[str]) -> list[object]:
        """Redact a list of words as one command line, in which a flag names the next word."""
        line = " ".join(words)
        spans = _merge(find_secrets(line, line=True))
        if not spans:
            return list(words)
        cleaned: list[object] = []
        place = 0
        for word in words:
            inside = [
                (max(start - place, 0), min(end - place, len(word)), label)
                for start, end, label in spans
                if start < place + len(word) and end > place
            ]
            cleaned.append(self._replace(word, inside) if inside else word)
            place += len(word) + 1
        return cleaned

    def forget(self, value: object) -> object:
        """Remove secrets learnt later from data redacted before."""
        if isinstance(value, str):
            spans = _merge(self._repeats(value))
            return self._replace(value, spans) if spans else value
        if isinstance(value, dict):
            return {self.forget(key): self.forget(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.forget(one) for one in value]
        return value


def _told_name(value: Mapping[object, object]) -> str:
    """Read the name of a pair that is written as a name and a value."""
    told = (value.get(key) for key in ("name", "Name", "key", "Key"))
    return next((one for one in told if isinstance(one, str) and one), "")


def _merge(spans: Iterable[Span]) -> list[Span]:
    """Join overlapping ranges; the label is the first one, or that of a private passage."""
    merged: list[Span] = []
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, known = merged[-1]
            merged[-1] = (first, max(last, end), "private" if label == "private" else known)
        else:
            merged.append((start, end, label))
    return merged
