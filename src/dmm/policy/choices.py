"""Constraints that leave one choice: always use X, only from X, use X for Y, keep X as Y."""

from __future__ import annotations

from dataclasses import replace

from dmm.policy import lexicon as lex
from dmm.policy.actions import action_of, begins_with_verb
from dmm.policy.exemptions import cut_exceptions
from dmm.policy.kin import with_kin
from dmm.policy.language import Token, tokens_of
from dmm.policy.rivals import rival_names
from dmm.policy.rules import Action, Condition, Exclusive, Exemption, Noun, Part, Requirement
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]
GENERIC_SUBJECTS = word_set(
    """you we i they agent agents developer developers anyone everyone code engineers team
    contributors people nobody one"""
)
# Verbs whose object is what is chosen; the object of any other verb is what has to be treated.
_CHOOSING = lex.USE | word_set(
    """book reserve buy purchase order pay fly travel stay rent hire ship release commit push merge
    store save send host name prefer start serve work stick go wear eat drink cook take drive
    connect base depend rely log get"""
)
# Of these the object is asked for, and the place is where it is.
_HAVING = word_set("wear bring carry eat drink")
# "For all tests" is for tests.
_IDLE = word_set("only exclusively all every each any")
_PLAIN = word_set("use keep stick store write build run serve host deploy save format code")
_PLACES = word_set("in on with as over via through to using")


def exclusive_of(words: Words) -> tuple[Part, ...]:
    """Always use X, only use X, use only X for Y, must use X, only deploy from X."""
    words = _as_use(words)
    start = _after_exclusive(words)
    if start is None:
        return ()
    kept = tuple(word for word in words[start:] if word.text not in _IDLE)
    end, exemptions = cut_exceptions(kept, 0, len(kept))
    if exemptions is None or not begins_with_verb(kept, 0, end):
        return ()
    action = action_of(kept, 0, end)
    if action is None or _is_conditional(kept[:end]):
        return ()
    always = "only" not in {word.text for word in words[: start + 2]}
    parts = _treated(action) if always else ()
    return with_exemptions(parts or _place(action, always=always), exemptions)


def _as_use(words: Words) -> Words:
    """ "Only X is allowed for Y", "X is the only language for Y": only use X for Y."""
    texts = [word.text for word in words]
    be = next((i for i in range(1, len(words) - 1) if texts[i] in ("is", "are", "be")), None)
    if be is None:
        return words
    if texts[0] == "only" and texts[be - 1] in ("may", "can", "must"):
        return (*tokens_of("only"), words[be + 1], *words[1 : be - 1], *words[be + 2 :])
    if texts[0] == "only" and texts[be + 1] in _ALLOWED:
        return (*tokens_of("only use"), *words[1:be], *words[be + 2 :])
    if texts[be + 1 : be + 3] != ["the", "only"]:
        return words
    turn = next((i for i in range(be + 3, len(words)) if texts[i] in lex.PREPOSITIONS), len(words))
    return (*tokens_of("only use"), *words[:be], *words[turn:])


_ALLOWED = word_set("allowed permitted supported accepted approved acceptable")


def _is_conditional(words: Words) -> bool:
    return any(word.text in ("without", "until", "before") for word in words)


def with_exemptions(parts: tuple[Part, ...], exemptions: tuple[Exemption, ...]) -> tuple[Part, ...]:
    """The parts, each with the exemptions of the sentence."""
    return tuple(
        replace(part, exemptions=exemptions)
        for part in parts
        if isinstance(part, Exclusive | Requirement)
    )


def _after_exclusive(words: Words) -> int | None:
    head = [word.text for word in words[:6]]
    if head and head[0] in ("always", "only", "exclusively"):
        return 1
    if len(head) > 1 and head[1] == "only" and begins_with_verb(words, 0, len(words)):
        return 0
    for index, word in enumerate(head):
        if (
            word in ("must", "shall")
            and index + 1 < len(head)
            and head[0] in GENERIC_SUBJECTS | {"must"}
        ):
            return index + (2 if head[index + 1] in ("always", "only") else 1)
    return None


def _treated(action: Action) -> tuple[Part, ...]:
    """ "Always encrypt backups": what has to be done to the thing."""
    about = all(condition.preposition in ("of", "about") for condition in action.conditions)
    if len(action.objects) != 1 or action.verbs[0].forms & _CHOOSING or not about:
        return ()
    verb = with_kin(action.verbs[0])
    return (Requirement(verb.text, (verb,), action.objects[0]),)


def _place(action: Action, *, always: bool) -> tuple[Part, ...]:
    """The place that the choice fills: the object or, with none, the first condition."""
    having = lex.USE | _HAVING
    placed = _restricts_place(action) and (not always or not action.verbs[0].forms & having)
    if action.objects and placed:
        return _only_in_place(action, always=always)
    if action.objects:
        choice, place, conditions = action.objects[0], "", action.conditions
        if len(action.objects) > 1:
            return ()
    elif action.conditions:
        choice = action.conditions[0].nouns[0]
        place, conditions = action.conditions[0].preposition, action.conditions[1:]
        if len(action.conditions[0].nouns) > 1:
            return ()
    else:
        return ()
    slot = Action(action.text, action.verbs, (), action.manner, conditions)
    return (Exclusive(slot, choice, place, _is_one_thing(choice), always),)


def _restricts_place(action: Action) -> bool:
    last = action.conditions[-1] if action.conditions else None
    return last is not None and last.preposition != "for" and len(last.nouns) == 1


def _only_in_place(action: Action, *, always: bool) -> tuple[Part, ...]:
    """ "Only run scripts in staging" restricts the place, not the thing."""
    *others, last = action.conditions
    slot = Action(action.text, action.verbs, action.objects, action.manner, tuple(others))
    choice = last.nouns[0]
    return (Exclusive(slot, choice, last.preposition, _is_one_thing(choice), always),)


def _is_one_thing(noun: Noun) -> bool:
    """A singular name such as `main` or `UTC`, not a class of things such as "direct flights"."""
    plural = noun.head.text.endswith("s") and noun.head.text[:-1] in noun.head.forms
    return not plural and not noun.head.text.endswith("ies")


def usage_of(words: Words) -> tuple[Part, ...]:
    """Use X for Y, keep X as Y, write Y in X: only a known rival or a refusal of X breaks it."""
    if words and words[0].text == "keep" and len(words) > 1 and words[1].text == "using":
        words = words[1:]
    if not words or not words[0].forms & _PLAIN or not begins_with_verb(words, 0, len(words)):
        return ()
    words = tuple(word for word in words if word.text not in _IDLE)
    end, exemptions = cut_exceptions(words, 0, len(words))
    action = action_of(words, 0, end)
    if exemptions is None or action is None or _is_conditional(words[:end]):
        return ()
    return with_exemptions(_used(action), exemptions)


def _used(action: Action) -> tuple[Part, ...]:
    verb = action.verbs[0].forms
    if len(action.objects) != 1 or not action.conditions:
        return ()
    if verb & {"use"} and all(_is_everything(condition) for condition in action.conditions):
        slot = Action(action.text, action.verbs, (), action.manner)
        return (Exclusive(slot, action.objects[0], "", one_thing=True, always=True),)
    if verb & {"use", "stick"} or (verb & {"keep"} and action.conditions[0].preposition == "as"):
        slot = Action(action.text, action.verbs, (), action.manner, action.conditions)
        return (Exclusive(slot, action.objects[0], "", one_thing=False, always=True),)
    last = action.conditions[-1]
    if last.preposition not in _PLACES or len(last.nouns) > 1 or not _has_rivals(last.nouns[0]):
        return ()
    return tuple(
        replace(part, one_thing=False)
        for part in _only_in_place(action, always=True)
        if isinstance(part, Exclusive)
    )


def _is_everything(condition: Condition) -> bool:
    return any(noun.head.text in ("everything", "anything") for noun in condition.nouns)


def _has_rivals(noun: Noun) -> bool:
    return any(rival_names(item.forms) for item in (noun.head, *noun.modifiers))
