"""Whether an act of a decision has the verb and the object of a rule's action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Role
from dmm.policy.deeds import ANY_CHANGE, INSIDE, PUTTING, changes, kinds_of_deed, lies_inside
from dmm.policy.language import Sort
from dmm.policy.naming import is_proper, match_noun
from dmm.policy.nominals import named_act
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.policy.acts import Act, Reading
    from dmm.policy.phrases import Phrase
    from dmm.policy.rules import Action, Term


def verb_places(reading: Reading, act: Act, action: Action) -> list[int] | None:
    """The tokens by which the act has one of the action's verbs."""
    place = [] if act.verb is None else [act.verb]
    if not action.verbs:
        return place if _brings_about(reading, act) else None
    for verb in action.verbs:
        if act.verb is not None and (
            verb.forms & act.forms or _is_kind(reading, act, action, verb)
        ):
            return place
        tool = _as_tool(reading, act, action, verb)
        if tool is not None:
            return [tool]
        if not verb.forms & _USING:
            continue
        if act.verb is None or _puts_to_use(reading, act, action):
            return place
        if verb_itself(reading, act, action):
            return place
    return named_act(reading, act, action) or _participle(reading, act, action)


def _as_tool(reading: Reading, act: Act, action: Action, verb: Term) -> int | None:
    """ "Log it with print", where the rule says only "print"."""
    if not act.derived or action.objects:
        return None
    ends = (phrase.indices[-1] for phrase in act.objects())
    return next((index for index in ends if reading.tokens[index].text == verb.text), None)


_USING = frozenset(("use", "adopt"))


def _participle(reading: Reading, act: Act, action: Action) -> list[int] | None:
    """ "Add a hardcoded password": the thing comes in with the act already done to it."""
    if act.verb is None or not act.forms & lex.USE:
        return None
    verbs = frozenset[str]().union(*(verb.forms for verb in action.verbs))
    if verbs & (lex.REMOVE | lex.NEGATIVE) or "restore" in act.forms:
        return None
    for phrase in act.objects():
        for index in phrase.indices[:-1]:
            token = reading.tokens[index]
            if token.text.endswith("ed") and token.forms & verbs and not token.glued:
                return [act.verb, index]
    return None


def _is_kind(reading: Reading, act: Act, action: Action, verb: Term) -> bool:
    """Whether the act is a kind of what the verb says, or changes what the rule keeps as it is."""
    if not (action.objects or action.conditions):
        return False
    if act.forms & kinds_of_deed(verb.forms) and not act.derived:
        return True
    if is_place_of_change(action) and changes(verb.forms) and not act.derived:
        return bool(act.forms & ANY_CHANGE)
    if not changes(verb.forms) or act.derived:
        return False
    if act.forms & INSIDE and _path_object(reading, act, action):
        return True
    return any(_inside(reading, act, action)) or _has_part(reading, act, action)


def is_place_of_change(action: Action) -> bool:
    """Whether the action only says where nothing is to be changed: "change in the console"."""
    places = (one.preposition in ("in", "via", "through") for one in action.conditions)
    return not action.objects and bool(action.conditions) and all(places)


def _has_part(reading: Reading, act: Act, action: Action) -> bool:
    """ "Add a column" changes a schema: what is added is a part of it."""
    if not act.forms & INSIDE:
        return False
    heads = frozenset[str]().union(*(noun.head.forms for noun in action.objects))
    return any(reading.tokens[phrase.indices[-1]].kinds & heads for phrase in act.objects())


def _puts_to_use(reading: Reading, act: Act, action: Action) -> bool:
    """Whether the act uses what it is done to; with a proper name nearly every act does."""
    if act.forms & lex.TAKES or _becomes(reading, act):
        return True
    if act.derived or act.role is not Role.MAIN or act.forms & lex.NO_USE:
        return False
    names = [index for phrase in act.objects() for index in phrase.indices[-1:]]
    heads = frozenset[str]().union(*(noun.head.forms for noun in action.objects))
    return any(
        reading.tokens[index].stands_for(heads) and is_proper(reading, index) for index in names
    )


def _becomes(reading: Reading, act: Act) -> bool:
    """ "The store will be Redis": what a thing is going to be is put to use."""
    if act.verb is None:
        return False
    if "become" in act.forms:
        return True
    before = reading.tokens[act.verb - 1].text if act.verb else ""
    return reading.tokens[act.verb].text == "be" and before in ("will", "shall", "should", "must")


def _inside(reading: Reading, act: Act, action: Action) -> Iterator[Phrase]:
    """The phrases that name what the act changes something in."""
    if act.derived or not act.forms & INSIDE:
        return
    things = frozenset[str]().union(
        *(reading.tokens[phrase.indices[-1]].forms for phrase in act.objects())
    )
    for phrase in act.phrases:
        if phrase.negated or not lies_inside(act.forms, phrase.preposition, things):
            continue
        if any(match_noun(reading, act, phrase, noun) for noun in action.objects):
            yield phrase


def _brings_about(reading: Reading, act: Act) -> bool:
    """Whether the act makes its object happen, for rules that name no verb."""
    if "change" in act.forms and not act.derived and _has_result(reading, act):
        return False
    denied = lex.MENTION | lex.NEGATIVE | lex.REMOVE | lex.NEUTRAL | lex.REMAKES
    if _becomes(reading, act):
        return True
    return not act.forms & (denied | {"be", "have", "wait"}) or bool(act.forms & lex.USE)


def _has_result(reading: Reading, act: Act) -> bool:
    """ "Change the window seat to an aisle seat": the object gives way."""
    return any(
        phrase.preposition in ("to", "into", "for")
        and not reading.tokens[phrase.indices[-1]].forms & lex.TIMES
        for phrase in act.phrases
    )


def verb_itself(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    """ "Just eval the string" is a use of eval."""
    if act.verb is None or not any(verb.forms & _USING for verb in action.verbs):
        return None
    verb = reading.tokens[act.verb]
    if verb.text in _PLAIN_VERBS:
        return None
    if any(not noun.modifiers and verb.text in noun.head.forms for noun in action.objects):
        return True, [act.verb]
    return None


# Names of tools that are everyday verbs as well.
_PLAIN_VERBS = frozenset(
    ("go", "make", "rest", "express", "act", "run", "spring", "next", "flash", "dash", "slack")
)


def object_places(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    """Whether the act has one of the action's objects: (surely, tokens), or None."""
    if not action.objects:
        return True, []
    best: tuple[bool, list[int]] | None = _path_object(reading, act, action)
    if best is not None:
        return best
    for phrase in _object_phrases(reading, act, action):
        for noun in action.objects:
            found = match_noun(reading, act, phrase, noun)
            if found is not None and found[0]:
                certain = act.verb is not None or bool(
                    action.verbs and named_act(reading, act, action)
                )
                return certain, found[1]
            best = best or found
    return best


def _is_use(action: Action) -> bool:
    return not action.verbs or any(verb.forms & _USING for verb in action.verbs)


def _becomes_another(act: Act) -> bool:
    """ "Flatten the loops into one query": the loops give way."""
    remade = any(phrase.preposition == "into" for phrase in act.phrases)
    return remade and not act.forms & PUTTING


# After these stands what an act is aimed at, not what it brings about.
_NOT_BROUGHT = lex.ABOUT_PREPOSITIONS | word_set("subject to at for during under within")
ANY_FILE = word_set("file code module script source anything everything something")


def _path_object(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    """A path below the folder of the rule is one of "the files under vendor"."""
    if not all(noun.head.forms & ANY_FILE for noun in action.objects) or act.verb is None:
        return None
    folders = [noun for condition in action.conditions for noun in condition.nouns]
    for phrase in act.phrases:
        if phrase.negated or phrase.preposition not in _FILE_PLACES:
            continue
        for index in phrase.indices:
            kinds = reading.tokens[index].kinds
            if "file" in kinds and any(folder.head.forms & kinds for folder in folders):
                return True, [index]
    return None


_FILE_PLACES = (None, "subject", "to", "in", "into", "on", "of", "inside")


def _object_phrases(reading: Reading, act: Act, action: Action) -> Iterable[Phrase]:
    prepositions = _object_prepositions(reading, act, action)
    for phrase in act.phrases:
        if phrase.negated:
            continue
        direct = phrase.preposition is None or (act.passive and phrase.preposition == "subject")
        if direct and not action.verbs and _becomes_another(act):
            continue
        if (
            direct
            or (not (action.verbs or act.derived) and _is_brought(reading, act, phrase))
            or (act.verb is None and phrase.preposition == "of")
            or (action.verbs and not act.derived and phrase.preposition in prepositions)
        ):
            yield phrase
    if any(changes(verb.forms) for verb in action.verbs):
        yield from _inside(reading, act, action)


def _is_brought(reading: Reading, act: Act, phrase: Phrase) -> bool:
    """Whether an act brings about what the phrase names: "let the dog sleep here"."""
    if phrase.preposition != "subject":
        return phrase.preposition not in _NOT_BROUGHT
    first = act.before[0] if act.before else 0
    allowed = first > 0 and reading.tokens[first - 1].forms & _LETTING
    return bool(allowed) or any(reading.tokens[i].text in _LETTING for i in act.before)


_LETTING = frozenset(("let", "lets", "let's", "allow", "permit"))


def _object_prepositions(reading: Reading, act: Act, action: Action) -> set[str]:
    """The prepositions behind which the act may have its object."""
    heads = [reading.tokens[phrase.indices[-1]] for phrase in act.objects()]
    carried = any(head.forms & lex.CARRIERS for head in heads)
    parts = lex.PARTS if _is_use(action) else lex.PARTS - lex.COPIES
    partial = any(head.sort is Sort.NUMBER or head.forms & parts for head in heads)
    named = bool(named_act(reading, act, action))
    found = {"as"} | ({"at"} if carried else set()) | ({"of"} if partial or named else set())
    if named and any(changes(verb.forms) for verb in action.verbs):
        found |= {"to", "in", "on"}
    if act.forms & _REACHING and not heads:
        found |= {"to", "into", "over", "with"}
    if act.forms & _SENDING and not _goes_on(reading, act):
        found |= {"with"}
    return found


# What these act on stands behind a preposition.
_REACHING = word_set("connect talk speak reach log subscribe listen reply respond")
# What goes along with the object of these goes the same way.
_SENDING = word_set("publish send email mail post print release ship share upload broadcast")


def _goes_on(reading: Reading, act: Act) -> bool:
    """ "With the names blacked out": something is said of what goes along."""
    return any(
        other.sentence == act.sentence and (other.verb or 0) > (act.verb or 0)
        for other in reading.acts
    )
