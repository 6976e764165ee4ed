"""Tell random strings from those that a person wrote."""

from __future__ import annotations

from dmm.redaction.patterns import later

_RUNS = later(r"[a-z]+|[A-Z]+|[0-9]+")
_PARTS = later(r"[A-Za-z0-9]+")
_UUID = later(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_DATE = later(r"\d{4}-?\d\d-?\d\d(?:T|\b)|\d\d:\d\d|v?\d+\.\d+")
_HEX = later(r"(?:0x)?[0-9a-fA-F]+\Z")
_WORDLIKE = later(r"[a-z]+(?:[-_.][a-z]+)*\Z|[A-Z]?[a-z]+\Z|[A-Z]+\Z|\d{0,4}\Z|[0-9a-f]+\Z")
_IDENTITY = later(r"[a-z]{2,12}[_-][A-Za-z0-9]+\Z")
_HUMPS = later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
_DIGIT = later(r"[0-9]")
_LETTER = later(r"[^\W\d_]")
_CAPITAL = later(r"[A-Z]")
_SMALL = later(r"[a-z]")
_SPECIAL = later(r"[!@#$%^&*+~?=]")

_ENOUGH = 16
OPAQUE = 40
_BARE_VARIETY = 6


def class_changes(value: str) -> int:
    """Count the changes between small letters, capitals and digits inside words."""
    return len(_RUNS.findall(value)) - len(_PARTS.findall(value))


def has_digit(value: str) -> bool:
    """Return whether a digit occurs."""
    return _DIGIT.search(value) is not None


def has_letter(value: str) -> bool:
    """Return whether a letter occurs."""
    return _LETTER.search(value) is not None


def is_uuid(value: str) -> bool:
    """Return whether a string is a UUID in its usual form."""
    return _UUID.match(value) is not None


def is_hex(value: str) -> bool:
    """Return whether a string has only hexadecimal digits."""
    return _HEX.match(value) is not None


def is_mixed(value: str, length: int = 6) -> bool:
    """Return whether a string mixes letters with digits or signs, as passwords do."""
    if len(value) < length or not has_letter(value):
        return False
    return has_digit(value) or _SPECIAL.search(value) is not None


def is_random(value: str, length: int = _ENOUGH) -> bool:
    """Return whether a value looks random, not like a name that a person chose."""
    letters = sum(map(len, _PARTS.findall(value)))
    if letters < length or is_pathlike(value):
        return False
    if has_digit(value) and class_changes(value) >= max(3, letters * 0.18):
        return True
    # Without digits: capitals come more often than words of a name would begin.
    if not (_CAPITAL.search(value) and _SMALL.search(value)):
        return False
    return len(_HUMPS.findall(value)) >= letters / 3


def is_pathlike(value: str) -> bool:
    """Return whether a value is a path or address made mostly of words."""
    steps = [step for step in value.split("/") if step]
    if "/" not in value or not steps:
        return False
    words = sum(1 for step in steps if _WORDLIKE.match(step.partition(".")[0]))
    return words * 2 > len(steps)


def is_opaque(value: str, length: int = OPAQUE) -> bool:
    """Return whether a value is random enough without a name; hex hashes are not."""
    if len(value) < length or is_hex(value) or is_pathlike(value):
        return False
    if not (has_digit(value) and _CAPITAL.search(value) and _SMALL.search(value)):
        return False
    return is_scrambled(value)


def is_scrambled(value: str) -> bool:
    """Return whether letters and digits alternate more than in any name."""
    letters = sum(map(len, _PARTS.findall(value)))
    return letters >= _ENOUGH and class_changes(value) >= letters * 0.4


def is_identity(value: str) -> bool:
    """Return whether a value is a record's id: a word for its kind and a short suffix."""
    return len(value) < OPAQUE and _IDENTITY.match(value) is not None


def is_torn(value: str) -> bool:
    """Return whether a value may be part of a random one: no word, number, date or hex hash."""
    if is_hex(value) or _DATE.match(value) or is_uuid(value) or is_pathlike(value):
        return False
    if has_digit(value) and has_letter(value):
        return class_changes(value) >= max(2, len(value) * 0.2)
    return len(_HUMPS.findall(value)) >= max(3, len(value) / 3)


def is_varied(value: str) -> bool:
    """Return whether a value is real rather than a placeholder of x or zeros."""
    return len(set(value)) >= _BARE_VARIETY
