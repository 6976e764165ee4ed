"""Whether a decision falls under an exemption of the rule it meets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy.acts import Polarity
from dmm.policy.breaches import amount_holds
from dmm.policy.language import Sort
from dmm.policy.lemmas import base_forms
from dmm.policy.rivals import contraries_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.policy.acts import Reading
    from dmm.policy.language import Token
    from dmm.policy.rules import Exemption, Term


def is_exempt(reading: Reading, exemption: Exemption) -> bool | None:
    """True when the exemption holds, None when it does not, False when that is uncertain."""
    if exemption.amount is not None and not amount_holds(reading, exemption.amount):
        return None
    if exemption.must_be_absent and _is_contradicted(reading, exemption):
        return None
    places = [_place(reading, item) for item in exemption.terms]
    if exemption.actor and None in places:
        return None if _names_an_actor(reading) else False
    denied = _denied(reading)
    if any(place in denied or _is_still_to_come(reading, place) for place in places):
        return None
    if None in places:
        absent = exemption.must_be_absent and not exemption.needed
        return False if absent or _is_mostly_found(exemption.terms, places) else None
    return not exemption.needed


def _is_contradicted(reading: Reading, exemption: Exemption) -> bool:
    """ "Serve it unwashed" says that it was not washed."""
    against = frozenset[str]().union(*(contraries_of(item.forms) for item in exemption.terms))
    return any(token.forms & against for token in reading.tokens)


def _names_an_actor(reading: Reading) -> bool:
    """ "The intern will publish it", "let editors delete it", "have it sent by sales"."""
    for act in reading.acts:
        if act.polarity is not Polarity.DONE or act.verb is None:
            continue
        acting = ("by",) if act.passive else ("subject", "by")
        if any(phrase.preposition in acting and not phrase.negated for phrase in act.phrases):
            return True
        if act.forms & _LETTING and any(True for _ in act.objects()):
            return True
    return False


_LETTING = frozenset(("allow", "permit", "let", "ask", "give", "grant", "authorize", "assign"))


def _is_mostly_found(terms: Sequence[Term], places: Sequence[int | None]) -> bool:
    """More than half of the words are there, and what is not is no name or number."""
    missing = [item for item, place in zip(terms, places, strict=True) if place is None]
    return 2 * len(missing) < len(terms) and all(item.text.isalpha() for item in missing)


def _denied(reading: Reading) -> set[int | None]:
    verbs = {act.verb for act in reading.acts if act.polarity is Polarity.NOT_DONE}
    return verbs - {None} | {
        index
        for act in reading.acts
        for phrase in act.phrases
        if phrase.negated or act.polarity is Polarity.NOT_DONE
        for index in phrase.indices
    }


def _is_still_to_come(reading: Reading, place: int | None) -> bool:
    """ "Merge before CI is green": what the exemption asks for has not happened yet."""
    if place is None:
        return False
    before = {token.text for token in reading.tokens[max(0, place - 3) : place]}
    return bool(before & {"before", "without"})


def _place(reading: Reading, item: Term) -> int | None:
    for index, token in enumerate(reading.tokens):
        if token.stands_for(item.forms) or _lies_in(token, item):
            return index
    return None


def _lies_in(token: Token, item: Term) -> bool:
    """ "tools/release.py" lies in `tools`, "cart.test.ts" is a test."""
    if token.sort is not Sort.NAME or not {"/", "."} & set(token.text):
        return False
    if "/" in item.text:
        return token.text.startswith(item.text.rstrip("*").rstrip("/") + "/")
    pieces = token.text.replace("/", ".").replace("_", ".").replace("-", ".").split(".")
    return any(base_forms(piece) & item.forms for piece in pieces if piece)
