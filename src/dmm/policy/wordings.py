"""Constraints in other words: each wording is turned into the plain form that says the same."""

from __future__ import annotations

from dmm.policy import lexicon as lex
from dmm.policy.language import Sort, Token, text_at, tokens_of
from dmm.policy.rivals import has_contrary
from dmm.policy.verbs import is_participle, is_verb
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]
_STAYING = word_set("stays remains stay remain")
_STATED = lex.AUXILIARIES | lex.SUBORDINATORS | word_set("not never cannot no only without to")
# Of these the noun says what is done: refunds given are refunds.
_LIGHT = word_set("give make issue grant offer provide take accept do handle process tolerate")
_SETTLED = _LIGHT | word_set("allow permit")
_ENDING = word_set("through until till by")
_OCCURRING = word_set("begins starts begin start happens happen occurs occur")


def in_plain_form(words: Words) -> Words:
    """The sentence in the form that the rules are read from."""
    for turn in _WAYS:
        words = turn(words)
    return words


def _is_to(words: Words) -> Words:
    """ "Interviews are to be held in person": they must be."""
    for index in range(1, min(len(words) - 2, 8)):
        if words[index].text in lex.SUBORDINATORS | {","}:
            return words
        verb = words[index + 2]
        owed = words[index].text in ("is", "are") and words[index + 1].text == "to"
        if owed and verb.sort is Sort.WORD and verb.text not in _NO_VERBS:
            return (*words[:index], *tokens_of("must"), *words[index + 2 :])
    return words


_NO_VERBS = lex.DETERMINERS | lex.PRONOUNS | lex.PREPOSITIONS


def _stays(words: Words) -> Words:
    """ "The room stays locked": it must, and until when is no part of it."""
    for index in range(1, min(len(words) - 1, 7)):
        if words[index].text in _STATED or words[index].sort is Sort.MARK or _denied(words[0]):
            return words
        if words[index].text in _STAYING and not words[0].acting:
            end = _until(words, index + 1)
            return (*words[:index], *tokens_of("must stay"), *words[index + 1 : end])
    return words


def _denied(word: Token) -> bool:
    return "not" in word.forms or word.text in _STATED


def _until(words: Words, first: int) -> int:
    """Where a time that closes the sentence begins."""
    for index in range(first + 1, len(words) - 1):
        dated = any(word.sort is Sort.NUMBER for word in words[index + 1 : index + 4])
        if words[index].text in _ENDING and dated:
            return index
    return len(words)


def _sticks(words: Words) -> Words:
    """ "Stay with X for Y": use it."""
    pair = (text_at(words, 0), text_at(words, 1))
    if len(words) > 2 and pair in _KEEPING:
        return (*tokens_of("use"), *words[2:])
    return words


_KEEPING = frozenset(
    (verb, joint)
    for verb in ("stay", "stick", "remain", "continue")
    for joint in ("with", "on")
    if (verb, joint) != ("stick", "on")
) | {("stick", "to")}


def _chosen_over(words: Words) -> Words:
    """ "Choose A over B": use A instead of B."""
    if text_at(words, 0) not in ("choose", "pick", "select", "favor", "favour"):
        return words
    turn = next((i for i in range(2, len(words) - 1) if words[i].text == "over"), None)
    if turn is None:
        return words
    return (*tokens_of("use"), *words[1:turn], *tokens_of("insteadof"), *words[turn + 1 :])


def _not_done(words: Words) -> Words:
    """ "Refunds are not given after 30 days": no refunds; "X is not sold": it must not be."""
    if words and words[0].text in lex.SUBORDINATORS | {"no", "if"}:
        return words
    for index in range(1, min(len(words) - 1, 8)):
        if words[index].text in lex.SUBORDINATORS or words[index].sort is Sort.MARK:
            return words
        start = _after_not(words, index)
        if start is None:
            continue
        verb = words[start] if start < len(words) else None
        if verb is None or not is_participle(words, start) or verb.text in _NOT_ACTS:
            return words
        if verb.forms & _LIGHT and text_at(words, start + 1) != "away":
            return (*tokens_of("no"), *words[:index], *words[start + 1 :])
        if verb.forms & _SETTLED:
            return (*words[:index], *tokens_of("is not"), *words[start:])
        # "The report is not signed" tells how it is.
        if start + 1 == len(words) and words[index].text in ("is", "isn't"):
            return words
        return (*words[:index], *tokens_of("must not be"), *words[start:])
    return words


_NOT_ACTS = word_set("supported needed required intended based set")


def _after_not(words: Words, index: int) -> int | None:
    """The word behind "are not", "aren't" or "is never"."""
    word = words[index]
    if word.text in ("isn't", "aren't"):
        return index + 1
    denied = text_at(words, index + 1) in ("not", "never")
    return index + 2 if word.text in ("is", "are") and denied else None


def _kept_out(words: Words) -> Words:
    """ "Keep secrets out of the repository": no secrets in it."""
    if text_at(words, 0) != "keep":
        return words
    for index in range(2, len(words) - 2):
        pair = (words[index].text, words[index + 1].text)
        if pair in (("out", "of"), ("away", "from")):
            return (*tokens_of("no"), *words[1:index], *tokens_of("in"), *words[index + 2 :])
    return words


def _kept_so(words: Words) -> Words:
    """ "Keep the door closed", "store it encrypted": it must be so."""
    if text_at(words, 0) not in ("keep", "leave") or len(words) < 3:
        return words
    end = next(
        (i for i in range(2, len(words)) if words[i].text in _SCOPES or words[i].text == ","),
        len(words),
    )
    state = words[end - 1]
    told = state.text.endswith("ed") or has_contrary(state.text)
    if end < 3 or not told or any(word.text in lex.PREPOSITIONS for word in words[:end]):
        return words
    return (*words[1 : end - 1], *tokens_of("must be"), *words[end - 1 :])


_SCOPES = word_set("in on at during unless except while when for outside")


def _kept_state(words: Words) -> Words:
    """ "Doors must be kept closed": they must stay so."""
    for index in range(1, min(8, len(words) - 3)):
        texts = [word.text for word in words[index : index + 3]]
        state = words[index + 3]
        told = state.text.endswith("ed") or has_contrary(state.text)
        if texts[:2] == ["must", "be"] and texts[2] in ("kept", "left") and told:
            return (*words[:index], *tokens_of("must stay"), *words[index + 3 :])
    return words


_WAYS = (_is_to, _stays, _sticks, _chosen_over, _not_done, _kept_out, _kept_so, _kept_state)


def occurs(words: Words) -> bool:
    """ "Work begins"."""
    return 1 < len(words) < _LONGEST and words[-1].text in _OCCURRING


_LONGEST = 6


def subject_scope_behind(words: Words) -> Words:
    """ "Tickets for the gala may not be sold": they may not be sold for the gala."""
    turn = next((i for i in range(1, min(6, len(words))) if words[i].text in _OF_THINGS), None)
    if turn is None or words[0].text in lex.PREPOSITIONS:
        return words
    modal = next((i for i in range(turn + 2, min(9, len(words))) if _denies(words, i)), None)
    within = words[turn:modal]
    if modal is None or any(word.text in lex.AUXILIARIES | {","} for word in within):
        return words
    rest = words[modal:]
    end = next((i for i, one in enumerate(rest) if one.text in _OPENERS), len(rest))
    while end > 1 and rest[end - 1].text in (",", "("):
        end -= 1
    same = any(one.text == within[0].text for one in rest)
    scope = (*tokens_of("in"), *within[1:]) if same else within
    return (*words[:turn], *rest[:end], *scope, *rest[end:])


_OF_THINGS = word_set("for in on at from of to under inside within")
_OPENERS = word_set("unless except excluding barring without until before")


def _denies(words: Words, index: int) -> bool:
    word = words[index]
    modal = word.text in ("must", "may", "shall", "should", "can")
    return word.text in _DENYING or (modal and text_at(words, index + 1) in ("not", "never"))


_DENYING = word_set("cannot mustn't can't shouldn't")


def doing_first(words: Words) -> Words:
    """ "Work begins", "a scan is performed": the act first, then what it is done to."""
    if occurs(words):
        return (words[-1], *words[:-1])
    if not words or is_verb(words, 0, 0):
        return words
    for index in range(1, min(len(words), 7)):
        if words[index].text in ("is", "are") and index + 1 < len(words):
            if is_participle(words, index + 1):
                return (words[index + 1], *words[:index], *words[index + 2 :])
            return words
    return words
