"""What a number without a unit measures: a version, a port, a status, or how many of something."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from dmm.conflicts.settings import things_named
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word

_VERSIONED = word_set(
    """python node nodejs node.js deno bun java jdk jre jvm golang go rust rustc msrv ruby php perl
    lua julia ghc haskell scala elixir erlang dart flutter kotlin swift xcode typescript version
    release tls ssl postgresql postgres mysql mariadb sqlite redis mongodb elasticsearch kafka
    django flask fastapi pydantic sqlalchemy numpy pandas pytest react vue angular svelte next.js
    nextjs vite webpack eslint electron bootstrap tailwind jquery spring boot rails laravel
    symfony npm yarn pnpm pip poetry gcc clang llvm cmake glibc cuda opengl vulkan gradle maven
    junit kubernetes terraform helm docker macos ubuntu debian rhel centos fedora alpine windows
    chrome firefox safari ios android sdk dotnet .net c++ es ecmascript openapi bash"""
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
        return not (text.isdecimal() and len(text) <= 2 and int(text) > _LAST_DAY)
    near = {word.text for word in words[max(0, index - 3) : max(0, index - 1)]}
    dated = bool(near & _MONTHS)
    if dated and len(text) == _YEAR and words[index - 1].sort in ("number", "mark"):
        return True
    year = len(text) == _YEAR and text.startswith(("19", "20")) and text.isdecimal()
    after = words[index + 1] if index + 1 < len(words) else None
    ends = after is None or after.sort == "mark"
    return year and bool(around & _BEFORE_YEAR) and (ends or bool(around & {"since", "until"}))


_LAST_DAY, _YEAR = 31, 4


def is_part_of_year(words: Sequence[Word], index: int) -> bool:
    """ "The first half of 2025", "the third quarter of 2024": no share, and no count either."""
    place = index + 2 if words[index].text in _PARTS else index
    if place >= len(words) or place < _SHORTEST or words[place - 1].text != "of":
        return False
    text = words[place].text
    year = len(text) == _YEAR and text.startswith("20") and text.isdecimal()
    return year and words[place - 2].text in _PARTS


_PARTS = word_set("half quarter end start beginning rest whole all middle summer course")
_SHORTEST = 2
_BEFORE_YEAR = word_set("in of since until by end before after from")


def counted_by(words: Sequence[Word], index: int, last: int) -> tuple[str, frozenset[str]]:
    """What a number without a unit measures: a version, a port, or how many of something."""
    before = words[index - 1] if index else None
    if _is_port(words, index):
        return "port", frozenset()
    if _is_status(words, index):
        return "status", frozenset()
    product = _version_of(words, index)
    if product is not None:
        return "version", product
    if before is not None and before.sort == "mark" and before.text in "#([":
        return "", frozenset()
    if _is_ratio(words, index):
        return "share", frozenset()
    if _is_width(words, last):
        return "text", frozenset()
    return "count", _things_counted(words, last) or things_named(words, index)


def _is_port(words: Sequence[Word], index: int) -> bool:
    """ "Port 8080", "localhost:8080", "listens on 8080"."""
    text = words[index].text
    before = words[index - 1].text if index else ""
    if before in ("port", "ports"):
        return True
    if not text.isdecimal() or not _FIRST_PORT <= len(text) <= _LAST_PORT:
        return False
    near = {word.text for word in words[max(0, index - 4) : index]}
    if before in ("on", "at", "is", "to") and near & _LISTENING:
        return True
    joined = before == ":" and words[index - 1].span[1] == words[index].span[0]
    return joined and index > 1 and words[index - 2].span[1] == words[index - 1].span[0]


_FIRST_PORT, _LAST_PORT = 2, 5
_LISTENING = word_set("listen listens listening port bind binds bound exposed")


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


_BETWEEN = frozenset(("or", "more", "of", "different", "separate", "additional", "other")) | {
    "fewer", "less", "newer",
}  # fmt: skip


def _version_of(words: Sequence[Word], index: int) -> frozenset[str] | None:
    """The product whose version a number is; None where it is no version."""
    place = index - 1
    while place >= 0 and words[place].text in _BEFORE_VERSION:
        place -= 1
    before = words[place] if place >= 0 else None
    if before is not None and (before.text in _VERSIONED or before.concept == "version"):
        return frozenset(("golang" if before.text == "go" else before.concept,))
    if words[index].text.count(".") > 1 or words[index].text.endswith(".x"):
        return product_before(words, index)
    near = words[max(0, index - 6) : index]
    direct = words[index - 1].text if index else ""
    linked = direct in ("is", "to", "of", "at", "least", "below") or direct in _BEFORE_VERSION
    if linked and any(word.concept == "version" or word.text == "msrv" for word in near):
        return frozenset(word.concept for word in near if word.text in _VERSIONED)
    return None


def product_before(words: Sequence[Word], index: int) -> frozenset[str]:
    """The word before a version that names what it is a version of."""
    for word in reversed(words[max(0, index - 3) : index]):
        if word.sort == "name" or (word.sort == "word" and word.text not in _STOPS):
            return frozenset((word.concept,))
    return frozenset()


_BEFORE_VERSION = word_set(">= > <= < = == ^ ~ \u2265 \u2264 v version")


def _is_status(words: Sequence[Word], index: int) -> bool:
    text = words[index].text
    if text not in _STATUSES:
        return False
    after = words[index + 1] if index + 1 < len(words) else None
    if after is not None and after.text in _AFTER_STATUS:
        return True
    ended = after is None or after.sort == "mark"
    if ended and text[0] in "45" and index and words[index - 1].text in ("with", "by", "a"):
        return True
    place = index - 1
    while place >= 0 and words[place].text in ("a", "an", "the", "with", "as", "of", "is"):
        place -= 1
    if place < 0 or words[place].concept not in _BEFORE_STATUS:
        return False
    told = words[place].concept in ("http", "status")
    return told or after is None or after.sort == "mark" or after.text in _STOPS


_STATUSES = frozenset(str(status.value) for status in HTTPStatus)
_BEFORE_STATUS = word_set("http status return code answer respond response")
_AFTER_STATUS = word_set("page error errors response responses status code codes")


def _is_ratio(words: Sequence[Word], index: int) -> bool:
    """ "A sample rate of 0.1": a number from 0 to 1 of something that is a share."""
    text = words[index].text
    if not (text.startswith(("0.", "1.0")) or "e-" in text):
        return False
    return any(word.text in _RATIOS for word in words[max(0, index - 5) : index])


_RATIOS = word_set("ratio rate fraction probability share proportion sampling confidence threshold")


def _is_width(words: Sequence[Word], last: int) -> bool:
    """ "100 columns" of a line: as many characters."""
    while last + 1 < len(words) and words[last + 1].text in _BETWEEN:
        last += 1
    following = words[last + 1].text if last + 1 < len(words) else ""
    if following in ("character", "characters", "chars"):
        return True
    if following not in ("column", "columns", "cols", "columns wide"):
        return False
    return any(
        word.concept == "line-length" or word.text in _WIDE
        for word in words[max(0, last - _CLAUSE) : last + _CLAUSE]
    )


_CLAUSE = 40
_WIDE = word_set("wrap wraps wrapped lines line code")


_STOPS = word_set(
    """in on at to for from with by and or but than the is are per of as when if during while
    before after because above beyond a an must should so not instead unless until every each then
    max maximum min minimum tops"""
)
