"""Recognise names that mark a value as secret, and how surely."""

from __future__ import annotations

from functools import lru_cache

from dmm.redaction.patterns import later, places_of
from dmm.redaction.randomness import is_scrambled
from dmm.redaction.tables import listed

TYPE_CHECKING = False

STRONG, MEDIUM, WEAK = 3, 2, 1

_STEMS = listed("stems")
_PASSWORDS = listed("passwords")
_PASSWORD_WORDS = frozenset({"pass", "pwd", "pw", "pws", "pwds", "passe", "psk"})
_KEYS = tuple(f"{kind}key" for kind in listed("keys"))
_HARMLESS = listed("harmless")
_COUNTING = frozenset(listed("counting"))
_ASIDE = frozenset(listed("aside"))
PROPERTIES = frozenset(listed("properties"))
_GOING = frozenset(listed("going"))
_PINS = frozenset({"pin", "cvv", "cvc", "otp"})
_WEAK_WORDS = frozenset({
    "auth", "oauth", "authorization", "authentication", "signature", "sig", "hmac", "salt", "sid",
    "sessionid", "sessid", "jsessionid", "phpsessid",
})  # fmt: skip
_WORDS = later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
_NAME_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_TAIL = later(r"[\w-]{0,40}(?:\.[\w-]{1,40}){0,3}")
_SECOND = later(r" (?:[Pp]hrase|[Cc]ode|[Kk]ey|KEY)s?(?![A-Za-z])")
_FIRST = later(r"[A-Za-z]{2,16} \Z")
_LAST_WORD = later(r"([A-Za-z']{2,12})[ -]\Z")
_LONGEST_BEFORE = 40
_LONG_NAME = 16
_CODE_BEFORE = later(r"[A-Za-z0-9+/_-]*\Z")
_CODE_AFTER = later(r"[A-Za-z0-9+/_-]*")


class Name:
    """A name in a text: the kind of secret it reveals, how surely, and where it ends."""

    __slots__ = ("end", "label", "level", "start", "whole")

    def __init__(self, whole: str, start: int, end: int, label: str, level: int) -> None:
        self.whole = whole
        self.start = start
        self.end = end
        self.label = label
        self.level = level


@lru_cache(maxsize=2048)
def classify(whole: str) -> tuple[str, int] | None:
    """Return what a name says about the value beside it: a label and how surely it is secret."""
    own = whole.rpartition(".")[2]
    return (_classify(own) if own != whole else None) or _classify(whole)


def _classify(whole: str) -> tuple[str, int] | None:
    words = [word.lower() for word in _WORDS.findall(whole)]
    joined = "".join(words)
    if not words or any(part in joined for part in _HARMLESS):
        return None
    aside = words[-1] in _ASIDE and joined[-8:] != "secretid"
    if _is_password(words, joined):
        return "password", WEAK if aside else STRONG
    if "secret" in joined:
        return "secret", WEAK if aside or words[-1] == "secrets" else STRONG
    if aside and joined[-9:] != "sessionid":
        return None
    return _classify_others(words, joined)


def _is_password(words: list[str], joined: str) -> bool:
    if any(part in joined for part in _PASSWORDS) or not _PASSWORD_WORDS.isdisjoint(words):
        return True
    return any(word.endswith(("pass", "pwd")) for word in words)


def _classify_others(words: list[str], joined: str) -> tuple[str, int] | None:
    if any(part in joined for part in _KEYS):
        return "key", MEDIUM
    if "token" in joined:
        counts = words[0] in _COUNTING and words[-1] in ("token", "tokens")
        return None if counts else ("token", MEDIUM)
    if "creds" in words or "credential" in joined:
        return "credential", MEDIUM
    if not _PINS.isdisjoint(words):
        return "pin", WEAK
    if words[-1] in _WEAK_WORDS or words[-1].endswith("key") or "jwt" in words:
        return "key", WEAK
    return ("key", WEAK) if joined.endswith("sessionid") else None


def is_verb(text: str, name: Name) -> bool:
    """Return whether "pass" is the ordinary word, as in "to make the tests pass"."""
    if not name.whole.endswith(("pass", "Pass")):
        return False
    place = name.end - len("pass")
    before = _LAST_WORD.search(text[max(0, place - 16) : place])
    return before is not None and before[1].lower() in _GOING


def stems_in(lowered: str) -> list[tuple[int, int]]:
    """Find the stems of revealing words in a lower-case text, with their lengths."""
    return sorted(
        (place, len(stem))
        for stem in _STEMS
        if stem in lowered
        for place in places_of(lowered, stem)
    )


def _is_chance(text: str, start: int, end: int) -> bool:
    """Return whether the letters of a name are a chance part of something random."""
    if end - start < _LONG_NAME and text[start - 1 : start] not in ("+", "/"):
        return False
    before = _CODE_BEFORE.search(text, max(0, start - _LONGEST_BEFORE), start)
    after = _CODE_AFTER.match(text, end, end + _LONGEST_BEFORE)
    first = start if before is None else before.start()
    return is_scrambled(text[first : end if after is None else after.end()])


def name_at(text: str, place: int, length: int) -> Name:
    """Return the whole name around a revealing word; its level is 0 if it reveals nothing."""
    tail = _TAIL.match(text, place + length)
    end = place + length if tail is None else tail.end()
    before = text[max(0, place - _LONGEST_BEFORE) : place]
    start = place - len(before) + len(before.rstrip(_NAME_SIGNS))
    second = _SECOND.match(text, end)
    end = end if second is None else second.end()
    whole = text[start:end]
    if start == place and text[place : place + 3].lower() in ("key", "phr"):
        word = _FIRST.search(text[max(0, start - 17) : start])
        whole = (word[0] if word else "") + whole
    label, level = ("", 0) if _is_chance(text, start, end) else classify(whole) or ("", 0)
    return Name(whole, start, end, label, level)
