"""A note and the enforced rule that it repeats or resembles."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.authorship import Likeness
from dmm.rules.english import compile_sentence
from dmm.rules.form import compile_fields
from dmm.rules.rule import State
from dmm.rules.source import state_of_rule
from dmm.text.lexicon import DETERMINERS, PREPOSITIONS, PRONOUNS
from dmm.text.polarity import NEGATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.rules.folder import FileRule
    from dmm.rules.rule import Rule

# Words that say nothing of their own beside a matcher, a level and a way out that are the same.
_SMALL = DETERMINERS | PREPOSITIONS | PRONOUNS | NEGATIONS | {"do", "not"}


class Held(NamedTuple):
    """An enforced rule that matches what a note is about, and whether it says all of the note."""

    rule: Rule
    repeated: bool


def find_rule(text: str, rules: Iterable[FileRule]) -> Held | None:
    """Find the enforced rule that says what a note says, or else one that matches the same."""
    enforced = [one.rule for one in rules if state_of_rule(one.rule) is State.ENFORCED]
    if not enforced:
        return None
    own = _Said.read(" ".join(text.split()))
    likenesses = [(rule, Likeness.of(rule.title, rule.call, rule.folder)) for rule in enforced]
    alike = [(rule, other) for rule, other in likenesses if own.likeness.same(other)]
    found = [Held(rule, own.is_in(rule, other)) for rule, other in alike]
    return max(found, key=lambda held: held.repeated, default=None)


class _Said(NamedTuple):
    """What a note says: how it reads as a rule, its level, and what to use instead."""

    likeness: Likeness
    level: object = None
    instead: str = ""

    @classmethod
    def read(cls, title: str) -> _Said:
        sentence = compile_sentence(title)
        if sentence.fields is None:
            return cls(Likeness.of(title))
        rule = compile_fields({"id": "note", **sentence.fields}, title)
        return cls(Likeness.of(title, rule.call), rule.level, sentence.instead)

    def is_in(self, rule: Rule, other: Likeness) -> bool:
        """Return whether a rule says all of it: the words left over add nothing."""
        if self.likeness.same_words(other):
            return True
        left = set(self.likeness.words.split()) - set(other.words.split())
        instead = compile_sentence(rule.title).instead
        return left <= _SMALL and (self.level, self.instead) == (rule.level, instead)
