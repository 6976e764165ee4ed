"""What a number without a unit measures: a version, a port, a status, or how many of something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word

_VERSIONED = word_set(
    """python node nodejs java jdk golang go rust ruby php tls ssl postgresql postgres mysql django
    react vue angular typescript version npm gcc cmake kubernetes macos ubuntu debian es
    ecmascript spring kotlin swift redis mongodb terraform helm chrome ios android sdk dotnet
    .net c++ openapi elasticsearch kafka rails laravel alpine"""
)


_MONTHS = word_set(
    """january february march april may june july august september october november december jan
    feb mar apr jun jul aug sep sept oct nov dec q1 q2 q3 q4"""
)


def is_date(words: Sequence[Word], index: int) -> bool:
    """Whether a number is part of a date."""
    text = words[index].text
    around = {words[place].text for place in (index - 1, index + 1) if 0 <= place < len(words)}
    if around & _MONTHS:
        return True
    year = len(text) == 4 and text.startswith(("19", "20"))
    dashed = index + 2 < len(words) and words[index + 1].text == "-"
    return year and (dashed or bool(around & {"in", "of", "since", "until", "by", "end"}))


def counted_by(words: Sequence[Word], index: int, last: int) -> tuple[str, frozenset[str]]:
    """What a number without a unit measures: a version, a port, or how many of something."""
    before = words[index - 1] if index else None
    if before is not None and before.text in ("port", "ports"):
        return "port", frozenset()
    if _is_status(words, index):
        return "status", frozenset()
    product = _version_of(words, index)
    if product is not None:
        return "version", product
    if before is not None and before.sort == "mark" and before.text in "#([":
        return "", frozenset()
    return "count", _things_counted(words, last)


def _things_counted(words: Sequence[Word], last: int) -> frozenset[str]:
    while last + 1 < len(words) and words[last + 1].text in _BETWEEN:
        last += 1
    if last + 1 < len(words) and words[last + 1].text in ("times", "time"):
        return frozenset(("time",))
    found: set[str] = set()
    for word in words[last + 1 : last + 4]:
        if word.sort != "word" or word.text in _STOPS:
            break
        found.add(word.concept)
    return frozenset(found)


_BETWEEN = frozenset(("or", "more", "of", "different", "separate"))


def _version_of(words: Sequence[Word], index: int) -> frozenset[str] | None:
    """The product whose version a number is; None where it is no version."""
    before = words[index - 1] if index else None
    if before is not None and (before.text in _VERSIONED or before.concept == "version"):
        return frozenset((before.concept,))
    if words[index].text.count(".") > 1:
        return frozenset((before.concept,) if before else ())
    near = words[max(0, index - 5) : index]
    linked = before is not None and before.text in ("is", "to", "of")
    if linked and any(word.concept == "version" for word in near):
        return frozenset(word.concept for word in words[:index] if word.text in _VERSIONED)
    return None


def _is_status(words: Sequence[Word], index: int) -> bool:
    text = words[index].text
    if len(text) != 3 or not "100" <= text < "600":
        return False
    before = words[index - 1].concept if index else ""
    after = words[index + 1].text if index + 1 < len(words) else ""
    return before in ("http", "status", "return", "code") or after in (
        "page", "error", "response", "status", "code",
    )  # fmt: skip


_STOPS = word_set(
    """in on at to for from with by and or but than the is are per of as when if during while
    before after because a an must should so not"""
)
