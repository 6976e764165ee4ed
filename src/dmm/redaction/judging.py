"""Decide whether a named value is a secret, by name, notation and value."""

from __future__ import annotations

from dmm.redaction.carriers import is_login
from dmm.redaction.naming import STRONG, WEAK, Name
from dmm.redaction.patterns import later
from dmm.redaction.randomness import has_digit, is_mixed, is_random, is_uuid
from dmm.redaction.values import (
    is_bare_secret,
    is_keylike,
    is_placeholder,
    is_quoted_secret,
    is_spoken_secret,
)

_SETTING = later(
    r"\b(?:set|config|configure|put|write|add)[ \t]{1,4}(?:-{1,2}[\w-]+[ \t]{1,4})?\S{0,80}\Z"
)
_SIGN = later(r"[!#$%^&*?]")


def is_secret_text(value: str, name: Name, notation: str) -> bool:
    """Return whether a value with known bounds (quoted, or plain data) is a secret."""
    if name.level == WEAK:
        return _is_weak_secret(value, name)
    strong = name.level == STRONG and (notation != "call" or name.label == "password")
    if notation == "passed":
        return has_digit(value) and is_spoken_secret(value)
    if notation in ("call", "prose", "argument") and not is_mixed(value) and not is_random(value):
        return notation == "prose" and strong and is_quoted_secret(value, strong=True)
    return is_quoted_secret(value, strong=strong)


def _is_weak_secret(value: str, name: Name) -> bool:
    if name.label == "pin":
        return value.isdigit() and 3 <= len(value) <= 8
    if is_placeholder(value) or is_uuid(value):
        return False
    return is_random(value) or (name.whole.lower().endswith("auth") and is_login(value))


def is_setting(value: str, name: Name) -> bool:
    """Return whether this sets an environment variable for a secret."""
    return name.whole.isupper() and name.level > WEAK and is_quoted_secret(value, strong=True)


def is_secret_word(text: str, start: int, value: str, name: Name, notation: str, link: str) -> bool:
    """Return whether an unquoted value is a secret, also by the text around it."""
    after = text[start + len(value) : start + len(value) + 1]
    if "==" in link or "!=" in link:
        return False
    if link.isspace() and name.level > WEAK and _is_set(text, name) and is_keylike(value):
        return True
    if name.label == "key" and "=" in link and name.whole.isupper() and _is_made_up(value):
        return True
    if name.level == WEAK or (name.whole == "PASS" and "=" not in link):
        told = notation != "prose" or (name.label == "pin" and link.strip() != "")
        return told and _is_weak_secret(value, name)
    strong = name.level == STRONG
    if (notation == "prose" and (link.strip() or not _is_flag(text, name))) or "|" in link:
        spoken = link.strip() != "" or name.level == STRONG or is_random(value, 12)
        return spoken and "\n" not in link and is_spoken_secret(value)
    if value.isdigit():
        return strong and len(value) > 3 and name.label == "password" and "\n" not in link
    if notation in ("markup", "cell"):
        return is_quoted_secret(value, strong=strong)
    return is_bare_secret(value, strong=strong, tight=_is_tight(text, name, link, after, value))


def _is_made_up(value: str) -> bool:
    """Return whether a value looks like a made-up password: with a sign, a digit and a letter."""
    return _SIGN.search(value) is not None and has_digit(value) and is_spoken_secret(value)


def _is_set(text: str, name: Name) -> bool:
    """Return whether a command sets this name to the next word: npm config set name value."""
    return _SETTING.search(text, max(0, name.start - 120), name.start) is not None


def _is_flag(text: str, name: Name) -> bool:
    return name.whole.startswith("-") or text[name.start - 2 : name.start] == "--"


def _is_tight(text: str, name: Name, link: str, after: str, value: str) -> bool:
    """Return whether this can only set a value: of the environment, an option or a setting."""
    if "\n" in link or "|" in link:
        return False
    if name.whole.isupper() and "=" in link and " " not in link:
        return True
    if _is_flag(text, name):
        return value[0] != "-"
    before = text[name.start - 1 : name.start]
    if before in ("?", "&", ";"):
        return True
    written = after in (",", ")") and not has_digit(value)  # as an argument in code
    if written or after in ("(", ".", "[") or name.label != "password":
        return False
    if link == "=":
        return True
    behind = name.end + len(link) + len(value)
    rest = text[behind : behind + 80].split("\n", 1)[0].strip(" \t\r\\}")
    return link.strip() == ":" and rest[:1] in ("", '"', "'", "`")
