"""Words by which a memory shows its stance, its reach and its time, whatever it speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.conflicts.field import Told, told_in
from dmm.conflicts.sentences import headings_and_sentences
from dmm.conflicts.terms import tells
from dmm.conflicts.vocabulary import GENERIC
from dmm.conflicts.words import words_of

if TYPE_CHECKING:
    from dmm.domain.memory import Memory


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split('; '))})\b", re.IGNORECASE)


_DENIES = re.compile(
    r"\b(?:not|no|never|without|nobody|nothing|none|cannot|unless|except|neither|nor)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_MARKS = {
    "exclusive": _any_of(
        "only; solely; exclusively; alone; nothing (?:but|else); no other; nowhere else; sole"
        "; the one (?:way|place)"
    ),
    "universal": _any_of(
        "all; every; everything; everyone; everywhere; always; any; each; whole; entire; whatever"
        "; regardless; without exception; no exceptions?; included; including"
    ),
    "allows": _any_of(
        "may; can; allowed; fine; ok; okay; permitted; free to; optional; enough; suffices"
        "; acceptable"
    ),
    "forbids": _any_of(
        "forbidden; banned; ban; prohibited; avoid; refuse[sd]?; rejected; blocked; not allowed"
        "; must not; disallowed; off limits; off-limits"
    ),
    "requires": _any_of(
        "must; has to; have to; required; requires?; needs?; mandatory; always; demands?"
    ),
    "past": _any_of(
        "was; were; used to; formerly; historic; history; obsolete; old; earlier; previous(?:ly)?"
        "; before; dropped; retired; replaced; superseded; deprecated; migrated; no longer; moved"
        "; gone; until; since; as of; sunset"
    ),
    "timed": _any_of(
        "until; till; through; from; since; during; between; as of; starting; after; before"
        "; january; february; march; april; june; july; august; september; october; november"
        "; december; q[1-4]; quarter; week; sprint; 20[23]\\d"
    ),
    "excepts": _any_of(
        "except; unless; apart from; other than; besides; but for; exempt\\w*; exception"
    ),
    "reasons": _any_of("because; since; so that; otherwise; reason"),
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAMED = re.compile(
    r"`([^`]{1,80})`|\b([\w-]+(?:[_./:][\w-]+)+)|\b([A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}\w*)\b"
    r"|(?<!^)(?<![.!?:] )\b([A-Z][a-z]+\w*)\b"
)
_LONGEST = 4_000
_MOST_WORDS = 60


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands out in the text of one memory."""

    told: frozenset[str]
    denials: int
    numbers: frozenset[str]
    names: frozenset[str]
    concepts: frozenset[str]

    @property
    def weight(self) -> float:
        """How much all that is told weighs; a word that most texts have counts little."""
        return weigh(self.concepts)


def weigh(told: frozenset[str]) -> float:
    """How much words weigh together."""
    return sum(_LIGHT if concept in GENERIC else 1.0 for concept in told)


_LIGHT = 0.3


def marks_of(memory: Memory) -> Marks:
    """Read the marks of a memory."""
    return _read(memory.title, memory.body)


@lru_cache(maxsize=2_048)
def _read(title: str, body: str) -> Marks:
    _, sentences = headings_and_sentences(body[:_LONGEST])
    text = " ".join(sentences)
    telling = [word for word in words_of(f"{title}. {text}") if tells(word)][:_MOST_WORDS]
    return Marks(
        told=frozenset(name for name, pattern in _MARKS.items() if pattern.search(text)),
        denials=len(_DENIES.findall(text)),
        numbers=frozenset(_NUMBER.findall(text)),
        names=frozenset(
            name.lower() for found in _NAMED.finditer(text) for name in found.groups() if name
        ),
        concepts=frozenset(word.concept for word in telling),
    )


def field_of(memory: Memory) -> Told:
    """Read what a memory says in the words of the trade."""
    return _tell(memory.title, memory.body)


@lru_cache(maxsize=2_048)
def _tell(title: str, body: str) -> Told:
    _, sentences = headings_and_sentences(body[:_LONGEST])
    return told_in(f"{title}. {' '.join(sentences)}")
