"""Whether words of a decision name the thing that a rule names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Polarity, Role
from dmm.policy.language import Sort
from dmm.policy.verbs import is_adverb
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.policy.acts import Act, Reading
    from dmm.policy.language import Token
    from dmm.policy.phrases import Phrase
    from dmm.policy.rules import Noun, Term


def match_noun(
    reading: Reading, act: Act, phrase: Phrase, noun: Noun
) -> tuple[bool, list[int]] | None:
    """Whether the phrase names the noun: (surely, tokens), or None."""
    heads = (noun.head,) if not noun.head_optional else (noun.head, *noun.modifiers[-1:])
    for head in heads:
        others = noun.modifiers if head is noun.head else noun.modifiers[:-1]
        found = _match_head(reading, act, phrase, head, others)
        if found is not None:
            return found
    return None


def _match_head(
    reading: Reading, act: Act, phrase: Phrase, head: Term, modifiers: tuple[Term, ...]
) -> tuple[bool, list[int]] | None:
    tokens = reading.tokens
    best: tuple[bool, list[int]] | None = None
    for order, index in enumerate(phrase.indices):
        if not tokens[index].stands_for(head.forms) and not _member_of(reading, act, index, head):
            continue
        used = _modified(reading, act, phrase, head, modifiers)
        if used is None or _negated_word(reading, phrase, order):
            continue
        used.append(index)
        if _whole(reading, phrase, order, used):
            return True, used
        best = best or (False, used)
    return best


def _modified(
    reading: Reading, act: Act, phrase: Phrase, head: Term, modifiers: tuple[Term, ...]
) -> list[int] | None:
    used: list[int] = []
    for modifier in modifiers:
        place = _modifier(reading, act, phrase, head, modifier)
        if place is None:
            place = _told(reading, act, modifier)
        if place is None:
            return None
        used += place
    return used


def _told(reading: Reading, act: Act, modifier: Term) -> list[int] | None:
    """ "Migration 42, which was published": the modifier told in a clause of its own."""
    for other in reading.acts:
        if other.sentence != act.sentence or other.role is not Role.RELATIVE or other.verb is None:
            continue
        if other.passive and other.polarity is Polarity.DONE and other.forms & modifier.forms:
            return [other.verb]
    return None


def _member_of(reading: Reading, act: Act, index: int, head: Term) -> bool:
    """`pickle.loads` is a use of `pickle`: a dotted call names its module first."""
    token = reading.tokens[index]
    if token.sort is not Sort.NAME or "." not in token.text:
        return False
    module, _, rest = token.text.partition(".")
    return module in head.forms and bool(rest) and (token.called or bool(act.forms & _CALLING))


_CALLING = frozenset(("call", "=call"))


def _modifier(
    reading: Reading, act: Act, phrase: Phrase, head: Term, modifier: Term
) -> list[int] | None:
    if modifier.forms & lex.WEAK_MODIFIERS and act.forms & _ADDING:
        return []
    for index in phrase.indices:
        if reading.tokens[index].stands_for(modifier.forms):
            return [index]
    for other in act.phrases:
        if other.negated or other is phrase or other.preposition in _AWAY:
            continue
        if (act.derived and other.preposition == "for") or _names(reading, other, head):
            continue
        if phrase.preposition is not None and other.preposition not in _OF_PLACE:
            continue
        for index in other.indices:
            if reading.tokens[index].stands_for(modifier.forms):
                return [index]
    return None


def _names(reading: Reading, phrase: Phrase, head: Term) -> bool:
    """Whether the phrase names another such thing, whose modifiers are its own."""
    return any(reading.tokens[index].stands_for(head.forms) for index in phrase.indices)


_OF_PLACE = frozenset(("of", "in", "on", "at", "subject", None))
_ADDING = frozenset(("add", "install", "introduce", "import"))
_AWAY = lex.ABOUT_PREPOSITIONS - {"of"}


def _negated_word(reading: Reading, phrase: Phrase, order: int) -> bool:
    """`non-X`, `X-free` and the like name the contrary of X."""
    tokens = reading.tokens
    index = phrase.indices[order]
    before = tokens[index - 1].text if index and tokens[index].glued else ""
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    free = after is not None and after.glued and after.text in ("free", "less")
    return before in ("non", "anti", "no", "pseudo") or free


def _whole(reading: Reading, phrase: Phrase, order: int, used: list[int]) -> bool:
    """Whether the match covers the thing itself, not a part of a longer name or another thing."""
    tokens = reading.tokens
    index = phrase.indices[order]
    if tokens[index].quoted:
        return False
    if tokens[index].text == "altertable":
        return True
    if tokens[index].glued and index - 1 not in used:
        return False
    for position in phrase.indices[order + 1 :]:
        token = tokens[position]
        if position in used or _adds_nothing(tokens, phrase, index, position):
            continue
        if order == 0 and position == index + 1 and _is_command(tokens, position):
            return True
        if not token.forms & (lex.CARRIERS | lex.TIMES | lex.COMMON_ADVERBS):
            built = token.forms & _BUILT and is_proper(reading, index)
            return bool(built) or _named(reading, index, position)
    return not _is_everyday(reading, index)


# A thing of this sort, named after a tool, has the tool in it.
_BUILT = word_set(
    """gateway endpoint topic consumer producer widget resolver cluster container pipeline worker
    operator function stack deployment setup subscription account frontend ui site"""
)


def _is_everyday(reading: Reading, index: int) -> bool:
    """ "The bootstrap script", "in spring": the word as it is used every day, not the product."""
    token = reading.tokens[index]
    if token.text not in _EVERYDAY or not reading.text[token.start].islower():
        return False
    before = reading.tokens[index - 1].text if index else ""
    after = reading.tokens[index + 1].forms if index + 1 < len(reading.tokens) else frozenset()
    return before in ("in", "the", "a", "an", "this", "next") or bool(after & lex.CARRIERS)


# Names of products that are everyday words as well.
_EVERYDAY = word_set(
    """bootstrap spring express go rest slack notion swift rust flash dash spark ruby flask falcon
    next nest puppet chef salt vault consul nomad remix parcel meteor ember backbone lambda teams
    zoom linear signal mono bolt celery bottle pyramid echo fiber gin rocket actor phoenix"""
)


def _adds_nothing(tokens: Sequence[Token], phrase: Phrase, index: int, position: int) -> bool:
    """Whether a word behind the head leaves the thing what it is."""
    head, token = tokens[index], tokens[position]
    if token.sort is Sort.NUMBER or _says_how(token):
        return True
    if position + 1 < len(tokens) and tokens[position + 1].text == "than":
        return True
    if (head.sort is Sort.NAME or phrase.preposition is not None) and token.forms & _OF_NAMES:
        return True
    return bool(head.forms & lex.SORTS_OF_NAMED) and (
        _is_name_at(tokens, position) or _is_package(tokens, phrase, index, position)
    )


_OF_NAMES = frozenset(("column", "field", "type"))


def _is_package(tokens: Sequence[Token], phrase: Phrase, index: int, position: int) -> bool:
    """ "The library fastcsv": the last word is the name of the one before it."""
    last = position == phrase.indices[-1] and position == index + 1
    named = tokens[index].forms & _PACKAGES and not tokens[position].forms & _OF_PACKAGES
    return last and bool(named)


_PACKAGES = frozenset(("dependency", "=dependency"))
# What follows a package and is not its name.
_OF_PACKAGES = word_set(
    """graph tree list manager injection version update check file cache management resolution
    scanner lock audit review policy rule registry name index server mirror bump upgrade range pin
    conflict path folder directory support report card injector resolver format page tour"""
)


def _says_how(token: Token) -> bool:
    """ "Make the panel public", "store it directly": no part of the name."""
    predicate = token.text in _PREDICATES or token.text.endswith(("able", "ible"))
    return is_adverb(token) or token.text in _WAYS or predicate


_WAYS = word_set("online offline abroad overnight alone itself themselves ourselves")


_PREDICATES = word_set("public private open live anonymous optional empty global")


def _is_command(tokens: Sequence[Token], position: int) -> bool:
    """ "Run npm install": the word behind a program's name is what it is told to do."""
    runs = position > 1 and tokens[position - 2].forms & _RUNNING
    return bool(runs) and tokens[position].text in tokens[position].acting


_RUNNING = frozenset(("run", "execute", "call", "invoke", "type"))


def _is_name_at(tokens: Sequence[Token], position: int) -> bool:
    """ "The package left-pad": a name behind the sort of thing that it names."""
    token = tokens[position]
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if token.sort is Sort.NAME and not token.glued:
        return True
    return token.glued or (following is not None and following.glued)


def _named(reading: Reading, index: int, position: int) -> bool:
    """ "Hotel Sakura", "branch release-2": a common noun followed by a proper name."""
    token = reading.tokens[position]
    first = reading.text[token.start : token.start + 1]
    own = reading.text[reading.tokens[index].start : reading.tokens[index].end]
    common = reading.tokens[index].sort is Sort.WORD and own.isalpha()
    return (
        common
        and not token.glued
        and first.isupper()
        and not reading.text.isupper()
        and (bool(reading.tokens[index].forms & _NAMED))
    )


_NAMED = word_set(
    """hotel hostel flight airline restaurant branch table service team city reseller customer
    client contractor vendor supplier partner user patient employee intern guest agency company
    tenant student applicant colleague member investor"""
)


def is_proper(reading: Reading, index: int) -> bool:
    """Whether the word is written as a name: in capitals, or with marks or digits in it."""
    token = reading.tokens[index]
    own = reading.text[token.start : token.end]
    if token.sort is Sort.NAME or own[1:] != own[1:].lower():
        return not reading.text.isupper()
    first = any(start == index for start, _ in reading.sentences)
    return own[:1].isupper() and not first
