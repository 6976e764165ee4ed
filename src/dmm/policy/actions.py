"""Words of a rule read as things and acts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.kin import with_kin
from dmm.policy.language import Sort, Token
from dmm.policy.phrases import Phrase, phrases_of
from dmm.policy.rules import Action, Condition, Noun, Term
from dmm.policy.synonyms import synonyms_of
from dmm.policy.verbs import is_adverb, is_verb
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    if _is_identifier(head):
        modifiers = [word for word in modifiers if not word.forms & lex.SORTS_OF_NAMED]
    optional = bool(modifiers) and _may_be_left_out(head, modifiers[-1])
    return Noun(term(head), tuple(term(word) for word in modifiers), optional)


def _may_be_left_out(head: Token, modifier: Token) -> bool:
    """ "The moment library" is moment; "reseller customers" are resellers."""
    if head.forms & _PEOPLE:
        return modifier.text.endswith(_PERSON_ENDS) or modifier.text in ("guest", "admin")
    if head.text in _EXTENTS:
        return modifier.text.endswith(("ion", "out", "ry", "ity")) and head.text != modifier.text
    return bool(head.forms & lex.CARRIERS) and _identifies(modifier)


# "The retention period" is the retention.
_EXTENTS = word_set("period time duration date")
_PEOPLE = word_set("customer user member employee account")
_PERSON_ENDS = ("ller", "yer", "tor", "ner", "iber", "tee", "ist", "ger", "cher")


def _is_identifier(token: Token) -> bool:
    """Whether the word names one thing by itself: `db-1`, `user_sessions`, `auth.py`."""
    return token.sort is Sort.NAME and not token.glued and not token.text.isalpha()


def _counts(token: Token) -> bool:
    return token.sort is not Sort.MARK and token.text not in _IDLE


def _identifies(token: Token) -> bool:
    """Whether a modifier names the thing by itself, as `eval` does in "eval function"."""
    plain = token.forms & (lex.WEAK_MODIFIERS | lex.VERBS | _COMMON)
    return not plain and not token.text.endswith(_ADJECTIVE_ENDS)


_COMMON = word_set("sql web http api data file code user class function")
_ADJECTIVE_ENDS = ("able", "ible", "ed", "al", "ous", "ive", "y", "ic", "ing", "less", "ful")


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
    for whole in phrases:
        adverbs = [index for index in whole.indices if _is_how(tokens, whole, index)]
        manner += [term(tokens[index]) for index in adverbs]
        kept = tuple(index for index in whole.indices if index not in adverbs)
        phrase = Phrase(whole.preposition, kept, whole.negated)
        if not kept:
            continue
        if phrase.preposition is None or (phrase.preposition == "of" and not objects):
            objects.append(phrase)
        else:
            _add_condition(tokens, conditions, phrase)
    if len(conditions) > 1:
        conditions = [one for one in conditions if not _is_anybody(one)]
    if any(one.preposition == "in" and _is_console(one) for one in conditions):
        manner = [item for item in manner if item.text != "manually"]
    verbs, objects, conditions = _prepositional_object(verbs, objects, conditions, phrases)
    text = " ".join(token.text for token in tokens[span[0] : span[1]])
    timed, plain = _times(tokens, objects)
    conditions += [Condition("on", nouns_of(tokens, [phrase])) for phrase in timed]
    return Action(text, verbs, nouns_of(tokens, plain), tuple(manner), tuple(conditions))


def _is_console(condition: Condition) -> bool:
    """What is done in a console is done by hand."""
    return any(noun.head.forms & _CONSOLES for noun in condition.nouns)


_CONSOLES = word_set("console dashboard portal panel gui ui terminal shell")


def _prepositional_object(
    verbs: tuple[Term, ...],
    objects: list[Phrase],
    conditions: list[Condition],
    phrases: tuple[Phrase, ...],
) -> tuple[tuple[Term, ...], list[Phrase], list[Condition]]:
    """ "Rely on X" and "switch to X" forbid the use of X."""
    for form in sorted(verbs[0].forms & lex.PREPOSITION_OBJECTS.keys()):
        for phrase in phrases[:1]:
            if not objects and phrase.preposition in lex.PREPOSITION_OBJECTS[form]:
                kept = [c for c in conditions if c.preposition != phrase.preposition]
                use = Term("use", frozenset(("use", "=use")))
                return (*verbs, use), [phrase], kept
    return verbs, objects, conditions


def _is_anybody(condition: Condition) -> bool:
    """ "With people outside the company": only where they are narrows the rule."""
    return all(not noun.modifiers and noun.head.forms & _ANYBODY for noun in condition.nouns)


_ANYBODY = word_set("person anyone someone anybody somebody everyone individual")


def _times(tokens: Sequence[Token], objects: list[Phrase]) -> tuple[list[Phrase], list[Phrase]]:
    timed = [p for p in objects if all(tokens[i].forms & lex.TIMES for i in p.indices)]
    return timed, [phrase for phrase in objects if phrase not in timed]


def _is_how(tokens: Sequence[Token], phrase: Phrase, index: int) -> bool:
    """Whether the word says how the act is done: an adverb alone or behind the object."""
    alone = all(is_adverb(tokens[other]) for other in phrase.indices)
    last = index == phrase.indices[-1] and tokens[index].text in lex.COMMON_ADVERBS
    free = phrase.preposition is None or alone
    return free and is_adverb(tokens[index]) and (alone or last)


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
    named = tokens[max(0, phrase.indices[0] - 1)].text in lex.DETERMINERS
    gerund = preposition == "for" and first.text.endswith("ing") and not named
    infinitive = preposition == "to" and first.text in lex.VERBS - lex.NOUNLIKE
    if gerund or infinitive:
        return "for", Phrase("for", phrase.indices[1:], phrase.negated)
    return preposition, phrase


def _is_universal(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """ "In any meal" and "in this project" narrow nothing."""
    before = phrase.indices[0] - 1
    if len(phrase.indices) > 1 or before < 0:
        return False
    here = tokens[before].text in ("this", "our") and tokens[before + 1].forms & _HERE
    return bool(here) or tokens[before].text in ("any", "all", "every")


_HERE = word_set("repository repo project codebase workspace monorepo trip company team product")


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
    plain = Action(text, (), things, (), tuple(conditions))
    return [plain, *(acted for thing in things for acted in _as_acts(plain, thing))]


def _as_acts(action: Action, thing: Noun) -> Iterator[Action]:
    """The acts that a noun names: "force pushes to X", "deletion of X", "schema changes"."""
    verb = _verb_of(thing)
    if verb is None:
        return
    manner = tuple(_manner(m) for m in thing.modifiers if not m.forms & lex.WEAK_MODIFIERS)
    yield Action(action.text, (verb,), (), manner, action.conditions)
    if manner and verb.forms & _AIMED and not is_manner(manner[-1]):
        place = Condition("to", (Noun(manner[-1]),))
        yield Action(action.text, (verb,), (), manner[:-1], (place, *action.conditions))
    of = ("of", "to") if verb.forms & _CHANGING else ("of",)
    done_to = tuple(c for c in action.conditions if c.preposition in of)
    rest = tuple(c for c in action.conditions if c.preposition not in of)
    if manner and not is_manner(manner[-1]):
        yield Action(action.text, (verb,), (Noun(manner[-1], manner[:-1]),), (), action.conditions)
    elif done_to:
        yield Action(action.text, (verb,), done_to[0].nouns, manner, rest)


def _manner(item: Term) -> Term:
    """ "Direct writes" are written directly."""
    if item.text not in _MANNERS - {"force", "hard", "soft", "emergency"}:
        return item
    adverb = f"{item.text}ally" if item.text.endswith("ic") else f"{item.text}ly"
    return Term(adverb, item.forms | {adverb})


# "Production deploys" go to production.
_AIMED = frozenset(("=deploy", "push", "merge", "upload", "write"))
_CHANGING = frozenset(("=modify", "=delete"))
_MANNERS = word_set("force direct manual automatic silent blind hard soft remote local emergency")


def is_manner(item: Term) -> bool:
    """Whether a modifier says how an act is done and not what it is done to."""
    return item.text in _MANNERS or item.text.endswith(("ed", "ly", "al", "ive", "ous"))


@lru_cache(maxsize=4_096)
def wordings_of(action: Action) -> tuple[Action, ...]:
    """The action, and what it says when its object names the act: "run schema changes"."""
    light = any(verb.forms & _LIGHT for verb in action.verbs)
    if not light:
        return (action, *_as_use(action))
    named = tuple(acted for thing in action.objects for acted in _as_acts(action, thing))
    return (action, *(one for one in named if one.objects or one.conditions))


# What is done with somebody, not by means of something.
_TOGETHER = word_set("talk speak meet work share deal negotiate argue discuss chat compete comply")


def _as_use(action: Action) -> Iterator[Action]:
    """ "Ship with X" is to use X for shipping."""
    if action.objects or len(action.verbs) != 1 or action.subject or action.manner:
        return
    if action.verbs[0].forms & _TOGETHER:
        return
    for means in action.conditions:
        if means.preposition in ("with", "via", "through"):
            rest = tuple(other for other in action.conditions if other is not means)
            doing = with_kin(action.verbs[0])
            own = Condition("for", (Noun(doing),))
            things = (*means.nouns, *(Noun(doing, (noun.head,)) for noun in means.nouns))
            use = Term("use", frozenset(("use", "=use")))
            yield Action(action.text, (use,), things, (), (*rest, own))


_LIGHT = frozenset(("make", "run", "do", "perform", "apply", "execute", "carry", "schedule"))


def _verb_of(thing: Noun) -> Term | None:
    named = sorted(form for form in thing.head.forms if form in lex.NOMINAL)
    if named:
        verb = lex.NOMINAL[named[0]]
        return Term(verb, thing.head.forms | {verb} | synonyms_of(frozenset((verb,))))
    if thing.head.text.endswith("ing") and thing.head.text not in lex.GERUND_NOUNS:
        bases = frozenset(form for form in thing.head.forms if form in lex.VERBS)
        return Term(thing.head.text, thing.head.forms) if bases else None
    return None


def with_thing(words: tuple[Token, ...], named: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Lease laptops instead of buying them": the words, with what the pronoun stands for."""
    if len(words) < 2 or words[1].text not in ("it", "them"):
        return words
    ends = (i for i, word in enumerate(named) if word.text in lex.PREPOSITIONS | {","})
    thing = named[: next(ends, len(named))]
    return (words[0], *thing, *words[2:]) if thing else words


def begins_with_verb(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether the words begin with a verb, as in "avoid using eval"."""
    return first < last and is_verb(tokens, first, first)
