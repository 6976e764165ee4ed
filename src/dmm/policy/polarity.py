"""Negation and doubt, followed through a clause from verb to verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Act, Clause, Polarity, Role
from dmm.policy.verbs import is_participle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.policy.language import Token


class ClausePolarity:
    """Follows negation through one clause, from verb to verb."""

    def __init__(
        self, tokens: Sequence[Token], clause: Clause, found: Sequence[Act], *, question: bool
    ) -> None:
        self.tokens = tokens
        self.clause = clause
        self.found = found
        self.question = question
        self.negated = 0
        self.base = self._base()

    def _base(self) -> Polarity:
        last = self.found[-1] if self.found else None
        if self.clause.role is Role.REASON:
            return Polarity.ASIDE
        if self.question or self.clause.role in (Role.CONDITION, Role.CONCESSION):
            return Polarity.UNSURE
        if self.clause.role is Role.RELATIVE and last is not None:
            return _relative_polarity(self.tokens, last)
        if self.clause.opener in ("or", "nor", "and") and last is not None:
            return self._joined(last)
        return Polarity.DONE

    def _joined(self, last: Act) -> Polarity:
        first = self.tokens[self.clause.first]
        fresh = first.text in lex.AUXILIARIES or first.text in lex.PRONOUNS
        if last.polarity is Polarity.DONE or fresh or last.verb is None:
            return Polarity.DONE
        if self.clause.opener != "and":
            return last.polarity
        gerund = self.tokens[last.verb].text.endswith("ing")
        same_form = gerund == first.text.endswith("ing")
        if not same_form or last.role is not Role.MAIN:
            return Polarity.DONE
        return Polarity.UNSURE

    def at(self, start: int, verb: int) -> Polarity:
        """The polarity of the verb, given the words since `start`."""
        unsure = False
        for index in range(start, verb):
            token = self.tokens[index]
            unsure = unsure or (token.text in lex.MODALS and not self._is_month(index))
            self._negate(index, token)
        if self.tokens[verb].text in _CANCELLED and self.negated:
            self.negated -= 1
        if self.negated > 1 or (self.negated and self.base is not Polarity.DONE):
            return Polarity.UNSURE if self.base is Polarity.DONE else self.base
        if self.negated:
            return Polarity.NOT_DONE
        if self._describes(start, verb):
            return Polarity.ASIDE
        if self.base is Polarity.DONE and self._is_past(verb):
            return Polarity.ASIDE
        unsure = unsure or (is_participle(self.tokens, verb) and self._is_state(verb))
        return Polarity.UNSURE if unsure and self.base is Polarity.DONE else self.base

    def _is_month(self, index: int) -> bool:
        """ "From May": no modal stands right after a preposition."""
        return index > 0 and self.tokens[index - 1].text in lex.PREPOSITIONS

    def _is_state(self, verb: int) -> bool:
        """ "The hotel is fully booked" tells how things are."""
        return self.tokens[verb - 1].text in _STATE if verb > self.clause.first else False

    def _describes(self, start: int, verb: int) -> bool:
        """ "Port the scripts written in Lua": the participle tells which scripts give way."""
        if start == self.clause.first or not self.found or not is_participle(self.tokens, verb):
            return False
        if any(token.text in lex.AUXILIARIES for token in self.tokens[start:verb]):
            return False
        return bool(self.found[-1].forms & _GIVES_WAY)

    def _is_past(self, verb: int) -> bool:
        """ "We used X before": what was once done is not what is decided."""
        if not is_participle(self.tokens, verb):
            return False
        words = {token.text for token in self.tokens[self.clause.first : self.clause.last]}
        last = self.tokens[self.clause.last - 1].text
        return bool(words & _FORMERLY) or last == "before"

    def _negate(self, index: int, token: Token) -> None:
        following = self.tokens[index + 1].text
        if token.text in _CANCELLED and self.negated:
            self.negated -= 1
        elif "not" in token.forms or token.text in ("never", "neither", "nor", "cannot"):
            self.negated += -1 if self._is_cancelled(index) else 1
        elif token.text in ("without", "insteadof", "except"):
            self.negated += following.endswith("ing")
        elif (
            token.text == "no" and (following in _NO_PURPOSE or self._denies_subject(index))
        ) or token.text in ("nothing", "nobody", "none"):
            self.negated += 1

    def _is_cancelled(self, index: int) -> bool:
        """ "No reason not to do it": the two take each other back."""
        before = self.tokens[max(self.clause.first, index - 2) : index]
        return [token.text for token in before] in _NO_REASONS and self.negated > 0

    def _denies_subject(self, index: int) -> bool:
        """ "No job may bypass the cache": an auxiliary follows the denied noun."""
        near = self.tokens[index + 1 : min(index + 5, self.clause.last)]
        return any(token.text in lex.AUXILIARIES for token in near)

    def pass_verb(self, verb: int) -> None:
        """Take in what this verb does to the verbs after it."""
        forms = self.tokens[verb].forms
        if forms & lex.UNSURE:
            self.base = Polarity.UNSURE if self.base is Polarity.DONE else self.base
        elif forms & lex.MENTION or _is_about(self.tokens, self.found[-1]):
            self.base = Polarity.ASIDE
        elif forms & lex.NEGATIVE:
            self.negated += 1


_NO_REASONS = (["no", "reason"], ["no", "harm"], ["no", "point"])
_GIVES_WAY = lex.REMOVE | lex.NEGATIVE | lex.MENTION | lex.REMAKES | lex.TRANSITIONS | lex.NEUTRAL
_CANCELLED = lex.CANCELLED
_STATE = frozenset(("fully", "already", "currently", "completely", "still"))
_FORMERLY = frozenset(("previously", "formerly", "originally", "historically"))
_NO_PURPOSE = frozenset(("need", "reason", "plan", "plans", "intention", "point"))


def _is_about(tokens: Sequence[Token], act: Act) -> bool:
    """Whether the act makes something that speaks of a matter: a test, a rule, a page."""
    own = [phrase for phrase in act.phrases if phrase.preposition != "subject"]
    return any(tokens[phrase.indices[-1]].forms & lex.ABOUT_NOUNS for phrase in own)


def _relative_polarity(tokens: Sequence[Token], last: Act) -> Polarity:
    if last.polarity is not Polarity.DONE:
        return last.polarity
    if _is_about(tokens, last):
        return Polarity.ASIDE
    if last.forms & (lex.MENTION | lex.NEGATIVE | lex.REMOVE):
        return Polarity.ASIDE
    return Polarity.DONE
