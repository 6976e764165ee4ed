"""Constraints told as what was decided or how things go: we decided not to, before X do Y."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.language import Token, text_at, tokens_of
from dmm.policy.rivals import rival_names
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Words = tuple[Token, ...]
_DECIDED = word_set("decided agreed chose resolved")
_WE = word_set("we we've we're")


def as_rule(words: Words) -> Words:
    """The sentence as a rule, where it tells a decision or a custom."""
    return turn_first(words, _TURNS) if len(words) > 1 else words


def turn_first(words: Words, turns: Iterable[Callable[[Words], Words]]) -> Words:
    """The sentence as the first turn puts it that changes anything."""
    return next((turned for turn in turns if (turned := turn(words)) is not words), words)


def _decided(words: Words) -> Words:
    """ "We decided not to use X", "the team decided against X"."""
    refused = next((i for i in range(1, min(4, len(words) - 1)) if _refuses(words, i)), None)
    if refused is not None:
        doing = words[refused + 1].text == "to"
        return (*tokens_of("do not" if doing else "avoid"), *words[refused + 1 + doing :])
    turn = next((i for i in range(1, min(5, len(words) - 2)) if words[i].text in _DECIDED), None)
    if turn is None:
        return words
    following = words[turn + 1].text
    if following in ("to", "on"):
        lead = tokens_of("use") if following == "on" else ()
        return (*lead, *words[turn + 2 :])
    return words


def _refuses(words: Words, index: int) -> bool:
    """ "Decided against" is read as one word, "rejected"."""
    told = words[0].text in _WE or words[index - 1].text in ("team", "board", "company")
    return words[index].text == "rejected" and told


def _not_going_to(words: Words) -> Words:
    """ "We're not going to use X", "we are not using X", "we've banned X"."""
    if words[0].text not in _WE:
        return words
    start = 2 if text_at(words, 1) in ("are", "have") else 1
    if text_at(words, start) in ("banned", "forbidden", "dropped", "abandoned"):
        return (*tokens_of("no"), *words[start + 1 :])
    if text_at(words, start) != "not":
        return words
    if text_at(words, start + 1) == "going" and text_at(words, start + 2) == "to":
        return (*tokens_of("do not"), *words[start + 3 :])
    if text_at(words, start + 1).endswith("ing"):
        return (*tokens_of("avoid"), *words[start + 1 :])
    return words


def _ruled_out(words: Words) -> Words:
    """ "X has been ruled out": no X."""
    for index in range(1, min(5, len(words))):
        rest = [word.text for word in words[index:]]
        while rest and rest[0] in ("has", "have", "been", "was", "were", "is", "are"):
            rest = rest[1:]
        if len(rest) < len(words) - index and rest in (["ruled", "out"], ["banned"], ["rejected"]):
            return (*tokens_of("no"), *words[:index])
    return words


def _no_access(words: Words) -> Words:
    """ "Interns have no access to production": they must not access it."""
    for index in range(1, min(5, len(words) - 4)):
        texts = [word.text for word in words[index : index + 4]]
        if texts[0] in ("have", "get", "has", "gets") and texts[1:] == ["no", "access", "to"]:
            return (*words[:index], *tokens_of("must not access"), *words[index + 4 :])
    return words


def _not_let(words: Words) -> Words:
    """ "Do not let interns deploy": they must not."""
    start = 2 if text_at(words, 0) == "do" and text_at(words, 1) == "not" else 1
    denied = start == 2 or "not" in words[0].forms or words[0].text == "never"
    if not denied or text_at(words, start) != "let":
        return words
    for index in range(start + 2, min(start + 5, len(words))):
        if words[index].text in words[index].acting:
            return (*words[start + 1 : index], *tokens_of("must not"), *words[index:])
    return words


def _before_doing(words: Words) -> Words:
    """ "Before deleting data, make a backup"; "run the linter before you commit"."""
    if words[0].text == "before":
        turn = next((i for i in range(2, min(9, len(words))) if words[i].text == ","), None)
        if turn is None or not text_at(words, turn + 1) or not words[turn + 1].acting:
            return words
        return (*words[turn + 1 :], *words[:turn])
    for index in range(2, len(words) - 2):
        if words[index].text == "before" and words[index + 1].text in ("you", "we"):
            return (*words[: index + 1], *words[index + 2 :])
    return words


def _must_before(words: Words) -> Words:
    """ "CI must pass before merging": do not merge until it passes."""
    turn = next((i for i in range(3, len(words) - 1) if words[i].text == "before"), None)
    modal = next((i for i in range(1, min(5, len(words))) if words[i].text == "must"), None)
    if turn is None or modal is None or modal > turn or text_at(words, modal + 1) in ("be", "not"):
        return words
    doing = words[turn + 1]
    if not doing.text.endswith("ing") or not doing.acting or words[0].text in lex.PRONOUNS:
        return words
    shown = (*words[:modal], *words[modal + 1 : turn])
    return (*tokens_of("do not"), *words[turn + 1 :], *tokens_of("until"), *shown)


def _everywhere(words: Words) -> Words:
    """ "HTTPS everywhere", "HTTPS only", "use HTTPS everywhere"."""
    last = words[-1].text
    if last == "everywhere" and len(words) < _SHORT:
        kept = words[1:-1] if words[0].text == "use" else words[:-1]
        return (*tokens_of("use"), *kept, *tokens_of("for everything")) if kept else words
    if last == "only" and len(words) == 2 and not words[0].acting:
        return (*tokens_of("only use"), words[0])
    return words


_SHORT = 5


def _is_named(words: Words) -> Words:
    """ "The database is PostgreSQL": it must be."""
    be = next((i for i in range(1, min(5, len(words))) if words[i].text == "is"), None)
    if be is None or be + 2 != len(words) or not rival_names(words[-1].forms):
        return words
    return (*words[:be], *tokens_of("must be"), words[-1])


def _always_done(words: Words) -> Words:
    """ "Prices are always shown with VAT": they must be."""
    for index in range(1, min(6, len(words) - 2)):
        if words[index].text in ("is", "are") and words[index + 1].text == "always":
            return (*words[:index], *tokens_of("must be"), *words[index + 2 :])
    return words


_TURNS = (
    _decided,
    _not_going_to,
    _ruled_out,
    _no_access,
    _not_let,
    _before_doing,
    _must_before,
    _everywhere,
    _is_named,
    _always_done,
)
