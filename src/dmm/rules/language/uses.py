"""Whether an act puts a thing to use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.language import lexicon as lex

if TYPE_CHECKING:
    from dmm.rules.language.acts import Act, Phrase
    from dmm.rules.language.clauses import Reading


_MEANS = frozenset(("with", "via", "through", "using", "by", "over"))
_SETTINGS = frozenset(("in", "on", "onto", "into", "to", "at", "under", "as", "from", "upon"))


def puts_to_use(
    reading: Reading, act: Act, phrase: Phrase, *, any_act: bool = False
) -> bool | None:
    """Whether the act puts the thing of a phrase to use; False where that is not certain."""
    place, forms = phrase.preposition, act.forms
    if phrase.negated or is_about(reading, act, phrase):
        return None
    if act.verb is None:
        return False if place is None else None
    if forms & lex.REPLACE or (forms & lex.TRANSITION and not forms & lex.USE):
        return _brought_by_change(forms, place)
    if place is None or (act.passive and place == "subject"):
        return _takes_object(reading, act, any_act=any_act)
    if place in _MEANS:
        chosen = place == "over" and forms & {"=choose", "prefer", "favor"}
        return None if chosen or forms & (lex.MENTION | lex.NEGATIVE | {"meet"}) else True
    if place in _SETTINGS:
        return None if forms & lex.IDLE else place not in ("to", "from", "at")
    return None


def is_about(reading: Reading, act: Act, phrase: Phrase) -> bool:
    """ "Keep the ban on X", "add a test for X": said of X, not done with it."""
    if phrase.preposition in (None, "subject"):
        return False
    before = [one for one in act.objects() if one.indices[-1] < phrase.indices[0]]
    head = reading.tokens[before[-1].indices[-1]].forms if before else frozenset()
    if phrase.preposition in ("to", "from"):
        return bool(head & {"link", "pointer", "reference", "alternative", "migration"})
    return phrase.preposition not in ("in", "with", "by") and bool(head & lex.ABOUT)


def _brought_by_change(forms: frozenset[str], place: str | None) -> bool | None:
    """What a replacement or a move brings in: "replace A with B", "move from A to B"."""
    if not forms & lex.REPLACE:
        return True if place in ("to", "into", "onto", "with", "in", "on") else None
    if "substitute" in forms:
        return True if place is None else None
    wanted = ("with", "by") if "replace" in forms else ("with", "for")
    return True if place in wanted else None


def _takes_object(reading: Reading, act: Act, *, any_act: bool) -> bool | None:
    if "be" in act.forms:
        verb = reading.tokens[act.verb or 0].text
        return None if verb in ("was", "were") else True
    if act.forms & lex.USE:
        return True
    return None if act.forms & lex.IDLE else any_act
