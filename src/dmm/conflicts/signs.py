"""Whether a clause asks for, allows, leaves open or forbids what it speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.conflicts.clauses import AUXILIARIES
from dmm.conflicts.terms import tells
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word


class Sign(StrEnum):
    """The stance of a clause."""

    STATED = "stated"
    REQUIRED = "required"
    ALLOWED = "allowed"
    OPTIONAL = "optional"
    DENIED = "denied"
    FORBIDDEN = "forbidden"


NEGATIVE = frozenset((Sign.DENIED, Sign.FORBIDDEN))
_OPPOSED = {
    frozenset((Sign.STATED, Sign.DENIED)),
    frozenset((Sign.STATED, Sign.FORBIDDEN)),
    frozenset((Sign.REQUIRED, Sign.DENIED)),
    frozenset((Sign.REQUIRED, Sign.FORBIDDEN)),
    frozenset((Sign.ALLOWED, Sign.FORBIDDEN)),
    frozenset((Sign.ALLOWED, Sign.DENIED)),
    frozenset((Sign.REQUIRED, Sign.OPTIONAL)),
}


def are_opposed(one: Sign, other: Sign) -> bool:
    """Whether two stances towards the same thing cannot both be taken."""
    return frozenset((one, other)) in _OPPOSED


_NOT = word_set(
    """not never no nobody none nothing neither nor nowhere without hardly rarely zero"""
) | {"no one"}
_HARMLESS = word_set(
    """only just merely later more less fewer exceed matter worry necessarily mind always longer
    larger bigger earlier sooner least but one"""
)
_AGAINST = frozenset(("forbid", "avoid", "cease", "refrain", "ceas"))
_MUST = word_set(
    """must should shall always require ought mandatory ensure need prefer never only"""
)
_MAY = frozenset(("may", "can", "could", "might", "allow", "free", "welcome"))
_FREED = frozenset(("require", "need", "must", "necessary", "mandatory", "have", "obligatory"))
SIGN_WORDS = (
    _NOT
    | _MUST
    | _MAY
    | _AGAINST
    | word_set("optional do does did will would shall be is are was were been being")
)


def sign_of(words: Sequence[Word], *, conditional: bool) -> Sign:
    """The stance of a clause by its main words; `conditional`: an unless or until follows."""
    tally = _tally(words)
    negated = tally.count % 2 == 1
    concepts = {word.concept for word in words} | {word.text for word in words}
    if tally.freed:
        return Sign.OPTIONAL
    if _is_left_open(words):
        return Sign.REQUIRED if negated else Sign.OPTIONAL
    if negated and (conditional or tally.doubled):
        return Sign.REQUIRED
    if negated:
        return Sign.FORBIDDEN if tally.forbids or concepts & (_MUST | _MAY) else Sign.DENIED
    if _is_free(words):
        return Sign.OPTIONAL
    if tally.count and tally.forbids and "forbid" in concepts:
        return Sign.ALLOWED
    if concepts & _MAY and not concepts & (_MUST - {"only", "require"}):
        return Sign.ALLOWED
    return Sign.REQUIRED if concepts & _MUST else Sign.STATED


def _is_free(words: Sequence[Word]) -> bool:
    """ "Anyone may …", "you are free to …"."""
    return any((before.text, word.text) in _FREEDOMS for before, word in pairwise(words))


_FREEDOMS = frozenset((who, may) for who in ("anyone", "anybody") for may in ("may", "can")) | {
    ("free", "to")
}


def _is_left_open(words: Sequence[Word]) -> bool:
    """ "X is optional", "X is an optional step"; "optional fields are sent" is another matter."""
    for index, word in enumerate(words):
        if word.concept != "optional" or not index:
            continue
        article = words[index - 1].text in ("a", "an") and index > 1
        if words[index - 2 if article else index - 1].text in _STAYING:
            return True
    return False


_STAYING = word_set("is are be remain remains stay stays as")


@dataclass(slots=True)
class _Tally:
    """What the negations of a clause come to."""

    count: int = 0
    forbids: bool = False
    doubled: bool = False
    freed: bool = False


def _tally(words: Sequence[Word]) -> _Tally:
    tally = _Tally()
    joined = 0
    for index, word in enumerate(words):
        if word.text in _RELATIVES and index > _FIRST_WORDS:
            break
        if word.text in _JOINING:
            joined = tally.count
        if word.text in _NOT and not (joined and tally.count == joined):
            _negate(tally, words, index)
        elif _turns_down(words, index) and not (joined and tally.count == joined):
            tally.count += 1
            tally.forbids = True
    return tally


_RELATIVES = frozenset(("that", "who", "whose"))
_JOINING = frozenset(("and", "or", "nor", ","))
_FIRST_WORDS = 2


def is_negated(words: Sequence[Word]) -> bool:
    """Whether the words of a condition deny it: "when no event occurs"."""
    return _tally(words).count % 2 == 1


def asks_for(words: Sequence[Word]) -> bool:
    """ "Never merge what does not pass": what is turned down for lacking something asks for it."""
    denied = relative = False
    for word in words:
        if word.text in _LACKING:
            if denied and relative:
                return True
            denied = not relative
        told = word.text in AUXILIARIES
        relative = (word.text in _RELATIVES and denied) or (relative and told)
    return False


_LACKING = frozenset(("not", "never", "no", "nobody"))


def denied_in(words: Sequence[Word]) -> frozenset[str]:
    """What the negation of a clause is about; nothing where there is none, or one of another."""
    places = [i for i in range(len(words)) if words[i].text in _NOT or _turns_down(words, i)]
    if not places or any(words[i - 1].text not in _JOINING for i in places[1:]):
        return frozenset()
    told = [w for i in places for w in words[i + 1 : _end_of_phrase(words, i + 1)]]
    first = places[0]
    if first and (words[first - 1].text in _BEING or words[first].text not in _NOT):
        told += words[:first]
    return frozenset(word.concept for word in told if tells(word))


def _end_of_phrase(words: Sequence[Word], start: int) -> int:
    for place in range(start, len(words)):
        if words[place].sort == "mark" or words[place].text in _JOINS:
            return place
    return len(words)


_JOINS = word_set("and but so then or")
_BEING = word_set("is are be been was were being")


def _negate(tally: _Tally, words: Sequence[Word], index: int) -> None:
    word = words[index]
    after = words[index + 1 : index + 3]
    texts = {near.text for near in after}
    if texts & _HARMLESS and not (texts & {"longer"} and "than" not in texts):
        return
    if _limits(words, index) or _reminds(words, index):
        return
    not_all = word.text == "not" and bool(texts & {"every", "all", "enough", "sufficient"})
    if not_all or _frees(words, index, {near.concept for near in after}):
        tally.freed = True
    elif word.text == "without":
        tally.doubled = tally.doubled or tally.count > 0
    else:
        tally.count += 1
        tally.forbids = tally.forbids or word.text == "never" or _commands(words, index)


_TURNING = word_set("blocked refused rejected denied prevented stop quit out")


def _turns_down(words: Sequence[Word], index: int) -> bool:
    if words[index].text not in _TURNING and words[index].concept not in _AGAINST:
        return False
    return (
        words[index].concept in _AGAINST
        or _is_turned_away(words, index)
        or _stops(words, index)
        or _keeps_out(words, index)
    )


def _limits(words: Sequence[Word], index: int) -> bool:
    """ "No user may own more than 5": an upper limit, not a refusal."""
    rest = [word.text for word in words[index + 1 :]]
    if rest[_LET:] and rest[-1] in _FURTHER and rest[-2] != "any":
        return True
    for place, text in enumerate(rest[:-1]):
        if text in _MORE and rest[place + 1] in ("than", "the"):
            return any(word.sort == "number" or word.text in _NUMBERS for word in words[index:])
    return False


# "Do not let it run longer": the limit has been told before.
_FURTHER, _LET = frozenset(("longer", "later")), 2
_MORE = word_set("more longer larger bigger higher greater older fewer less lower shorter")
_NUMBERS = word_set("one two three four five six seven eight nine ten")


def _reminds(words: Sequence[Word], index: int) -> bool:
    """ "Do not forget to …", "never fail to …"."""
    near = [word.text for word in words[index + 1 : index + 4]]
    if near[:1] and near[0] in ("forget", "neglect"):
        return True
    return len(near) > 1 and near[0] in ("fail", "hesitate", "miss") and near[1] == "to"


def _is_turned_away(words: Sequence[Word], index: int) -> bool:
    """ "Direct pushes are blocked"."""
    before = words[index - 1].text if index else ""
    refused = words[index].text in ("blocked", "refused", "rejected", "denied", "prevented")
    return refused and before in ("is", "are", "be", "get", "gets")


def _stops(words: Sequence[Word], index: int) -> bool:
    """ "Stop using X"."""
    following = words[index + 1].text if index + 1 < len(words) else ""
    return words[index].text in ("stop", "quit") and following.endswith("ing")


def _keeps_out(words: Sequence[Word], index: int) -> bool:
    """ "Keep secrets out of the repository"."""
    if words[index].text != "out":
        return False
    kept = any(word.text in ("keep", "kept", "leave", "stay", "stays") for word in words[:index])
    return kept and index + 1 < len(words) and words[index + 1].text == "of"


def _frees(words: Sequence[Word], index: int, after: set[str]) -> bool:
    """ "Need not", "not required", "no need to"."""
    before = words[index - 1] if index else None
    if before is not None and before.concept in ("require", "need") and before.text != "requires":
        return before.text.startswith("need")
    return bool(after & (_FREED - {"must", "have"})) or (
        [word.text for word in words[index + 1 : index + 3]] == ["have", "to"]
    )


def _commands(words: Sequence[Word], index: int) -> bool:
    """ "Do not …" at the start, or after must, should, may."""
    before = {word.text for word in words[max(0, index - 2) : index]}
    return bool(before & {"must", "should", "may", "can", "shall"}) or (
        index > 0 and words[index - 1].text == "do" and index <= 3
    )
