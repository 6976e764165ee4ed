"""What takes an act out of a rule: unless, except, without, only if."""

from __future__ import annotations

from dmm.policy import lexicon as lex
from dmm.policy.amounts import limit_of
from dmm.policy.language import Sort, Token
from dmm.policy.rules import Exemption, Term
from dmm.policy.wordsets import word_set

_EXCEPTING = frozenset(("unless", "except", "excluding", "barring"))
_ABSENT = frozenset(("without", "until", "before"))
_OPENERS = _EXCEPTING | _ABSENT
_IDLE = (
    lex.DETERMINERS
    | lex.PRONOUNS
    | lex.AUXILIARIES
    | lex.PREPOSITIONS
    | lex.ADVERBS
    | lex.SUBORDINATORS
    | {"prior", "explicit", "explicitly", "get", "ask", "asking", "getting", "obtain", "having"}
    | {"necessary", "absolutely", "strictly", "case", "written", "proper", "clear"}
)
# Words that say nothing more where a place or a kind is named beside them.
_VAGUE = word_set(
    """file script module code directory folder path purpose case situation thing one part
    section place reason good goods item product article order"""
)
# To act without one of these is the breach itself: it has to be stated that it was given.
_ASSENT = word_set("=approve agree agreement confirm confirmation sign signoff")


def cut_exemptions(
    words: tuple[Token, ...], first: int, last: int
) -> tuple[int, tuple[Exemption, ...] | None]:
    """Where the rule proper ends, and its exemptions; None when they say nothing usable."""
    return _cut(words, first, last, _OPENERS)


def cut_exceptions(
    words: tuple[Token, ...], first: int, last: int
) -> tuple[int, tuple[Exemption, ...] | None]:
    """The same for rules that ask for something: "without" is then a part of the rule."""
    return _cut(words, first, last, _EXCEPTING)


def _cut(
    words: tuple[Token, ...], first: int, last: int, openers: frozenset[str]
) -> tuple[int, tuple[Exemption, ...] | None]:
    for index in range(first + 1, last):
        word = words[index].text
        conditional = word == "only" and index + 1 < last and words[index + 1].text == "if"
        if word in openers or conditional or _but_not(words, index):
            end = index - 1 if words[index - 1].text in (",", "(") else index
            if word in ("until", "before") and _is_time(words[index + 1 : last]):
                continue
            start = index + (2 if conditional or word == "but" else 1)
            return end, _exemptions(words, start, last, word)
    return last, ()


def _is_time(words: tuple[Token, ...]) -> bool:
    return any(word.sort is Sort.NUMBER or word.forms & lex.TIMES for word in words)


def _but_not(words: tuple[Token, ...], index: int) -> bool:
    return words[index].text == "but" and index + 1 < len(words) and words[index + 1].text == "not"


def _exemptions(
    words: tuple[Token, ...], first: int, last: int, opener: str
) -> tuple[Exemption, ...] | None:
    if opener not in _ABSENT:
        amount = limit_of(words[first:last])
        if amount is not None:
            return (Exemption((), amount=amount),)
    absent = opener in _ABSENT
    found: list[Exemption] = []
    terms: list[Term] = []
    for index in range(first, last + 1):
        ends = index == last or words[index].text in ("or", ",", "and")
        if ends:
            if terms:
                found.append(_exemption(terms, absent))
            terms = []
        elif words[index].sort is not Sort.MARK and words[index].text not in _IDLE:
            terms.append(Term(words[index].text, words[index].forms))
    if not found and any(word.forms & {"ask"} for word in words[first:last]):
        return (Exemption((Term("asking", frozenset(("ask", "=approve"))),), absent, needed=True),)
    return tuple(found) or None


def absence_of(words: tuple[Token, ...], first: int, last: int) -> Exemption | None:
    """The exemption for acts that are forbidden without what these words name."""
    found = _exemptions(words, first, last, "without")
    return found[0] if found else None


def assent_of(words: tuple[Token, ...]) -> Exemption | None:
    """The assent that these words ask for, if they ask for one."""
    item = next((word for word in words if word.forms & _ASSENT), None)
    return None if item is None else Exemption((Term(item.text, item.forms),), True, needed=True)


def _exemption(terms: list[Term], absent: bool) -> Exemption:
    assent = next((item for item in terms if item.forms & _ASSENT), None)
    if assent is not None:
        return Exemption((assent,), absent, needed=True)
    named = tuple(item for item in terms if not item.forms & _VAGUE)
    return Exemption(named or tuple(terms), absent)
