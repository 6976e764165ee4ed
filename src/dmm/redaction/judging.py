"""Decide whether a named value is a secret, by name, notation and value."""

from __future__ import annotations

from dmm.redaction.carriers import is_login
from dmm.redaction.naming import MEDIUM, NUMERIC, STRONG, WEAK, Name
from dmm.redaction.patterns import later, like
from dmm.redaction.randomness import is_random, is_uuid
from dmm.redaction.values import (
    Judge,
    is_bare_key,
    is_bare_secret,
    is_keylike,
    is_made_secret,
    is_made_up,
    is_passed_secret,
    is_placeholder,
    is_quoted_key,
    is_quoted_secret,
    is_set_secret,
    is_spoken_key,
    is_spoken_secret,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dmm.redaction.values import Trait

_SETTING = later(
    r"\b(?:set|config|configure|put|write|add)[ \t]{1,4}(?:-{1,2}[\w-]+[ \t]{1,4})?\S{0,80}\Z"
)
# What can only set a value, by what stands before the name, the name, the link, the value and
# the rest of the line.
_SETS = later(
    # NAME=value
    r"[^\0]*\0(?=[^\0]*[A-Z])[^\0a-z]*\0[^\0 \n]*(=)[^\0 \n]*\0"
    # --name value and ?name=value
    r"|[^\0]*\0-[^\0]*\0[^\0\n]*\0[^-]|[^\0]*[?&;]\0[^\0]*\0[^\0\n]*\0"
    # name=value, but for an argument in code, and a line of name: value
    r"|[^\0]*\0[^\0]*\0=\0(?![^\0]*\0[(.\[])(?![^\0\d]*\0[,)])"
    r"|[^\0]*\0[^\0]*\0[ \t]*:[ \t]*\0[^\0]*\0[ \t\r\\}]*(?:[\"'`]|\Z)"
)
_PLACES = ("setting", "variable", "assign")
_is_given_secret = Judge((), is_keylike, is_spoken_secret)
_is_given_key = Judge((), is_keylike, is_spoken_key)
_is_never = Judge(())
_is_number = like(r"[0-9]{3,8}\Z")
_is_weak = Judge((is_placeholder, is_uuid), is_random, is_login)
_is_weak_variable = Judge((is_placeholder, is_uuid), is_random, is_login, is_made_up)
# How a value is judged that is known from its start to its end, by how surely its name tells of a
# secret and by how the two are written; the first is for all that are not listed.
_TEXTS: dict[int, dict[str, Trait]] = {
    STRONG: {
        "": is_quoted_secret, "call": is_made_secret, "argument": is_made_secret,
        "passed": is_passed_secret,
    },
    MEDIUM: {"": is_quoted_key, "variable": is_quoted_secret},
    WEAK: {"": _is_weak},
    NUMERIC: {"": _is_number},
}  # fmt: skip
# The same for a value without quotes.
_WORDS: dict[int, dict[str, Trait]] = {
    STRONG: {
        "": is_bare_secret, "setting": is_set_secret, "variable": is_set_secret,
        "markup": is_quoted_secret, "cell": is_quoted_secret, "bar": is_spoken_secret,
        "prose": is_spoken_secret, "beside": is_spoken_secret, "given": _is_given_secret,
    },
    MEDIUM: {
        "": is_bare_key, "markup": is_quoted_key, "cell": is_quoted_key, "bar": is_spoken_secret,
        "prose": is_spoken_secret, "beside": is_spoken_key, "given": _is_given_key,
    },
    WEAK: {"": _is_weak, "variable": _is_weak_variable, "prose": _is_never, "beside": _is_never,
           "given": _is_never},
    NUMERIC: {"": _is_number, "beside": _is_never, "given": _is_never},
}  # fmt: skip


def is_secret_text(value: str, name: Name, notation: str) -> bool:
    """Judge a value that is known from its start to its end: in quotes, or plain data."""
    judges = _TEXTS[name.level]
    return judges.get(notation, judges[""])(value)


def is_secret_word(text: str, start: int, value: str, name: Name, notation: str, link: str) -> bool:
    """Judge a value without quotes, also by the link to its name and by what stands around it."""
    place = _place_of(text, start, value, name, notation, link)
    passed = name.whole == "PASS" and "=" not in link  # as a test does
    judges = _WORDS[WEAK if passed else name.level]
    return judges.get(place, judges[""])(value)


def _place_of(text: str, start: int, value: str, name: Name, notation: str, link: str) -> str:
    """Tell more of a notation: a setting, or a command that sets a name to the next word."""
    option = name.whole.startswith("-") and name.level > WEAK
    if notation == "assign" or (option and notation == "beside"):
        before = text[max(0, name.start - 1) : name.start]
        rest = text[start + len(value) : start + len(value) + 80].partition("\n")[0]
        written = f"{before}\0{name.whole}\0{link}\0{value}\0{rest}"
        found = _SETS.match(written)
        return _PLACES[-1 if found is None else found.lastindex or 0]
    if notation == "beside" and _SETTING.search(text, max(0, name.start - 120), name.start):
        return "given"
    return notation
