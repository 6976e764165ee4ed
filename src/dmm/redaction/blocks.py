"""Multi-line secrets: private passages and private keys."""

from __future__ import annotations

from dmm.redaction.patterns import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer
    from dmm.redaction.patterns import Span

_TAG = r"(?i)<\s{0,8}(/?)\s{0,8}private(?:\s[^<>]{0,200})?(/?)>"
_BEGIN = r"-{2,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{2,5}"
_END = r"-{2,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{2,5}"
_PUTTY = r"(?i)Private-Lines:\s{0,4}\d{1,4}"
# A line of a key, behind the signs that diffs, quotes, listings and indents put before it.
_KEY_LINE = (
    r"(?:\r?\n|[^\S\n]|\\r|\\n)*"
    r"(?:[ \t>+|#*\"',\\-]{0,16}(?:\d{1,6}[:|\t \u2192-]{1,4})?[ \t]{0,16})"
    r"(?:[A-Za-z0-9+/]{20,}={0,2}|[A-Za-z0-9+/]{2,}={1,2}"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Private-MAC|X-[\w-]{1,30}):[^\n]{0,200})"
)
_LAST_LINE = r"\r?\n[ \t>+|-]{0,8}[A-Za-z0-9+/]{1,64}={0,2}[ \t\r]{0,4}(?=\n|\Z)"
_BEFORE_END = (
    r"[^A-Za-z0-9+/\n]{0,24}(?:\d{1,6}[:|\t \u2192-]{1,4})?"
    r"[A-Za-z0-9+/]{2,}={0,2}[\"',\\ \t\r+]{0,8}\Z"
)
_LONGEST_KEY = 32_768


def scan_private(layer: Layer) -> Iterator[Span]:
    """Find the text between private tags, also nested ones; an open tag reaches to the end."""
    text = layer.text
    if "private" not in layer.lowered:
        return
    depth = start = 0
    for tag in later(_TAG).finditer(text):
        if _is_mention(text, tag):
            continue
        if tag[2]:
            if not depth:
                yield (*tag.span(), "private")
        elif not tag[1]:
            start = start if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield (start, tag.end(), "private")
    if depth:
        yield (start, len(text), "private")


def _is_mention(text: str, tag: re.Match[str]) -> bool:
    """Return whether a tag is alone in backticks, which only mentions it."""
    return text[tag.start() - 1 : tag.start()] == "`" == text[tag.end() : tag.end() + 1]


def scan_keys(layer: Layer) -> Iterator[Span]:
    """Find private keys from first to last line, also those that were cut off."""
    text = layer.text
    if "PRIVATE KEY" in text:
        yield from _armoured(text)
    if "rivate-" in text:
        for found in later(_PUTTY).finditer(text):
            yield (found.end(), _key_end(text, found.end()), "private-key")


def _armoured(text: str) -> Iterator[Span]:
    end_mark = later(_END)
    done = 0
    begins = list(later(_BEGIN).finditer(text))
    for number, begin in enumerate(begins):
        after = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        limit = min(after, begin.end() + _LONGEST_KEY)
        end = end_mark.search(text, begin.end(), limit)
        stop = _key_end(text, begin.end()) if end is None else end.end()
        if stop > begin.end():
            yield (begin.start(), stop, "private-key")
    for end in end_mark.finditer(text):
        start = _key_start(text, end.start(), done)
        done = end.end()
        if start < end.start():
            yield (start, end.end(), "private-key")


def _key_end(text: str, place: int) -> int:
    """Return the end of a key: follow the lines that look like one."""
    line = later(_KEY_LINE)
    start = place
    while (found := line.match(text, place)) is not None:
        place = found.end()
    last = later(_LAST_LINE).match(text, place) if place > start else None
    return place if last is None else last.end()


def _key_start(text: str, place: int, floor: int) -> int:
    """Return the start of a key: go back over the lines that look like one."""
    line = later(_BEFORE_END)
    start = place
    while place > floor:
        before = text.rfind("\n", floor, place - 1) + 1 or floor
        if text[before:place].strip() and not _is_key_line(line, text[before:place]):
            break
        start = place = before
    return start


def _is_key_line(line: re.Pattern[str], text: str) -> bool:
    return len(text) < _LONGEST_KEY and line.match(text.rstrip("\n")) is not None
