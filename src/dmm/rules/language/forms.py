"""Read the sentence forms of constraints into parts of rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.rules.language.acting import listed_terms, noun_of
from dmm.rules.language.demands import contrast_of, only_of, requirement_of, verification_of
from dmm.rules.language.limits import limits_of
from dmm.rules.language.prohibitions import (
    above_amount_of,
    no_thing_of,
    prohibition_of,
    reserved_of,
)
from dmm.rules.language.rules import Condition, Exemption, Limit, Part, Prohibition, Verification
from dmm.text import lexicon as lex
from dmm.text.polarity import EXCEPTING
from dmm.text.tokens import Sort, Words, text_at
from dmm.text.verbs import is_verb
from dmm.text.words import english, word_set

if TYPE_CHECKING:
    from collections.abc import Callable


def parts_of(words: Words) -> tuple[Part, ...]:
    """Return the parts of a rule in one sentence; none if no form fits."""
    label = next((i for i, word in enumerate(words[:4]) if word.text == ":"), None)
    if label and limits_of(words[label:]) == ():
        named = limits_of((*words[:label], *words[label + 1 :]))
        if named:
            return named
    texts = [word.text for word in words]
    if texts.count("(") != texts.count(")"):
        return ()
    words = _trimmed(words)
    if not words or _is_fragment(words):
        return ()
    verified = verification_of(words)
    if verified is not None:
        return (verified,)
    scope, words = _leading_scope(words)
    words, exemptions = _cut_exceptions(words)
    if exemptions is None:
        return ()
    for form in _FORMS:
        parts = form(words)
        if parts:
            return tuple(_narrowed(part, scope, exemptions) for part in parts)
    return ()


def _is_fragment(words: Words) -> bool:
    """Return whether the words are a fragment of a longer sentence."""
    texts = [word.text for word in words]
    links = frozenset(("to", "of", "for", "with", "from", "by", "into", "than"))
    open_ended = texts[-1] in lex.DETERMINERS | lex.CONJUNCTIONS | links
    begun = texts[0] in ("that", "which", "who", "or", "but", "with", "of", "by", "than")
    return open_ended or begun


def _trimmed(words: Words) -> Words:
    """Return the words without a leading label, outer marks, and a final reason or remark."""
    while words and words[-1].sort is Sort.MARK and words[-1].text != "%":
        if words[-1].text == ":":
            # What the rule is about comes after the colon, and is not here.
            return ()
        words = words[:-1]
    while words and (words[0].sort is Sort.MARK or words[0].text in _LEADS):
        words = words[1:]
    for index, word in enumerate(words[:4]):
        if word.text == ":" and words[index + 1 :]:
            stated = words[0].forms & _BAD_LABELS or is_verb(words, 0, 0)
            return () if stated else _trimmed(words[index + 1 :])
    for index in range(2, len(words)):
        if _is_remark(words, index):
            return words[:index]
    return words


_LEADS = frozenset(("please", "and", "also", "however"))
_BAD_LABELS = word_set("incorrect wrong bad good correct example note before after")


def _is_remark(words: Words, index: int) -> bool:
    """ "…: reason", "… because it leaks", "…, not even in tests", "…, it is slow"."""
    word, following = words[index].text, text_at(words, index + 1)
    if word in ("because", ":", "\N{EM DASH}", "\N{EN DASH}", "since", "so"):
        return True
    if word == "(":
        return following not in ("except", "unless")
    if word not in (",", "-") or (word == "-" and words[index].end == words[index + 1].start):
        return False
    after = text_at(words, index + 2)
    spoken = following in lex.PRONOUNS | {"which", "as", "even"}
    return (
        spoken
        or (following == "not" and after == "even")
        or (index + 1 < len(words) and following != "not" and _is_order(words, index + 1))
    )


def _is_order(words: Words, index: int) -> bool:
    """Whether an order of its own begins here: ", use X instead"."""
    texts = [word.text for word in words]
    series = any(texts[i : i + 2] in ([",", "or"], [",", "and"]) for i in range(index, len(texts)))
    last_of_list = series or text_at(words, index + 1) in ("or", "and", ",")
    started = text_at(words, 0) in ("in", "on", "for", "if", "when", "during", "before")
    verb = words[index].text in words[index].forms & lex.VERBS
    return verb and not last_of_list and not started and is_verb(words, index, index)


def _leading_scope(words: Words) -> tuple[tuple[Condition, ...], Words]:
    """ "In the frontend, no inline styles": where, when or for what the rest holds."""
    opener = text_at(words, 0)
    commas = [i for i, word in enumerate(words) if word.text == ","]
    if opener in ("except", "unless") and commas:
        return (), (*words[commas[0] + 1 :], *words[: commas[0]])
    comma = commas[0] if commas else None
    if opener not in _SCOPES or comma is None or comma + 1 >= len(words):
        return (), words
    noun = noun_of(words, range(1, comma))
    if noun is None:
        return (), words
    return (Condition("in" if opener in lex.CONDITIONS else opener, (noun,)),), words[comma + 1 :]


_SCOPES = frozenset(("in", "on", "for", "if", "when", "during", "within", "inside", "under", "at"))


def _cut_exceptions(words: Words) -> tuple[Words, tuple[Exemption, ...] | None]:
    """Return the rule proper and its exceptions, or None if they are not usable."""
    for index in range(1, len(words)):
        word = words[index].text
        only = word == "only" and text_at(words, index + 1) in ("if", "when", "for")
        only = only and any("not" in one.forms or one.text == "never" for one in words[:index])
        if word not in EXCEPTING and not only:
            continue
        if text_at(words, 0) in ("nobody", "no") and index == 1:
            continue
        end = index - 1 if words[index - 1].text in (",", "(") else index
        return words[:end], _exemptions(words[index + 1 + only :])
    return words, ()


def _exemptions(words: Words) -> tuple[Exemption, ...] | None:
    limits = limits_of(words)
    if limits:
        return (Exemption((), amount=limits[0]),)
    told = tuple(word for word in words if not word.forms & _UNTOLD)
    return tuple(map(Exemption, listed_terms(told, but=_CONTAINERS))) or None


_CONTAINERS = word_set("file script module code folder directory path")
_UNTOLD = english("open_exceptions")


def _narrowed(part: Part, scope: tuple[Condition, ...], exemptions: tuple[Exemption, ...]) -> Part:
    if isinstance(part, Verification):
        return part
    if scope and isinstance(part, Prohibition):
        conditions = (*scope, *part.action.conditions)
        part = replace(part, action=replace(part.action, conditions=conditions))
    elif scope and isinstance(part, Limit):
        part = replace(part, subject=(*part.subject, scope[0].nouns[0].head))
    return replace(part, exemptions=(*part.exemptions, *exemptions))


_FORMS: tuple[Callable[[Words], tuple[Part, ...]], ...] = (
    above_amount_of,
    limits_of,
    contrast_of,
    prohibition_of,
    no_thing_of,
    reserved_of,
    only_of,
    requirement_of,
)
