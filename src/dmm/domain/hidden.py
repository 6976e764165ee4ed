"""Invisible characters, and the few places where writing needs one."""

from __future__ import annotations

import re
from functools import lru_cache

# The module `typing` would cost a short command more than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_JOINERS = "\u200c\u200d"
_STYLES = "\ufe0e\ufe0f"
# The first sixteen ideographic selectors are those in use; hidden letters would need later ones.
_GLYPHS = "\ufe00-\ufe02\U000e0100-\U000e010f"
# Controls, marks of direction, joiners, selectors, tags, and what else has no glyph.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad"
    "\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_TAGS = "\U000e0020-\U000e007f"

_PICTURES = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf"
    "\u23e9-\u23f3\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf"
    "\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f201\U0001f202\U0001f21a\U0001f22f\U0001f232-\U0001f23a"
    "\U0001f250\U0001f251\U0001f300-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f"
    "\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7ff\U0001f90c-\U0001f9ff\U0001fa70-\U0001faff"
)
_SKINS = "\U0001f3fb-\U0001f3ff"
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
# Letters, their marks and digits of the scripts whose letters join or stack: Arabic, Syriac, N'Ko
# and Mandaic; those of India and Sri Lanka; Myanmar, Khmer, Mongolian, Tai Tham, those of
# Indonesia; Phags-pa, Meetei Mayek; Manichaean, Rohingya, Sogdian, Brahmi and its kin, Adlam.
_JOINING = (
    "\u0610-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u06dc\u06df-\u06ff\u0710-\u077f"
    "\u07c0-\u07fa\u0840-\u088f\u0897-\u08e1\u08e3-\u08ff"
    "\u0900-\u0963\u0966-\u0dff\u1000-\u1049\u1050-\u109f\u1780-\u17b3\u17b6-\u17d3"
    "\u1820-\u18aa\u1a20-\u1a7f\u1b00-\u1bff\u1cd0-\u1cff\ua840-\ua871\ua880-\ua8ff"
    "\ua980-\ua9d9\uaae0-\uaaff\uabc0-\uabff\U00010a00-\U00010a3f\U00010ac0-\U00010aef"
    "\U00010d00-\U00010d39\U00010f30-\U00010fff\U00011000-\U00011cff\U0001e900-\U0001e95f"
)


def _fly() -> Iterator[str]:
    """Return the places within the flags of England, Scotland and Wales, tag by tag."""
    for region in ("gbeng", "gbsct", "gbwls"):
        tags = "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
        for end in range(1, len(tags) + 1):
            yield f"(?<=\U0001f3f4{tags[:end]}){tags[end:]}"


# Each looks back over the sign in question to what carries it, and may look ahead. All that is
# looked for can be seen or is in its place itself, so that leaving out what is hidden leaves
# nothing hidden.
_IN_PLACE = (
    # an emoji or a symbol in its coloured or its plain style; a keycap
    f"(?<=[{_PICTURES}][{_STYLES}])",
    f"(?<=[0-9#*][{_STYLES}])\u20e3",
    # a variant of an ideograph, but not of two in a row
    f"(?<=[{_IDEOGRAPHS}][{_GLYPHS}])(?<![{_UNSEEN}]..)",
    # a joiner before another such letter or at the end of a word, but not three at every letter
    f"(?<=[{_JOINING}][{_JOINERS}])(?<![{_JOINERS}].[{_JOINERS}]..)"
    f"(?=[{_JOINING}]|[^\\w{_UNSEEN}]|\\Z)",
    # emoji that are drawn as one
    f"(?:(?<=[{_PICTURES}{_SKINS}]\u200d)|(?<=[{_PICTURES}]\ufe0f\u200d))[{_PICTURES}]",
    f"(?<=[{_TAGS}])(?:{'|'.join(_fly())})",
)
# All of these but tab and newline, as far as ASCII goes.
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), 127))


def find_hidden(text: str) -> dict[int, list[str]]:
    """Name the hidden signs of each line by their codes, in their order; lines count from 1."""
    if _is_plain(text):
        return {}
    found = {
        number: [show_code(sign) for sign in _hidden_sign().findall(line)]
        for number, line in enumerate(text.split("\n"), start=1)
    }
    return {number: codes for number, codes in found.items() if codes}


def replace_hidden(text: str, show: Callable[[str], str]) -> str:
    """Replace each hidden character by what `show` returns."""
    return text if _is_plain(text) else _hidden_sign().sub(lambda found: show(found[0]), text)


def drop_unseen(text: str) -> str:
    """Drop every character without a glyph; for comparison only."""
    return _unseen_sign().sub("", text)


@lru_cache(maxsize=1_024)
def show_code(sign: str) -> str:
    """Name a sign by its code: <U+202E>."""
    return f"<U+{ord(sign):04X}>"


def _is_plain(text: str) -> bool:
    if text.isascii():
        return len(text.translate(_CONTROLS)) == len(text)
    return _unseen_sign().search(text) is None


@lru_cache(maxsize=1)
def _unseen_sign() -> re.Pattern[str]:
    return re.compile(f"[{_UNSEEN}]")


@lru_cache(maxsize=1)
def _hidden_sign() -> re.Pattern[str]:
    """Compile the rules when a text needs them: few do, and it takes milliseconds."""
    # A pattern that begins with a set is looked for at the speed of a scan.
    return re.compile(f"[{_UNSEEN}](?!{'|'.join(_IN_PLACE)})", re.DOTALL)
