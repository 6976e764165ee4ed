"""Acts, the noun phrases they are made of, and whether they are done."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.text import lexicon as lex
from dmm.text.tokens import Sort, Token, is_glued, text_at
from dmm.text.verbs import is_participle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Polarity(StrEnum):
    """Whether the text says that an act is done."""

    DONE = "done"
    NOT_DONE = "not done"
    UNSURE = "unsure"
    ASIDE = "aside"


@frozen
class Phrase:
    """Content words under one preposition; `None` marks a direct object.

    A `joined` phrase goes on with a list: "in handlers or in templates".
    """

    preposition: str | None
    indices: tuple[int, ...]
    negated: bool = False
    joined: bool = False


@frozen
class Act:
    """One verb with its objects, place, time and manner; no verb if things are only named."""

    verb: int | None
    forms: frozenset[str]
    polarity: Polarity
    phrases: tuple[Phrase, ...]
    sentence: int
    passive: bool = False
    before: tuple[int, ...] = ()

    def objects(self) -> Iterator[Phrase]:
        """The direct objects of the verb."""
        for phrase in self.phrases:
            if phrase.preposition is None or (self.passive and phrase.preposition == "subject"):
                yield phrase

    def told(self) -> tuple[int, ...]:
        """The positions of the words in its phrases, except denied ones."""
        return tuple(i for phrase in self.phrases if not phrase.negated for i in phrase.indices)


def speaks(tokens: Sequence[Token], act: Act) -> bool:
    """Return whether the act mentions or removes a matter, or makes something that mentions it."""
    if act.forms & (lex.MENTION | lex.NEGATIVE | lex.REMOVE):
        return True
    own = [phrase for phrase in act.phrases if phrase.preposition != "subject"]
    return any(tokens[phrase.indices[-1]].forms & lex.ABOUT for phrase in own)


_DENYING = frozenset(("without", "except", "insteadof", "than"))
_SKIPPED = (lex.DETERMINERS | lex.PRONOUNS | lex.AUXILIARIES | lex.ADVERBS) - {"no"}
_ARTICLES = frozenset(("the", "a", "an", "our", "my", "your", "their", "its", "this", "every"))


def phrases_of(tokens: Sequence[Token], first: int, last: int) -> tuple[Phrase, ...]:
    """Return the phrases in a range of tokens, the direct object first."""
    scan = _Scan(tokens)
    for index in range(first, last):
        scan.take(index)
    scan.flush()
    return tuple(scan.found)


class _Scan:
    """Groups content words by their preposition and by whether they are denied."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.found: list[Phrase] = []
        self.held: list[int] = []
        self.preposition: str | None = None
        self.negated = False
        self.joined = False

    def flush(self) -> None:
        if self.held:
            held = tuple(self.held)
            self.found.append(Phrase(self.preposition, held, self.negated, self.joined))
            self.joined = False
        self.held = []

    def take(self, index: int) -> None:
        token = self.tokens[index]
        word = token.text
        compound = token.glued or is_glued(self.tokens, index + 1)
        if word in ("not", "never", "no", "neither", "nor") and not compound:
            self.flush()
            self.negated = True
        elif "not" in token.forms:
            self.flush()
        elif word in lex.PREPOSITIONS:
            self._open(word, index)
        elif word in lex.CONJUNCTIONS or token.sort is Sort.MARK:
            self.flush()
            self.negated = self.negated and word in ("or", "and")
            self.joined = word in ("or", "and", ",") and bool(self.found)
        elif word in _ARTICLES and self.held:
            self.flush()
            doing = self.tokens[index - 1].text.endswith("ing")
            self.preposition = self.preposition if doing else None
        elif word in lex.CONDITIONS:
            self.flush()
            self.preposition, self.negated = word, False
        elif word not in _SKIPPED:
            self.held.append(index)

    def _open(self, word: str, index: int) -> None:
        if word == "as" and text_at(self.tokens, index - 2) == "as":
            word = "than"
        kept = self.negated and (not self.held or word == "of")
        self.flush()
        self.negated = word in _DENYING or kept
        self.preposition = word


@frozen
class Clause:
    """A range of tokens, and the word or mark that opened it."""

    first: int
    last: int
    opener: str


RELATIVES = frozenset(("which", "who", "whose", "whom", "that", "where"))


class ClausePolarity:
    """Follows negation and doubt through one clause, from verb to verb."""

    def __init__(
        self, tokens: Sequence[Token], clause: Clause, found: Sequence[Act], *, question: bool
    ) -> None:
        self.tokens, self.clause, self.found = tokens, clause, found
        self.negated = 0
        self.base = Polarity.UNSURE if question else self._base()

    def _base(self) -> Polarity:
        opener, last = self.clause.opener, self.found[-1] if self.found else None
        if opener in ("because", "since", "as", "like"):
            return Polarity.ASIDE
        if opener in lex.CONDITIONS or opener == "although":
            return Polarity.UNSURE
        if last is None or last.verb is None:
            return Polarity.DONE
        if opener in RELATIVES:
            if last.polarity is Polarity.DONE and not speaks(self.tokens, last):
                return Polarity.DONE
            return Polarity.ASIDE
        return self._joined(last, opener)

    def _joined(self, last: Act, opener: str) -> Polarity:
        first = self.tokens[self.clause.first]
        fresh = first.text in lex.AUXILIARIES | lex.PRONOUNS
        if opener not in ("or", "nor", "and") or last.polarity is Polarity.DONE or fresh:
            return Polarity.DONE
        if opener != "and":
            return last.polarity
        gerund = last.verb is not None and self.tokens[last.verb].text.endswith("ing")
        return Polarity.UNSURE if gerund == first.text.endswith("ing") else Polarity.DONE

    def at(self, start: int, verb: int) -> Polarity:
        """Return the polarity of a verb, given the words since `start`."""
        unsure = any(map(self._doubts, range(start, verb)))
        for index in range(start, verb):
            self._negate(index)
        if self.negated % 2:
            return Polarity.NOT_DONE if self.base is Polarity.DONE else self.base
        state = text_at(self.tokens, verb - 1) in ("fully", "already", "currently")
        unsure = unsure or (state and is_participle(self.tokens[verb]))
        if self.base is Polarity.DONE and unsure:
            return Polarity.UNSURE
        return Polarity.ASIDE if self._is_past(verb) else self.base

    def _doubts(self, index: int) -> bool:
        month = text_at(self.tokens, index - 1) in lex.PREPOSITIONS
        return self.tokens[index].text in lex.MODALS and not month

    def _is_past(self, verb: int) -> bool:
        """Return whether a verb only tells of the past, as in "We used X before"."""
        words = {self.tokens[i].text for i in range(self.clause.first, self.clause.last)}
        last = self.tokens[self.clause.last - 1].text
        once = bool(words & {"previously", "formerly", "originally"}) or last == "before"
        return once and is_participle(self.tokens[verb])

    def _negate(self, index: int) -> None:
        token, following = self.tokens[index], text_at(self.tokens, index + 1)
        if token.text in _CANCELLED and self.negated:
            self.negated -= 1
        elif token.text == "nor":
            self.negated += not self.negated
        elif not _DENIALS.isdisjoint({token.text, *token.forms}):
            self.negated += 1
        elif token.text in ("without", "insteadof", "except", "than"):
            self.negated += following.endswith("ing")
        elif token.text == "no":
            near = self.tokens[index + 1 : min(index + 5, self.clause.last)]
            denies = any(one.text in lex.AUXILIARIES for one in near)
            self.negated += denies or following in ("need", "reason", "plan", "plans", "point")

    def passed(self, verb: int) -> None:
        """Record how this verb affects the verbs after it."""
        forms = self.found[-1].forms
        if self.tokens[verb].text in _CANCELLED and self.negated:
            self.negated -= 1
        elif forms & lex.UNSURE:
            self.base = Polarity.UNSURE if self.base is Polarity.DONE else self.base
        elif forms & (lex.NEGATIVE | {"fail"}):
            self.negated += 1
        elif forms & lex.REMOVE:
            self.negated += text_at(self.tokens, verb + 1).endswith("ing")
        elif speaks(self.tokens, self.found[-1]):
            self.base = Polarity.ASIDE


_DENIALS = frozenset(("not", "never", "neither", "cannot", "nothing", "nobody", "none"))
_CANCELLED = frozenset(("hesitate", "forget", "only", "just", "merely", "neglect"))
