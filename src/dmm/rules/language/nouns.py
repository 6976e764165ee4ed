"""Find where a decision names the thing of a rule."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from dmm.text import lexicon as lex
from dmm.text.acts import Phrase
from dmm.text.tokens import Sort, Token, is_glued

if TYPE_CHECKING:
    from dmm.rules.language.rules import Noun, Term
    from dmm.text.acts import Act
    from dmm.text.clauses import Reading


def match_noun(
    reading: Reading, act: Act, phrase: Phrase, noun: Noun
) -> tuple[bool, list[int]] | None:
    """Return the tokens of a phrase that name the thing, and whether that is certain."""
    if phrase.negated or is_of_copy(reading, phrase):
        return None
    quote = _quote_of(reading, act, phrase)
    if quote is Quote.TEXT:
        kept = tuple(i for i in phrase.indices if not reading.tokens[i].quoted)
        phrase = Phrase(phrase.preposition, kept)
    heads = [i for i in phrase.indices if stands(reading, i, noun.head)]
    wanted = list(noun.modifiers)
    if not heads and noun.head_optional and wanted:
        last = wanted.pop()
        heads = [i for i in phrase.indices if stands(reading, i, last)]
    if not heads:
        return None
    head = heads[-1]
    path = reading.tokens[head].sort is Sort.NAME
    places = [i for i in phrase.indices if i != head or path]
    around = [
        i
        for one in act.phrases
        if one.preposition in _BELONGING
        and not one.negated
        and one.indices[0] > head
        and not is_of_copy(reading, one)
        for i in one.indices
    ][:_NEAR]
    found = [head]
    for term in wanted:
        at = next((i for i in (*places, *around) if stands(reading, i, term)), None)
        if at is None:
            return None
        found.append(at)
    part = is_glued(reading.tokens, head + 1)
    run = bool(act.forms & {"=run"}) and phrase.preposition is None and not part
    named = _is_named_behind(reading, phrase, head, noun.head)
    sure = run or named or _ends_noun(reading, phrase, head, found)
    return sure and quote is not Quote.UNSURE, found


class Quote(Enum):
    """The meaning of a quotation in a phrase: a name, text, or either."""

    NAME = auto()
    TEXT = auto()
    UNSURE = auto()


def _quote_of(reading: Reading, act: Act, phrase: Phrase) -> Quote:
    """ "Redis Cluster" is a name, the text "use Redis" is said, the page "Why Redis" may be."""
    first = next((i for i in phrase.indices if reading.tokens[i].quoted), None)
    if first is None or "=run" in act.forms:
        return Quote.NAME
    if reading.tokens[max(0, first - 1)].forms & lex.TEXTS:
        return Quote.TEXT
    clause = reading.tokens[first].text.strip("`") in _CLAUSE_OPENERS
    unsure = clause or act.forms & lex.SAYING or first - 1 in phrase.indices
    return Quote.UNSURE if unsure else Quote.NAME


_CLAUSE_OPENERS = (lex.VERBS - lex.NOUNLIKE) | (lex.GRAMMAR - lex.DETERMINERS)
_BELONGING = frozenset(("of", "from", "in", "on", "by", "under"))
_NEAR = 4


def stands(reading: Reading, index: int, term: Term) -> bool:
    """Return whether a token is the word of a rule, not its opposite, such as non-smoking."""
    token = reading.tokens[index]
    denied = token.glued and index and reading.tokens[index - 1].text in ("no", "non", "un", "anti")
    return not denied and token.stands_for(term.forms)


def _is_named_behind(reading: Reading, phrase: Phrase, head: int, term: Term) -> bool:
    """ "The Hotel Ribeira" is one of the hotels: a rule on many names none of them."""
    behind = [reading.tokens[i] for i in phrase.indices if i > head]
    capital = all(reading.text[one.start].isupper() and not one.glued for one in behind)
    return bool(behind) and capital and term.text != reading.tokens[head].text


def _ends_noun(reading: Reading, phrase: Phrase, head: int, found: list[int]) -> bool:
    """Return whether a noun phrase is about the word: "eval call", not "eval linter"."""
    token = reading.tokens[head]
    if token.glued and head - 1 not in found and reading.tokens[head - 1].text not in lex.MANNERS:
        return False
    behind = [reading.tokens[i] for i in phrase.indices if i > head]
    own = reading.text[token.start : token.end]
    if own.endswith(("'s", "\N{RIGHT SINGLE QUOTATION MARK}s")):
        return False
    if token.forms & lex.CARRIERS and len(behind) == 1 and behind[0].sort is Sort.WORD:
        return True
    if head > 0 and own[:1].isupper() and len(behind) == 1 and not behind[0].forms & lex.ABOUT:
        # "A GraphQL gateway" uses GraphQL; "React Native" is another name.
        common = reading.text[behind[0].start].islower() and not behind[0].glued
        return common or _is_name(reading, behind[0], token)
    return all(
        (
            (one.forms & (lex.CARRIERS | lex.TIMES | lex.COMPARED) or _is_name(reading, one, token))
            and not one.glued
        )
        or one.text.endswith("ly")
        for one in behind
    )


def _is_name(reading: Reading, token: Token, head: Token) -> bool:
    """ "The patient Okafor", "port 8080", not "React Native"."""
    capital = reading.text[token.start : token.start + 1].isupper()
    common = reading.text[head.start : head.start + 1].islower()
    return token.sort is not Sort.WORD or (capital and common)


def is_of_copy(reading: Reading, phrase: Phrase) -> bool:
    """ "A replica of production" is not production."""
    before = reading.tokens[max(0, phrase.indices[0] - 3) : phrase.indices[0]]
    return phrase.preposition == "of" and any(one.forms & lex.COPIES for one in before)
