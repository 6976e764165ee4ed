"""Which words of a text are its verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.language import Sort, Token
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE_VERB = (
    lex.PRONOUNS
    | lex.AUXILIARIES
    | (lex.NEGATIONS - {"no", "without", "except", "insteadof"})
    | lex.ADVERBS
    | lex.CONJUNCTIONS
    | lex.BE
    | {"please", "to", "cannot"}
)
_DIRECTED = word_set(
    """push merge deploy switch move migrate go send release ship commit write save upload print
    add post publish expose copy export append grant give"""
)
_GERUND_AFTER = lex.PREPOSITIONS | lex.SUBORDINATORS | {"without", "insteadof", "except", "by"}


_NOT_ADVERBS = word_set(
    """family july italy assembly supply reply apply fly ally anomaly monopoly belly jelly rally
    rely comply multiply imply tally bully"""
)


def is_adverb(token: Token) -> bool:
    """Whether the word says how something is done."""
    if token.text in lex.COMMON_ADVERBS:
        return True
    return token.text.endswith("ly") and token.text not in _NOT_ADVERBS


_LEADS_VERB = (lex.AUXILIARIES - lex.BE) | lex.CONJUNCTIONS | {"to", "please"}
_LONGEST_COMPOUND = 6
_SKIPPED_BEFORE = lex.ADVERBS - {"not", "never"} | {"force"}


def is_verb(tokens: Sequence[Token], index: int, start: int) -> bool:
    """Whether the token at `index` is a verb, in a clause that begins at `start`."""
    token = tokens[index]
    if token.sort is not Sort.WORD or _is_grammar(tokens, index):
        return False
    before = index - 1
    lowest = max(start, index - _LONGEST_COMPOUND)
    while before >= lowest and _may_be_skipped(tokens[before]):
        before -= 1
    if token.glued and token.text.endswith(("ing", "ed")) and _describes(tokens, index):
        return False
    if before >= start and tokens[before + 1].glued:
        before = _compound_start(tokens, before, start)
    if token.text == "force" and index + 1 < len(tokens) and tokens[index + 1].acting:
        return False
    if not token.acting:
        return _unknown_verb(tokens, index, before, start)
    if _is_part_of_name(tokens, index):
        return False
    if before < start:
        relative = start > 0 and tokens[start - 1].text in ("which", "who", "that")
        return relative or _opens_clause(tokens, index)
    return _after(tokens, index, before, start)


def _describes(tokens: Sequence[Token], index: int) -> bool:
    """ "Long-running jobs", "rate-limited calls": the compound describes what follows."""
    return tokens[index - 1].text not in _VERB_PREFIXES


_VERB_PREFIXES = word_set(
    "force hard pre re self auto hot cherry fast double over mis dry live soft code un out co"
)


def _is_grammar(tokens: Sequence[Token], index: int) -> bool:
    text = tokens[index].text
    following = index + 1 < len(tokens)
    if text == "going":
        return following and tokens[index + 1].text == "to"
    if text in ("do", "does", "did") and following:
        return tokens[index + 1].text not in lex.DETERMINERS
    if text in ("get", "gets", "getting"):
        return following and is_participle(tokens, index + 1)
    return text in lex.AUXILIARIES or text in lex.PREPOSITIONS


def _may_be_skipped(token: Token) -> bool:
    return token.text in _SKIPPED_BEFORE or is_adverb(token)


def _compound_start(tokens: Sequence[Token], before: int, start: int) -> int:
    lowest = max(start, before - _LONGEST_COMPOUND)
    while before > lowest and tokens[before].glued:
        before -= 1
    return before - 1


def _is_part_of_name(tokens: Sequence[Token], index: int) -> bool:
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    return following is not None and following.glued


def _opens_clause(tokens: Sequence[Token], index: int) -> bool:
    text = tokens[index].text
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if text.endswith("s") and tokens[index].forms & lex.NOUNLIKE and text not in lex.NOUNLIKE:
        return False
    if following in lex.AUXILIARIES and not text.endswith("ing"):
        return False
    if text in lex.GERUND_NOUNS or _names_the_next(tokens, index):
        return False
    if text.endswith("ing"):
        return following != "of" and not _is_done_to(tokens, index + 1)
    return text not in lex.NOMINAL or text in tokens[index].acting


def _names_the_next(tokens: Sequence[Token], index: int) -> bool:
    """ "Smoke detectors are checked": the word only tells which detectors."""
    after = tokens[index + 1 : index + 3]
    if len(after) < 2 or tokens[index].text not in lex.NOUNLIKE - lex.MENTION:
        return False
    plural = after[0].text.endswith("s") and after[0].sort is Sort.WORD
    return (
        plural and after[0].text not in lex.DETERMINERS and after[1].text in ("is", "are", "were")
    )


def _is_done_to(tokens: Sequence[Token], index: int) -> bool:
    """Whether a noun before this word would be its subject: "booking is", "booking confirmed"."""
    if index >= len(tokens):
        return False
    word = tokens[index]
    return word.text in lex.AUXILIARIES or (word.text.endswith("ed") and bool(word.acting))


def _unknown_verb(tokens: Sequence[Token], index: int, before: int, start: int) -> bool:
    """An unlisted word is a verb where only a verb can stand."""
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if tokens[index].text in _NEVER_VERBS or "not" in tokens[index].forms:
        return False
    if before < start:
        return following in _OPENS_OBJECT or following in ("which", "whose")
    previous = tokens[before]
    if previous.text in ("will", "must", "should", "shall", "never", "cannot"):
        return True
    if previous.text in _SUBJECTS and not owns(previous):
        return True
    leads = previous.text in _LEADS_VERB or "not" in previous.forms
    return leads and following in lex.DETERMINERS and not _is_dated(tokens, index + 1)


def _is_dated(tokens: Sequence[Token], index: int) -> bool:
    """ "To production this Friday": no object follows, but a time."""
    return index + 1 < len(tokens) and bool(tokens[index + 1].forms & lex.TIMES)


_SUBJECTS = frozenset(("it", "he", "she", "they", "we", "i", "nobody", "everyone", "someone"))


def owns(token: Token) -> bool:
    """Whether the word ends in 's: "the guest's"."""
    return token.sort is Sort.WORD and token.end - token.start == len(token.text) + 2


def _after(tokens: Sequence[Token], index: int, before: int, start: int) -> bool:
    token, previous = tokens[index], tokens[before]
    if previous.text in lex.DETERMINERS - {"that"} or _is_counted(tokens, index, previous):
        return False
    if previous.text in _PROGRAMS:
        return True
    if token.text.endswith("ing"):
        return _gerund(tokens, index, previous)
    if previous.text == "to":
        directed = token.forms & lex.NOUNLIKE and _follows_direction(tokens, before, start)
        return token.text in token.acting and (not directed or _has_object(tokens, index))
    if previous.text in lex.CONJUNCTIONS:
        return not _adjective(tokens, index)
    if previous.text in _BEFORE_VERB or "not" in previous.forms or previous.sort is Sort.MARK:
        return True
    if previous.text in lex.PREPOSITIONS:
        return False
    return _after_noun(tokens, index, before, start)


_LEAVING = frozenset(("leave",))


def _after_noun(tokens: Sequence[Token], index: int, before: int, start: int) -> bool:
    """A verb right after a noun: a past form, an -s form, or a plain form after a plural."""
    token, previous = tokens[index], tokens[before]
    if tokens[start].text == "let" and token.text in token.acting and _is_let(tokens, index):
        return True
    if is_participle(tokens, index):
        return not _adjective(tokens, index) and not tokens[start].forms & _LEAVING
    lead = tokens[max(start, before - _LONGEST_COMPOUND) : before]
    named = any(word.text in lex.DETERMINERS or owns(word) for word in lead)
    if previous.text in previous.acting and previous.text not in lex.NOUNLIKE and not named:
        return False
    if start < before and is_verb(tokens, start, start):
        return False
    if token.forms & lex.NOUNLIKE:
        return _is_said_of(tokens, index, before)
    if token.text.endswith("s") and token.text not in token.acting:
        counted = previous.sort is Sort.NUMBER and not _has_object(tokens, index)
        return not counted and not is_participle(tokens, before)
    plural = previous.text.endswith("s") and previous.text not in previous.acting
    return plural and (named or not previous.acting)


def _is_said_of(tokens: Sequence[Token], index: int, before: int) -> bool:
    """Whether a word that may be a noun is the verb of the noun before it."""
    token, previous = tokens[index], tokens[before]
    ending = token.text.endswith("s")
    if token.text in _SELDOM_NOUNS:
        return True
    if previous.sort is Sort.NUMBER or owns(previous):
        return False
    if ending and (previous.sort is Sort.NAME or before < index - 1):
        return True
    if ending and _is_predicate(tokens, index, before):
        return True
    return _has_object(tokens, index) and (ending or previous.text.endswith("s"))


def _is_predicate(tokens: Sequence[Token], index: int, before: int) -> bool:
    """ "The portal hashes partner passwords with X": the only word that can be the verb."""
    first = index
    while first > 0 and index - first <= _LONGEST_COMPOUND and tokens[first - 1].sort is Sort.WORD:
        first -= 1
    if tokens[first].text not in ("the", "our", "this", "each", "every") or before == first:
        return False
    end = index + 1
    while end < len(tokens) and end - index <= _LONGEST_OBJECT and _is_plain(tokens[end]):
        end += 1
    means = end < len(tokens) and tokens[end].text in ("with", "via", "through", "using")
    plural = end > index + 1 and tokens[end - 1].text.endswith("s")
    return means and plural and not any(is_participle(tokens, i) for i in range(index + 1, end))


_LONGEST_OBJECT = 4


def _is_plain(token: Token) -> bool:
    return token.sort is Sort.WORD and token.text not in _ENDS_NOUN


_SELDOM_NOUNS = word_set("takes goes develops leads wakes wins stays lends contributes")


def _is_let(tokens: Sequence[Token], index: int) -> bool:
    """ "Let the driver start without a map": the noun phrase that is let do it has ended."""
    if index + 1 == len(tokens):
        return True
    following = tokens[index + 1]
    if not tokens[index].forms & lex.NOUNLIKE:
        return True
    ends = lex.PREPOSITIONS | lex.DETERMINERS | lex.ADVERBS
    return following.sort is Sort.MARK or following.text in ends


def _is_counted(tokens: Sequence[Token], index: int, previous: Token) -> bool:
    """ "One set of keys": a noun, though the word may be a verb elsewhere."""
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    counted = previous.text in ("one", "ones", "%") or previous.sort is Sort.NUMBER
    return counted and (following == "of" or bool(tokens[index].forms & lex.NOUNLIKE))


def _has_object(tokens: Sequence[Token], index: int) -> bool:
    """ "The widget polls the service": a determiner opens the object of a verb."""
    if index + 1 >= len(tokens):
        return False
    following = tokens[index + 1]
    member = following.sort is Sort.NAME and "." in following.text[1:-1] and not following.glued
    return following.text in _OPENS_OBJECT or member


_OPENS_OBJECT = lex.DETERMINERS - {"that", "which", "whose"} | {"it", "them", "him", "me", "us"}
_PROGRAMS = frozenset(("git",))


def _gerund(tokens: Sequence[Token], index: int, previous: Token) -> bool:
    token = tokens[index]
    if token.text in lex.GERUND_NOUNS:
        return False
    if previous.text in lex.GERUND_NOUNS_AFTER and token.text in _GERUND_THINGS:
        return False
    if previous.text in ("long", "slow", "fast", "well", "best", "free", "high", "low"):
        return False
    if previous.text in _GERUND_AFTER or previous.text in _BEFORE_VERB:
        return True
    if previous.sort is Sort.MARK or previous.forms & (lex.NEGATIVE | lex.LIGHT | lex.UNSURE):
        return True
    if _has_object(tokens, index):
        return True
    return token.text not in lex.NOMINAL and bool(token.forms & _AFTER_NOUN)


_GERUND_THINGS = word_set(
    """testing logging caching routing hosting shipping hashing booking reporting messaging
    monitoring tracking accounting scheduling rendering streaming sharing processing loading
    waiting dining landing boarding fitting"""
)
_AFTER_NOUN = word_set(
    """use call rely run store send write keep import depend leak delete remove purge wipe erase
    share expose copy upload modify change update edit replace contain require include publish
    overwrite bypass skip disable"""
)


def _follows_direction(tokens: Sequence[Token], before: int, start: int) -> bool:
    return any(tokens[index].forms & _DIRECTED for index in range(start, before))


def _adjective(tokens: Sequence[Token], index: int) -> bool:
    """A participle between a verb or adjective and a noun describes the noun."""
    if not is_participle(tokens, index) or index + 1 >= len(tokens):
        return False
    following = tokens[index + 1]
    return following.sort is not Sort.MARK and following.text not in _ENDS_NOUN


_NEVER_VERBS = (
    lex.NEGATIONS
    | lex.ADVERBS
    | lex.PRONOUNS
    | lex.DETERMINERS
    | lex.CONJUNCTIONS
    | lex.SUBORDINATORS
    | lex.RELATIVES
    | lex.REASONS
    | lex.CONCESSIONS
)
_ENDS_NOUN = lex.PREPOSITIONS | lex.DETERMINERS | lex.CONJUNCTIONS | lex.AUXILIARIES | lex.PRONOUNS


def is_participle(tokens: Sequence[Token], index: int) -> bool:
    """Whether the word is a past form: booked, written, sent."""
    token = tokens[index]
    if token.text.endswith("ed"):
        return not token.text.endswith("eed") or token.text in ("agreed", "freed", "guaranteed")
    return (
        bool(token.forms - {token.text})
        and not token.text.endswith(("ing", "s"))
        and (token.text not in token.acting and bool(token.acting))
    )
