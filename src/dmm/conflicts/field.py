"""What people of the trade call the same, and which answers of theirs exclude one another."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from dmm.conflicts.vocabulary import forms_of
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FIELD_VERSION = 1


class Told(NamedTuple):
    """The concepts that a text speaks of, each in its words, and the answers that it gives."""

    words: Mapping[str, frozenset[str]]
    answers: Mapping[str, int]


class _Phrase(NamedTuple):
    """A phrase of the table; `answers` is how many answers its question has, 0 for a concept."""

    words: tuple[str, ...]
    name: str
    answer: int
    answers: int


class _Start(NamedTuple):
    """The phrases that begin with a word: those of it alone, and the others by their second."""

    single: tuple[_Phrase, ...]
    longer: Mapping[str, list[_Phrase]]


def told_in(text: str) -> Told:
    """The concepts of the trade that a text speaks of, and how it answers what is in question.

    A text that gives both answers to a question gives none.
    """
    words: dict[str, set[str]] = {}
    answers: dict[str, set[int]] = {}
    for clause in _clauses(text):
        for place, phrase in _phrases_in(clause):
            if not phrase.answers:
                words.setdefault(phrase.name, set()).add(" ".join(phrase.words))
                continue
            answer = _answer(clause, place, phrase)
            if answer is not None:
                answers.setdefault(phrase.name, set()).add(answer)
    return Told(
        {name: frozenset(said) for name, said in words.items()},
        {name: min(given) for name, given in answers.items() if len(given) == 1},
    )


def other_words(one: Told, other: Told) -> int:
    """How many concepts both texts speak of in other words: a DLQ, the dead-letter topic."""
    both = one.words.keys() & other.words.keys()
    return sum(one.words[name].isdisjoint(other.words[name]) for name in both)


def same_words(one: Told, other: Told) -> int:
    """How many concepts both texts speak of in the same words."""
    return len(one.words.keys() & other.words.keys()) - other_words(one, other)


def questions_apart(one: Told, other: Told) -> frozenset[str]:
    """The questions that the texts answer unlike: over TLS, in the clear."""
    both = one.answers.keys() & other.answers.keys()
    return frozenset(name for name in both if one.answers[name] != other.answers[name])


def kinship(one: Told, other: Told) -> dict[str, float]:
    """What the words of the trade say of two texts, each piece as a number of 0 to 1."""
    return {
        "told in other words": min(other_words(one, other), _MANY_OTHER) / _MANY_OTHER,
        "told in the same words": min(same_words(one, other), _MANY_SAME) / _MANY_SAME,
        "answered unlike": float(bool(questions_apart(one, other))),
    }


_MANY_OTHER, _MANY_SAME = 4, 4
_TOKEN = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*|[.;:,!?]")
_NOT = re.compile(r"n['\u2019]t\b|(?<=\bcan)not\b")
_DROPPED = word_set(
    """a an the our your their its my his her any this that these those has have had is are was
    were be been being to of it they we you"""
)
_CUTS = word_set("but because so otherwise . ; : , ! ?")
# These begin a clause of their own and are part of its phrases: "unless the server answers".
_OPENING = frozenset(("unless", "except"))
_TURNING_DOWN = word_set(
    """forbid forbids forbidden ban bans banned avoid avoids refuse refuses refrain prohibit
    prohibits prohibited disallow disallowed instead rather"""
)
_AGAINST = _TURNING_DOWN | word_set("no not never without nobody nothing none neither nor")


def _clauses(text: str) -> Iterator[tuple[str, ...]]:
    """The clauses of a text in lower case, without the words that tell nothing."""
    found: list[str] = []
    for word in _TOKEN.findall(_NOT.sub(" not", text.lower())):
        if word in _DROPPED:
            continue
        if word in _CUTS or word in _OPENING:
            if found:
                yield tuple(found)
            found = [word] if word in _OPENING else []
        else:
            found.append(word)
    if found:
        yield tuple(found)


def _phrases_in(clause: tuple[str, ...]) -> Iterator[tuple[int, _Phrase]]:
    """The phrases of the table that stand in a clause; of one question's the longest alone."""
    last = len(clause) - 1
    for place, word in enumerate(clause):
        start = _start(word)
        if start is None:
            continue
        asked: set[str] = set()
        longer = _longer(start, clause, place) if start.longer and place < last else ()
        for phrase in (*longer, *start.single):
            if phrase.name not in asked:
                if phrase.answers:
                    asked.add(phrase.name)
                yield place, phrase


def _longer(start: _Start, clause: tuple[str, ...], place: int) -> list[_Phrase]:
    """The phrases of several words that stand here, whatever their forms, longest first."""
    found = [
        phrase
        for form in forms_of(clause[place + 1])
        for phrase in start.longer.get(form, ())
        if _goes_on(phrase.words, clause, place)
    ]
    found.sort(key=_order)
    return found


def _goes_on(words: tuple[str, ...], clause: tuple[str, ...], place: int) -> bool:
    rest = clause[place + 2 : place + len(words)]
    return len(rest) == len(words) - 2 and all(
        part in forms_of(said) for part, said in zip(words[2:], rest, strict=True)
    )


def _order(phrase: _Phrase) -> tuple[int, _Phrase]:
    return -len(phrase.words), phrase


@lru_cache(maxsize=16_384)
def _start(word: str) -> _Start | None:
    """The phrases that begin with this word in any of its forms."""
    table = _table()
    found = {
        _Phrase(tuple(said.split()), name, answer, answers)
        for form in forms_of(word)
        for said, name, answer, answers in table.get(form, ())
    }
    longer: dict[str, list[_Phrase]] = {}
    for phrase in found:
        if len(phrase.words) > 1:
            longer.setdefault(phrase.words[1], []).append(phrase)
    single = sorted(phrase for phrase in found if len(phrase.words) == 1)
    return _Start(tuple(single), longer) if found else None


def _answer(clause: tuple[str, ...], place: int, phrase: _Phrase) -> int | None:
    """The answer that a phrase gives where it stands; None where a denial leaves it open."""
    end = place + len(phrase.words)
    against = [
        index
        for index, token in enumerate(clause)
        if token in _AGAINST and not place <= index < end
    ]
    if not against:
        return phrase.answer
    if len(against) > 1 or phrase.answers > _EITHER:
        return None
    before, after = place - against[0], against[0] - end
    near = 0 < before <= _NEAR or (clause[against[0]] in _TURNING_DOWN and 0 <= after <= _NEAR)
    return 1 - phrase.answer if near else None


_EITHER = 2
_NEAR = 2


@lru_cache(maxsize=1)
def _table() -> dict[str, list[tuple[str, str, int, int]]]:
    """The phrases of the table by their first word, as they stand there."""
    found: dict[str, list[tuple[str, str, int, int]]] = {}
    for section, line in _lines():
        name, _, rest = line.partition(": ")
        sides = rest.split(" / ")
        many = len(sides) if section == "poles" else 0
        for answer, side in enumerate(sides):
            for said in side.split(", "):
                found.setdefault(said.partition(" ")[0], []).append((said, name, answer, many))
    return found


def _lines() -> Iterator[tuple[str, str]]:
    """Each line of the table with its part; what is set in belongs to the line before it."""
    text = (resources.files("dmm") / "data" / "field.txt").read_text(encoding="utf-8")
    section = ""
    for line in text.replace("\n  ", " ").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield section, line
