"""Words by which rules are found: a decision without any key of a rule can't meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.actions import wordings_of
from dmm.policy.deeds import ANY_CHANGE, changes, kinds_of_deed
from dmm.policy.enactment import ANY_FILE, is_place_of_change
from dmm.policy.language import tokens_of
from dmm.policy.rivals import contraries_of, names_of, rival_names
from dmm.policy.rules import Exclusive, Limit, Prohibition, Verification

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
    for act in reading.acts:
        if not act.derived:
            keys |= act.forms
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
    return _forms(part.core) | _near(part.core)


def _near(terms: tuple[Term, ...]) -> frozenset[str]:
    """Keys of what stands against the terms: the last word of each rival, and contraries."""
    rivals = {tokens_of(name)[-1].text for name in rival_names(names_of(terms))}
    return _NONE.union(rivals, *(contraries_of(item.forms) for item in terms))


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
    return _NONE.union(*(_keys_of_wording(wording) for wording in wordings_of(action)))


def _keys_of_folders(action: Action) -> frozenset[str]:
    """ "Anything under vendor" is met by a path, which need not say "anything"."""
    if not all(noun.head.forms & ANY_FILE for noun in action.objects):
        return _NONE
    nouns = [noun for condition in action.conditions for noun in condition.nouns]
    return _NONE.union(*(noun.head.forms for noun in nouns))


def _keys_of_wording(action: Action) -> frozenset[str]:
    if action.objects:
        keys = _NONE.union(*(_heads(noun) for noun in action.objects))
        return keys | _keys_of_folders(action)
    verbs = _forms(action.verbs)
    named = {noun for noun, verb in lex.NOMINAL.items() if verb in verbs}
    anything = changes(verbs) and is_place_of_change(action)
    return verbs | named | kinds_of_deed(verbs) | (ANY_CHANGE if anything else _NONE)


def _keys_of_limit(limit: Limit) -> frozenset[str]:
    if limit.subject and limit.per:
        return limit.subject[-1].forms | {f"measure:{limit.measure}"}
    if limit.subject:
        counted = limit.counted.forms if limit.counted is not None else _NONE
        return limit.subject[-1].forms | counted
    if limit.counted is not None:
        return limit.counted.forms
    return frozenset((f"measure:{limit.measure}",))


def _keys_of_choice(rule: Exclusive) -> frozenset[str]:
    terms = (*rule.choice.modifiers, rule.choice.head)
    keys = _forms(terms) | _near(terms)
    if rule.place:
        return keys | _forms(rule.action.verbs)
    for condition in rule.action.conditions:
        keys |= _NONE.union(*(_heads(noun) for noun in condition.nouns))
    return keys
