"""Read constraints that demand a look-up, a choice, a place or a duty."""

from __future__ import annotations

from dataclasses import replace

from dmm.rules.language.acting import (
    EVERYDAY,
    NOTHING_SAID,
    action_of,
    is_vague,
    listed_terms,
    named_actions,
    noun_of,
    terms_of,
)
from dmm.rules.language.limits import comparison_of
from dmm.rules.language.match import CIRCUMSTANCES, USING
from dmm.rules.language.prohibitions import BEHIND, NEEDING, subject_of
from dmm.rules.language.rules import (
    Action,
    Condition,
    Noun,
    Part,
    Prohibition,
    Requirement,
    Term,
    Verification,
)
from dmm.text import lexicon as lex
from dmm.text.acts import phrases_of
from dmm.text.amounts import quantities_of
from dmm.text.polarity import find_choice, find_order
from dmm.text.tokens import Sort, Token, Words, text_at
from dmm.text.verbs import is_adverb, is_participle, is_verb
from dmm.text.words import word_set

_VERIFY = word_set("verify check confirm validate review inspect consult research examine ask")
LEADS = word_set("always must please you we should shall first need to make sure that double")


def verification_of(words: Words) -> Verification | None:
    """Verify X before Y; before Y, check X; X must be checked before Y; no Y until X is."""
    texts = [word.text for word in words]
    turns = [i for i, text in enumerate(texts) if text in ("before", "until", "unless")]
    turns += [i for i, text in enumerate(texts) if text == "without"]
    never = next(
        (i for i, w in enumerate(words[:4]) if w.text in ("never", "no") or "not" in w.forms), None
    )
    if never is not None and not _asked(words):
        return _never_before(words, never, turns[0]) if turns else None
    order = find_order(texts)
    if order is None or texts[turns[0]] != "before":
        return None
    first, act = words[order[0]], words[order[1]]
    asked = _asked(first)
    if asked:
        return _verify(first[asked:], act, firm=any(one.forms & _VERIFY for one in first[:asked]))
    for index in range(1, len(first)):
        if first[index - 1].text in ("be", "been") and first[index].forms & _VERIFY - {"review"}:
            end = next(i for i in range(index) if first[i].text in lex.AUXILIARIES)
            return _verify(first[:end], act)
    return None


def _asked(words: Words) -> int:
    """How many words ask for a look, such as "you must always check"; zero if none does."""
    asking = next((i for i, w in enumerate(words) if w.text not in LEADS), len(words))
    end = next((i for i, w in enumerate(words) if not _asks(w)), len(words))
    return end if end > asking else 0


def _asks(word: Token) -> bool:
    return bool(word.forms & _VERIFY) or word.text in LEADS | {"ensure"}


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
    led = text_at(act, 0) in ("you", "we")
    while act and act[0].text in lex.DETERMINERS | lex.PRONOUNS:
        act = act[1:]
    topics = _topics(topic)
    named = act[0].forms if text_at(act, 0).endswith("ing") else frozenset[str]()
    doing = bool(act) and (led or is_verb(act, 0, 0, named))
    actions = [action_of(act, 0, len(act))] if doing else []
    actions += named_actions(act, 0, len(act)) if act else []
    action = next((one for one in actions if one is not None and one.verbs), None)
    if not topics or action is None:
        return None
    firm = firm and doing and len(action.objects) <= _MOST_OBJECTS
    firm = firm and not (action.objects and is_vague(action))
    if not action.objects and not action.conditions:
        pointing = any(word.text in ("it", "them", "this", "one") for word in act)
        referent = _referent(topic) if pointing else None
        if referent is not None:
            action = replace(action, objects=(referent,))
            return Verification(topics, action, firm)
        firm = firm and not pointing and not action.verbs[0].forms & EVERYDAY
    return Verification(topics, action, firm)


# A longer list is a description, not a name.
_MOST_OBJECTS = 3


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
    return listed_terms(words, but=_STATES)


_STATES = word_set("pass valid green ok correct current latest status exist ready sure good recent")


def contrast_of(words: Words) -> tuple[Part, ...]:
    """Use X instead of Y; X, not Y; use X, never Y; choose X over Y: Y is out."""
    turn, begin = find_choice([word.text for word in words]) or (0, 0)
    pointing = {word.text for word in words[:3]} & {"it", "they", "this", "that"}
    if not turn or pointing or "not" in words[0].forms or words[0].text in ("never", "do"):
        return ()
    other = words[begin:]
    placed = text_at(other, 0) in lex.PREPOSITIONS - {"as"}
    if words[turn].text not in ("insteadof", "over"):
        told = {word.text for word in words[:turn]} & {"must", "should", "always"}
        if placed or not (told or is_verb(words, 0, 0)):
            return ()
    action = _other_act(words[:turn], other[placed:])
    return () if action is None or is_vague(action) else (Prohibition(action),)


def _other_act(chosen: Words, other: Words) -> Action | None:
    """The act that is out: another deed, another place for it, or the use of another thing."""
    front = action_of(chosen, 0, len(chosen))
    while len(other) > 1 and is_adverb(other[0]):
        other = other[1:]
    if other[0].text.endswith("ing") and is_verb(other, 0, 0, other[0].forms):
        action = action_of(other, 0, len(other))
        pointing = text_at(other, 1) in ("it", "them")
        if action is None or front is None or not pointing or action.objects:
            return action
        thing = " ".join(one.text for one in front.objects[:1])
        return replace(action, objects=front.objects[:1], text=f"{other[0].text} {thing}")
    stop = (
        i
        for i, w in enumerate(other)
        if w.sort is Sort.MARK or (i and w.text in BEHIND | lex.CONDITIONS)
    )
    end = next(stop, len(other))
    noun = noun_of(other, range(end))
    if noun is None:
        return None
    # "Use A for B instead of C" is against C for B; "write in A instead of C" is against any C.
    used = front is not None and any(verb.forms & USING for verb in front.verbs)
    before = front.conditions if front is not None and used else ()
    behind = (one for one in _circumstances(other[end:]) if one.preposition != "for")
    told = tuple(one for one in (*before, *behind) if one.preposition in CIRCUMSTANCES)
    return Action(f"use {noun.text}", (_USE,), (noun,), (), told)


def _circumstances(words: Words) -> tuple[Condition, ...]:
    named = named_actions(words, 0, len(words)) if words else ()
    return named[-1].conditions if named else ()


_USE = Term("use", frozenset(("use", "=use")))


def only_of(words: Words) -> tuple[Part, ...]:
    """Only book accessible rooms: those that are not are out."""
    named = (i for i, w in enumerate(words[:6]) if w.text == "only" and not w.glued)
    only = next(named, None)
    if only is None:
        return ()
    if text_at(words, only + 1) in lex.CONDITIONS | lex.PREPOSITIONS:
        # "Only when it is needed" tells when, not which.
        return ()
    rest = (*words[:only], *words[only + 1 :])
    start = next((i for i in range(len(rest)) if rest[i].text not in LEADS), 0)
    action = action_of(rest, start, len(rest)) if rest and is_verb(rest, start, start) else None
    if action is None or is_vague(action) or not (action.objects and action.objects[0].modifiers):
        return ()
    thing = action.objects[0]
    return (Requirement(thing.text, thing.modifiers, Noun(thing.head)),)


def requirement_of(words: Words) -> tuple[Part, ...]:
    """Every X must have Y, X must be done, Y is required, always do X, keep X."""
    if any(comparison_of(words, one) for one in quantities_of(words)):
        return ()
    found = _always(words) or _must(words) or _required(words) or _usage(words)
    return tuple(part for part in found if _is_specific(part))


def _is_specific(part: Requirement) -> bool:
    """Whether a requirement names something that not every decision could go without."""
    empty = NOTHING_SAID | {"do", "make", "have", "get", "be", "go", "use", "see", "keep", "add"}
    return any(not term.forms & empty for term in part.core)


def _always(words: Words) -> tuple[Requirement, ...]:
    if text_at(words, 0) != "always" or len(words) < 3 or not is_verb(words, 1, 1, words[1].forms):
        return ()
    action = action_of(words, 1, len(words))
    ordered = any(word.text == "before" for word in words)
    if ordered or action is None or not action.objects:
        return ()
    if action.verbs[0].forms & (lex.USE | {"have"}):
        core = action.objects[0].terms
        subject = action.conditions[0].nouns[0] if action.conditions else None
        return (Requirement(action.objects[0].text, core, subject),)
    return (Requirement(action.text, action.verbs[:1], action.objects[0]),)


def _must(words: Words) -> tuple[Requirement, ...]:
    modal = next((i for i, w in enumerate(words[:8]) if w.text in _DUTY | lex.CONDITIONS), None)
    if modal and (words[modal].text in lex.CONDITIONS or "not" in words[modal - 1].forms):
        return ()
    subject = subject_of(words[:modal]) if modal else None
    if not modal or subject is None or modal + 1 >= len(words):
        return ()
    rest = words[modal + 1 + (words[modal + 1].text == "to") :]
    verb = text_at(rest, 0)
    if words[modal].text in _STAYING:
        return _stays(rest, subject)
    if verb in ("stay", "remain"):
        return _stays(rest[1:], subject)
    if verb == "be":
        kept = text_at(rest, 1) == "kept"
        return _stays(rest[2:], subject) if kept else _must_be(rest[1:], subject)
    needs = words[modal].text in NEEDING and text_at(words, modal + 1) != "to"
    noun = noun_of(rest, range(int(not needs), len(rest)))
    if noun is None or "before" in {word.text for word in words}:
        return ()
    return (Requirement(noun.text, noun.terms, subject),)


def _must_be(rest: Words, subject: Noun) -> tuple[Requirement, ...]:
    """ "Must be encrypted", "must be stored in Vault", "must be in UTC"."""
    places = (i for i, word in enumerate(rest) if word.text in lex.PREPOSITIONS)
    end = next(places, len(rest))
    core = terms_of(rest[:end])
    place = noun_of(rest, range(end + 1, len(rest)), place=True)
    if any(one.text == "non" for one in core):
        return ()
    stored = place is not None and rest[end].text in _PLACED and is_participle(rest[0])
    if not core or stored:
        terms = place.terms if place else ()
        return (Requirement(place.text, terms, subject),) if place else ()
    if core[-1].forms & _PRESENT:
        return (Requirement(subject.text, subject.terms),)
    text = f"{' '.join(one.text for one in core)} {subject.text}"
    where = place if end < len(rest) and rest[end].text in ("in", "on", "during") else None
    timed = place is not None and place.head.forms & lex.TIMES
    return (Requirement(text, core, subject, where=place if timed else where),)


_PLACED = frozenset(("from", "to", "into", "via", "through", "in", "on"))
_PRESENT = word_set("include provide allow permit present available enable")
_STAYING = frozenset(("stay", "stays", "remain", "remains"))
_DUTY = _STAYING | frozenset(
    ("must", "shall", "should", "needs", "need", "requires", "require", "has", "have")
)


def _stays(words: Words, subject: Noun) -> tuple[Requirement, ...]:
    """ "Verification must stay enabled", "doors must stay closed"."""
    core = subject.terms
    if not words or words[0].text in lex.PREPOSITIONS or words[0].forms & {"enable", "active"}:
        place = noun_of(words, range(min(1, len(words)), len(words)))
        return (Requirement(subject.text, core, where=place),)
    state = Term(words[0].text, words[0].forms)
    where = noun_of(words, range(2, len(words)), place=True)
    return (Requirement(f"{state.text} {subject.text}", (state,), subject, where=where),)


def _required(words: Words) -> tuple[Requirement, ...]:
    """ "Wheelchair accessible rooms required", "a signature is mandatory for refunds"."""
    for index, word in enumerate(words):
        # "`input` (required): string" describes a parameter.
        asks = word.text in ("required", "mandatory", "compulsory") and words[index - 1].text != "("
        if index and asks:
            noun = noun_of(words, range(index))
            behind = noun_of(words, range(index + 1, len(words)))
            if noun is not None and noun.modifiers and noun.modifiers[-1].text.endswith(_ADJECTIVE):
                return (Requirement(noun.text, noun.modifiers, Noun(noun.head)),)
            if noun is not None:
                return (Requirement(noun.text, noun.terms, behind),)
    return ()


_ADJECTIVE = ("able", "ible", "ed", "free", "ive", "al")


def _usage(words: Words) -> tuple[Requirement, ...]:
    """ "Use pytest for the tests": not without pytest, there."""
    action = action_of(words, 0, len(words)) if text_at(words, 0) == "use" else None
    if action is None or len(action.objects) != 1 or not action.conditions:
        return ()
    noun = action.objects[0]
    return (Requirement(noun.text, noun.terms, action.conditions[0].nouns[0]),)
