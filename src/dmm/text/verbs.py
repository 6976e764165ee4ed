"""Find the verbs of a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.text import lexicon as lex
from dmm.text.lemmas import base_forms
from dmm.text.tokens import Sort, Token, forms_at, is_glued, text_at
from dmm.text.words import english

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEADS = (lex.AUXILIARIES - lex.BE) | {"to", "please", "cannot", "and", "or", "but", "then", "&"}
_SUBJECTS = frozenset(("i", "we", "you", "he", "she", "they", "everyone", "nobody", "it"))
# Nothing but a verb follows these: a subject that is no object, or an auxiliary.
_FOLLOWED = (_LEADS - {"and", "or", "but", "&"}) | {"we", "they", "he", "she", "nobody"}
_GERUND_NOUNS = english("gerund_nouns")
_LEADS_GERUND = (lex.PREPOSITIONS | lex.CONDITIONS) - {"in", "on", "at", "to", "of"}
_PREFIXES = lex.MANNERS | {"re", "pre", "auto", "self", "hot", "cherry", "dry", "un", "co"}
_ADVERB = re.compile(r"(?!(?:family|assembly|supply|anomaly|monopoly|comply)\Z).{4,}ly")
_ACTS = lex.VERBS - {"be"}
_OPENS_OBJECT = (lex.DETERMINERS | {"it", "them", "us"}) - {"that", "which"}


def is_adverb(token: Token) -> bool:
    """Return whether the word is an adverb of manner."""
    return token.text in lex.MANNERS or _ADVERB.fullmatch(token.text) is not None


def is_participle(token: Token) -> bool:
    """Return whether the word may be a past participle."""
    bases = base_forms(token.text)
    return token.text.endswith("ed") or (len(bases) > 1 and not token.text.endswith(("s", "ing")))


def is_base(token: Token) -> bool:
    """Return whether the word is in its base form."""
    return len(base_forms(token.text)) == 1


def is_verb(
    tokens: Sequence[Token], index: int, start: int, extra: frozenset[str] = frozenset()
) -> bool:
    """Whether the token is a verb, in a clause that begins at `start`; `extra` verbs are known."""
    token = tokens[index]
    if token.sort is not Sort.WORD or token.quoted or _is_grammar(tokens, index):
        return False
    if is_glued(tokens, index + 1):
        return False
    before = index - 1
    while before >= start and _is_skipped(tokens, before):
        before -= 1
    if token.glued and before >= start and tokens[before + 1].glued:
        return False
    known = bool(token.forms & (lex.VERBS | extra))
    if before < start or tokens[before].sort is Sort.MARK:
        relative = text_at(tokens, before) in ("which", "who", "that")
        return known if relative else _opens(tokens, index, known)
    return _follows(tokens, index, before, known)


def _is_grammar(tokens: Sequence[Token], index: int) -> bool:
    text, following = tokens[index].text, text_at(tokens, index + 1)
    if text in ("do", "does", "did", "get"):
        return following not in lex.DETERMINERS
    if text == "let":
        return following in lex.PRONOUNS
    if text == "using":
        return False
    return text in lex.GRAMMAR or "not" in tokens[index].forms


def _is_skipped(tokens: Sequence[Token], index: int) -> bool:
    word = tokens[index]
    skipped = word.text in lex.ADVERBS | _PREFIXES | {"git"} or "not" in word.forms
    return skipped or is_adverb(word)


def _opens(tokens: Sequence[Token], index: int, known: bool) -> bool:
    """Return whether a word can open a clause as a verb: base form, past or gerund."""
    text, following = tokens[index].text, text_at(tokens, index + 1)
    if following in lex.AUXILIARIES | {"of"}:
        return False
    if text.endswith("s") and not text.endswith("ss"):
        return known and following in _OPENS_OBJECT
    if not known:
        return following in _OPENS_OBJECT
    return text not in lex.NOUNLIKE or text_at(tokens, index + 2) not in lex.BE


def _follows(tokens: Sequence[Token], index: int, before: int, known: bool) -> bool:
    token, lead = tokens[index], tokens[before].text
    text, following = token.text, text_at(tokens, index + 1)
    if lead in lex.BE:
        return is_participle(token) or (text.endswith("ing") and text not in _GERUND_NOUNS)
    if lead == "to":
        after = before - 1
        while after > 0 and _is_skipped(tokens, after):
            after -= 1
        directed = not forms_at(tokens, after).isdisjoint(_ACTS)
        ends = following in lex.PREPOSITIONS | {"", ".", ","}
        noun = text in lex.NOUNLIKE and (ends or directed)
        return known and is_base(token) and not noun
    if lead in _LEADS | _SUBJECTS:
        return known or following in _OPENS_OBJECT or lead in _FOLLOWED
    if text.endswith("ing"):
        opens = following in _OPENS_OBJECT or text in ("using", "disabling")
        # "Use print for logging" names a purpose, "for logging errors" an act.
        named = lead == "for" and (following in lex.PREPOSITIONS or not following.isalpha())
        leads = lead in _LEADS_GERUND and not named
        return known and (opens or leads or not lex.NEGATIVE.isdisjoint(tokens[before].forms))
    if lead in lex.DETERMINERS | lex.PREPOSITIONS or not known:
        return False
    if is_participle(token):
        return following in lex.PREPOSITIONS | lex.DETERMINERS | {"", ".", ",", "and", "or"}
    if text.endswith("s"):
        named = index + 1 < len(tokens) and tokens[index + 1].sort is not Sort.MARK
        named = named and following not in lex.CONJUNCTIONS | lex.AUXILIARIES
        plain = before > 0 and not tokens[before - 1].forms & lex.VERBS
        named = named and (following not in lex.PREPOSITIONS or plain)
        counted = named and tokens[index + 1].sort is Sort.NUMBER
        clear = not token.forms & lex.NOUNLIKE or tokens[before].sort is Sort.NAME
        one = clear and not tokens[before].text.endswith("s")
        return following in _OPENS_OBJECT or counted or (named and one)
    return lead.endswith("s") and (text not in lex.NOUNLIKE or following in _OPENS_OBJECT)
