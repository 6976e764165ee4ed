"""Guarded decisions: the look-ups that a rule wants, and the decisions that have used them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.language.judge import guards
from dmm.rules.language.rules import Verification
from dmm.text.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.eventlog.state import Decision
    from dmm.rules.language.rules import Rule

DECISIONS_LOOKED_AT = 1_000


def asks_lookup(rule: Rule | None) -> bool:
    """Whether a rule wants something looked up first."""
    return rule is not None and any(isinstance(part, Verification) for part in rule.parts)


def may_satisfy(rule: Rule | None, text: str) -> bool:
    """Whether a recorded look-up has to do with what a rule wants looked up."""
    if rule is None:
        return False
    forms = [
        term.forms
        for part in rule.parts
        if isinstance(part, Verification)
        for topic in part.topics
        for term in topic
    ]
    tokens = tokens_of(text)
    return any(token.stands_for(one) for token in tokens for one in forms)


def last_guarded(rule: Rule | None, decisions: Sequence[Decision]) -> int:
    """Find the newest committed decision that a new rule would have applied to.

    It has used up what was looked up before. Only the newest are read; beyond them nothing counts.
    """
    if rule is None or not asks_lookup(rule):
        return 0
    committed = [one for one in decisions if one.status == "committed"]
    newest = committed[-DECISIONS_LOOKED_AT:]
    found = next((one.seq for one in reversed(newest) if guards(rule, one.text)), 0)
    older = committed[-len(newest) - 1].seq if len(committed) > len(newest) else 0
    return found or older
