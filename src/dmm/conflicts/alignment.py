"""Two claims laid side by side: which words meet, and what is left over on either side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from dmm.conflicts.families import FAMILIES, places_of
from dmm.conflicts.vocabulary import concept_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.conflicts.claims import Claim
    from dmm.conflicts.terms import Term

    Named = dict[str, Term]


@dataclass(frozen=True)
class Alignment:
    """The words that meet, the contraries among them, and the words left over.

    What they weigh is asked for many times, so it is reckoned once.
    """

    met: tuple[tuple[Term, Term], ...]
    contraries: tuple[tuple[Term, Term], ...]
    left: tuple[Term, ...]
    right: tuple[Term, ...]

    @cached_property
    def shared(self) -> float:
        """How much the meeting words weigh."""
        return sum((a.weight + b.weight) / 2 for a, b in (*self.met, *self.contraries))

    @cached_property
    def cover(self) -> float:
        """How much of the claim that is better covered meets the other."""
        mine = self.shared + sum(term.weight for term in self.left)
        yours = self.shared + sum(term.weight for term in self.right)
        return self.shared / max(min(mine, yours), 0.1)

    @cached_property
    def likeness(self) -> float:
        """The share of the meeting words in all words."""
        rest = sum(term.weight for term in (*self.left, *self.right))
        return self.shared * 2 / max(self.shared * 2 + rest, 0.1)


def align(one: Claim, other: Claim, first: Named, second: Named) -> Alignment:
    """Lay two claims side by side; a word may also meet one in the title of the other memory."""
    plain = align_terms((*one.terms, *one.conditions), (*other.terms, *other.conditions))
    left, right = list(plain.left), list(plain.right)
    met = list(plain.met)
    met += _meet_title(left, second)
    met += [(b, a) for a, b in _meet_title(right, first)]
    return Alignment(tuple(met), plain.contraries, tuple(left), tuple(right))


def named_in(title: Sequence[Term]) -> Named:
    """The telling words of a title by their concepts."""
    return {term.concept: term for term in reversed(title) if _tells(term)}


def _meet_title(left: list[Term], told: Named) -> list[tuple[Term, Term]]:
    found = [(m, told[m.concept]) for m in left if m.concept in told and m.slot != "verb"]
    if found:
        gone = {mine.concept for mine, _ in found}
        left[:] = [term for term in left if term.concept not in gone]
    return found


def _tells(term: Term) -> bool:
    return term.weight > 0.5 and term.slot != "verb"


def align_terms(mine: Sequence[Term], yours: Sequence[Term]) -> Alignment:
    """Let each word meet one of the other side: the same, a form of it, or its contrary."""
    left, right = _distinct(mine), _distinct(yours)
    met = _meet_same(left, right)
    contraries = _meet_contrary(left, right) if left and right else []
    met += _meet(left, right, _derived) if _may_meet_derived(left, right) else []
    if _may_lie_within(left, right) or _may_lie_within(right, left):
        met += _meet(left, right, _within)
    contraries += _contraries_among(left, [b for _, b in met])
    contraries += _contraries_among(right, [a for a, _ in met])
    return Alignment(tuple(met), tuple(contraries), tuple(left), tuple(right))


def _distinct(terms: Sequence[Term]) -> list[Term]:
    found: dict[str, Term] = {}
    for term in terms:
        known = found.get(term.concept)
        if known is None or known.slot == "verb":
            found[term.concept] = term
    return list(found.values())


def _meet_same(left: list[Term], right: list[Term]) -> list[tuple[Term, Term]]:
    held = {term.concept: term for term in right}
    held.update((term.text, term) for term in right)
    found: list[tuple[Term, Term]] = []
    # Each concept stands once on either side, so it tells a term from all others there.
    here, there = set[str](), set[str]()
    for mine in left:
        yours = held.get(mine.concept) or held.get(mine.text)
        if yours is not None and yours.concept not in there:
            found.append((mine, yours))
            here.add(mine.concept)
            there.add(yours.concept)
    if found:
        left[:] = [term for term in left if term.concept not in here]
        right[:] = [term for term in right if term.concept not in there]
    return found


def _derived(one: Term, other: Term) -> bool:
    if not (_may_derive(one.text, other.text) or _may_derive(one.concept, other.concept)):
        return False
    return are_derived(one.text, other.text) or are_derived(one.concept, other.concept)


def _within(one: Term, other: Term) -> bool:
    """Whether one path lies in the other: "services/" and "services/notifier"."""
    short, long = sorted((one.text.strip("/*"), other.text.strip("/*")), key=len)
    return bool(short) and long.startswith((f"{short}/", f"{short}."))


def _may_lie_within(here: list[Term], there: list[Term]) -> bool:
    """Whether a path or the parts of a name may begin with a word of the other side."""
    for term in here:
        head, dot, _ = term.text.partition(".")
        if "/" in term.text or (dot and any(t.text == head for t in there)):
            return True
    return False


def _may_meet_derived(left: list[Term], right: list[Term]) -> bool:
    """Whether any two words begin alike, which most do not."""
    starts = {start for term in right for start in _starts(term.text, term.concept)}
    return any(not starts.isdisjoint(_starts(term.text, term.concept)) for term in left)


@lru_cache(maxsize=65_536)
def _starts(text: str, concept: str) -> frozenset[str]:
    return frozenset((text[:4], concept[:4], *starts_of(text), *starts_of(concept)))


def _may_derive(one: str, other: str) -> bool:
    return one[:4] == other[:4] or one.startswith(_AGAIN) or other.startswith(_AGAIN)


def _meet_contrary(left: list[Term], right: list[Term]) -> list[tuple[Term, Term]]:
    """Let words meet their contraries; where neither word can have one, nothing is compared."""
    found: list[tuple[Term, Term]] = []
    opposing = [term for term in right if _may_oppose(term.text, term.concept)]
    for mine in tuple(left):
        rivals = right if _may_oppose(mine.text, mine.concept) else opposing
        for yours in rivals:
            if are_contrary(mine.text, mine.concept, yours.text, yours.concept):
                found.append((mine, yours))
                left.remove(mine)
                right.remove(yours)
                if yours in opposing:
                    opposing.remove(yours)
                break
    return found


def _meet(
    left: list[Term], right: list[Term], alike: Callable[[Term, Term], bool]
) -> list[tuple[Term, Term]]:
    found: list[tuple[Term, Term]] = []
    if not right:
        return found
    for mine in tuple(left):
        for yours in right:
            if alike(mine, yours):
                found.append((mine, yours))
                left.remove(mine)
                right.remove(yours)
                break
    return found


def _contraries_among(rest: list[Term], known: list[Term]) -> list[tuple[Term, Term]]:
    """The first word left over whose contrary has met another word already."""
    if not rest or not known:
        return []
    known = [term for term in known if term.weight > _PLAIN]
    opposing = [term for term in known if _may_oppose(term.text, term.concept)]
    for term in rest:
        for other in known if _may_oppose(term.text, term.concept) else opposing:
            if term.early == other.early and are_contrary(
                term.text, term.concept, other.text, other.concept
            ):
                rest.remove(term)
                return [(term, other)]
    return []


_PLAIN = 0.5
_ENDINGS = ("ment", "er", "or", "ion", "al", "able", "ance", "ness", "ity", "ly", "ing", "ed")
_SHORTEST = 5
_STEM_SHARE = 0.6
_AGAIN = ("re", "pre", "co", "auto", "self")


@lru_cache(maxsize=65_536)
def are_derived(one: str, other: str) -> bool:
    """Whether two words come from one: reproduce and reproducible, train and retrain."""
    if one == other:
        return True
    if "/" in one or "/" in other:
        return False
    short, long = sorted((one, other), key=len)
    if len(short) < 4:
        return False
    for prefix in _AGAIN:
        if long.startswith(prefix) and long.removeprefix(prefix).strip("-")[:5] == short[:5]:
            return True
    if long.removeprefix(short) in _ENDINGS or (
        long.startswith(short) and len(long) < len(short) + 5
    ):
        return True
    pairs = zip(one, other, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared >= _SHORTEST and shared >= _STEM_SHARE * len(long) and shared >= len(short) - 3


@lru_cache(maxsize=65_536)
def starts_of(word: str) -> tuple[str, ...]:
    """The beginnings by which the words that come from the same one are found."""
    stems = [word, *(word.removeprefix(p).strip("-") for p in _AGAIN if word.startswith(p))]
    return tuple(stem[:4] for stem in stems if len(stem) > 3)


_OPPOSITES_TEXT = """
central local; same different; full empty; final change; immutable change; first last;
single multiple; one several; left right; begin end; front back; inner outer; upper lower;
more less; accept reject; open close; show hide; keep remove; keep delete; store delete; push pull;
raise lower; fast slow; direct indirect; advance after; advance afterwards; shared own;
common separate; fixed variable; strong weak; mutable immutable; frozen change; anonymous personal;
loud silent; fail pass; succeed fail; oldest newest; ascending descending; optional mandatory;
optional require; inline external; plain encrypted; hashed plain; merge separate; together apart;
alone together; in-memory disk; early late; start stop; add remove; join leave;
connect disconnect; load unload;
attach detach; approve reject; approve decline; allow block; visible invisible; possible impossible;
known unknown; sorted random; ordered random; sequential random; default custom; global local;
readonly update; readonly write
"""


def _opposites() -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for entry in _OPPOSITES_TEXT.replace("\n", " ").split(";"):
        one, other = entry.split()
        for a in {one, concept_of(one)}:
            for b in {other, concept_of(other)}:
                if a != b:
                    found |= {(a, b), (b, a)}
    return frozenset(found)


_OPPOSITES = _opposites()
_OPPOSED = frozenset(word for pair in _OPPOSITES for word in pair)
_DENYING = ("un", "non", "dis", "in", "im", "ir", "de", "anti", "counter")
_GREEK = ("ic", "ical", "ically", "ous", "ously")


@lru_cache(maxsize=65_536)
def _may_oppose(text: str, concept: str) -> bool:
    if text in _OPPOSED or concept in _OPPOSED or text.startswith(_DENYING):
        return True
    if text.startswith("a") and text.endswith(_GREEK):
        return True
    return concept.startswith(_DENYING) or any(_denies(f) for f, _ in places_of(text, concept))


@lru_cache(maxsize=65_536)
def are_contrary(one: str, concept: str, other: str, rival: str) -> bool:
    """Whether one word says what the other denies: enabled and disabled, signed and unsigned."""
    mine = {family: member for family, member in places_of(one, concept) if _denies(family)}
    for family, member in places_of(other, rival):
        if family in mine and mine[family] != member:
            return True
    if (concept, rival) in _OPPOSITES or (one, other) in _OPPOSITES:
        return True
    return _undone(one, other) or _undone(concept, rival)


def _undone(one: str, other: str) -> bool:
    """Whether one word is the other with a denying prefix: reach and unreachable."""
    short, long = sorted((one, other), key=len)
    if long == f"a{short}" and short.endswith(_GREEK):
        return True
    return len(short) > 3 and any(
        long.startswith(p) and are_derived(long.removeprefix(p).strip("-"), short) for p in _DENYING
    )


def _denies(family: str) -> bool:
    return FAMILIES[family].contrary
