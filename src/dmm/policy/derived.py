"""Acts of use that another verb implies: replacing, moving to, doing something with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.policy.acts import Act
    from dmm.policy.phrases import Phrase

_INTRODUCES = frozenset(("use", "=use", "introduce"))


def derived_acts(act: Act) -> Iterator[Act]:
    """Acts of use that another verb implies: replacing, moving to, doing something with."""
    if act.verb is None:
        return
    purpose = tuple(
        replace(phrase, preposition="for")
        for phrase in act.objects()
        if not act.forms & (lex.REPLACEMENTS | lex.TRANSITIONS)
    )
    rest = tuple(phrase for phrase in act.phrases if phrase.preposition not in _OF_OBJECT)
    if act.forms & {"substitute"} and any(p.preposition == "for" for p in act.phrases):
        yield replace(act, forms=_INTRODUCES, phrases=tuple(act.objects()), derived=True)
        return
    for phrase in act.phrases:
        if phrase.preposition and not phrase.negated and _introduces(act, phrase):
            own = replace(phrase, preposition=None)
            others = tuple(other for other in rest if other is not phrase)
            yield replace(
                act,
                forms=_INTRODUCES,
                phrases=(own, *others, *purpose),
                derived=True,
                passive=False,
            )


_OF_OBJECT = (None, "subject", "of", "from")


def _introduces(act: Act, phrase: Phrase) -> bool:
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
    plain = not act.forms & (lex.MENTION | lex.NEGATIVE | lex.REMOVE)
    return plain and word in ("with", "via", "through", "by")
