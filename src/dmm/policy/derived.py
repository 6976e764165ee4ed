"""Acts of use that another verb implies: replacing, moving to, doing something with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.deeds import puts_to_use
from dmm.policy.switches import turned_off
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.policy.acts import Act
    from dmm.policy.language import Token
    from dmm.policy.phrases import Phrase

# Real acts have a handful; the rest of a longer row implies nothing new.
_MOST_PHRASES = 16
_INTRODUCES = frozenset(("use", "=use", "introduce", "adopt"))


def derived_acts(tokens: Sequence[Token], act: Act) -> Iterator[Act]:
    """Acts of use that another verb implies: replacing, moving to, doing something with."""
    verb = act.verb
    if verb is None:
        return
    act = replace(act, phrases=act.phrases[:_MOST_PHRASES])
    things = frozenset[str]().union(*(tokens[p.indices[-1]].forms for p in act.objects()))
    matter = bool(things & lex.STANCES) or bool(things & lex.ABOUT_NOUNS and act.forms & _AUTHORED)
    purpose = tuple(
        replace(phrase, preposition="for")
        for phrase in act.phrases
        if phrase.preposition in (_SERVED if not act.forms & _TAKING else (*_SERVED, "from"))
        and not (phrase.preposition is None and act.forms & lex.REPLACEMENTS)
    )
    rest = tuple(phrase for phrase in act.phrases if phrase.preposition not in _OF_OBJECT)
    if act.forms & {"substitute"} and any(p.preposition == "for" for p in act.phrases):
        kept = tuple(phrase for phrase in act.phrases if phrase.preposition != "for")
        yield replace(act, forms=_INTRODUCES, phrases=kept, derived=True)
        return
    yield from _turned_off(tokens, act)
    yield from _commanded(tokens, act)
    for phrase in act.phrases:
        if phrase.indices[0] < verb or phrase.negated or not phrase.preposition:
            continue
        if _introduces(act, phrase, matter):
            own = replace(phrase, preposition=None)
            others = tuple(other for other in rest if other is not phrase)
            yield replace(
                act,
                forms=_INTRODUCES,
                phrases=(own, *others, *purpose),
                derived=True,
                passive=False,
            )


def _turned_off(tokens: Sequence[Token], act: Act) -> Iterator[Act]:
    """ "Set verify=False" disables the verification."""
    if act.forms & (lex.MENTION | lex.NEGATIVE | lex.REMOVE):
        return
    for phrase in act.phrases:
        for index in phrase.indices:
            if not phrase.negated and turned_off(tokens[index].text):
                own = replace(phrase, preposition=None, indices=(index,))
                rest = tuple(other for other in act.phrases if other.preposition)
                yield replace(act, forms=_DISABLES, phrases=(own, *rest), derived=True)


def _commanded(tokens: Sequence[Token], act: Act) -> Iterator[Act]:
    """ "Ran npm install X": the program is told to install X."""
    if not act.forms & _RUNNING:
        return
    for phrase in act.objects():
        told = phrase.indices[1:2]
        asked = tokens[phrase.indices[0]].forms & _ASKED
        if phrase.negated or len(phrase.indices) < 3 or not asked:
            continue
        if tokens[told[0]].text in ("install", "add", "i", "require"):
            named = tuple(i for i in phrase.indices[2:] if not tokens[i].text.startswith("-"))
            rest = tuple(other for other in act.phrases if other.preposition)
            own = tuple(replace(phrase, indices=(index,)) for index in _apart(tokens, named))
            yield replace(act, forms=_INSTALLS, phrases=(*own, *rest), passive=False)


def _apart(tokens: Sequence[Token], indices: tuple[int, ...]) -> tuple[int, ...]:
    """The names that stand alone: a part of "left-pad" names nothing."""
    joined = {i for i in indices if tokens[i].glued} | {i - 1 for i in indices if tokens[i].glued}
    return tuple(index for index in indices if index not in joined)


_RUNNING = frozenset(("run", "=run", "execute", "do", "use"))
_ASKED = word_set("npm yarn pnpm bun pip pip3 poetry uv cargo gem composer brew")
_INSTALLS = frozenset(("install", "=install", "=add"))


def without_settings(tokens: Sequence[Token], act: Act) -> Act:
    """The act without the settings it does away with: "remove verify=False" drops no check."""
    if not act.forms & (lex.REMOVE | lex.NEGATIVE | lex.MENTION):
        return act
    phrases = [
        replace(phrase, indices=tuple(i for i in phrase.indices if not turned_off(tokens[i].text)))
        for phrase in act.phrases
    ]
    return replace(act, phrases=tuple(phrase for phrase in phrases if phrase.indices))


_DISABLES = frozenset(("disable", "=disable", "skip", "=skip", "bypass"))
_OF_OBJECT = (None, "subject", "of", "from")


_TAKING = frozenset(("extract", "parse", "read", "scrape", "pull", "fetch", "get", "load"))
_AUTHORED = frozenset(("write", "draft", "author", "keep", "hold", "put", "record", "start"))
_SERVED = (None, "subject", "of")


def _introduces(act: Act, phrase: Phrase, matter: bool) -> bool:
    word = str(phrase.preposition)
    if act.forms & lex.REPLACEMENTS:
        return (
            word == ("for" if act.forms & {"swap", "exchange", "trade"} else "with") or word == "by"
        )
    if act.forms & lex.TRANSITIONS and word in ("to", "into", "onto", "as", "in"):
        return True
    for form in act.forms & lex.PREPOSITION_OBJECTS.keys():
        if word in lex.PREPOSITION_OBJECTS[form]:
            return True
    if act.forms & (lex.MENTION | lex.NEGATIVE | lex.REMOVE | {"wait"}):
        return False
    return word in ("with", "via", "through", "by") or (
        not (matter and word == "on") and puts_to_use(act.forms, word)
    )
