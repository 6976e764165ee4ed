"""Read the words of a rule as things and acts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.language.rules import Action, Condition, Noun, Term
from dmm.text import lexicon as lex
from dmm.text.acts import phrases_of
from dmm.text.tokens import Sort, Token, Words
from dmm.text.verbs import is_adverb, is_base, is_verb
from dmm.text.words import english

if TYPE_CHECKING:
    from collections.abc import Iterable


def _term(token: Token) -> Term:
    return Term(token.text, token.forms)


def terms_of(words: Iterable[Token]) -> tuple[Term, ...]:
    """Return the content words."""
    return tuple(
        _term(word)
        for word in words
        if word.sort is not Sort.MARK
        and word.text not in lex.GRAMMAR | {"using", "having", "getting", "first", "prior"}
        and "not" not in word.forms
    )


def listed_terms(words: Words, *, but: frozenset[str]) -> tuple[tuple[Term, ...], ...]:
    """Return the content words of each list member; general words only if there are no others."""
    found: list[tuple[Term, ...]] = []
    start = 0
    for index in range(len(words) + 1):
        if index == len(words) or words[index].text in ("and", ",", "&", "or"):
            terms = terms_of(words[start:index])
            found.append(tuple(one for one in terms if not one.forms & but) or terms)
            start = index + 1
    return tuple(one for one in found if one)


def noun_of(words: Words, indices: Iterable[int], *, place: bool = False) -> Noun | None:
    """Return the thing that these words name; its head is the last word before a preposition."""
    named: list[Token] = []
    for index in indices:
        word = words[index]
        if named and word.text in lex.PREPOSITIONS:
            break
        idle = word.text in lex.GRAMMAR or (not place and word.text in lex.WEAK)
        if not idle and word.sort is not Sort.MARK and not is_adverb(word):
            named.append(word)
    if not named:
        return None
    *modifiers, head = named
    if head.sort is Sort.NAME or head.glued:
        sorts = lex.CARRIERS | {"host", "machine", "constraint", "index", "node"}
        modifiers = [one for one in modifiers if not one.forms & sorts]
    last = modifiers[-1] if modifiers else None
    telling = last is not None and not (
        last.text.endswith(("ing", "ed")) or last.forms & lex.CARRIERS
    )
    optional = telling and bool(head.forms & lex.CARRIERS)
    return Noun(_term(head), tuple(_term(one) for one in modifiers), optional)


def action_of(words: Words, first: int, last: int) -> Action | None:
    """Return the act of a verb phrase: "commit or push secrets to main"."""
    while first < last and words[first].text in _IDLE_LEADS:
        first += 1
    start = first
    while start < last and is_adverb(words[start]):
        start += 1
    if start >= last or words[start].sort is Sort.MARK:
        return None
    verbs = [_term(words[start])]
    after = start + 1
    while after + 1 < last and words[after].text in ("or", "and", ","):
        if not is_verb(words, after + 1, after + 1) or not words[after + 1].forms & lex.VERBS:
            break
        verbs.append(_term(words[after + 1]))
        after += 2
    manner = [_term(one) for one in words[first:start]]
    return _action(words, (first, after, last), tuple(verbs), manner)


_IDLE_LEADS = frozenset(("ever", "to", "you", "we", "be", "just"))


def _action(
    words: Words, bounds: tuple[int, int, int], verbs: tuple[Term, ...], manner: list[Term]
) -> Action:
    first, after, last = bounds
    objects: list[Noun] = []
    conditions: list[Condition] = []
    for phrase in phrases_of(words, after, last):
        manner += [_term(words[i]) for i in phrase.indices if is_adverb(words[i])]
        preposition, indices = phrase.preposition, phrase.indices
        led = words[indices[0] - 1].text == preposition
        if led and preposition in _PURPOSES and len(indices) > 1 and _is_doing(words[indices[0]]):
            preposition, indices = "for", indices[1:]
        noun = noun_of(words, indices, place=preposition is not None)
        if noun is None or (preposition and _is_here(words, indices[0], noun)):
            continue
        if preposition in ("on", "upon") and verbs and verbs[0].forms & {"depend", "rely"}:
            preposition = None
        if preposition is None:
            objects.append(noun)
        elif phrase.joined and conditions and conditions[-1].preposition == preposition:
            last_one = conditions.pop()
            conditions.append(Condition(preposition, (*last_one.nouns, noun)))
        else:
            conditions.append(Condition(preposition, (noun,)))
    text = " ".join(word.text for word in words[first:last])
    return Action(text, verbs, tuple(objects), tuple(manner), tuple(conditions))


_PURPOSES = frozenset(("to", "for", "when", "while", "by"))


def _is_doing(word: Token) -> bool:
    """Return whether a word begins an act, as in "to parse HTML" or "for parsing HTML"."""
    return bool(word.forms & lex.VERBS) and (is_base(word) or word.text.endswith("ing"))


def _is_here(words: Words, index: int, noun: Noun) -> bool:
    """Return whether words mean "in this repository", where every decision is."""
    places = ("repository", "repo", "project", "codebase")
    here = index > 0 and words[index - 1].text in ("this", "our", "these")
    return here and not noun.modifiers and noun.head.text in places


def named_actions(words: Words, first: int, last: int) -> list[Action]:
    """Return the acts that a noun phrase forbids: making the thing, or the act it names."""
    plain = _action(words, (first, first, last), (), [])
    found = [plain] if plain.objects or plain.conditions else []
    for thing in plain.objects:
        if not _names_act(thing.head):
            continue
        verbs = (as_verb(thing.head),)
        own = tuple(one for one in thing.modifiers if not one.forms & lex.WEAK)
        told = tuple(one for one in own if f"{one.text}ly" in lex.MANNERS)
        manner = tuple(Term(f"{one.text}ly", one.forms | {f"{one.text}ly"}) for one in told)
        rest = tuple(one for one in own if one not in told)
        done_to = ("of", "to") if thing.head.forms & {"=modify"} else ("of",)
        of = next((c for c in plain.conditions if c.preposition in done_to), None)
        others = tuple(c for c in plain.conditions if c is not of)
        objects = of.nouns if of else (Noun(rest[-1], rest[:-1]),) if rest else ()
        if objects and not of and verbs[0].forms & _AIMED:
            # Production deploys go to production.
            objects, others = (), (Condition("to", objects), *others)
        found.insert(0, Action(plain.text, verbs, objects, (*manner, *plain.manner), others))
    return found


_AIMED = frozenset(("=deploy", "push", "merge", "upload"))


def as_verb(head: Term) -> Term:
    """Return the verb of a noun: "deploy" for "deployments"."""
    verbs = {lex.VERB_BY_STEM.get(form[1:], "") for form in head.forms if form[0] == "~"} - {""}
    if head.forms & lex.VERBS or not verbs:
        return head
    return Term(min(verbs), head.forms | verbs | lex.meanings_of(frozenset(verbs)))


def _names_act(head: Term) -> bool:
    return head.text.endswith("ing") or bool(as_verb(head).forms & lex.VERBS)


def is_vague(action: Action) -> bool:
    """Return whether nearly every decision is such an act."""
    open_ended = not action.verbs or action.verbs[0].forms & (lex.LIGHT | lex.USE | {"=modify"})
    if open_ended and not action.conditions:
        for noun in action.objects:
            spoken = not action.verbs and noun.head.forms & lex.ABOUT
            if (spoken or noun.head.forms & NOTHING_SAID) and not noun.modifiers:
                return True
    if action.objects or (action.conditions and action.verbs):
        return False
    if action.subject is not None or (action.manner and not open_ended):
        return not action.verbs
    return not action.verbs or bool(action.verbs[0].forms & (_COMMON | EVERYDAY))


_COMMON = lex.LIGHT | lex.USE | lex.MENTION | lex.NEGATIVE | lex.REMOVE | lex.TRANSITION
EVERYDAY = english("everyday_acts")
NOTHING_SAID = english("everyday_things")
