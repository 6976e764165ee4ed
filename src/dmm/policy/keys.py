"""Words by which rules are found: a decision without any key of a rule can't meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.rules import Exclusive, Limit, Prohibition, Verification
from dmm.policy.synonyms import opposites_of, rivals_of

if TYPE_CHECKING:
    from dmm.policy.acts import Reading
    from dmm.policy.rules import Action, Noun, Part, Term

_NONE: frozenset[str] = frozenset()


def keys_of_reading(reading: Reading) -> frozenset[str]:
    """Every key that the words and amounts of a decision offer."""
    keys: set[str] = set()
    for token in reading.tokens:
        keys |= token.forms
        keys |= token.kinds
        if "." in token.text:
            keys.add(token.text.partition(".")[0])
        keys.add(token.text.rstrip("0123456789."))
    for quantity in reading.quantities:
        keys.add(f"measure:{quantity.measure}")
        if quantity.measure.startswith("money:"):
            keys.add("measure:money:")
    return frozenset(keys)


def keys_of_part(part: Part) -> frozenset[str]:
    """Keys of which a decision has to offer one to meet the part."""
    if isinstance(part, Prohibition):
        return _keys_of_action(part.action)
    if isinstance(part, Verification):
        return _keys_of_action(part.before)
    if isinstance(part, Limit):
        return _keys_of_limit(part)
    if isinstance(part, Exclusive):
        return _keys_of_choice(part)
    return _forms(part.core) | _NONE.union(*(opposites_of(item.forms) for item in part.core))


def unlisted_verbs(part: Part) -> frozenset[str]:
    """Verbs of the part that the lexicon does not know; decisions are read with them."""
    if isinstance(part, Prohibition | Exclusive):
        verbs = part.action.verbs
    elif isinstance(part, Verification):
        verbs = part.before.verbs
    else:
        return _NONE
    unlisted = [verb.forms for verb in verbs if not verb.forms & lex.VERBS]
    return _NONE.union(*unlisted)


def _forms(terms: tuple[Term, ...]) -> frozenset[str]:
    return _NONE.union(*(item.forms for item in terms))


def _heads(noun: Noun) -> frozenset[str]:
    heads = noun.head.forms
    return heads | noun.modifiers[-1].forms if noun.head_optional else heads


def _keys_of_action(action: Action) -> frozenset[str]:
    if action.objects:
        return _NONE.union(*(_heads(noun) for noun in action.objects))
    named = {noun for noun, verb in lex.NOMINAL.items() if verb in _forms(action.verbs)}
    return _forms(action.verbs) | named


def _keys_of_limit(limit: Limit) -> frozenset[str]:
    if limit.subject:
        return limit.subject[-1].forms
    if limit.counted is not None:
        return limit.counted.forms
    return frozenset((f"measure:{limit.measure}",))


def _keys_of_choice(rule: Exclusive) -> frozenset[str]:
    terms = (rule.choice.head, *rule.choice.modifiers)
    near = (rivals_of(item.forms) | opposites_of(item.forms) for item in terms)
    keys = _forms(terms).union(*near)
    if rule.place:
        return keys | _forms(rule.action.verbs)
    for condition in rule.action.conditions:
        keys |= _NONE.union(*(_heads(noun) for noun in condition.nouns))
    return keys
