"""Constraints of the form "verify X before Y", in their several wordings."""

from __future__ import annotations

from dataclasses import replace

from dmm.policy import lexicon as lex
from dmm.policy.actions import action_of, noun_of, thing_actions
from dmm.policy.kin import with_kin
from dmm.policy.language import Sort, Token
from dmm.policy.phrases import phrases_of
from dmm.policy.rules import Action, Term, Verification
from dmm.policy.verbs import is_verb, owns
from dmm.policy.wordings import doing_first
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]
_VERIFY = word_set(
    "verify check confirm validate ensure review inspect doublecheck consult research examine"
)
_LOOKING = {
    "look": ("up", "at", "into"),
    "find": ("out",),
    "read": ("up", "through"),
    "ask": ("about", "whether"),
}
_LEADS = word_set("""always must please you we should shall first need to make sure that double""")
_IDLE = (
    lex.DETERMINERS
    | lex.PRONOUNS
    | lex.AUXILIARIES
    | lex.PREPOSITIONS
    | lex.ADVERBS
    | {"and", "or", "that", "whether", "if", "who", "what", "which", "how", "whose", "where"}
)
_WEAK = word_set(
    """pass valid green ok okay correct current latest status exist ready sure work good fine"""
)


def verification_of(words: Words) -> Verification | None:
    """The verification a sentence asks for, if it asks for one."""
    return (
        _verify_before(words)
        or _before_verify(words)
        or _must_be_verified(words)
        or _never_without(words)
    )


def _is_verify(word: Token) -> bool:
    return bool(word.forms & _VERIFY)


def _is_looking(words: Words, index: int) -> bool:
    """ "Look up", "find out"."""
    following = words[index + 1].text if index + 1 < len(words) else ""
    return following in _LOOKING.get(words[index].text, ())


def _find(words: Words, *wanted: str, start: int = 0) -> int | None:
    for index in range(start, len(words)):
        if words[index].text in wanted:
            return index
    return None


def _verify_before(words: Words) -> Verification | None:
    start = 0
    while start < len(words) and words[start].text in _LEADS:
        start += 1
    if start >= len(words) or not (_is_verify(words[start]) or _is_looking(words, start)):
        return None
    topic = start + (1 if _is_verify(words[start]) else 2)
    while topic < len(words) and (words[topic].text in _LEADS or _is_verify(words[topic])):
        topic += 1
    before = _find(words, "before", start=topic)
    if before is None:
        before = _prior_to(words, topic)
    if before is None:
        return None
    after = before + (2 if words[before].text == "prior" else 1)
    return _build(words, (topic, before), (after, len(words)))


def _texts(words: Words) -> set[str]:
    return {word.text for word in words}


def _prior_to(words: Words, start: int) -> int | None:
    prior = _find(words, "prior", start=start)
    return prior if prior is not None and prior + 1 < len(words) else None


def _before_verify(words: Words) -> Verification | None:
    if not words or words[0].text != "before":
        return None
    for index in range(2, len(words)):
        if _is_verify(words[index]):
            end = index
            while end > 1 and words[end - 1].text in _LEADS | {","}:
                end -= 1
            return _build(words, (index + 1, len(words)), (1, end))
    return None


def _must_be_verified(words: Words) -> Verification | None:
    before = _find(words, "before")
    if before is None:
        return None
    for index in range(1, before):
        be = words[index - 1].text in ("be", "been")
        if (
            be
            and _is_verify(words[index])
            and "review" not in words[index].forms
            and _texts(words[:index]) & {"must", "should", "has", "have"}
        ):
            end = next(i for i in range(index) if words[i].text in lex.AUXILIARIES)
            return _build(words, (0, end), (before + 1, len(words)))
    return None


def _never_without(words: Words) -> Verification | None:
    start = _after_never(words)
    if start is None:
        return None
    turn = _find(words, "without", "before", "until", "unless", start=start + 1)
    if turn is None:
        return None
    for index in range(turn + 1, len(words)):
        if _is_verify(words[index]):
            passive = index > turn + 1 and words[index - 1].text in lex.BE
            topic = (turn + 1, index) if passive else (index + 1, len(words))
            verb = words[start - 1].text != "no"
            return _build(words, topic, (start, turn), certain=verb)
    return None


def _after_never(words: Words) -> int | None:
    for index, word in enumerate(words[:4]):
        if word.text in ("never", "cannot", "no") or "not" in word.forms:
            return index + 1
    return None


def _build(
    words: Words, topic: tuple[int, int], act: tuple[int, int], *, certain: bool = False
) -> Verification | None:
    topics = _topics(words, *topic)
    action = _act(words, *act, certain=certain)
    if not topics or action is None:
        return None
    return Verification(topics, _to_anyone(words, _with_referent(words, topic, act, action)))


def _to_anyone(words: Words, action: Action) -> Action:
    """ "A delivery to a customer": to whom narrows nothing where it is to anyone."""
    anyone = {
        words[index + 2].text
        for index in range(len(words) - 2)
        if words[index].text == "to" and words[index + 1].text in _ANY
    }
    kept = tuple(
        condition
        for condition in action.conditions
        if condition.preposition != "to" or condition.nouns[0].head.text not in anyone
    )
    return replace(action, conditions=kept) if action.objects else action


def _with_referent(
    words: Words, topic: tuple[int, int], act: tuple[int, int], action: Action
) -> Action:
    """ "Verify who owns a flag before removing it": the act is done to the flag."""
    pronoun = any(words[index].text in ("it", "them") for index in range(*act))
    named = [index for index in range(*topic) if words[index].text in ("a", "an")]
    owner = next((index for index in range(*topic) if owns(words[index])), None)
    if action.objects or not pronoun or (owner is None and not named):
        return action
    if owner is not None:
        noun = noun_of(words, (owner,))
        return action if noun is None else replace(action, objects=(noun,))
    phrases = phrases_of(words, named[-1] + 1, topic[1])
    noun = noun_of(words, phrases[0].indices) if phrases else None
    return action if noun is None else replace(action, objects=(noun,))


def _act(words: Words, first: int, last: int, *, certain: bool) -> Action | None:
    while last > first and words[last - 1].sort is Sort.MARK:
        last -= 1
    while first < last and words[first].text in (
        "you",
        "we",
        "any",
        "each",
        "every",
        "a",
        "the",
        "making",
    ):
        first += 1
    if first >= last:
        return None
    turned = doing_first(words[first:last])
    if turned[0] is not words[first]:
        words, first, last = turned, 0, len(turned)
    known = is_verb(words, first, first)
    if known or certain or (words[first].text.endswith("ing") and not words[first].acting):
        return action_of(words, first, last)
    named = [action for action in thing_actions(words, first, last) if action.verbs]
    return named[0] if named else None


def _topics(words: Words, first: int, last: int) -> tuple[tuple[Term, ...], ...]:
    """The parts of a topic, split at "and" and commas, each as its content words."""
    parts: list[tuple[Term, ...]] = []
    current: list[Term] = []
    owner = _owner(words, first, last)
    for index in range(first, last + 1):
        if index in owner:
            continue
        if index == last or words[index].text in ("and", ",", "&", "or"):
            if current:
                parts.append(_without_weak(current))
            current = []
        elif words[index].sort is not Sort.MARK and words[index].text not in _IDLE:
            current.append(with_kin(Term(words[index].text, words[index].forms)))
    return tuple(parts)


def _owner(words: Words, first: int, last: int) -> range:
    """ "Of a library", at the end: which one it is, the question names in its own way."""
    for index in range(last - 2, first, -1):
        if words[index].text in ("of", "for") and words[index + 1].text in _ANY:
            return range(index, last)
    return range(0)


_ANY = frozenset(("a", "an", "any", "each", "every", "it", "them"))


def _without_weak(terms: list[Term]) -> tuple[Term, ...]:
    strong = tuple(item for item in terms if not item.forms & _WEAK)
    return strong or tuple(terms)
