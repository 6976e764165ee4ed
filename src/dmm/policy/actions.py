"""Words of a rule read as things and acts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.language import Sort, Token
from dmm.policy.phrases import Phrase, phrases_of
from dmm.policy.rules import Action, Condition, Noun, Term
from dmm.policy.verbs import is_adverb, is_verb

if TYPE_CHECKING:
    from collections.abc import Sequence

_IDLE = lex.DETERMINERS | lex.PRONOUNS | {"ever", "first", "please", "you", "we"}


def term(token: Token) -> Term:
    """The token as a term of a rule."""
    return Term(token.text, token.forms)


def noun_of(tokens: Sequence[Token], indices: Sequence[int]) -> Noun | None:
    """The thing these words name: the last word is its head."""
    words = [tokens[index] for index in indices if _counts(tokens[index])]
    if not words:
        return None
    called = [word for word in words if word.called]
    if called:
        return Noun(term(called[0]))
    *modifiers, head = words
    optional = bool(modifiers) and bool(head.forms & lex.CARRIERS) and _identifies(modifiers[-1])
    return Noun(term(head), tuple(term(word) for word in modifiers), optional)


def _counts(token: Token) -> bool:
    return token.sort is not Sort.MARK and token.text not in _IDLE


def _identifies(token: Token) -> bool:
    """Whether a modifier names the thing by itself, as `eval` does in "eval function"."""
    plain = token.forms & (lex.WEAK_MODIFIERS | lex.VERBS)
    return not plain and not token.text.endswith(("able", "ible", "ed", "al", "ous", "ive", "y"))


def nouns_of(tokens: Sequence[Token], phrases: Sequence[Phrase]) -> tuple[Noun, ...]:
    """The things that phrases name; a head shared by a list is given to each of its members."""
    found = [noun_of(tokens, phrase.indices) for phrase in phrases]
    return tuple(noun for noun in found if noun is not None)


def action_of(tokens: Sequence[Token], first: int, last: int) -> Action | None:
    """Read a verb phrase: its verbs, objects, manner and conditions."""
    while first < last and tokens[first].text in _LEAD_WORDS:
        first += 1
    if first >= last:
        return None
    manner: list[Term] = []
    while first + 1 < last and _is_manner(tokens, first):
        manner.append(term(tokens[first]))
        first += 1
    verbs, after = _verbs(tokens, first, last)
    phrases = phrases_of(tokens, after, last)
    if any(phrase.negated for phrase in phrases):
        return None
    return _action(tokens, (first, last), verbs, phrases, manner)


_LEAD_WORDS = frozenset(("be", "to", "ever", "please", "the", "any", "a", "an", "you", "just"))


def _is_manner(tokens: Sequence[Token], index: int) -> bool:
    token, following = tokens[index], tokens[index + 1]
    if is_adverb(token):
        return True
    if token.text == "force" or following.glued:
        return bool(following.forms & lex.VERBS)
    return False


def _verbs(tokens: Sequence[Token], first: int, last: int) -> tuple[tuple[Term, ...], int]:
    """The verbs that share what follows: "commit or push secrets"."""
    verbs = [term(tokens[first])]
    index = first + 1
    while index + 1 < last and tokens[index].text in ("or", "and", ",", "/"):
        after = index + 1
        while after + 1 < last and tokens[after].text in ("or", "and"):
            after += 1
        if not tokens[after].forms & lex.VERBS:
            break
        verbs.append(term(tokens[after]))
        index = after + 1
    return tuple(verbs), index


def _action(
    tokens: Sequence[Token],
    span: tuple[int, int],
    verbs: tuple[Term, ...],
    phrases: tuple[Phrase, ...],
    manner: list[Term],
) -> Action:
    objects: list[Phrase] = []
    conditions: list[Condition] = []
    for phrase in phrases:
        adverb = _only_adverbs(tokens, phrase)
        if adverb:
            manner += adverb
        elif phrase.preposition is None or (phrase.preposition == "of" and not objects):
            objects.append(phrase)
        else:
            _add_condition(tokens, conditions, phrase)
    verbs, objects, conditions = _prepositional_object(verbs, objects, conditions, phrases)
    text = " ".join(token.text for token in tokens[span[0] : span[1]])
    timed, plain = _times(tokens, objects)
    conditions += [Condition("on", nouns_of(tokens, [phrase])) for phrase in timed]
    return Action(text, verbs, nouns_of(tokens, plain), tuple(manner), tuple(conditions))


def _prepositional_object(
    verbs: tuple[Term, ...],
    objects: list[Phrase],
    conditions: list[Condition],
    phrases: tuple[Phrase, ...],
) -> tuple[tuple[Term, ...], list[Phrase], list[Condition]]:
    """ "Rely on X" and "switch to X" forbid the use of X."""
    for form in sorted(verbs[0].forms & lex.PREPOSITION_OBJECTS.keys()):
        for phrase in phrases:
            if not objects and phrase.preposition in lex.PREPOSITION_OBJECTS[form]:
                kept = [c for c in conditions if c.preposition != phrase.preposition]
                use = Term("use", frozenset(("use", "=use")))
                return (*verbs, use), [phrase], kept
    return verbs, objects, conditions


def _times(tokens: Sequence[Token], objects: list[Phrase]) -> tuple[list[Phrase], list[Phrase]]:
    timed = [p for p in objects if all(tokens[i].forms & lex.TIMES for i in p.indices)]
    return timed, [phrase for phrase in objects if phrase not in timed]


def _only_adverbs(tokens: Sequence[Token], phrase: Phrase) -> list[Term]:
    words = [tokens[index] for index in phrase.indices]
    if phrase.preposition is None and all(is_adverb(word) for word in words):
        return [term(word) for word in words]
    return []


def _add_condition(tokens: Sequence[Token], conditions: list[Condition], phrase: Phrase) -> None:
    preposition, phrase = _purpose(tokens, phrase)
    nouns = nouns_of(tokens, [phrase])
    if not nouns or _is_universal(tokens, phrase):
        return
    if conditions and conditions[-1].preposition == preposition:
        previous = conditions[-1]
        conditions[-1] = Condition(preposition, previous.nouns + nouns)
    else:
        conditions.append(Condition(preposition, nouns))


def _purpose(tokens: Sequence[Token], phrase: Phrase) -> tuple[str, Phrase]:
    """ "To parse HTML" and "for parsing HTML" are both for HTML."""
    preposition = str(phrase.preposition)
    first = tokens[phrase.indices[0]]
    if len(phrase.indices) < 2 or not first.forms & lex.VERBS:
        return preposition, phrase
    gerund = preposition == "for" and first.text.endswith("ing")
    infinitive = preposition == "to" and first.text in lex.VERBS - lex.NOUNLIKE
    if gerund or infinitive:
        return "for", Phrase("for", phrase.indices[1:], phrase.negated)
    return preposition, phrase


def _is_universal(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """ "In any meal" narrows nothing."""
    before = phrase.indices[0] - 1
    return (
        len(phrase.indices) == 1 and before >= 0 and tokens[before].text in ("any", "all", "every")
    )


def thing_actions(tokens: Sequence[Token], first: int, last: int) -> list[Action]:
    """The acts that "no X" or "avoid X" forbids: bringing X about and, if X is an act, doing X."""
    phrases = phrases_of(tokens, first, last)
    objects = [phrase for phrase in phrases if phrase.preposition is None]
    if not objects or any(phrase.negated for phrase in phrases):
        return []
    conditions: list[Condition] = []
    for phrase in phrases:
        if phrase.preposition is not None:
            _add_condition(tokens, conditions, phrase)
    text = " ".join(token.text for token in tokens[first:last])
    things = nouns_of(tokens, objects)
    found = [Action(text, (), things, (), tuple(conditions))]
    for thing in things:
        verb = _verb_of(thing)
        if verb is not None:
            manner = tuple(m for m in thing.modifiers if not m.forms & lex.WEAK_MODIFIERS)
            found.append(Action(text, (verb,), (), manner, tuple(conditions)))
    return found


def _verb_of(thing: Noun) -> Term | None:
    named = sorted(form for form in thing.head.forms if form in lex.NOMINAL)
    if not named:
        return None
    verb = lex.NOMINAL[named[0]]
    return Term(verb, thing.head.forms | {verb})


def begins_with_verb(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether the words begin with a verb, as in "avoid using eval"."""
    return first < last and is_verb(tokens, first, first)
