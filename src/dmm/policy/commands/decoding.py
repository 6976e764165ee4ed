"""Decoding: what a decoder makes of data that stands in the text of the call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.policy.commands.values import Output, Word


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


def decoded(program: str, words: Sequence[Word], given: Output) -> str | None:
    """Decode what comes in; none where that is not known, or not what comes out."""
    decode = _DECODERS.get(program)
    known = (given.whole or given.exact) and not given.partial
    operands = [word for word in words[1:] if not re.match("-.", word.text) and word.text != "-"]
    if decode is None or not known or operands:
        return None
    try:
        return decode(given.text or "", {word.text for word in words[1:] if word.text != "-"})
    except ValueError:
        return None
