"""Places and names that keep two claims apart: other folders, files and ends of a wire."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.conflicts.meetings import is_known, makes_place_a_choice

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.meetings import Meeting
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.terms import Term


def sites_apart(m: Meeting) -> bool:
    """Whether two claims hold of other ends of a wire, in other places, or of other files."""
    if _wires_apart(m.one, m.other):
        return True
    if m.one.only or m.other.only:
        return False
    return _there_apart(m) or _are_siblings(m.one.text, m.other.text) or _files_apart(m)


def _wires_apart(one: Claim, other: Claim) -> bool:
    """ "From the app to the broker", "from the broker to the store": what is an end is a start."""
    mine, yours = _at(one, "source"), _at(other, "source")
    if not mine or not yours or mine & yours:
        return False
    here, there = _at(one, "place"), _at(other, "place")
    # Both ways between the same two is one wire turned round.
    return bool(mine & there) != bool(yours & here)


def _at(claim: Claim, slot: str) -> set[str]:
    return {t.concept for t in claim.terms if t.slot == slot}


_TELLING = 0.5


def _there_apart(m: Meeting) -> bool:
    """ "Reviews are optional there", "reviews are mandatory there": each means its own place."""
    if not (_points(m.one) or _points(m.other)):
        return False
    if makes_place_a_choice(m.one) or makes_place_a_choice(m.other):
        return False
    mine, yours = _sites(m.one, m.first), _sites(m.other, m.second)
    own = [t for t in mine if not is_known(t, m.second)]
    rest = [t for t in yours if not is_known(t, m.first)]
    if not own or not rest:
        return False
    return not any(_are_related(a.text, b.text) for a in mine for b in yours if _are_own(a, b))


def _are_own(a: Term, b: Term) -> bool:
    return "/" in a.text or "/" in b.text


def _points(claim: Claim) -> bool:
    return "there" in claim.text and _THERE.search(claim.text) is not None


_THERE = re.compile(
    r"(?<!over )\bthere\b(?! (?:is|are|was|were|will|has|have|can|may|must|should)\b)"
)


def _sites(claim: Claim, reading: Reading) -> list[Term]:
    """Where a claim holds; "there" is where one before it does."""
    own = _placed(claim)
    if own or not _points(claim):
        return own
    for place, told in enumerate(reading.claims):
        if told is claim:
            before = reversed(reading.claims[:place])
            return next((sites for earlier in before if (sites := _placed(earlier))), [])
    return []


def _placed(claim: Claim) -> list[Term]:
    return [t for t in claim.terms if t.slot == "place" and t.weight > _TELLING]


_NAME = re.compile(r"(?<![\w./@-])\w[\w@]*(?:[/.-][\w@]+)+(?![\w/-])")


def _are_siblings(one: str, other: str) -> bool:
    """ "acme-core" is not "acme-core-docs", nor "proxy.conf" "proxy.conf.j2"."""
    mine, yours = _names_in(one), _names_in(other)
    if not mine or not yours or mine & yours:
        return False
    return any(_extends(a, b) or _extends(b, a) for a in mine for b in yours)


@lru_cache(maxsize=4096)
def _names_in(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in _NAME.findall(text))


def _extends(long: str, short: str) -> bool:
    return long.startswith((short + "-", short + "."))


def _files_apart(m: Meeting) -> bool:
    """ "Never edit files under gen/", "edit gen.yaml": what is done to one is not to the other."""
    if m.one.negative == m.other.negative or m.one.sweeping or m.other.sweeping:
        return False
    mine, yours = _files_of(m.one), _files_of(m.other)
    if not mine or not yours or _are_related(mine[0], yours[0]):
        return False
    if makes_place_a_choice(m.one) or makes_place_a_choice(m.other):
        return False
    ordered = _commands(m.one) and _commands(m.other)
    return ordered or not any(_are_related(a, b) for a in mine for b in yours)


def _commands(claim: Claim) -> bool:
    return bool(claim.terms) and claim.terms[0].slot == "verb"


def _files_of(claim: Claim) -> list[str]:
    """The files and folders that a claim names, in its order."""
    lowered = claim.text.lower()
    return [name for t in claim.terms if (name := _file_name(t, lowered))]


def _file_name(term: Term, sentence: str) -> str:
    text = term.text
    if "/" in text or (_FILE.fullmatch(text) is not None):
        return text
    return f"{text}/" if f"{text}/" in sentence else ""


_FILE = re.compile(r"[\w-]{0,60}(?:\.[a-z][a-z0-9]{0,9}){1,3}")


def _are_related(one: str, other: str) -> bool:
    """Whether two paths are one, or one lies in the other or ends with it."""
    a, b = one.strip("/"), other.strip("/")
    if one.endswith("/") != other.endswith("/") and "." in one + other and "/" not in a + b:
        return False
    short, long = sorted((a, b), key=len)
    return long == short or long.startswith(short + "/") or long.endswith("/" + short)
