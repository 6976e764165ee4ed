"""Which memories have something in common: tags, words, links or meaning.

Everything that brings memories together is looked up from both sides, so a pair that is found in
a scan of all is found from one of its memories as well.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from dmm.domain.conflict import Method
from dmm.domain.frozen import frozen
from dmm.index.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from dmm.domain.memory import Memory

# What more memories than this have in common says little of any two of them.
RARE = 48
# Where a memory has only common words, its rarest ones count up to this spread.
COMMON = 300
FEWEST_TERMS = 4
PAIRED = 6
FEWEST_PARTNERS = 12
PAIRS_OF_A_SMALL_PROJECT = 24_000
TERMS_KEPT = 72
PLAIN_SENTENCES = 4
LINKS_FOLLOWED = 64
REACH = 2
TIE = 1e-5

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n")
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_RULE = re.compile(
    r"\b\d|\b(?:must|should|shall|never|always|only|not|no|don't|avoid|use|uses|prefer|require[sd]?"
    r"|need[s]?|default|limit|maximum|minimum|instead|forbidden|allowed|replace[sd]?)\b",
    re.IGNORECASE,
)


@frozen
class Profile:
    """The features by which related memories are found; `sentences` are lists of terms."""

    id: str
    tags: frozenset[str]
    related: tuple[str, ...]
    supersedes: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]

    @property
    def terms(self) -> set[str]:
        """The terms of all sentences."""
        return set(chain.from_iterable(self.sentences))


@frozen
class Pair:
    """Two memories to compare, the smaller number first; `likeness` only where it was found."""

    one: int
    other: int
    methods: tuple[Method, ...]
    likeness: float | None = None


def profile_of(memory: Memory) -> Profile:
    """Return the profile of a memory; its rules come before its other sentences."""
    sentences = _sentences(memory)
    if len(sentences) > PLAIN_SENTENCES:
        sentences.sort(key=lambda sentence: _RULE.search(sentence) is None)
    kept: list[tuple[str, ...]] = []
    room = TERMS_KEPT
    for sentence in (memory.title, *sentences):
        terms = tuple(analyze(sentence))[:room]
        room -= len(terms)
        kept.append(terms)
        if room <= 0:
            break
    return Profile(
        id=memory.id,
        tags=frozenset(tag.casefold() for tag in memory.tags),
        related=memory.related,
        supersedes=memory.supersedes,
        sentences=tuple(kept),
    )


def _sentences(memory: Memory) -> list[str]:
    body = _CODE.sub("\n", memory.body.removeprefix(f"# {memory.title}"))
    return [part for part in _SENTENCE_END.split(body) if part.strip()]


def _named() -> defaultdict[str, set[int]]:
    return defaultdict(set)


@dataclass(slots=True)
class Candidates:
    """The profiles of all memories by number, and indexes from tags, terms and links."""

    profiles: dict[int, Profile] = field(default_factory=dict)
    _lengths: dict[int, float] = field(default_factory=dict)
    _terms: defaultdict[str, set[int]] = field(default_factory=_named)
    _tags: defaultdict[str, set[int]] = field(default_factory=_named)
    _related: defaultdict[str, set[int]] = field(default_factory=_named)
    _superseding: defaultdict[str, set[int]] = field(default_factory=_named)
    _ids: defaultdict[str, set[int]] = field(default_factory=_named)

    def put(self, number: int, profile: Profile) -> None:
        """Add a memory in place of the one with its number."""
        self.drop(number)
        self.profiles[number] = profile
        self._lengths[number] = math.sqrt(max(1, len(profile.terms)))
        for place, names in self._places(profile):
            for name in names:
                place[name].add(number)

    def drop(self, number: int) -> None:
        """Forget a memory."""
        known = self.profiles.pop(number, None)
        if known is None:
            return
        del self._lengths[number]
        for place, names in self._places(known):
            for name in names:
                place[name].discard(number)
                if not place[name]:
                    del place[name]

    def _places(
        self, profile: Profile
    ) -> Iterator[tuple[defaultdict[str, set[int]], Iterable[str]]]:
        yield self._terms, profile.terms
        yield self._tags, profile.tags
        yield self._related, profile.related
        yield self._superseding, profile.supersedes
        yield self._ids, (profile.id,)

    @property
    def room(self) -> int:
        """The maximum number of partners by tags and words; in a small project, all memories."""
        return max(FEWEST_PARTNERS, PAIRS_OF_A_SMALL_PROJECT // max(1, len(self.profiles)))

    def partners(self, profile: Profile, but: int | None = None) -> dict[int, set[Method]]:
        """Return the memories to compare with, except `but`, and the methods that found each."""
        words = self._by_words(profile)
        scores = words.copy()
        for number, score in self._by_tags(profile).items():
            scores[number] = scores.get(number, 0.0) + score
        scores.pop(-1 if but is None else but, None)
        best = _highest(scores, self.room)
        found = self.find_linked(profile, but)
        for number in best:
            methods = found.setdefault(number, set())
            if number in words:
                methods.add(Method.RULES)
            if not profile.tags.isdisjoint(self.profiles[number].tags):
                methods.add(Method.TAGS)
        return found

    def find_linked(self, profile: Profile, but: int | None = None) -> dict[int, set[Method]]:
        """Return the memories that links lead to, except `but`, and how."""
        found: dict[int, set[Method]] = {}
        for method, number in self._by_links(profile):
            if number != but:
                found.setdefault(number, set()).add(method)
        return found

    def _by_words(self, profile: Profile) -> dict[int, float]:
        """Score memories by the words they share, and by common ones that stand together.

        A short note that shares a word is more likely about it than a long text that does.
        """
        scores: dict[int, float] = defaultdict(float)
        spread = sorted((len(self._terms.get(term, ())), term) for term in profile.terms)
        telling = [pair for pair in spread if pair[0] <= RARE or not pair[1].isdigit()]
        for place, (held, term) in enumerate(telling):
            if held > (RARE if place >= FEWEST_TERMS else COMMON):
                break
            self._add(scores, self._terms.get(term, ()))
        common = {term: held for held, term in spread if held > RARE}
        pairs = _neighbours(profile.sentences, common)
        ranked = sorted((common[one] * common[two], one, two) for one, two in pairs)
        for _, one, two in ranked[:PAIRED]:
            together = self._terms[one] & self._terms[two]
            if len(together) <= RARE:
                self._add(scores, together)
        lengths = self._lengths
        return {number: score / lengths[number] for number, score in scores.items()}

    def _add(self, scores: dict[int, float], held: Collection[int]) -> None:
        if held:
            weight = math.log(1 + len(self.profiles) / len(held))
            for number in held:
                scores[number] += weight

    def _by_tags(self, profile: Profile) -> dict[int, float]:
        """Score memories by the rare tags that they share."""
        scores: dict[int, float] = defaultdict(float)
        for tag in sorted(profile.tags):
            held = self._tags.get(tag, ())
            if len(held) <= RARE:
                self._add(scores, held)
        return scores

    def _by_links(self, profile: Profile) -> Iterator[tuple[Method, int]]:
        """Follow the links: to what is named, from what names it, and among those named together.

        What replaces a memory is also compared with what relates to the replaced one.
        """
        for name in profile.related:
            yield from ((Method.RELATED, n) for n in self._ids.get(name, ()))
            yield from ((Method.SUPERSEDES, n) for n in _some(self._superseding.get(name, ())))
        for namer in _some(self._related.get(profile.id, ())):
            yield Method.RELATED, namer
            for name in self.profiles[namer].related[:LINKS_FOLLOWED]:
                if name != profile.id:
                    yield from ((Method.RELATED, n) for n in self._ids.get(name, ()))
        for name in profile.supersedes:
            for place in (self._ids, self._superseding, self._related):
                yield from ((Method.SUPERSEDES, n) for n in _some(place.get(name, ())))
        for number in _some(self._superseding.get(profile.id, ())):
            yield Method.SUPERSEDES, number


@cache
def in_order(methods: frozenset[Method]) -> tuple[Method, ...]:
    """Sort methods in display order."""
    return tuple(method for method in Method if method in methods)


def _neighbours(
    sentences: Iterable[tuple[str, ...]], common: Collection[str]
) -> set[tuple[str, str]]:
    """Return pairs of common words that are near each other in a sentence."""
    pairs: set[tuple[str, str]] = set()
    for sentence in sentences:
        words = [term for term in sentence if term in common]
        for at, one in enumerate(words):
            for two in words[at + 1 : at + 1 + REACH]:
                if one != two:
                    pairs.add((one, two) if one < two else (two, one))
    return pairs


def _highest(scores: Mapping[int, float], room: int) -> list[int]:
    """Return the numbers with the highest scores; of equal ones the smaller number."""
    if len(scores) > room:
        # Most scores are far below: finding the lowest that counts is cheaper than ranking all.
        least = sorted(scores.values())[-room] - TIE
        scores = {number: score for number, score in scores.items() if score >= least}
    ranked = sorted((-round(score, 6), number) for number, score in scores.items())
    return [number for _, number in ranked[:room]]


def _some(numbers: Iterable[int]) -> list[int]:
    return sorted(numbers)[:LINKS_FOLLOWED]
