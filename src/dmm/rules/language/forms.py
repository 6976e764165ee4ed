"""The sentence forms of constraints, each read into parts of a rule."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.rules.language import lexicon as lex
from dmm.rules.language.acting import (
    EVERYDAY,
    NOTHING_SAID,
    action_of,
    as_verb,
    is_vague,
    named_actions,
    noun_of,
    terms_of,
)
from dmm.rules.language.clauses import phrases_of
from dmm.rules.language.language import Sort, Token, text_at
from dmm.rules.language.limits import comparison_of, limits_of
from dmm.rules.language.quantities import quantities_of
from dmm.rules.language.rules import (
    Action,
    Condition,
    Exclusive,
    Exemption,
    Limit,
    Noun,
    Part,
    Prohibition,
    Requirement,
    Term,
    Verification,
)
from dmm.rules.language.verbs import is_participle, is_verb
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable

Words = tuple[Token, ...]
_MODALS = frozenset(("must", "shall", "should", "may", "can", "do", "does", "will", "are", "is"))
_BANNED = word_set("forbidden prohibited banned disallowed unacceptable")
_FINE = word_set("allowed permitted acceptable ok okay")
_HARMLESS = word_set("forget hesitate worry only just fail mind matter need have let panic assume")
_VERIFY = word_set("verify check confirm validate review inspect consult research examine ask")
_ASSENT = word_set("=approve ~approv agree agreement ~confirm sign signoff")
_LEADS = word_set("always must please you we should shall first need to make sure that double")


def parts_of(words: Words) -> tuple[Part, ...]:
    """What one sentence of a constraint says; nothing when no form fits."""
    label = next((i for i, word in enumerate(words[:4]) if word.text == ":"), None)
    if label and limits_of(words[label:]) == ():
        named = limits_of((*words[:label], *words[label + 1 :]))
        if named:
            return named
    texts = [word.text for word in words]
    if texts.count("(") != texts.count(")"):
        return ()
    words = _trimmed(words)
    if not words or _is_fragment(words):
        return ()
    verified = _verification(words)
    if verified is not None:
        return (verified,)
    scope, words = _leading_scope(words)
    words, exemptions = _cut_exceptions(words)
    if exemptions is None:
        return ()
    for form in _FORMS:
        parts = form(words)
        if parts:
            return tuple(_narrowed(part, scope, exemptions) for part in parts)
    return ()


def _is_fragment(words: Words) -> bool:
    """Whether the words are cut off from a longer sentence."""
    texts = [word.text for word in words]
    links = frozenset(("to", "of", "for", "with", "from", "by", "into", "than"))
    open_ended = texts[-1] in lex.DETERMINERS | lex.CONJUNCTIONS | links
    begun = texts[0] in ("that", "which", "who", "or", "but", "with", "of", "by", "than")
    return open_ended or begun


def _trimmed(words: Words) -> Words:
    """The words without a label in front, marks around, and a reason or remark behind."""
    while words and words[-1].sort is Sort.MARK and words[-1].text != "%":
        words = words[:-1]
    while words and (words[0].sort is Sort.MARK or words[0].text in ("please", "and", "also")):
        words = words[1:]
    for index, word in enumerate(words[:4]):
        if word.text == ":" and words[index + 1 :]:
            stated = words[0].forms & _BAD_LABELS
            return () if stated else _trimmed(words[index + 1 :])
    for index in range(2, len(words)):
        if _is_remark(words, index):
            return words[:index]
    return words


_BAD_LABELS = word_set("incorrect wrong bad good correct example note before after")


def _is_remark(words: Words, index: int) -> bool:
    """ "…: reason", "… because it leaks", "…, not even in tests", "…, it is slow"."""
    word, following = words[index].text, text_at(words, index + 1)
    if word in ("because", ":", "\N{EM DASH}", "\N{EN DASH}", "since", "so"):
        return True
    if word == "(":
        return following not in ("except", "unless")
    if word not in (",", "-") or (word == "-" and words[index].end == words[index + 1].start):
        return False
    after = text_at(words, index + 2)
    spoken = following in lex.PRONOUNS | {"which", "as", "even"}
    return (
        spoken
        or (following == "not" and after == "even")
        or (index + 1 < len(words) and following != "not" and _is_order(words, index + 1))
    )


def _is_order(words: Words, index: int) -> bool:
    """Whether an order of its own begins here: ", use X instead"."""
    last_of_list = text_at(words, index + 1) in ("or", "and", ",")
    started = text_at(words, 0) in ("in", "on", "for", "if", "when", "during", "before")
    verb = words[index].text in words[index].forms & lex.VERBS
    return verb and not last_of_list and not started and is_verb(words, index, index)


def _leading_scope(words: Words) -> tuple[tuple[Condition, ...], Words]:
    """ "In the frontend, no inline styles": where, when or for what the rest holds."""
    opener = text_at(words, 0)
    if opener in ("except", "unless") and "," in {word.text for word in words}:
        comma = next(i for i, word in enumerate(words) if word.text == ",")
        return (), (*words[comma + 1 :], *words[:comma])
    comma = next((i for i, word in enumerate(words) if word.text == ","), None)
    if opener not in _SCOPES or comma is None or comma + 1 >= len(words):
        return (), words
    noun = noun_of(words, range(1, comma))
    if noun is None:
        return (), words
    return (Condition("in" if opener in lex.CONDITIONS else opener, (noun,)),), words[comma + 1 :]


_SCOPES = frozenset(("in", "on", "for", "if", "when", "during", "within", "inside", "under", "at"))


def _cut_exceptions(words: Words) -> tuple[Words, tuple[Exemption, ...] | None]:
    """The rule proper and its exceptions; None when they say nothing usable."""
    for index in range(1, len(words)):
        word = words[index].text
        only = word == "only" and text_at(words, index + 1) in ("if", "when", "for")
        only = only and any("not" in one.forms or one.text == "never" for one in words[:index])
        if word not in ("unless", "except", "excluding", "barring") and not only:
            continue
        if text_at(words, 0) in ("nobody", "no") and index == 1:
            continue
        end = index - 1 if words[index - 1].text in (",", "(") else index
        return words[:end], _exemptions(words[index + 1 + only :])
    return words, ()


def _exemptions(words: Words) -> tuple[Exemption, ...] | None:
    limits = limits_of(words)
    if limits:
        return (Exemption((), amount=limits[0]),)
    found: list[Exemption] = []
    start = 0
    for index in range(len(words) + 1):
        if index == len(words) or words[index].text in ("or", ",", "and"):
            terms = tuple(item for item in terms_of(words[start:index]) if not item.forms & _UNTOLD)
            if terms:
                found.append(Exemption(terms))
            start = index + 1
    return tuple(found) or None


_UNTOLD = word_set(
    "own your my case necessary absolutely strictly explicit explicitly reason purpose situation"
)


def _narrowed(part: Part, scope: tuple[Condition, ...], exemptions: tuple[Exemption, ...]) -> Part:
    if isinstance(part, Verification):
        return part
    if scope and isinstance(part, Prohibition | Exclusive):
        conditions = (*scope, *part.action.conditions)
        part = replace(part, action=replace(part.action, conditions=conditions))
    elif scope and isinstance(part, Limit):
        part = replace(part, subject=(*part.subject, scope[0].nouns[0].head))
    return replace(part, exemptions=(*part.exemptions, *exemptions))


# Verifications.


def _verification(words: Words) -> Verification | None:
    """Verify X before Y; before Y, check X; X must be verified before Y; no Y until X is checked."""
    turn = next((i for i, w in enumerate(words) if w.text in ("before", "until", "unless")), None)
    without = next((i for i, word in enumerate(words) if word.text == "without"), None)
    never = next(
        (i for i, w in enumerate(words[:4]) if w.text in ("never", "no") or "not" in w.forms), None
    )
    start = 0
    while start < len(words) and words[start].text in _LEADS:
        start += 1
    asked = start < len(words) and (words[start].forms & _VERIFY or words[start].text == "ensure")
    if never is not None and not asked:
        turn = turn if turn is not None else without
        return None if turn is None else _never_before(words, never, turn)
    if turn == 0:
        return _before_first(words)
    if turn is None or words[turn].text != "before":
        return None
    if asked and start < turn:
        firm = words[start].text != "ensure"
        while start < turn and (words[start].forms & _VERIFY or words[start].text in _LEADS):
            start += 1
        return _verify(words[start + (not firm) : turn], words[turn + 1 :], firm=firm)
    for index in range(1, turn):
        if words[index - 1].text in ("be", "been") and words[index].forms & _VERIFY - {"review"}:
            end = next(i for i in range(index) if words[i].text in lex.AUXILIARIES)
            return _verify(words[:end], words[turn + 1 :])
    return None


def _before_first(words: Words) -> Verification | None:
    for index in range(2, len(words)):
        led = words[index - 1].text in _LEADS | {","}
        if led and (words[index].forms & _VERIFY or words[index].text == "ensure"):
            end = index
            while end > 1 and words[end - 1].text in _LEADS | {","}:
                end -= 1
            firm = words[index].text != "ensure"
            return _verify(words[index + 1 :], words[1:end], firm=firm)
    return None


def _never_before(words: Words, never: int, turn: int) -> Verification | None:
    for index in range(turn + 1, len(words)):
        if words[index].forms & _VERIFY:
            passive = index > turn + 1 and words[index - 1].text in lex.BE
            topic = words[turn + 1 : index] if passive else words[index + 1 :]
            return _verify(topic, words[never + 1 : turn])
    return None


def _verify(topic: Words, act: Words, *, firm: bool = True) -> Verification | None:
    while act and (act[-1].sort is Sort.MARK):
        act = act[:-1]
    while act and act[0].text in lex.DETERMINERS | lex.PRONOUNS:
        act = act[1:]
    topics = _topics(topic)
    doing = bool(act) and is_verb(act, 0, 0, act[0].forms)
    actions = [action_of(act, 0, len(act))] if doing else []
    actions += named_actions(act, 0, len(act)) if act else []
    action = next((one for one in actions if one is not None and one.verbs), None)
    if not topics or action is None:
        return None
    firm = firm and (doing or bool(action.objects))
    if not action.objects and not action.conditions:
        pointing = any(word.text in ("it", "them", "this") for word in act)
        referent = _referent(topic) if pointing else None
        if referent is not None:
            action = replace(action, objects=(referent,))
            return Verification(topics, action, firm)
        firm = firm and not pointing and not action.verbs[0].forms & EVERYDAY
    return Verification(topics, action, firm)


def _referent(topic: Words) -> Noun | None:
    """ "Verify who owns a flag before removing it": what the pronoun stands for."""
    for index, word in enumerate(topic):
        if word.end - word.start == len(word.text) + 2:
            # A possessive: "the certificate's expiry date".
            return noun_of(topic, (index,))
        if word.text in ("a", "an"):
            phrases = phrases_of(topic, index + 1, len(topic))
            return noun_of(topic, phrases[0].indices) if phrases else None
    return None


def _topics(words: Words) -> tuple[tuple[Term, ...], ...]:
    """The parts of a topic, split at "and" and commas, each as its content words."""
    for index in range(1, len(words) - 1):
        if words[index].text in ("of", "for") and words[index + 1].text in ("a", "an", "any", "it"):
            words = words[:index]
            break
    parts: list[tuple[Term, ...]] = []
    start = 0
    for index in range(len(words) + 1):
        if index == len(words) or words[index].text in ("and", ",", "&", "or"):
            terms = terms_of(words[start:index])
            strong = tuple(item for item in terms if not item.forms & _STATES)
            if terms:
                parts.append(strong or terms)
            start = index + 1
    return tuple(parts)


_STATES = word_set("pass valid green ok correct current latest status exist ready sure good recent")


# Prohibitions.


def _after_denial(words: Words) -> int | None:
    """Where the verb phrase behind never, do not, must not, refrain from or stop begins."""
    for index, word in enumerate(words[:9]):
        text = word.text
        if text in ("never", "cannot") or ("not" in word.forms and text != "not"):
            return index + 1
        if text == "not" and index and words[index - 1].text in lex.AUXILIARIES | {"decided"}:
            told = words[0].text == "the" and words[index - 1].text == "is"
            led = text_at(words, index + 1) in ("to", "going")
            led_more = text_at(words, index + 2) == "to"
            return None if told else index + 1 + led + (led and led_more)
        if text in ("refrain", "stop") and index <= 1:
            return index + (2 if text_at(words, index + 1) == "from" else 1)
        if text in lex.CONDITIONS:
            return None
    return None


def _prohibition(words: Words) -> tuple[Part, ...]:
    start = _after_denial(words)
    if start is None or start >= len(words):
        return ()
    if words[start].text in _HARMLESS:
        return ()
    if words[start].text in _FINE and words[start - 1].text in ("not", "aren't", "isn't"):
        return ()
    subject = _subject(words[: start - 1])
    if text_at(words, start) in ("be", "been") and start + 1 < len(words):
        parts = _forbid(words[start + 1 :], subject, passive=True)
        about = named_actions(words, 0, start - 1)
        places = about[-1].conditions if about and not quantities_of(words[:start]) else ()
        return tuple(
            replace(one, action=replace(one.action, conditions=(*one.action.conditions, *places)))
            for one in parts
            if isinstance(one, Prohibition)
        )
    if words[start].forms & _CONTAINING and subject is not None:
        inside = noun_of(words, range(start + 1, len(words)))
        if inside is not None:
            action = Action(inside.text, (), (inside,), (), (Condition("in", (subject,)),))
            return (Prohibition(action),)
    return _forbid(words[start:], subject)


_CONTAINING = word_set("contain include hold carry")


def _subject(words: Words) -> Noun | None:
    named = [
        i
        for i, word in enumerate(words)
        if word.text not in lex.GRAMMAR | {"refrain", "stop", "decided", "cannot"}
        and word.sort is not Sort.MARK
        and "not" not in word.forms
    ]
    compared = [comparison_of(words, one) for one in quantities_of(words)]
    cut = min((min(one[1], default=0) for one in compared if one), default=len(words))
    noun = noun_of(words, [i for i in range(len(words)) if i in named or words[i].text in _OF])
    if noun is not None and noun.head.forms & {"=modify"} and not noun.modifiers:
        # "Every change to the screen" is about the screen.
        behind = next((i for i, word in enumerate(words) if word.text in ("to", "of", "in")), cut)
        noun = noun_of(words, range(behind, len(words))) or noun
    noun = noun_of(words, [i for i in named if i < cut]) if cut < len(words) else noun
    return None if noun is None or noun.head.forms & _ANYBODY else noun


_OF = lex.PREPOSITIONS
_ANYBODY = word_set("agent ai claude assistant developer engineer contributor anyone")


def _forbid(words: Words, subject: Noun | None, *, passive: bool = False) -> tuple[Part, ...]:
    words, exemptions = _cut_absence(words)
    found: list[Part] = []
    for piece in _pieces(words):
        action = action_of(piece, 0, len(piece))
        if action is None:
            return ()
        if passive and subject is not None:
            action = replace(action, objects=(subject,), text=f"{action.text} {subject.text}")
        elif subject is not None:
            action = replace(action, subject=subject, text=f"{subject.text} {action.text}")
        if is_vague(action) and not (exemptions and action.verbs):
            return ()
        found.append(Prohibition(action, exemptions))
        others = (*_as_use(action), *_used_acts(action))
        found += [Prohibition(one, exemptions) for one in others]
        if action.objects and action.verbs[0].forms & {"=skip", "forgo", "=disable"}:
            thing = action.objects[0]
            found.append(Requirement(thing.text, (*thing.modifiers, thing.head)))
    return tuple(found)


def _as_use(action: Action) -> list[Action]:
    """ "Ship with X" is to use X for shipping."""
    means = next((one for one in action.conditions if one.preposition in ("with", "via")), None)
    if means is None or action.objects or action.subject or action.manner or _is_used(action):
        return []
    rest = tuple(one for one in action.conditions if one is not means)
    doing = Condition("for", (Noun(action.verbs[0]),))
    use = Term("use", frozenset(("use", "=use")))
    return [Action(action.text, (use,), means.nouns, (), (*rest, doing))]


def _used_acts(action: Action) -> list[Action]:
    """ "Use string concatenation for SQL" is to concatenate strings for SQL."""
    found: list[Action] = []
    for thing in action.objects if _is_used(action) else ():
        if not thing.head.text.endswith(("ing", "tion")) or action.manner or action.subject:
            continue
        done_to = (Noun(thing.modifiers[-1], thing.modifiers[:-1]),) if thing.modifiers else ()
        aim = next((one for one in action.conditions if one.preposition == "for"), None)
        if not done_to and aim is not None:
            rest = tuple(one for one in action.conditions if one is not aim)
            found.append(Action(action.text, (as_verb(thing.head),), aim.nouns, (), rest))
        elif done_to:
            conditions = action.conditions
            found.append(Action(action.text, (as_verb(thing.head),), done_to, (), conditions))
    return found


def _pieces(words: Words) -> list[Words]:
    """ "Push to main or deploy on Fridays" is two acts; "commit or push secrets" is one."""
    for index in range(2, len(words) - 2):
        if words[index].text in ("or", "and") and words[index - 1].text != ",":
            verb = words[index + 1]
            base = verb.text in verb.forms & lex.VERBS and verb.text not in lex.NOUNLIKE
            fits = base or text_at(words, index + 2) in lex.DETERMINERS | lex.PREPOSITIONS
            if fits and is_verb(words, index + 1, index + 1):
                return [words[:index], *_pieces(words[index + 1 :])]
    return [words]


def _cut_absence(words: Words) -> tuple[Words, tuple[Exemption, ...]]:
    """ "… without approval", "… until it is signed": what the act may not go without."""
    for index in range(1, len(words) - 1):
        if words[index].text in ("without", "until", "before"):
            terms = terms_of(words[index + 1 :])
            timed = any(one.sort is Sort.NUMBER or one.forms & lex.TIMES for one in words[index:])
            if terms and not (timed and words[index].text != "without"):
                return words[:index], (Exemption(terms, absent=True),)
    return words, ()


def _no_thing(words: Words) -> tuple[Part, ...]:
    """No X, avoid X, X is forbidden, nobody may: anything that brings X about."""
    first = text_at(words, 0)
    if first == "nobody" and text_at(words, 1) in ("but", "except"):
        return _reserved((words[0], *words[2:]))
    if first in ("nobody", "no"):
        modal = next((i for i, w in enumerate(words[:7]) if w.text in _MODALS), None)
        if modal is not None and modal + 1 < len(words):
            if words[modal + 1].text in ("be", "allowed", "permitted"):
                return _forbid_thing((*words[1:modal], *words[modal + 2 :]))
            return _forbid(words[modal + 1 :], _subject(words[1:modal]))
    if first in ("no", "avoid", "forbid", "ban", "prohibit"):
        start = 2 if text_at(words, 1) in ("more", "using") else 1
        return () if text_at(words, start) in _NO_THINGS else _forbid_thing(words[start:])
    for index in range(1, len(words)):
        if words[index].text not in ("is", "are"):
            continue
        rest = {word.text for word in words[index + 1 : index + 4]}
        if rest & _BANNED or ("not" in rest and rest & _FINE) or {"off", "limits"} <= rest:
            behind = next(
                (i for i in range(index + 2, len(words)) if words[i].text in _BEHIND), len(words)
            )
            return _forbid_thing((*words[:index], *words[behind:]))
    return ()


_NO_THINGS = word_set("later longer one problem need more less fewer matter doubt sooner way")
_BEHIND = lex.PREPOSITIONS - {"off"}


def _forbid_thing(words: Words) -> tuple[Part, ...]:
    words, exemptions = _cut_absence(words)
    if not words:
        return ()
    actions = named_actions(words, 0, len(words))
    if words[0].text.endswith("ing") and is_verb(words, 0, 0, words[0].forms):
        doing = action_of(words, 0, len(words))
        actions = [one for one in (doing,) if one is not None] + actions
    kept = [one for one in actions if not is_vague(one) or (exemptions and one.verbs)]
    return tuple(Prohibition(one, exemptions) for one in kept)


# Limits and what holds only for some amounts.


def _limit(words: Words) -> tuple[Part, ...]:
    return limits_of(words)


def _above_amount(words: Words) -> tuple[Part, ...]:
    """ "Purchases above $5,000 need approval", "files over 5 MB must not be committed"."""
    modal = next((i for i, w in enumerate(words) if w.text in _NEEDING | _MODALS and i), None)
    for quantity in quantities_of(words):
        compared = comparison_of(words, quantity)
        if modal is None or compared is None or quantity.last >= modal:
            continue
        when = limits_of(words[:modal])
        subject = noun_of(words, range(min(compared[1], default=quantity.first)))
        if not when or subject is None:
            return ()
        return _guarded(words, modal, subject, when[0])
    return ()


_NEEDING = frozenset(("need", "needs", "require", "requires"))


def _guarded(words: Words, modal: int, subject: Noun, when: Limit) -> tuple[Part, ...]:
    rest = words[modal + 1 :]
    if words[modal].text in _NEEDING or text_at(rest, 0) in ("have", "get"):
        terms = terms_of(rest)
        parts: tuple[Part, ...] = tuple(
            Prohibition(one, (Exemption(terms, absent=True),))
            for one in named_actions(words, 0, modal)[:1]
        )
    else:
        parts = _prohibition((*words[:1], *words[modal:]))
    named = tuple(
        replace(part, action=_about(part.action, subject), when=when)
        for part in parts
        if isinstance(part, Prohibition)
    )
    return named


def _about(action: Action, subject: Noun) -> Action:
    conditions = tuple(
        one for one in action.conditions if not any(quantity_like(n) for n in one.nouns)
    )
    objects = tuple(one for one in action.objects if not quantity_like(one))
    return replace(action, conditions=conditions, objects=objects)


def quantity_like(noun: Noun) -> bool:
    """Whether a noun is an amount."""
    return any(char.isdigit() for char in noun.text)


# Choices and requirements.


def _contrast(words: Words) -> tuple[Part, ...]:
    """Use X instead of Y; X, not Y; use X, never Y: Y is out."""
    turn = next((i for i, word in enumerate(words) if word.text == "insteadof"), None)
    if turn is None and text_at(words, 0) in ("choose", "pick", "favor", "prefer"):
        turn = next((i for i, word in enumerate(words) if word.text == "over"), None)
    if turn is None:
        turn = next(
            (
                i + 1
                for i in range(1, len(words) - 2)
                if words[i].text == "," and words[i + 1].text in ("not", "never")
            ),
            None,
        )
    if not turn or "not" in words[0].forms or words[0].text in ("never", "do"):
        return ()
    other = words[turn + 1 :]
    binding = is_verb(words, 0, 0) or {w.text for w in words[:turn]} & {"must", "should", "always"}
    placed = text_at(other, 0) in lex.PREPOSITIONS - {"as"}
    if not other or (words[turn].text not in ("insteadof", "over") and (not binding or placed)):
        return ()
    other = other[1:] if placed else other
    if not other:
        return ()
    behind = next((i for i, w in enumerate(other) if i and w.text in ("for", "in", "when")), None)
    front = next((i for i, w in enumerate(words[:turn]) if i > 1 and w.text == "for"), None)
    scope = other[behind:] if behind else words[front:turn] if front else ()
    if other[0].text.endswith("ing") and is_verb(other, 0, 0, other[0].forms):
        action = action_of(other, 0, len(other))
        front_act = action_of(words, 0, turn)
        pointing = text_at(other, 1) in ("it", "them") and front_act is not None
        if action is not None and front_act is not None and pointing and not action.objects:
            thing = front_act.objects[:1]
            named = " ".join(one.text for one in thing)
            action = replace(action, objects=thing, text=f"{other[0].text} {named}")
        return () if action is None or is_vague(action) else (Prohibition(action),)
    stop = (i for i, w in enumerate(other) if w.sort is Sort.MARK or (i and w.text in _BEHIND))
    noun = noun_of(other, range(min(next(stop, len(other)), behind or len(other))))
    if noun is None:
        return ()
    chosen = action_of(words, 0, turn) if is_verb(words, 0, 0) else None
    if chosen is not None and chosen.conditions and not _is_used(chosen):
        place = replace(chosen.conditions[-1], nouns=(noun,))
        text = f"{chosen.verbs[0].text} {place.preposition} {noun.text}"
        action = replace(chosen, conditions=(*chosen.conditions[:-1], place), text=text)
        return () if is_vague(action) else (Prohibition(action),)
    places = named_actions(tuple(scope), 0, len(scope)) if scope else []
    conditions = places[0].conditions if places else ()
    modal = next((i for i, w in enumerate(words[:turn]) if w.text in ("must", "should")), 0)
    subject = _subject(words[:modal])
    if subject is not None and not conditions:
        conditions = (Condition("in", (subject,)),)
    verb = Term("use", frozenset(("use", "=use")))
    action = Action(f"use {noun.text}", (verb,), (noun,), (), conditions)
    return () if is_vague(action) else (Prohibition(action),)


def _reserved(words: Words) -> tuple[Part, ...]:
    """Only admins may delete projects: nobody else may."""
    modal = next((i for i, w in enumerate(words[:7]) if w.text in ("may", "can", "should")), None)
    told = modal is None
    if modal is None:
        # "Only the billing service calls X": only it may.
        modal = next((i for i in range(2, min(6, len(words) - 1)) if _is_told(words, i)), None)
    if text_at(words, 0) not in ("only", "nobody") or modal is None or modal < 2:
        return ()
    who, action = terms_of(words[1:modal]), action_of(words, modal + 1 - told, len(words))
    if not who or action is None or is_vague(action):
        return ()
    return (Prohibition(action, (Exemption(who, actor=True),)),)


def _is_told(words: Words, index: int) -> bool:
    verb = words[index].text.endswith("s") and words[index].forms & lex.VERBS
    return bool(verb) and words[index + 1].text in lex.DETERMINERS


def _exclusive(words: Words) -> tuple[Part, ...]:
    """Only deploy from main; deploy only from main: another place there is out."""
    named = (i for i, w in enumerate(words[:6]) if w.text == "only" and not w.glued)
    only = next(named, None)
    if only is None:
        return ()
    rest = (*words[:only], *words[only + 1 :])
    start = next((i for i in range(len(rest)) if rest[i].text not in _LEADS), 0)
    action = action_of(rest, start, len(rest)) if is_verb(rest, start, start) else None
    if action is None or is_vague(action):
        return ()
    if action.conditions and (action.objects or not _is_used(action)):
        place = action.conditions[-1]
        if place.preposition in _OPEN:
            act = replace(action, conditions=action.conditions[:-1])
            return (Exclusive(act, place.nouns[0], place.preposition),)
    if action.objects and action.conditions and _is_used(action):
        return (Exclusive(replace(action, objects=()), action.objects[0]),)
    if action.objects and action.objects[0].modifiers:
        thing = action.objects[0]
        return (Requirement(thing.text, thing.modifiers, Noun(thing.head)),)
    return ()


_OPEN = frozenset(("from", "to", "into", "via", "through", "with", "in", "on"))


def _is_used(action: Action) -> bool:
    return any(verb.forms & {"use", "=use"} for verb in action.verbs)


def _requirement(words: Words) -> tuple[Part, ...]:
    """Every X must have Y, X must be done, Y is required, always do X, keep X."""
    for form in (_always, _before, _must, _required, _kept, _usage):
        found = form(words)
        if found:
            return tuple(part for part in found if _is_specific(part))
    return ()


def _is_specific(part: Part) -> bool:
    """Whether a requirement names something that not every decision could go without."""
    if not isinstance(part, Requirement):
        return True
    empty = NOTHING_SAID | {"do", "make", "have", "get", "be", "go", "use", "see", "keep", "add"}
    return any(not term.forms & empty for term in part.core)


def _before(words: Words) -> tuple[Part, ...]:
    """ "Wash hands before handling food", "before deleting data, make a backup"."""
    turn = next((i for i, word in enumerate(words) if word.text == "before"), None)
    comma = next((i for i, word in enumerate(words) if word.text == ","), None)
    if turn == 0 and comma:
        return _procedure(words[comma + 1 :], words[1:comma])
    known = turn is not None and is_verb(words, 0, 0, words[0].forms)
    doing = turn is not None and text_at(words, turn + 1).endswith("ing")
    if not turn or not known or not doing:
        return ()
    return _procedure(words[:turn], words[turn + 1 :])


def _always(words: Words) -> tuple[Part, ...]:
    if text_at(words, 0) != "always" or len(words) < 3 or not is_verb(words, 1, 1, words[1].forms):
        return ()
    turn = next((i for i, word in enumerate(words) if word.text == "before"), None)
    if turn is not None:
        return _procedure(words[1:turn], words[turn + 1 :])
    action = action_of(words, 1, len(words))
    if action is None or not action.objects:
        return ()
    if action.verbs[0].forms & (lex.USE | {"have"}):
        core = (*action.objects[0].modifiers, action.objects[0].head)
        subject = action.conditions[0].nouns[0] if action.conditions else None
        parts: tuple[Part, ...] = (Requirement(action.objects[0].text, core, subject),)
        if _is_used(action) and action.conditions:
            parts = (*parts, Exclusive(replace(action, objects=()), action.objects[0]))
        return parts
    return (Requirement(action.text, action.verbs[:1], action.objects[0]),)


def _procedure(first: Words, then: Words) -> tuple[Part, ...]:
    """Always do X before Y: Y without X is out."""
    if not then or not is_verb(then, 0, 0, then[0].forms):
        return ()
    action, terms = action_of(then, 0, len(then)), terms_of(first)
    if action is None or not terms:
        return ()
    return (Prohibition(action, (Exemption(terms, absent=True),)),)


def _must(words: Words) -> tuple[Part, ...]:
    modal = next((i for i, w in enumerate(words[:8]) if w.text in _DUTY), None)
    if not modal or modal + 1 >= len(words):
        return ()
    if words[modal].text in _STAYING:
        subject = _subject(words[:modal])
        return () if subject is None else _stays(words[modal + 1 :], subject)
    subject, start = _subject(words[:modal]), modal + 1
    if text_at(words, start) == "to":
        start += 1
    verb = words[start] if start < len(words) else None
    if subject is None or verb is None:
        return ()
    if verb.text in ("stay", "remain") or (
        verb.text == "be" and text_at(words, start + 1) == "kept"
    ):
        return _stays(words[start + 1 + (verb.text == "be") :], subject)
    if verb.text == "be" and start + 1 < len(words):
        state = words[start + 1]
        end = _first_preposition(words, start)
        core = terms_of(words[start + 1 : end])
        if not core:
            behind = noun_of(words, range(end + 1, len(words)), place=True)
            core = (*behind.modifiers, behind.head) if behind else ()
            return (Requirement(behind.text, core, subject),) if behind else ()
        if core[-1].forms & _PRESENT:
            return (Requirement(subject.text, (*subject.modifiers, subject.head)),)
        if end < len(words) and words[end].text in _OPEN and is_participle(state):
            action = Action(f"{state.text} {subject.text}", core[-1:], (subject,))
            choice = noun_of(words, range(end + 1, len(words)), place=True)
            return () if choice is None else (Exclusive(action, choice, words[end].text),)
        where = noun_of(words, range(end + 1, len(words)), place=True) if end < len(words) else None
        text = f"{' '.join(one.text for one in core)} {subject.text}"
        return (Requirement(text, core, subject, where=where),)
    needs = words[modal].text in _NEEDING and text_at(words, modal + 1) != "to"
    noun = noun_of(words, range(start + (not needs), len(words)))
    if noun is None or "before" in {word.text for word in words}:
        return ()
    return (Requirement(noun.text, (*noun.modifiers, noun.head), subject),)


_PRESENT = word_set("include provide allow permit present available enable")
_STAYING = frozenset(("stay", "stays", "remain", "remains"))
_DUTY = _STAYING | frozenset(
    ("must", "shall", "should", "needs", "need", "requires", "require", "has", "have")
)


def _first_preposition(words: Words, start: int) -> int:
    found = (i for i in range(start + 1, len(words)) if words[i].text in lex.PREPOSITIONS)
    return next(found, len(words))


def _stays(words: Words, subject: Noun) -> tuple[Part, ...]:
    """ "Verification must stay enabled", "doors must stay closed"."""
    core = (*subject.modifiers, subject.head)
    if not words or words[0].text in lex.PREPOSITIONS or words[0].forms & {"enable", "active"}:
        place = noun_of(words, range(min(1, len(words)), len(words)))
        return (Requirement(subject.text, core, place),)
    state = Term(words[0].text, words[0].forms)
    where = noun_of(words, range(2, len(words)), place=True)
    return (Requirement(f"{state.text} {subject.text}", (state,), subject, where=where),)


def _required(words: Words) -> tuple[Part, ...]:
    """ "Wheelchair accessible rooms required", "a signature is mandatory for refunds"."""
    for index, word in enumerate(words):
        if index and word.text in ("required", "mandatory", "compulsory"):
            noun = noun_of(words, range(index))
            behind = noun_of(words, range(index + 1, len(words)))
            if noun is not None and noun.modifiers and noun.modifiers[-1].text.endswith(_ADJECTIVE):
                return (Requirement(noun.text, noun.modifiers, Noun(noun.head)),)
            if noun is not None:
                return (Requirement(noun.text, (*noun.modifiers, noun.head), behind),)
    return ()


_ADJECTIVE = ("able", "ible", "ed", "free", "ive", "al")


def _kept(words: Words) -> tuple[Part, ...]:
    """ "Keep Redis as the session store": neither removed nor replaced."""
    turn = next((i for i, word in enumerate(words) if word.text in ("as", "in", "on")), None)
    if text_at(words, 0) != "keep" or not turn:
        return ()
    noun, place = noun_of(words, range(1, turn)), noun_of(words, range(turn + 1, len(words)))
    if noun is None or place is None:
        return ()
    if words[turn].text == "as":
        return (Requirement(noun.text, (*noun.modifiers, noun.head)),)
    return (Requirement(place.text, (*place.modifiers, place.head), noun),)


def _usage(words: Words) -> tuple[Part, ...]:
    """ "Use pytest for the tests": not without pytest, there."""
    if text_at(words, 0) != "use" or len(words) < 4:
        return ()
    action = action_of(words, 0, len(words))
    if action is None or len(action.objects) != 1 or not action.conditions:
        return ()
    noun = action.objects[0]
    core = (*noun.modifiers, noun.head)
    return (Requirement(noun.text, core, action.conditions[0].nouns[0]),)


_FORMS: tuple[Callable[[Words], tuple[Part, ...]], ...] = (
    _above_amount,
    _limit,
    _contrast,
    _prohibition,
    _no_thing,
    _reserved,
    _exclusive,
    _requirement,
)
