"""What a prohibition forbids: the acts of a verb phrase, who does them and to what."""

from __future__ import annotations

from itertools import pairwise

from dmm.policy import lexicon as lex
from dmm.policy.actions import action_of, begins_with_verb, noun_of
from dmm.policy.exemptions import cut_exemptions
from dmm.policy.kin import with_kin
from dmm.policy.language import Sort, Token, text_at
from dmm.policy.rules import Action, Exemption, Noun, Part, Prohibition, Requirement, Term
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]


def forbid(words: Words, first: int, last: int, subject: list[int]) -> tuple[Part, ...]:
    """The prohibition of what the words from `first` to `last` say, done by the subject."""
    passive = text_at(words, first) in ("be", "been", "being")
    last = next((i for i in range(first + 2, last - 1) if _limits(words, i)), last)
    end, exemptions = cut_exemptions(words, first, last)
    if exemptions is None:
        return ()
    actions = [a for a in split_actions(words, first, end) if a is not None]
    noun = noun_of(words, subject) if subject else None
    if passive and noun is not None:
        actions = [_with_object(action, noun) for action in actions]
    elif noun is not None:
        actions = [_with_subject(action, noun) for action in actions]
    if not actions or any(too_vague(action) for action in actions):
        return ()
    return tuple(
        part
        for action in actions
        for part in (Prohibition(action, exemptions), *_kept_up(action, exemptions))
    )


def _limits(words: Words, index: int) -> bool:
    """ ", only for sessions": what is left, behind what is forbidden; ", not even in tests"."""
    if words[index].text == "," and text_at(words, index + 1) == "not":
        return text_at(words, index + 2) == "even"
    only = text_at(words, index + 1) == "only" and text_at(words, index + 2) not in ("if", "when")
    return words[index].text == "," and only


def _kept_up(action: Action, exemptions: tuple[Exemption, ...]) -> tuple[Part, ...]:
    """ "Never skip the review" asks for the review."""
    if action.conditions or len(action.objects) != 1 or not action.verbs[0].forms & _SKIPPING:
        return ()
    thing = action.objects[0]
    terms = tuple(with_kin(item) for item in (*thing.modifiers, thing.head))
    return (Requirement(_plain(thing), terms, None, exemptions, omitted=True),)


_SKIPPING = word_set("skip omit bypass circumvent forgo neglect")


def _with_object(action: Action, noun: Noun) -> Action:
    text = f"{action.verbs[0].text} {_plain(noun)} {action.text.partition(' ')[2]}".strip()
    return Action(text, action.verbs, (noun,), action.manner, action.conditions)


def _with_subject(action: Action, noun: Noun) -> Action:
    text = f"{_plain(noun)} {action.text}"
    verbs = action.verbs
    if any(verb.forms & {"receive", "have", "get"} for verb in verbs):
        giving = tuple(Term(word, frozenset((word,))) for word in _GIVING)
        verbs = (*giving, *verbs)
    return Action(text, verbs, action.objects, action.manner, action.conditions, noun)


# Whoever receives a thing is given it by someone else.
_GIVING = ("give", "grant", "administer", "prescribe", "offer", "serve", "send", "hand")


def _plain(noun: Noun) -> str:
    return " ".join([*(modifier.text for modifier in noun.modifiers), noun.head.text])


def too_vague(action: Action) -> bool:
    """A verb alone that everything does ("never go", "do not do") would block too much."""
    if not action.objects and not action.manner and any("use" in v.forms for v in action.verbs):
        return True
    if action.objects or action.conditions or action.manner or action.subject:
        return not action.verbs and not action.objects
    return not action.verbs or bool(action.verbs[0].forms & (lex.LIGHT | _VAGUE))


_VAGUE = frozenset(("use", "add", "set", "put", "take", "keep", "apply", "include", "bring"))


def split_actions(words: Words, first: int, last: int) -> list[Action | None]:
    """ "Push to main or deploy on Fridays" is two acts; "commit or push secrets" is one."""
    cuts = [first]
    for index in range(first + 2, last - 1):
        joined = words[index].text in ("or", "and")
        if joined and _is_new_verb(words, index + 1) and index - cuts[-1] >= 2:
            cuts.append(index + 1)
    bounds = [*cuts, last + 1]
    found: list[Action | None] = []
    for begin, end in pairwise(bounds):
        start = begin
        while start < last and words[start].text in ("or", "and", ","):
            start += 1
        found.append(action_of(words, start, min(end - 1, last)))
    return found


def _is_new_verb(words: Words, index: int) -> bool:
    while index < len(words) and words[index].text in ("or", "and", "never", "not"):
        index += 1
    if index + 1 >= len(words) or words[index].text.endswith("ing"):
        return False
    if not begins_with_verb(words, index, len(words)):
        return False
    following = words[index + 1]
    if following.text in lex.DETERMINERS | lex.PREPOSITIONS:
        return True
    clear = not words[index].forms & (lex.NOUNLIKE | _ADJECTIVES)
    return clear and following.sort is not Sort.MARK and following.text not in lex.CONJUNCTIONS


_ADJECTIVES = word_set("inline open clean clear live secure own free close double last")
