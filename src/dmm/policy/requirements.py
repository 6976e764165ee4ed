"""Constraints that ask for something: X required, N must have X, N must be X, N must stay on."""

from __future__ import annotations

from dataclasses import replace

from dmm.policy import lexicon as lex
from dmm.policy.actions import noun_of, term
from dmm.policy.choices import with_exemptions
from dmm.policy.exemptions import cut_exceptions
from dmm.policy.kin import with_kin
from dmm.policy.language import Sort, Token, text_at
from dmm.policy.rules import Noun, Part, Requirement, Term
from dmm.policy.verbs import is_participle
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]
_REQUIRED = word_set("required mandatory compulsory obligatory essential needed")
_PRESENT = word_set(
    """included provided available present enabled offered supplied kept allowed permitted active
    on"""
)
_SCOPES = word_set("in on at for during within throughout")
_STAYING = word_set("be stay remain")
_HAVING = word_set(
    """have include use require contain support return follow pass carry provide produce target
    speak emit run go come offer show list state name need wear bring hold attach attend live"""
)
_VALUE = word_set("in as with via over through using on by from to at")
# Of these, only where or how it is done counts, not that it is done.
_PLACING = (lex.USE - {"test", "run"}) | word_set(
    """store keep save put place send write host deploy serve log record commit define declare
    locate make deliver publish do name format return express ship release hold order buy pay
    book read access show display expose find open give move call merge push print code model"""
)
_MODALS = word_set("must shall should")
_LONGEST = 4


def requirement_of(words: Words) -> tuple[Part, ...]:
    """What the sentence asks for, with its exemptions."""
    end, exemptions = cut_exceptions(words, 0, len(words))
    if exemptions is None:
        return ()
    cut = next((i for i in range(2, end) if words[i].text in _CLAUSES), end)
    parts = _asked(words[:cut])
    if cut < end and words[cut].text in ("when", "while"):
        parts = _while_doing(words[cut + 1 : end], parts)
    return with_exemptions(parts, exemptions)


def _while_doing(clause: Words, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """ "When handling acid": what it is about stands for who does it."""
    kept = [i for i, word in enumerate(clause) if _is_content(word) and not word.acting]
    where = noun_of(clause, kept)
    return tuple(
        replace(part, subject=where, where=where) for part in parts if isinstance(part, Requirement)
    )


_CLAUSES = word_set("before prior when while")


def _asked(words: Words) -> tuple[Part, ...]:
    if words and words[0].text in ("all", "every", "each"):
        verb = next((i for i in range(2, min(len(words), 8)) if _is_habit(words, i)), None)
        if verb is not None:
            return _duty(words, verb - 1)
    passing = next((i for i in range(1, min(len(words), 5)) if _passes(words, i)), None)
    if passing is not None:
        return _duty(words, passing - 1)
    for index in range(1, len(words)):
        text = words[index].text
        if text in _REQUIRED and index >= len(words) - 2:
            end = index - 1 if words[index - 1].text in ("is", "are", "be") else index
            return _present(words, range(end))
        if text in _MODALS:
            return _duty(words, index)
        if text in ("need", "needs", "has", "have") and text_at(words, index + 1) == "to":
            return _duty(words, index + 1)
        if text in ("needs", "need", "requires", "require") and index + 1 < len(words):
            return _thing(words, range(index + 1, len(words)), range(index))
    return ()


def _is_habit(words: Words, index: int) -> bool:
    """ "All messaging goes through X", "every service runs on X"."""
    modal = {word.text for word in words[:index]} & (_MODALS | lex.AUXILIARIES | lex.PREPOSITIONS)
    return not modal and words[index].text in _HABITS


def _passes(words: Words, index: int) -> bool:
    """ "Payments go through X": a habit, with the way it takes."""
    way = text_at(words, index + 1) in ("through", "via", "over") and words[index].text in _GOING
    return way and not words[0].acting


_GOING = word_set("go goes run runs")
_HABITS = word_set("go goes use uses run runs live lives follow follows speak speaks is are")


def _duty(words: Words, modal: int) -> tuple[Part, ...]:
    start = modal + 1
    while start < len(words) and words[start].text in lex.ADVERBS - {"not", "never"} | {"all"}:
        start += 1
    if start >= len(words) or words[start].text in ("not", "never"):
        return ()
    subject = range(modal if words[modal].text in _MODALS | {"to"} else start)
    verb = words[start]
    after = _after_staying(words, start + 1) if verb.forms & _STAYING else None
    if after is not None:
        where = noun_of(words, [i for i in range(after, len(words)) if _is_content(words[i])])
        return tuple(replace(part, where=where) for part in _present(words, subject))
    if verb.text in ("be", "is", "are"):
        return _state(words, start + 1, subject)
    if verb.forms & {"stay", "remain"} and text_at(words, start + 2) in _SCOPES:
        where = noun_of(words, [i for i in range(start + 2, len(words)) if _is_content(words[i])])
        stay = _thing(words, range(start + 1, start + 2), subject)
        return tuple(replace(part, where=where) for part in stay)
    if verb.forms & (_HAVING | {"stay", "remain"}):
        return _thing(words, range(start + 1, len(words)), subject)
    return _done(words, start, subject)


def _after_staying(words: Words, index: int) -> int | None:
    """Where the scope begins after "stay enabled", "be turned on", "remain in place"."""
    if text_at(words, index) in ("kept", "turned", "switched", "left"):
        index += 1
    if text_at(words, index) == "in" and text_at(words, index + 1) in ("place", "force", "use"):
        index += 1
    elif text_at(words, index) not in _PRESENT:
        return None
    scoped = index + 1 == len(words) or words[index + 1].text in _SCOPES
    return index + 1 if scoped else None


def _state(words: Words, first: int, subject: range) -> tuple[Part, ...]:
    """ "Must be hashed with bcrypt": the act, the value, or both."""
    turn = next((i for i in range(first, len(words)) if words[i].text in _VALUE), None)
    if turn is None or not (turn == first or is_participle(words, turn - 1)):
        return _thing(words, range(first, len(words)), subject)
    value = _thing(words, range(turn + 1, len(words)), subject)
    if turn == first or words[turn - 1].forms & _PLACING:
        return value
    done = _thing(words, range(first, turn), subject)
    return done if words[turn].text == "at" else (*done, *value)


def _done(words: Words, first: int, subject: range) -> tuple[Part, ...]:
    """ "Endpoints must validate their input": the verb is asked for, of its object."""
    verb = words[first]
    if verb.sort is not Sort.WORD or not (verb.acting or _is_content(verb)):
        return ()
    rest = [i for i in range(first + 1, len(words)) if _is_content(words[i])]
    if any(_is_unfit(words[index]) for index in range(first, len(words))):
        return ()
    turn = next((i for i in range(first, len(words)) if words[i].text in _VALUE), None)
    if turn is None and text_at(words, first + 1) == "behind" and verb.forms & _PLACING:
        return _thing(words, range(first + 2, len(words)), _matter(words, subject))
    if turn is not None and verb.forms & _PLACING:
        return _thing(words, range(turn + 1, len(words)), range(first + 1, turn))
    noun = _subject(words, range(first + 1, len(words))) if rest else _subject(words, subject)
    item = with_kin(term(verb))
    if not verb.acting and rest:
        return _requirement([item, *(with_kin(term(words[i])) for i in rest)], noun)
    return (Requirement(item.text, (item,), noun),)


def _matter(words: Words, subject: range) -> range:
    """ "Every change to the checkout" is about the checkout."""
    turn = next((i for i in subject if words[i].text in ("to", "in", "of")), None)
    changed = turn is not None and words[turn - 1].forms & {"change", "modification", "=modify"}
    return range((turn or 0) + 1, subject.stop) if changed else subject


def _present(words: Words, core: range) -> tuple[Requirement, ...]:
    """The thing itself has to be there."""
    terms = _terms(words, core)
    if len(terms) > 1 and any(_adjectival(item) for item in terms[:-1]):
        terms = terms[:-1]
    return _requirement(terms, None)


def _thing(words: Words, core: range, subject: range) -> tuple[Requirement, ...]:
    return _requirement(_terms(words, core), _subject(words, subject))


def _terms(words: Words, core: range) -> list[Term]:
    if any(_is_unfit(words[index]) for index in core):
        return []
    kept = [
        index
        for index in core
        if _is_content(words[index]) and not _is_prefix(words, index)
        if not (index and words[index - 1].text == "&")
    ]
    plain = [index for index in kept if words[index].text not in _DEGREES]
    if len(plain) > 1 and words[plain[-1]].text in _MEASURES:
        plain = plain[:-1]
    return [with_kin(_joined(words, index)) for index in plain or kept]


_MEASURES = word_set("unit units system")
_DEGREES = word_set("fully properly completely adequately correctly entirely duly strictly")


def _is_prefix(words: Words, index: int) -> bool:
    return words[index].text == "non" and index + 1 < len(words) and words[index + 1].glued


def _joined(words: Words, index: int) -> Term:
    """ "Non-root" is one word."""
    if index and words[index].glued and _is_prefix(words, index - 1):
        text = f"non{words[index].text}"
        return Term(text, frozenset((text,)))
    if (
        words[index].text == "read"
        and text_at(words, index + 1) == "only"
        and words[index + 1].glued
    ):
        return Term("read-only", words[index].forms | {"readonly"})
    return term(words[index])


def _requirement(terms: list[Term], subject: Noun | None) -> tuple[Requirement, ...]:
    if not terms or len(terms) > _LONGEST:
        return ()
    return (Requirement(" ".join(item.text for item in terms), tuple(terms), subject),)


def _subject(words: Words, indices: range) -> Noun | None:
    """The thing a duty is of: the head of its first phrase, the rest beside it."""
    kept = [index for index in indices if _is_content(words[index])]
    turn = next((i for i in indices if words[i].text in lex.PREPOSITIONS), indices.stop)
    head = [index for index in kept if index < turn]
    if not head:
        return noun_of(words, kept)
    return noun_of(words, [index for index in kept if index != head[-1]] + head[-1:])


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
