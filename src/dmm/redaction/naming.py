"""Names that mark a value as secret, and how surely."""

from __future__ import annotations

from functools import lru_cache

from dmm.redaction.patterns import later, like, past, places_of
from dmm.redaction.randomness import is_scrambled
from dmm.redaction.tables import listed

TYPE_CHECKING = False

# How surely a name tells of a secret; a short number is all that is secret beside the last.
STRONG, MEDIUM, WEAK, NUMERIC = 4, 3, 2, 1

_STEMS = listed("stems")
PROPERTIES = frozenset(listed("properties"))
_GOING = frozenset(listed("going"))
_WORDS = later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
_NAME_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_TAIL = later(r"[\w-]{0,40}(?:\.[\w-]{1,40}){0,3}")
_SECOND = later(r" (?:[Pp]hrase|[Cc]ode|[Kk]ey|KEY)s?(?![A-Za-z])")
# A word of its own before the name: API key.
_FIRST = later(r"([A-Za-z]{2,16} )(?i:key|phr)\Z")
_LAST_WORD = later(r"([A-Za-z']{2,12})[ -]\Z")
_LONGEST_BEFORE = 40
_LONG_NAME = 16
_CODE = later(r"[A-Za-z0-9+/_-]*")
_CODE_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"


class Name:
    """A name in a text: what kind of secret it tells of, how surely, and where it ends."""

    __slots__ = ("end", "label", "level", "start", "whole")

    def __init__(self, whole: str, start: int, end: int, label: str, level: int) -> None:
        self.whole = whole
        self.start = start
        self.end = end
        self.label = label
        self.level = level


def _any_of(section: str) -> str:
    return f"(?:{'|'.join(listed(section))})"


# Names as they are compared: all their words in one, and then each of them: "apikey api key ".
_ASIDE = rf"(?!\S*secretid )(?=.* {_any_of('aside')} \Z)"
_PASSWORD = rf"(?=\S*{_any_of('passwords')}|.*(?:pass|pwd) |.* (?:pw|pws|pwds|passe|psk) )"
# What a name tells of the value beside it: the first that fits, a label and how surely.
_KINDS = (
    (like(rf"\S*{_any_of('harmless')}"), None),
    (like(_PASSWORD + _ASIDE), ("password", WEAK)),
    (like(_PASSWORD), ("password", STRONG)),
    (like(rf"(?=\S*secret)(?:{_ASIDE}|.* secrets \Z)"), ("secret", WEAK)),
    (like(r"\S*secret"), ("secret", STRONG)),
    (like(rf"(?!\S*sessionid ){_ASIDE}"), None),
    (like(rf"\S*{_any_of('keys')}key"), ("key", MEDIUM)),
    (like(rf"(?=\S*token)\S* {_any_of('counting')} (?:.* )?tokens? \Z"), None),
    (like(r"\S*token"), ("token", MEDIUM)),
    (like(r"\S*credential|.* creds "), ("credential", MEDIUM)),
    (like(r".* (?:pin|cvv|cvc|otp) "), ("pin", NUMERIC)),
    (like(r".*(?: (?:o?auth|authorization|authentication|signature|sig|hmac|salt|sid|sessid"
          r"|jsessionid|phpsessid)|key) \Z|.* jwt |\S*sessionid "), ("key", WEAK)),
)  # fmt: skip


@lru_cache(maxsize=2048)
def classify(whole: str) -> tuple[str, int] | None:
    """Return what a name says about the value beside it: a label and how surely it is secret."""
    own = whole.rpartition(".")[2]
    told = _classify(own)
    return _classify(whole) if told is None and own != whole else told


def _classify(whole: str) -> tuple[str, int] | None:
    words = [word.lower() for word in _WORDS.findall(whole)]
    written = f"{''.join(words)} {' '.join(words)} "
    return next((kind for told, kind in _KINDS if told(written)), None)


def is_verb(text: str, name: Name) -> bool:
    """Return whether "pass" is the ordinary word, as in "to make the tests pass"."""
    if not name.whole.endswith(("pass", "Pass")):
        return False
    place = name.end - len("pass")
    before = _LAST_WORD.search(text[max(0, place - 16) : place])
    return before is not None and before[1].lower() in _GOING


def stems_in(lowered: str) -> list[tuple[int, int]]:
    """Find the beginnings of telling words in a text of small letters, with their lengths."""
    return sorted(
        (place, len(stem))
        for stem in _STEMS
        if stem in lowered
        for place in places_of(lowered, stem)
    )


def _is_chance(text: str, start: int, end: int) -> bool:
    """Return whether the letters of a name stand by chance in something random."""
    if end - start < _LONG_NAME and text[start - 1 : start] not in ("+", "/"):
        return False
    before = text[max(0, start - _LONGEST_BEFORE) : start]
    first = start - len(before) + len(before.rstrip(_CODE_SIGNS))
    last = past(_CODE, text, end, end + _LONGEST_BEFORE)
    return is_scrambled(text[first:last])


def name_at(text: str, place: int, length: int) -> Name:
    """Read the whole name that a telling word is part of; its level is 0 where it tells nothing."""
    before = text[max(0, place - _LONGEST_BEFORE) : place]
    start = place - len(before) + len(before.rstrip(_NAME_SIGNS))
    end = past(_TAIL, text, place + length)
    last = past(_SECOND, text, end)
    whole = text[start:last]
    if before.endswith(" "):
        first = _FIRST.search(text, max(0, start - 17), place + 3)
        whole = whole if first is None else first[1] + whole
    label, level = ("", 0) if _is_chance(text, start, last) else classify(whole) or ("", 0)
    return Name(whole, start, last, label, level)
