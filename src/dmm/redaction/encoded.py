"""Base64 runs and their contents."""

from __future__ import annotations

from binascii import Error, a2b_base64

from dmm.redaction.patterns import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer

SHORTEST = 16
LONGEST = 64_000
# A break between two lines of one run, which are as wide as programs write them.
_BREAK = r"(?:\r?\n[ \t>|+#*-]{0,16}|\\n)"
_RUN = later(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")
_LINES = later(
    rf"[A-Za-z0-9+/]{{60,76}}(?:{_BREAK}[A-Za-z0-9+/]{{60,76}})*+"
    rf"{_BREAK}[A-Za-z0-9+/]{{1,76}}={{0,2}}(?![\w+/])"
)
_SAFE = str.maketrans("-_", "+/")
_NOT_CODE = later(r"\\n|[^A-Za-z0-9+/]")
_CONTROL = later(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")


def runs_in(layer: Layer) -> Iterator[tuple[int, int, str]]:
    """Find possible base64: runs of capitals, small letters and digits, also over lines."""
    text, place = layer.text, 0
    for word in layer.long_words:
        if len(word) < SHORTEST or word.islower():
            continue
        found = text.find(word, place)
        if found < place:
            continue  # it is a part of the lines before
        place = found
        for run in _RUN.finditer(text, found, found + len(word)):
            lines = _LINES.match(text, run.start())
            start, end = run.span() if lines is None else lines.span()
            bare = text[start:end]
            if start >= place and not (bare.islower() or bare.isupper() or bare.isdigit()):
                yield start, end, bare
            place = max(place, end)


def decode(run: str) -> bytes | None:
    """Return the decoded bytes of a run, in either alphabet, or None."""
    bare = run.rstrip("=").translate(_SAFE)
    if "\n" in bare or "\\" in bare:
        bare = _NOT_CODE.sub("", bare)
    if len(bare) % 4 == 1:
        return None
    try:
        return a2b_base64(bare + "=" * (-len(bare) % 4))
    except (Error, ValueError):
        return None


def decode_text(run: str) -> str | None:
    """Return the decoded text of a run, or None if it is not text."""
    data = decode(run) if len(run) <= LONGEST else None
    if data is None:
        return None
    if len(data) % 2 == 0 and data[1::2].count(0) * 2 == len(data):
        data = data[::2]  # as Windows encodes commands: every second byte is nothing
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text
