"""What a decision says is done: its acts with their objects, conditions and polarity."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Act, Clause, Polarity, Reading, Role
from dmm.policy.coordination import parted
from dmm.policy.derived import derived_acts, without_settings
from dmm.policy.language import Sort, Token, sentences_of, tokens_of
from dmm.policy.particles import with_particle
from dmm.policy.phrases import Phrase, phrases_of
from dmm.policy.polarity import ClausePolarity
from dmm.policy.quantities import quantities_of
from dmm.policy.verbs import is_adverb, is_participle, is_verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def read(text: str, verbs: frozenset[str] = frozenset()) -> Reading:
    """Read a text into its acts and amounts; `verbs` are known besides the lexicon's."""
    tokens = tokens_of(text)
    if verbs:
        tokens = tuple(
            replace(token, acting=token.acting | (token.forms & verbs)) for token in tokens
        )
    ranges = sentences_of(tokens)
    acts: list[Act] = []
    for number, (first, last) in enumerate(ranges):
        acts.extend(_Sentence(tokens, first, last, number, acts[-1:]).acts())
    return Reading(text, tokens, tuple(acts), quantities_of(tokens), tuple(ranges))


_SEGMENT_MARKS = frozenset(",:()[]{}|/\N{EM DASH}\N{EN DASH}")


class _Sentence:
    """Reads one sentence; holds the act that later pieces of the sentence attach to."""

    def __init__(
        self,
        tokens: tuple[Token, ...],
        first: int,
        last: int,
        number: int,
        earlier: Sequence[Act] = (),
    ) -> None:
        self.earlier = earlier
        self.tokens = tokens
        self.first = first
        self.last = last
        self.number = number
        self.question = tokens[last - 1].text == "?"
        self.found: list[Act] = []
        self.fronted: tuple[Phrase, ...] = ()

    def acts(self) -> list[Act]:
        for clause in self.clauses():
            self._read_clause(clause)
        self.found = [part for act in self.found for part in parted(self.tokens, act)]
        derived = [one for act in self.found for one in derived_acts(self.tokens, act)]
        return [*(without_settings(self.tokens, act) for act in self.found), *derived]

    def clauses(self) -> list[Clause]:
        found: list[Clause] = []
        start, role, opener = self.first, Role.MAIN, ""
        for index in range(self.first, self.last):
            token = self.tokens[index]
            if token.sort is Sort.MARK and token.text in _SEGMENT_MARKS:
                self._close(found, start, index, role, opener)
                start, role, opener = index + 1, Role.MAIN, token.text
                continue
            opened = self._opens(index, start)
            if opened is not None:
                self._close(found, start, index, role, opener)
                start, role, opener = index + 1, opened, token.text
        self._close(found, start, self.last, role, opener)
        return found

    def _close(self, found: list[Clause], start: int, end: int, role: Role, opener: str) -> None:
        while end > start and self.tokens[end - 1].sort is Sort.MARK:
            end -= 1
        if end > start:
            found.append(Clause(start, end, role, opener))

    def _opens(self, index: int, start: int) -> Role | None:
        word = self.tokens[index].text
        if word == "so":
            return Role.MAIN if self._has_verb(index + 1, 5) else None
        if word in lex.CONJUNCTIONS:
            return Role.MAIN if self._starts_clause(index + 1) else None
        if word in lex.CONCESSIONS:
            return Role.CONCESSION
        if word in ("because", "since") or self._likens(index, start):
            return Role.REASON
        if word in lex.SUBORDINATORS:
            return Role.CONDITION if self._has_verb(index + 1) else None
        return self._opens_relative(index, start)

    def _opens_relative(self, index: int, start: int) -> Role | None:
        word = self.tokens[index].text
        if word in ("which", "who", "whose", "whom") and index > start:
            return Role.RELATIVE
        if word in lex.RELATIVES and (index > start or word in ("which", "who")):
            return Role.RELATIVE if self._has_verb(index + 1, 5) else None
        return None

    def _likens(self, index: int, start: int) -> bool:
        word = self.tokens[index].text
        if word == "like":
            return index > start and self._has_verb(index + 1)
        return word == "as" and self._reason_as(index)

    def _reason_as(self, index: int) -> bool:
        following = self.tokens[index + 1].text if index + 1 < self.last else ""
        return index == self.first or following in lex.PRONOUNS

    def _starts_clause(self, index: int) -> bool:
        while index < self.last and self.tokens[index].text in lex.ADVERBS:
            index += 1
        if index >= self.last:
            return False
        word = self.tokens[index].text
        if word in lex.PRONOUNS or word in lex.AUXILIARIES:
            return True
        return is_verb(self.tokens, index, index)

    def _has_verb(self, index: int, within: int = 8) -> bool:
        for position in range(index, min(self.last, index + within)):
            token = self.tokens[position]
            if token.sort is Sort.MARK:
                return False
            if token.text in lex.AUXILIARIES or is_verb(self.tokens, position, index):
                return True
        return False

    def _read_clause(self, clause: Clause) -> None:
        verbs = [
            index
            for index in range(clause.first, clause.last)
            if is_verb(self.tokens, index, clause.first)
        ]
        if not verbs:
            verbs = self._linking_verb(clause)
        if not verbs:
            self._attach(clause)
            return
        self._read_verbs(clause, verbs)
        if clause.role is Role.RELATIVE and len(verbs) == 1:
            self._tell_of_antecedent()

    def _linking_verb(self, clause: Clause) -> list[int]:
        for index in range(clause.last - 1, clause.first - 1, -1):
            if self.tokens[index].text in _LINKING:
                return [index]
        for index in range(clause.last - 1, clause.first, -1):
            if self.tokens[index].text in _TAKES_PLACE:
                return [index]
        return []

    def _tell_of_antecedent(self) -> None:
        """ "An airline that is on the list": what is told of the thing holds for the act on it."""
        if len(self.found) < 2:
            return
        before, told = self.found[-2:]
        if "be" not in told.forms or told.passive or told.polarity is not Polarity.DONE:
            return
        places = tuple(p for p in told.phrases if p.preposition in _TOLD and not p.negated)
        self.found[-2] = replace(before, phrases=before.phrases + places)

    def _attach(self, clause: Clause) -> None:
        phrases = phrases_of(self.tokens, clause.first, clause.last)
        if clause.role is Role.MAIN and self.found:
            base = self.found[-1]
            if base.verb is None:
                self.fronted = (*self.fronted, *self._scopes(phrases))[:_MOST_SCOPES]
            phrases = self._apposed(clause, base, phrases)
            if base.verb is not None or len(self.found) == 1:
                self.found[-1] = replace(base, phrases=base.phrases + phrases)
                return
        if clause.role is Role.MAIN:
            self.fronted = (*self.fronted, *self._scopes(phrases))[:_MOST_SCOPES]
        aside = clause.role is not Role.MAIN or self.question
        polarity = Polarity.ASIDE if aside else Polarity.UNSURE
        self.found.append(Act(None, frozenset(), polarity, clause.role, phrases, self.number))

    def _scopes(self, phrases: tuple[Phrase, ...]) -> Iterator[Phrase]:
        """ "In the importer, …" and "importer.py: …" tell where all that follows is done."""
        for phrase in phrases:
            if phrase.preposition is not None:
                yield phrase
            elif "file" in self.tokens[phrase.indices[-1]].kinds:
                yield replace(phrase, preposition="in")

    def _apposed(
        self, clause: Clause, base: Act, phrases: tuple[Phrase, ...]
    ) -> tuple[Phrase, ...]:
        """ "To Acme, a reseller": what the second noun says stands under the same preposition."""
        same = clause.opener == "," and self.tokens[clause.first].text in ("a", "an")
        if not (same and base.phrases and phrases and phrases[0].preposition is None):
            return phrases
        last = base.phrases[-1]
        return (replace(phrases[0], preposition=last.preposition), *phrases[1:])

    def _read_verbs(self, clause: Clause, verbs: list[int]) -> None:
        polarity = ClausePolarity(self.tokens, clause, self.found, question=self.question)
        start = clause.first
        for order, verb in enumerate(verbs):
            end = verbs[order + 1] if order + 1 < len(verbs) else clause.last
            state = polarity.at(start, verb)
            phrases = phrases_of(self.tokens, verb + 1, self._cut(verb, end))
            forms, phrases = with_particle(self.tokens, verb, phrases)
            phrases = (*self._with_antecedent(verb, phrases), *self._same_place(end))
            passive = self._passive(clause, verb, bool(order))
            phrases = (*self._subjects(start, verb, order), *phrases, *self.fronted)
            self.found.append(
                Act(
                    verb,
                    forms,
                    state,
                    clause.role,
                    phrases,
                    self.number,
                    passive,
                    before=tuple(range(start, verb)),
                )
            )
            polarity.pass_verb(verb)
            self._serve_purpose(verb)
            self._serve_means(verb)
            start = verb + 1

    def _serve_purpose(self, verb: int) -> None:
        """ "Use X to parse Y" is also use of X for Y."""
        if len(self.found) < 2 or verb == 0 or self.tokens[verb - 1].text != "to":
            return
        before, own = self.found[-2], self.found[-1]
        if not any(phrase.preposition in _TOLD for phrase in own.phrases):
            places = tuple(phrase for phrase in before.phrases if phrase.preposition in _TOLD)
            own = self.found[-1] = replace(own, phrases=own.phrases + places)
        against = own.forms & (lex.NEGATIVE | lex.REMOVE | lex.MENTION)
        if before.verb is None or against or own.polarity is not Polarity.DONE:
            return
        purpose = tuple(replace(phrase, preposition="for") for phrase in own.objects())
        self.found[-2] = replace(before, phrases=before.phrases + purpose)

    def _serve_means(self, verb: int) -> None:
        """ "Sign it using X" is also signing with X."""
        if len(self.found) < 2 or self.tokens[verb].text != "using":
            return
        before, own = self.found[-2], self.found[-1]
        if before.verb is not None and before.polarity is own.polarity:
            means = tuple(replace(phrase, preposition="with") for phrase in own.objects())
            self.found[-2] = replace(before, phrases=before.phrases + means)

    def _cut(self, verb: int, end: int) -> int:
        """Where the words of this verb end: words that lead to the next verb are not its own."""
        if end >= self.last or not is_verb(self.tokens, end, verb):
            return end
        while end - 1 > verb and self.tokens[end - 1].text in _LEADING:
            end -= 1
            # "Edit it by hand to save time": how it is done stands before the purpose.
            manner = self.tokens[end - 1].text in lex.COMMON_ADVERBS
            if self.tokens[end].text == "to" and manner:
                break
        return end

    def _subjects(self, start: int, verb: int, order: int) -> tuple[Phrase, ...]:
        if order and self._has_own_subject(verb):
            return self._taken_subject()
        if order and self.tokens[verb - 1].text == "to" and self.found[-1].forms & _ALLOWING:
            let = (phrase for phrase in self.found[-1].phrases if phrase.preposition is None)
            return tuple(replace(phrase, preposition="subject") for phrase in let)
        if order and not is_participle(self.tokens, verb):
            return ()
        if order and self.found:
            own = [p for p in self.found[-1].phrases if p.preposition != "subject"]
            return (replace(own[-1], preposition="subject"),) if own else ()
        return tuple(
            replace(phrase, preposition="subject", negated=False)
            if phrase.preposition is None
            else phrase
            for phrase in phrases_of(self.tokens, start, verb)
        )

    def _with_antecedent(self, verb: int, phrases: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
        """ "The firewall is in the way, so disable it": the pronoun stands for what was named."""
        after = self.tokens[verb + 1].text if verb + 1 < self.last else ""
        if after not in _PRONOUNS or self._has_second_object(phrases):
            return phrases
        for act in reversed((*self.earlier, *self.found[-_MOST_LOOKED_BACK:])):
            own = _antecedent(act)
            if own is not None:
                return (replace(own, preposition=None, negated=False), *phrases)
        return phrases

    def _has_second_object(self, phrases: tuple[Phrase, ...]) -> bool:
        """ "Give it a name": the pronoun is not what is given."""
        first = phrases[0] if phrases else None
        if first is None or first.preposition is not None:
            return False
        return not all(is_adverb(self.tokens[index]) for index in first.indices)

    def _same_place(self, end: int) -> tuple[Phrase, ...]:
        """ "Take the nuts out of the mix and put raisins in": in the mix."""
        if not self.found or self.tokens[end - 1].text not in ("in", "inside", "there"):
            return ()
        for phrase in reversed(self.found[-1].phrases):
            if phrase.preposition in ("in", "from", "of", "into"):
                return (replace(phrase, preposition="in"),)
        return ()

    def _has_own_subject(self, verb: int) -> bool:
        """ "Make sure eval is never called": the words before "is" belong to "called"."""
        before = verb - 1
        while before > self.first and self.tokens[before].text in lex.ADVERBS | lex.NEGATIONS:
            before -= 1
        word = self.tokens[before].text
        return word in lex.AUXILIARIES or self.tokens[verb - 1].text == "cannot"

    def _taken_subject(self) -> tuple[Phrase, ...]:
        last = self.found[-1]
        own = [phrase for phrase in last.phrases if phrase.preposition != "subject"]
        if not own:
            return ()
        kept = tuple(phrase for phrase in last.phrases if phrase is not own[-1])
        self.found[-1] = replace(last, phrases=kept)
        return (replace(own[-1], preposition="subject", negated=False),)

    def _passive(self, clause: Clause, verb: int, later: bool) -> bool:
        if self.tokens[verb].forms & _STANDING:
            return True
        if not is_participle(self.tokens, verb):
            return False
        near = range(max(clause.first, verb - 4), verb)
        return later or any(self.tokens[index].text in lex.BE for index in near)


def _antecedent(act: Act) -> Phrase | None:
    """What a pronoun after this act stands for: its object, or its subject if it has none."""
    places = ("subject",) if act.forms & _SEEMING else (None, "subject", "about", "of", "with")
    for place in places:
        for phrase in act.phrases:
            if phrase.preposition == place:
                return phrase
    return None


_LINKING = lex.BE | {"has", "have", "had", "having", "with"} - {"with"}
_LEADING = (
    lex.AUXILIARIES | lex.NEGATIONS | lex.ADVERBS | lex.PRONOUNS | {"to", "by", "of", "for", "from"}
)
_MOST_SCOPES = 4
_MOST_LOOKED_BACK = 8
_ALLOWING = frozenset(("allow", "permit"))
# What does this was put there, or is held then, by someone.
_STANDING = frozenset(("live", "reside", "sit", "happen", "occur"))
_SEEMING = frozenset(("be", "look", "seem", "feel", "become", "appear"))
_TAKES_PLACE = frozenset(("starts", "begins", "continues", "resumes", "happens", "proceeds"))
_TOLD = frozenset(
    ("in", "on", "at", "from", "outside", "under", "inside", "over", "above", "below")
)
_PRONOUNS = frozenset(("it", "them"))
