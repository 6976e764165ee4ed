"""Decode data that is in the text of a call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.scanner import unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.values import Output, Word

_MAX_RANGE = 256


def _lines_reversed(text: str, flags: set[str]) -> str:
    del flags
    return "\n".join(line[::-1] for line in text.split("\n"))


def _last_line_first(text: str, flags: set[str]) -> str | None:
    lines = text.splitlines(keepends=True)
    return "".join(reversed(lines)) if not flags else None


def _from_base64(text: str, flags: set[str]) -> str | None:
    from binascii import a2b_base64

    return a2b_base64(text).decode() if flags & {"-d", "-D", "--decode"} else None


def _from_hexadecimal(text: str, flags: set[str]) -> str | None:
    plain = "-rp" in flags or "-pr" in flags or {"-r", "-p"} <= flags
    return bytes.fromhex(text).decode() if plain else None


_DECODERS: dict[str, Callable[[str, set[str]], str | None]] = {
    "rev": _lines_reversed,
    "tac": _last_line_first,
    "base64": _from_base64,
    "xxd": _from_hexadecimal,
}


def _translated(words: Sequence[Word], given: Output) -> str | None:
    """Follow `tr SET SET`; with options it does something else."""
    if len(words) != 3 or any(re.match(r"-.|.*\[[:=]", word.text) for word in words[1:]):
        return None
    old, new = (_letters(word.text) for word in words[1:])
    pairs = zip(old, new + new[-1:] * (len(old) - len(new)), strict=False)
    return (given.text or "").translate({ord(one): other for one, other in pairs})


def _letters(text: str) -> str:
    """Write a set of `tr` out: `a-z`."""

    def between(match: re.Match[str]) -> str:
        first, last = ord(match[1]), ord(match[2])
        if not 0 <= last - first < _MAX_RANGE:
            raise ValueError
        return "".join(map(chr, range(first, last + 1)))

    return re.sub(r"(?s)(.)-(.)", between, unescape(text))


def decoded(program: str, words: Sequence[Word], given: Output) -> str | None:
    """Return the decoded input of a program, or None if it is not known."""
    decode = _DECODERS.get(program)
    known = (given.whole or given.exact) and not given.partial
    operands = [word for word in words[1:] if not re.match("-.", word.text) and word.text != "-"]
    if not known or (program != "tr" and (decode is None or operands)):
        return None
    try:
        if decode is None:
            return _translated(words, given)
        return decode(given.text or "", {word.text for word in words[1:] if word.text != "-"})
    except ValueError:
        return None
