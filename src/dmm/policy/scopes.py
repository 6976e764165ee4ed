"""Where a constraint puts its scope: "In the frontend, no inline styles"."""

from __future__ import annotations

from dmm.policy.language import Token, tokens_of
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]
_LEADING = word_set("in on for within inside at during under from across throughout")
_DOING = word_set("when while if")
_OPENERS = word_set("unless except excluding barring without until before")
_ANYONE = word_set("anyone anybody anything anywhere everyone somebody someone")
_BEFORE_ANYONE = word_set("to for by with from in on of at")
_AFTER_ANYONE = frozenset((",", "else", "but"))
_LONGEST = 9


def scope_behind(words: Words) -> Words:
    """The same sentence with a scope that opens it moved behind what it is the scope of."""
    for index, word in enumerate(words[:_LONGEST]):
        if word.text != "," or index < 2 or index + 1 >= len(words):
            continue
        scope = _scope(words[:index])
        if not scope:
            return words
        rest = words[index + 1 :]
        end = next((i for i, one in enumerate(rest) if i and one.text in _OPENERS), len(rest))
        while end > 1 and rest[end - 1].text in (",", "("):
            end -= 1
        return (*rest[:end], *scope, *rest[end:])
    return words


def _scope(words: Words) -> Words:
    if words[0].text in _LEADING:
        return words
    if words[0].text in _DOING and words[1].text.endswith("ing") and len(words) > 2:
        return (*tokens_of("for"), *words[2:])
    return ()


def exception_behind(words: Words) -> Words:
    """ "Ports other than 443 must not be opened": the exception moves behind the rule."""
    if [word.text for word in words[:2]] in (["nobody", "but"], ["nobody", "except"]):
        return (*tokens_of("only"), *words[2:])
    if words and words[0].text in _EXCEPTING | {"unless"}:
        turn = next((i for i, word in enumerate(words) if i > 1 and word.text == ","), None)
        return words if turn is None else (*words[turn + 1 :], *words[:turn])
    opener = next((i for i, word in enumerate(words[:6]) if word.text in _EXCEPTING), None)
    if not opener:
        return words
    modal = next((i for i in range(opener, len(words)) if words[i].text in _PREDICATES), None)
    if modal is None or modal == opener + 1:
        return words
    start = opener - 1 if words[opener - 1].text in (",", "(") else opener
    within = tuple(word for word in words[opener:modal] if word.text not in (",", ")"))
    return (*words[:start], *words[modal:], *within)


_EXCEPTING = word_set("except excluding barring")
_PREDICATES = word_set("must shall should may can cannot is are need needs mustn't can't")


def purpose_of_use(words: Words) -> Words:
    """ "Use X to build Y" is use of X for Y."""
    kept: list[Token] = []
    for index, word in enumerate(words):
        doing = index + 2 < len(words) and words[index + 1].text in words[index + 1].acting
        if word.text == "to" and doing and any("use" in one.forms for one in kept[-5:]):
            kept += tokens_of("for")
        elif not (index and words[index - 1].text == "to" and kept[-1].text == "for"):
            kept.append(word)
    return tuple(kept)


def without_anyone(words: Words) -> Words:
    """ "Give access to anyone except X": whom it is given to narrows nothing."""
    kept: list[Token] = []
    for index, word in enumerate(words):
        closing = index + 1 == len(words) or words[index + 1].text in _OPENERS | _AFTER_ANYONE
        if word.text in _ANYONE and closing and kept and kept[-1].text in _BEFORE_ANYONE:
            kept.pop()
        elif word.text == "but" and index and words[index - 1].text in _ANYONE:
            kept += tokens_of("except")
        elif not (word.text == "else" and words[index - 1].text in _ANYONE):
            kept.append(word)
    return tuple(kept)
