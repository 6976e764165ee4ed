"""What a clause gives as the place, source, target, means or outcome of something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.vocabulary import GENERIC, concepts
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.conflicts.words import Word

Answer = tuple[str, frozenset[str]]

_PLACE = word_set("in on under at beside inside next to into within alongside")
_MEANS = word_set("with via through using by over")
# verbs, the prepositions that lead to the answer, and the kind of question it answers.
_QUESTIONS: tuple[tuple[frozenset[str], frozenset[str], str], ...] = (
    (concepts("store write commit define declare document manage"), _PLACE, "place"),
    (concepts("run host deploy"), frozenset(("on", "in", "to")), "place"),
    (concepts("read load come fetch serve generate take"), frozenset(("from",)), "source"),
    (
        concepts("deploy push publish send upload log report write store"),
        frozenset(("to",)),
        "target",
    ),
    (concepts("store log write return format emit send name"), frozenset(("as",)), "form"),
    (concepts("deploy build manage generate render sign format"), _MEANS, "means"),
    (concepts("owner"), frozenset(("by",)), "owner"),
    (concepts("name sort group order"), frozenset(("after", "by", "with")), "manner"),
)
# Prepositions that lead to one answer whatever the verb is.
_OPEN = frozenset(("as", "from", "by"))
# Nouns whose value stands right behind them or after "is": "the role viewer", "the port is 80".
_VALUED = concepts(
    """role branch bucket queue topic region channel schema namespace cluster profile theme mode
    level plan font prefix suffix header tag label group model engine driver provider command
    algorithm strategy encoding charset locale separator registry domain subdomain url directory
    owner maintainer lead loglevel timezone format color colour owner contact currency framework
    language editor license"""
)
_LINKS = word_set("is are be called named to =")
ASKING = frozenset().union(*(known for known, _, _ in _QUESTIONS)) | {"return", "raise", "use"}
_OUTCOME = frozenset(("return", "raise"))
_PREPOSITIONS = word_set(
    """in on under at beside inside next to into within with via through using by over from as
    after for of during when if and or so then per"""
)


def answers_of(
    words: Sequence[Word], tells: Callable[[Word], bool], acts: Callable[[Word], bool]
) -> tuple[Answer, ...]:
    """The answers that the words of a clause give, each with the question it answers."""
    found: list[Answer] = []
    verbs: set[str] = set()
    verb = ""
    for index, word in enumerate(words):
        if word.concept in _OUTCOME:
            _add(found, "outcome", _phrase(words, index + 1, tells))
        if word.concept in _VALUED and not word.text.endswith("s"):
            _add(found, f"{word.concept} is", _value(words, index, tells, acts))
        if word.text in _OPEN and verb:
            _add(found, f"{verb} {word.text}", _phrase(words, index + 1, tells))
        for known, openers, question in _QUESTIONS:
            if word.text in openers and verbs & known:
                beside = frozenset(
                    ("beside",) if word.text in ("beside", "next", "alongside") else ()
                )
                _add(found, question, _phrase(words, index + 1, tells) | beside)
        verbs.add(word.concept)
        if acts(word):
            verb = word.concept
    return tuple(found)


def _value(
    words: Sequence[Word], index: int, tells: Callable[[Word], bool], acts: Callable[[Word], bool]
) -> frozenset[str]:
    """What is said to be the value of a noun: "the role viewer", "the theme is dark"."""
    following = words[index + 1 : index + 3]
    if not following:
        return frozenset()
    if following[0].text in _LINKS:
        verb = len(following) > 1 and acts(following[1])
        return frozenset() if verb else _phrase(words, index + 2, tells)
    before = words[index - 1].text if index else ""
    named = before in ("the", "a", "an") and tells(following[0])
    return _phrase(words, index + 1, tells) if named else frozenset()


def _add(found: list[Answer], question: str, terms: frozenset[str]) -> None:
    if any(
        term not in GENERIC or question.startswith(("sort", "order", "group")) for term in terms
    ):
        found.append((question, terms))


def _phrase(words: Sequence[Word], start: int, tells: Callable[[Word], bool]) -> frozenset[str]:
    found: set[str] = set()
    for word in words[start : start + 7]:
        if word.sort == "mark" or (word.text in _PREPOSITIONS and found):
            break
        if tells(word):
            found.add(word.concept)
    return frozenset(found)
