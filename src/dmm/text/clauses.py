"""Read the acts of a decision, with their objects, places and polarity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from dmm.text import lexicon as lex
from dmm.text.acts import RELATIVES, Act, Clause, ClausePolarity, Phrase, Polarity, phrases_of
from dmm.text.amounts import Quantity, quantities_of
from dmm.text.tokens import Sort, Token, sentences_of, text_at, tokens_of
from dmm.text.verbs import is_participle, is_verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Reading:
    """A decision as read: tokens, acts, amounts and the range of each sentence."""

    text: str
    tokens: tuple[Token, ...]
    acts: tuple[Act, ...]
    quantities: tuple[Quantity, ...]
    sentences: tuple[tuple[int, int], ...]


def read(text: str, verbs: frozenset[str] = frozenset()) -> Reading:
    """Read a text into its acts and amounts; `verbs` are known besides the lexicon's."""
    tokens = tokens_of(text)
    ranges = sentences_of(tokens)
    acts: list[Act] = []
    for number, (first, last) in enumerate(ranges):
        acts.extend(_Sentence(tokens, first, last, number, verbs, acts[-2:]).acts())
    return Reading(text, tokens, tuple(acts), quantities_of(tokens), tuple(ranges))


_MARKS = frozenset(",:()[]{}|/\N{EM DASH}\N{EN DASH}")
_MOST_SCOPES = 4
_MOST_LOOKED_BACK = 8


class _Sentence:
    """Reads one sentence, clause by clause."""

    def __init__(
        self,
        tokens: tuple[Token, ...],
        first: int,
        last: int,
        number: int,
        verbs: frozenset[str],
        earlier: Sequence[Act],
    ) -> None:
        self.tokens, self.first, self.last = tokens, first, last
        self.number, self.verbs, self.earlier = number, verbs, tuple(earlier)
        self.question = tokens[last - 1].text == "?"
        self.found: list[Act] = []
        self.fronted: tuple[Phrase, ...] = ()

    def acts(self) -> list[Act]:
        for clause in self._series():
            verbs = [i for i in range(clause.first, clause.last) if self._is_verb(i, clause.first)]
            verbs = verbs or self._linking(clause)
            if verbs:
                self._read_verbs(clause, verbs)
            else:
                self._attach(clause)
        self._share_objects()
        return self.found

    def _share_objects(self) -> None:
        """Give an object to joined verbs: "Commit and push secrets" commits secrets, too."""
        for at in range(len(self.found) - 2, -1, -1):
            act, following = self.found[at], self.found[at + 1]
            if act.verb is None or following.verb is None or act.passive:
                continue
            between = {self.tokens[i].text for i in range(act.verb + 1, following.verb)}
            if between and between <= _JOINING:
                shared = tuple(one for one in following.phrases if one.preposition is None)
                self.found[at] = replace(act, phrases=act.phrases + shared)

    def _is_verb(self, index: int, start: int) -> bool:
        return is_verb(self.tokens, index, start, self.verbs)

    def _linking(self, clause: Clause) -> list[int]:
        """Find "to be" as the verb of a clause without another: "The new cache will be Redis"."""
        texts = [(i, self.tokens[i].text) for i in range(clause.first, clause.last)]
        found = [i for i, text in texts if text in lex.BE | {"has", "have", "had"}]
        begun = [i for i, text in texts if text in _BEGINNING and i > clause.first]
        return (found or begun)[-1:]

    def _series(self) -> list[Clause]:
        """The clauses; in "move, rename or delete" the comma stands for "or"."""
        found = list(self._clauses())
        for at in range(len(found) - 2, 0, -1):
            clause, following = found[at], found[at + 1]
            alone = clause.last - clause.first == 1 or following.opener != "and"
            listed = clause.opener == "," and following.opener in ("or", "nor", "and") and alone
            if listed and self._is_verb(clause.first, clause.first):
                found[at] = replace(clause, opener=following.opener)
        return found

    def _clauses(self) -> Iterator[Clause]:
        start, opener = self.first, ""
        for index in range(self.first, self.last):
            token = self.tokens[index]
            if token.text in _MARKS or self._opens(index, start):
                yield from self._closed(start, index, opener)
                start, opener = index + 1, token.text
        yield from self._closed(start, self.last, opener)

    def _closed(self, start: int, end: int, opener: str) -> Iterator[Clause]:
        while end > start and self.tokens[end - 1].sort is Sort.MARK:
            end -= 1
        if end > start:
            yield Clause(start, end, opener)

    def _opens(self, index: int, start: int) -> bool:
        word = self.tokens[index].text
        if word in lex.REASONS:
            return True
        if word in lex.CONJUNCTIONS:
            return self._starts_clause(index + 1) or (word == "so" and self._has_verb(index + 1))
        if word in lex.CONDITIONS | {"that", "like"}:
            return self._has_verb(index + 1)
        return word in RELATIVES and index > start

    def _starts_clause(self, index: int) -> bool:
        while index < self.last and self.tokens[index].text in lex.ADVERBS | lex.MANNERS:
            index += 1
        if index >= self.last:
            return False
        leads = self.tokens[index].text in lex.PRONOUNS | lex.AUXILIARIES
        return leads or self._is_verb(index, index)

    def _has_verb(self, index: int) -> bool:
        for position in range(index, min(self.last, index + 6)):
            token = self.tokens[position]
            if token.sort is Sort.MARK:
                return False
            if token.text in lex.AUXILIARIES or self._is_verb(position, index):
                return True
        return False

    def _attach(self, clause: Clause) -> None:
        """Attach words without a verb to the act before; at the start, to all acts that follow."""
        phrases = phrases_of(self.tokens, clause.first, clause.last)
        aside = self.question or clause.opener in lex.REASONS | RELATIVES
        if self.found and not aside and self.found[-1].verb is not None:
            last = self.found[-1]
            phrases = self._listed(clause, last, phrases)
            self.found[-1] = replace(last, phrases=last.phrases + phrases)
            return
        placed = [one for one in phrases if one.preposition is not None]
        placed += [
            replace(one, preposition="in")
            for one in phrases
            if one.preposition is None and "file" in self.tokens[one.indices[-1]].kinds
        ]
        self.fronted = (*self.fronted, *placed)[:_MOST_SCOPES]
        polarity = Polarity.ASIDE if aside else Polarity.UNSURE
        self.found.append(Act(None, frozenset(), polarity, phrases, self.number))

    def _listed(self, clause: Clause, last: Act, phrases: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
        """Deny the whole list in "Without triggers, views or procedures"."""
        before = last.phrases[-1] if last.phrases else None
        fresh = clause.opener != "," or self.tokens[clause.first].text in lex.DETERMINERS
        if before is None or not before.negated or fresh:
            return phrases
        return tuple(
            replace(one, preposition=before.preposition, negated=True)
            if one.preposition is None
            else one
            for one in phrases
        )

    def _read_verbs(self, clause: Clause, verbs: list[int]) -> None:
        polarity = ClausePolarity(self.tokens, clause, self.found, question=self.question)
        start = clause.first
        for order, verb in enumerate(verbs):
            end = verbs[order + 1] if order + 1 < len(verbs) else clause.last
            state = polarity.at(start, verb)
            passive = self._is_passive(clause, verb)
            own = phrases_of(self.tokens, verb + 1, end)
            phrases = (
                *self._subjects(start, verb, order, passive),
                *self._pointed_at(verb, own),
                *own,
                *self.fronted,
            )
            forms = self._particle(verb, clause.last)
            if self._describes(clause, verb, verbs, passive=passive):
                state = Polarity.ASIDE
            before = tuple(range(start, verb))
            self.found.append(Act(verb, forms, state, phrases, self.number, passive, before))
            self._part(verb, end)
            polarity.passed(verb)
            start = verb + 1

    def _describes(self, clause: Clause, verb: int, verbs: list[int], *, passive: bool) -> bool:
        """Return whether a participle only describes: "Port the scripts written in Lua"."""
        near = range(max(clause.first, verb - 4), verb)
        if verb == clause.first or any(self.tokens[i].text in lex.AUXILIARIES for i in near):
            return False
        if not is_participle(self.tokens[verb]) or self.tokens[verb - 1].text in lex.GRAMMAR:
            return False
        later = range(verb + 1, verbs[-1])
        if any(self.tokens[i].text in lex.BE for i in later) and verb == verbs[0]:
            return True
        last = self._last_forms()
        return passive and bool(last & lex.IDLE and not last & lex.USE)

    def _last_forms(self) -> frozenset[str]:
        return self.found[-1].forms if self.found else frozenset()

    def _part(self, verb: int, end: int) -> None:
        """Part one verb into two acts: "Store the logs in Loki and the images on S3"."""
        act = self.found[-1]
        for index in range(verb + 2, end - 1):
            if self.tokens[index].text != "and":
                continue
            left = [one for one in act.phrases if one.indices[0] < index]
            right = [one for one in act.phrases if one.indices[0] > index]
            placed = {one.preposition for one in left if one.indices[0] > verb} - {None, "of"}
            again = {one.preposition for one in right} - {None, "of"}
            direct = len(right) > 1 and right[0].preposition in {None, *placed}
            if not placed or not (direct or placed & again):
                continue
            if direct:
                right[0] = replace(right[0], preposition=None)
            named = self.tokens[index + 1].text in lex.PREPOSITIONS
            roles = (None, "subject") if named else ("subject",)
            kept = [one for one in left if one.preposition in roles]
            self.found[-1] = replace(act, phrases=tuple(left))
            self.found.append(replace(act, phrases=(*kept, *right)))
            return

    def _subjects(self, start: int, verb: int, order: int, passive: bool) -> tuple[Phrase, ...]:
        if not order:
            given = phrases_of(self.tokens, start, verb)
            return tuple(
                replace(one, preposition="subject") if one.preposition is None else one
                for one in given
            )
        led = text_at(self.tokens, verb - 1) in lex.AUXILIARIES - {"do", "does", "did"}
        if not (passive or led or self._last_forms() & {"let", "allow", "permit"}):
            return ()
        last = (one for act in self.found[-1:] for one in act.phrases)
        own = [one for one in last if one.preposition != "subject"]
        return tuple(replace(one, preposition="subject") for one in own[-1:])

    def _is_passive(self, clause: Clause, verb: int) -> bool:
        if not is_participle(self.tokens[verb]):
            return False
        near = range(max(clause.first, verb - 4), verb)
        reduced = verb > clause.first and self.tokens[verb - 1].sort is not Sort.MARK
        reduced = reduced and self.tokens[verb - 1].text not in lex.GRAMMAR
        return any(self.tokens[i].text in lex.BE for i in near) or (reduced and bool(self.found))

    def _particle(self, verb: int, end: int) -> frozenset[str]:
        """Return the forms of a verb with its particle, as in "turn the alarm off"."""
        texts = {self.tokens[i].text for i in range(verb + 1, min(end, verb + 8))}
        for form in sorted(self.tokens[verb].forms & lex.PHRASES.keys()):
            for rest, word in lex.PHRASES[form]:
                if rest[0] in texts & _PARTICLES:
                    return frozenset((word,)) | lex.meanings_of(frozenset((word,)))
        return self.tokens[verb].forms

    def _pointed_at(self, verb: int, own: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
        """Return the phrase that a pronoun refers to: "The firewall is slow, so disable it"."""
        if text_at(self.tokens, verb + 1) not in ("it", "them") or verb + 1 >= self.last:
            return ()
        if own and own[0].preposition is None:
            return ()
        acts = reversed((*self.earlier, *self.found[-_MOST_LOOKED_BACK:]))
        places = (
            (place, act.phrases)
            for act in acts
            if not act.forms & lex.REMOVE
            for place in (("subject",) if "be" in act.forms else (None, "subject", "about", "of"))
        )
        named = (one for place, phrases in places for one in phrases if one.preposition == place)
        return tuple(Phrase(None, one.indices) for one in islice(named, 1))


_JOINING = frozenset((",", "or", "and", "nor"))
_BEGINNING = frozenset(("starts", "begins", "continues", "resumes", "happens"))
_PARTICLES = frozenset(("away", "off", "out", "down", "on", "back", "in"))
