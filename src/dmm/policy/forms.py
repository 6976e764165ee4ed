"""The sentence forms of constraints, each read into parts of a rule."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.actions import action_of, begins_with_verb, noun_of, thing_actions
from dmm.policy.amounts import limit_of, range_of
from dmm.policy.choices import GENERIC_SUBJECTS, exclusive_of, usage_of
from dmm.policy.conditionals import conditional_of
from dmm.policy.contrasts import choice_of, contrast_of
from dmm.policy.exemptions import absence_of, cut_exceptions, cut_exemptions
from dmm.policy.kin import with_kin
from dmm.policy.language import Sort, Token, text_at, tokens_of
from dmm.policy.paraphrases import without_set_phrase
from dmm.policy.prohibitions import forbid, split_actions, too_vague
from dmm.policy.requirements import requirement_of
from dmm.policy.rules import (
    Exclusive,
    Exemption,
    Limit,
    Noun,
    Part,
    Prohibition,
    Requirement,
    Term,
)
from dmm.policy.scopes import (
    exception_behind,
    purpose_of_use,
    scope_behind,
    without_anyone,
)
from dmm.policy.verifications import verification_of
from dmm.policy.wordings import doing_first, in_plain_form, occurs, subject_scope_behind
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable

Words = tuple[Token, ...]
_MUST_NOT = frozenset(("must", "shall", "should", "may", "can", "do", "does", "will"))
_FORBIDDEN = word_set(
    """forbidden prohibited banned disallowed unacceptable off-limits forbid prohibit ban"""
)
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
    spared = _spared(words)
    if spared:
        return spared
    words = in_plain_form(without_set_phrase(exception_behind(words)))
    verified = verification_of(words)
    if verified is not None:
        return (verified,)
    conditional = conditional_of(words, _plain_parts)
    return _plain_parts(words) if conditional is None else conditional


def _plain_parts(words: Words) -> tuple[Part, ...]:
    words = purpose_of_use(without_anyone(scope_behind(words)))
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


def _limit(words: Words) -> tuple[Part, ...]:
    end, exemptions = cut_exceptions(words, 0, len(words))
    bounds = range_of(words[:end]) if exemptions is not None else ()
    if bounds:
        return tuple(replace(bound, exemptions=exemptions or ()) for bound in bounds)
    found = limit_of(words[:end]) if exemptions is not None else None
    if found is None:
        return ()
    return (replace(found, exemptions=exemptions or ()), *_at_all(found, exemptions or ()))


def _at_all(limit: Limit, exemptions: tuple[Exemption, ...]) -> tuple[Part, ...]:
    """ "At least one reviewer" asks for a reviewer."""
    few = limit.comparison == ">=" and Decimal(limit.value) <= _FEW
    if limit.counted is None or not few:
        return ()
    item = with_kin(limit.counted)
    subject = Noun(limit.subject[-1]) if limit.subject else None
    return (Requirement(item.text, (item,), subject, exemptions),)


_FEW = 3


def _prohibition(words: Words) -> tuple[Part, ...]:
    """Never, do not, must not, refrain from, stop: a verb phrase follows."""
    start = _after_prohibiting(words)
    if start is None:
        words = subject_scope_behind(words)
        start = _after_prohibiting(words)
    if start is None or start >= len(words):
        return ()
    subject = _subject_before(words, start)
    owning = subject and text_at(words, start) == "have" and text_at(words, start + 1) != "to"
    if words[start].text in _HARMLESS - {"be"} and not owning:
        return ()
    return forbid(words, start, len(words), subject)


def _content(words: Words) -> tuple[Part, ...]:
    """ "Logs must not contain X": no X in logs."""
    start = _after_prohibiting(words)
    if start is None or start + 1 >= len(words) or not words[start].forms & _CONTAINING:
        return ()
    subject = _subject_before(words, start)
    end, exemptions = cut_exemptions(words, start, len(words))
    if not subject or exemptions is None:
        return ()
    inside = (*words[start + 1 : end], *tokens_of("in"), *(words[index] for index in subject))
    actions = thing_actions(inside, 0, len(inside))
    return (
        *(Prohibition(action, exemptions) for action in actions),
        *forbid(words, start, len(words), subject),
    )


def _state(words: Words) -> tuple[Part, ...]:
    """ "The panel must not be public": whatever makes it so is against the rule."""
    start = _after_prohibiting(words)
    if start is None or text_at(words, start) != "be" or start + 2 != len(words):
        return ()
    subject, state = _subject_before(words, start), words[start + 1]
    plain = state.sort is Sort.WORD and not state.acting and not state.text.endswith("ed")
    noun = noun_of(words, subject) if subject and plain else None
    if noun is None:
        return ()
    text = f"non{state.text}"
    return (Requirement(text, (Term(text, frozenset((text,))),), noun),)


_CONTAINING = word_set("contain include hold carry")


def _after_prohibiting(words: Words) -> int | None:
    for index, word in enumerate(words[:8]):
        if word.text == "never" or word.text == "cannot":
            return index + 1
        if "not" in word.forms and word.text != "not" and index < 6:
            return index + 1
        if word.text == "not" and index and words[index - 1].text in _MUST_NOT:
            return index + 1
        if word.text in ("refrain", "stop") and index <= 1:
            return index + (2 if text_at(words, index + 1) == "from" else 1)
        if word.text in lex.PREPOSITIONS or word.text in lex.SUBORDINATORS:
            return None
    return None


def _subject_before(words: Words, start: int) -> list[int]:
    return [
        index
        for index in range(start)
        if words[index].text
        not in lex.AUXILIARIES | lex.DETERMINERS | lex.ADVERBS | GENERIC_SUBJECTS
        and "not" not in words[index].forms
        and words[index].sort is not Sort.MARK
        and words[index].text not in ("cannot", "refrain", "stop", "from", "please", "always")
    ]


def _no_thing(words: Words) -> tuple[Part, ...]:
    """No X, avoid X, X is forbidden: anything that brings X about."""
    first = text_at(words, 0)
    for index, word in enumerate(words[:5]):
        if word.text == "allergic" and text_at(words, index + 1) == "to":
            return _forbid_thing(words, index + 2, len(words))
    if first in ("no", "avoid", "avoiding", "forbid", "ban", "prohibit"):
        start = 2 if first == "no" and text_at(words, 1) == "more" else 1
        if text_at(words, start) in _NOT_THINGS:
            return ()
        return _forbid_thing(words, start, len(words))
    return _forbidden_predicate(words)


_NOT_THINGS = word_set("""later longer one problem need more less fewer matter doubt sooner way""")


def _forbid_thing(words: Words, first: int, last: int) -> tuple[Part, ...]:
    end, exemptions = cut_exemptions(words, first, last)
    if exemptions is None:
        return ()
    gerund = text_at(words, first).endswith("ing") and begins_with_verb(words, first, end)
    doing = forbid(words, first, last, []) if gerund and end - first > 1 else ()
    actions = thing_actions(words, first, end)
    return (*doing, *(Prohibition(action, exemptions) for action in actions))


def _forbidden_predicate(words: Words) -> tuple[Part, ...]:
    for index in range(1, len(words)):
        if text_at(words, index) not in ("is", "are", "remain", "stays"):
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


def _procedure(words: Words) -> tuple[Part, ...]:
    """Always do X before Y: Y without X is forbidden."""
    start = 1 if text_at(words, 0) in ("always", "please", "must") else 0
    turn = next((i for i in range(start + 1, len(words)) if words[i].text == "before"), None)
    if turn is None or not begins_with_verb(words, start, turn):
        return ()
    exemption = absence_of(words, start, turn)
    if exemption is None:
        return ()
    if occurs(words[turn + 1 :]):
        denied = (*words[turn + 1 : -1], *tokens_of("must not"), words[-1])
        begun = [part for part in _prohibition(denied) if isinstance(part, Prohibition)]
        return tuple(replace(part, exemptions=(exemption,)) for part in begun)
    behind = doing_first(words[turn + 1 :])
    if not begins_with_verb(behind, 0, len(behind)):
        return ()
    action = action_of(behind, 0, len(behind))
    if action is None or too_vague(action):
        return ()
    return (Prohibition(action, (exemption,)),)


def _nobody(words: Words) -> tuple[Part, ...]:
    """Nobody may do X, no service may do X: a verb phrase follows the modal."""
    if text_at(words, 0) not in ("no", "nobody", "none"):
        return ()
    modal = next((i for i, word in enumerate(words[:7]) if word.text in _MUST_NOT), None)
    if modal is None or modal + 1 >= len(words):
        return ()
    return forbid(words, modal + 1, len(words), _subject_before(words, modal))


def _spared(words: Words) -> tuple[Part, ...]:
    """Everything except X may be deleted: X may not."""
    opener = next((i for i, word in enumerate(words[:8]) if word.text == "except"), None)
    if not opener or text_at(words, 0) not in ("everything", "all", "anything", "any", "every"):
        return ()
    modal = next((i for i in range(opener, len(words)) if words[i].text in ("may", "can")), None)
    if modal is None or text_at(words, modal + 1) != "be" or modal + 2 >= len(words):
        return ()
    thing = tuple(word for word in words[opener + 1 : modal] if word.text != ",")
    act = (words[modal + 2], *thing, *words[modal + 3 :])
    return forbid(act, 0, len(act), [])


def _reserved(words: Words) -> tuple[Part, ...]:
    """Only admins may delete projects: nobody else may."""
    if text_at(words, 0) != "only":
        return ()
    words = _with_modal(words)
    modal = next((i for i, word in enumerate(words[:7]) if word.text in _MAY), None)
    if modal is None or modal < 2 or not begins_with_verb(words, modal + 1, len(words)):
        return ()
    who = tuple(
        Term(word.text, word.forms)
        for word in words[1:modal]
        if word.sort is not Sort.MARK and word.text not in lex.DETERMINERS | {"on"}
    )
    actions = [one for one in split_actions(words, modal + 1, len(words)) if one is not None]
    if not who or not actions or any(too_vague(action) for action in actions):
        return ()
    return tuple(Prohibition(action, (Exemption(who, actor=True),)) for action in actions)


def _with_modal(words: Words) -> Words:
    """ "Only the billing service calls X": only it may."""
    for index in range(2, min(6, len(words) - 1)):
        word = words[index]
        if word.text in _MAY or word.text in lex.PREPOSITIONS or word.sort is Sort.MARK:
            return words
        told = word.text.endswith("s") and word.acting and word.text not in word.acting
        if told and (words[index + 1].text in lex.DETERMINERS | {"or", "and"}):
            return (*words[:index], *tokens_of("may"), *words[index:])
    return words


_MAY = frozenset(("may", "can", "should", "must", "shall"))


def _bare(words: Words) -> tuple[Part, ...]:
    """ "Encrypt the backups": an order asks for its act."""
    if not words or words[0].text not in words[0].acting or words[0].forms & lex.MENTION:
        return ()
    parts = exclusive_of((*tokens_of("always"), *words))
    return tuple(
        part if isinstance(part, Requirement) else replace(part, one_thing=False)
        for part in parts
        if isinstance(part, Requirement | Exclusive)
    )


_FORMS: tuple[Callable[[Words], tuple[Part, ...]], ...] = (
    _limit,
    choice_of,
    contrast_of,
    _procedure,
    _content,
    _state,
    _prohibition,
    _nobody,
    _no_thing,
    _reserved,
    exclusive_of,
    requirement_of,
    usage_of,
    _bare,
)
