"""The sentence forms of constraints, each read into parts of a rule."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.actions import action_of, begins_with_verb, noun_of, term, thing_actions
from dmm.policy.amounts import limit_of
from dmm.policy.exemptions import absence_of, cut_exemptions
from dmm.policy.language import Sort, Token
from dmm.policy.rules import Action, Exclusive, Noun, Part, Prohibition, Requirement, Term
from dmm.policy.verifications import verification_of
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable

Words = tuple[Token, ...]
_GENERIC_SUBJECTS = word_set(
    """you we i they agent agents developer developers anyone everyone code engineers team
    contributors people nobody one"""
)
_MUST_NOT = frozenset(("must", "shall", "should", "may", "can", "do", "does", "will"))
_FORBIDDEN = word_set(
    """forbidden prohibited banned disallowed unacceptable off-limits forbid prohibit ban"""
)
_REQUIRED = word_set("required mandatory compulsory obligatory essential needed must")
_HARMLESS = word_set(
    """forget hesitate worry only just fail mind matter neglect need have let be get panic assume"""
)


def parts_of(words: Words) -> tuple[Part, ...]:
    """What one sentence of a constraint says; nothing when no form fits."""
    whole, words = words, _without_lead(words)
    if len(words) < len(whole) and ":" in {word.text for word in whole}:
        named = limit_of(tuple(word for word in whole if word.text not in _LABELS))
        if named is not None:
            return (named,)
    for form in _FORMS:
        parts = form(words)
        if parts:
            return parts
    return ()


_LABELS = word_set("rule constraint note policy requirement important reminder : .")


def _without_lead(words: Words) -> Words:
    while words and words[-1].sort is Sort.MARK and words[-1].text != "%":
        words = words[:-1]
    while words and (
        words[0].sort is Sort.MARK or words[0].text in ("please", "and", "also", "then")
    ):
        words = words[1:]
    for index, word in enumerate(words[:4]):
        if word.text == ":" and words[index + 1 :]:
            return _without_lead(words[index + 1 :])
    return words


def _verification(words: Words) -> tuple[Part, ...]:
    found = verification_of(words)
    return (found,) if found else ()


def _limit(words: Words) -> tuple[Part, ...]:
    found = limit_of(words)
    return (found,) if found else ()


def _prohibition(words: Words) -> tuple[Part, ...]:
    """Never, do not, must not, refrain from, stop: a verb phrase follows."""
    start = _after_prohibiting(words)
    if start is None or start >= len(words) or words[start].text in _HARMLESS - {"be"}:
        return ()
    return _forbid(words, start, len(words), _subject_before(words, start))


def _after_prohibiting(words: Words) -> int | None:
    for index, word in enumerate(words[:8]):
        if word.text == "never" or word.text == "cannot":
            return index + 1
        if "not" in word.forms and word.text != "not" and index < 6:
            return index + 1
        if word.text == "not" and index and words[index - 1].text in _MUST_NOT:
            return index + 1
        if word.text in ("refrain", "stop") and index <= 1:
            return index + (2 if _text(words, index + 1) == "from" else 1)
        if word.text in lex.PREPOSITIONS or word.text in lex.SUBORDINATORS:
            return None
    return None


def _text(words: Words, index: int) -> str:
    return words[index].text if 0 <= index < len(words) else ""


def _subject_before(words: Words, start: int) -> list[int]:
    return [
        index
        for index in range(start)
        if words[index].text
        not in lex.AUXILIARIES | lex.DETERMINERS | lex.ADVERBS | _GENERIC_SUBJECTS
        and "not" not in words[index].forms
        and words[index].sort is not Sort.MARK
        and words[index].text not in ("cannot", "refrain", "stop", "from", "please", "always")
    ]


def _forbid(words: Words, first: int, last: int, subject: list[int]) -> tuple[Part, ...]:
    passive = _text(words, first) in ("be", "been", "being")
    end, exemptions = cut_exemptions(words, first, last)
    if exemptions is None:
        return ()
    actions = [a for a in _split_actions(words, first, end) if a is not None]
    noun = noun_of(words, subject) if subject else None
    if passive and noun is not None:
        actions = [_with_object(action, noun) for action in actions]
    elif noun is not None:
        actions = [_with_subject(action, noun) for action in actions]
    if not actions or any(_too_vague(action) for action in actions):
        return ()
    return tuple(Prohibition(action, exemptions) for action in actions)


def _with_object(action: Action, noun: Noun) -> Action:
    text = f"{action.verbs[0].text} {_plain(noun)} {action.text.partition(' ')[2]}".strip()
    return Action(text, action.verbs, (noun,), action.manner, action.conditions)


def _with_subject(action: Action, noun: Noun) -> Action:
    text = f"{_plain(noun)} {action.text}"
    return Action(text, action.verbs, action.objects, action.manner, action.conditions, noun)


def _plain(noun: Noun) -> str:
    return " ".join([*(modifier.text for modifier in noun.modifiers), noun.head.text])


def _too_vague(action: Action) -> bool:
    """A verb alone that everything does ("never go", "do not do") would block too much."""
    if action.objects or action.conditions or action.manner or action.subject:
        return not action.verbs and not action.objects
    return not action.verbs or bool(action.verbs[0].forms & (lex.LIGHT | _VAGUE))


_VAGUE = frozenset(("use", "add", "set", "put", "take", "keep", "apply", "include", "bring"))


def _split_actions(words: Words, first: int, last: int) -> list[Action | None]:
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


def _no_thing(words: Words) -> tuple[Part, ...]:
    """No X, avoid X, X is forbidden: anything that brings X about."""
    first = _text(words, 0)
    for index, word in enumerate(words[:5]):
        if word.text == "allergic" and _text(words, index + 1) == "to":
            return _forbid_thing(words, index + 2, len(words))
    if first in ("no", "avoid", "avoiding", "forbid", "ban", "prohibit"):
        start = 2 if first == "no" and _text(words, 1) == "more" else 1
        if _text(words, start) in _NOT_THINGS:
            return ()
        return _forbid_thing(words, start, len(words))
    return _forbidden_predicate(words)


_NOT_THINGS = word_set("""later longer one problem need more less fewer matter doubt sooner way""")


def _forbid_thing(words: Words, first: int, last: int) -> tuple[Part, ...]:
    end, exemptions = cut_exemptions(words, first, last)
    if exemptions is None:
        return ()
    gerund = _text(words, first).endswith("ing") and begins_with_verb(words, first, end)
    doing = _forbid(words, first, last, []) if gerund and end - first > 1 else ()
    actions = thing_actions(words, first, end)
    return (*doing, *(Prohibition(action, exemptions) for action in actions))


def _forbidden_predicate(words: Words) -> tuple[Part, ...]:
    for index in range(1, len(words)):
        if _text(words, index) not in ("is", "are", "remain", "stays"):
            continue
        rest = {word.text for word in words[index + 1 : index + 4]}
        negated = "not" in rest and rest & {"allowed", "permitted", "acceptable", "ok", "okay"}
        off = {"off", "limits"} <= rest
        if rest & _FORBIDDEN or negated or off:
            after = _after_predicate(words, index)
            return _forbid_thing((*words[:index], *after), 0, index + len(after))
    return ()


def _after_predicate(words: Words, index: int) -> Words:
    """What follows "is forbidden": a condition such as "in production" or an exemption."""
    for position in range(index + 1, len(words)):
        if words[position].text in (lex.PREPOSITIONS | {"unless", "except", "without"}) - {"off"}:
            return words[position:]
    return ()


def _choice(words: Words) -> tuple[Part, ...]:
    """Use X, not Y; use X instead of Y: Y is forbidden and X is not to be dropped."""
    for index in range(2, len(words) - 1):
        word = words[index].text
        turned = word == "insteadof" or (word in ("not", "never") and words[index - 1].text == ",")
        if turned and begins_with_verb(words, 1 if _text(words, 0) == "always" else 0, index):
            verb = words[1] if _text(words, 0) == "always" else words[0]
            return _forbid((verb, *words[index + 1 :]), 0, len(words) - index, [])
    return ()


def _procedure(words: Words) -> tuple[Part, ...]:
    """Always do X before Y: Y without X is forbidden."""
    start = 1 if _text(words, 0) in ("always", "please", "must") else 0
    turn = next((i for i in range(start + 1, len(words)) if words[i].text == "before"), None)
    if turn is None or not begins_with_verb(words, start, turn):
        return ()
    if not begins_with_verb(words, turn + 1, len(words)):
        return ()
    action = action_of(words, turn + 1, len(words))
    exemption = absence_of(words, start, turn)
    if action is None or exemption is None or _too_vague(action):
        return ()
    return (Prohibition(action, (exemption,)),)


def _exclusive(words: Words) -> tuple[Part, ...]:
    """Always use X, only use X, use only X for Y, must use X, only deploy from X."""
    start = _after_exclusive(words)
    if start is None:
        return ()
    kept = tuple(word for word in words[start:] if word.text not in ("only", "exclusively"))
    end, exemptions = cut_exemptions(kept, 0, len(kept))
    if exemptions is None or exemptions or not begins_with_verb(kept, 0, end):
        return ()
    action = action_of(kept, 0, end)
    if action is None:
        return ()
    return _place(action, always="only" not in {word.text for word in words[: start + 2]})


def _after_exclusive(words: Words) -> int | None:
    first = _text(words, 0)
    if first in ("always", "only", "exclusively"):
        return 1
    head = [word.text for word in words[:6]]
    if len(head) > 1 and head[1] == "only" and begins_with_verb(words, 0, len(words)):
        return 0
    for index, word in enumerate(head):
        if (
            word in ("must", "shall")
            and index + 1 < len(head)
            and head[0] in _GENERIC_SUBJECTS | {"must"}
        ):
            return index + (2 if head[index + 1] in ("always", "only") else 1)
    return None


def _place(action: Action, *, always: bool) -> tuple[Part, ...]:
    """The place that the choice fills: the object or, with none, the first condition."""
    if action.objects and not always and _restricts_place(action):
        return _only_in_place(action)
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


def _only_in_place(action: Action) -> tuple[Part, ...]:
    """ "Only run scripts in staging" restricts the place, not the thing."""
    *others, last = action.conditions
    slot = Action(action.text, action.verbs, action.objects, action.manner, tuple(others))
    choice = last.nouns[0]
    return (Exclusive(slot, choice, last.preposition, _is_one_thing(choice)),)


def _is_one_thing(noun: Noun) -> bool:
    """A singular name such as `main` or `UTC`, not a class of things such as "direct flights"."""
    plural = noun.head.text.endswith("s") and noun.head.text[:-1] in noun.head.forms
    return not plural and not noun.head.text.endswith("ies")


def _requirement(words: Words) -> tuple[Part, ...]:
    """X required, X is mandatory, N must have X, N must be X."""
    for index in range(1, len(words)):
        if words[index].text in _REQUIRED - {"must"} and index >= len(words) - 2:
            end = index - 1 if _text(words, index - 1) in ("is", "are", "be") else index
            return _require(words, range(end), None)
        if words[index].text == "must" and _text(words, index + 2) in _PRESENT:
            return _require(words, range(index), None)
        if words[index].text == "must" and _text(words, index + 1) in (
            "have",
            "be",
            "include",
            "use",
        ):
            return _require(words, range(index + 2, len(words)), range(index))
        if words[index].text in ("needs", "need", "requires", "require") and index + 1 < len(words):
            return _require(words, range(index + 1, len(words)), range(index))
    return ()


_PRESENT = word_set(
    """included provided available present enabled offered supplied kept allowed permitted active"""
)


def _require(words: Words, core: range, subject: range | None) -> tuple[Part, ...]:
    kept = [index for index in core if _is_content(words[index])]
    if not kept or any(_is_unfit(words[index]) for index in core):
        return ()
    terms: list[Term] = [term(words[index]) for index in kept]
    if subject is None and len(terms) > 1 and any(_adjectival(item) for item in terms[:-1]):
        terms = terms[:-1]
    if len(terms) > 4:
        return ()
    noun = noun_of(words, [i for i in subject if _is_content(words[i])]) if subject else None
    text = " ".join(item.text for item in terms)
    return (Requirement(text, tuple(terms), noun),)


def _is_unfit(word: Token) -> bool:
    """Words that make a requirement more than the presence of a thing."""
    if word.sort is Sort.NUMBER or "not" in word.forms:
        return True
    return word.text in lex.SUBORDINATORS | {"no", "never", "than", "without", "later", "least"}


def _is_content(word: Token) -> bool:
    grammar = lex.DETERMINERS | lex.PRONOUNS | lex.AUXILIARIES | lex.PREPOSITIONS | lex.ADVERBS
    return word.sort is not Sort.MARK and word.text not in grammar | lex.CONJUNCTIONS


def _adjectival(item: Term) -> bool:
    return item.text.endswith(("able", "ible", "ed", "free", "al", "ous", "ful", "ic"))


_FORMS: tuple[Callable[[Words], tuple[Part, ...]], ...] = (
    _verification,
    _limit,
    _choice,
    _procedure,
    _prohibition,
    _no_thing,
    _exclusive,
    _requirement,
)
