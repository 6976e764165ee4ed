"""Plain words to rules on tool calls: only what they name for certain, each rule tried."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dmm.policy.commands.calls import ToolCall, read_call
from dmm.policy.commands.rules import CommandPattern, WrappedPattern
from dmm.policy.spoken.before import read_before
from dmm.policy.spoken.build import rule_of
from dmm.policy.spoken.callrules import CallRule, meet
from dmm.policy.spoken.clauses import clauses_of, verb_of
from dmm.policy.spoken.names import EVERYWHERE
from dmm.policy.spoken.only import read_only
from dmm.policy.spoken.pieces import sentences
from dmm.policy.spoken.reading import read_thing
from dmm.policy.spoken.tails import read_tail
from dmm.policy.spoken.things import Found, Thing, read_list, word_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.policy.commands.calls import CallFacts
    from dmm.policy.spoken.clauses import Clause
    from dmm.policy.spoken.pieces import Pieces

MAX_TEXT = 2_000


def derive_rules(text: str) -> tuple[CallRule, ...]:
    """Derive rules on tool calls from a constraint; none when it names nothing for certain."""
    if len(text) > MAX_TEXT:
        return ()
    found: list[CallRule] = []
    for sentence in sentences(text):
        found += read_before(sentence) or read_only(sentence) or _forbidden(sentence)
    named = [
        rule.changed(rule=rule.rule.changed(id=_name(text, number)))
        for number, rule in enumerate(found)
    ]
    spared = [one for rule in named if (one := _sparing(rule))]
    return tuple(rule for rule in spared if _tried(rule))


def _is_everywhere(clause: Clause, thing: Thing) -> bool:
    """ "Use rg instead of grep" is said of a search, and not of every pipe."""
    first = thing.patterns[0]
    named = isinstance(first, CommandPattern) and first.programs[0] in EVERYWHERE
    return bool(clause.chosen) and thing.broad and named


def _name(text: str, number: int) -> str:
    return f"said.{hashlib.sha256(text.strip().encode()).hexdigest()[:10]}.{number}"


def _tried(rule: CallRule) -> bool:
    """Keep a rule only if its two examples come out as told."""
    blocked, allowed = read_call(rule.rule.blocked), read_call(rule.rule.allowed)
    met = meet(rule, blocked)
    return met is not None and not met.unknown and meet(rule, allowed) is None


def _sparing(rule: CallRule) -> CallRule | None:
    """Spare what is to be used instead: `uv run pytest` also runs pytest."""
    if not rule.instead or meet(rule, _instead(rule)) is None:
        return rule
    program = rule.instead.split()[0]
    lifted = (*rule.rule.exceptions, WrappedPattern(program))
    spared = rule.changed(rule=rule.rule.changed(exceptions=lifted))
    return spared if meet(spared, _instead(rule)) is None else None


def _instead(rule: CallRule) -> CallFacts:
    return read_call(ToolCall("Bash", {"command": rule.instead}))


def _forbidden(sentence: Pieces) -> list[CallRule]:
    found: list[CallRule] = []
    for clause in clauses_of(sentence):
        for verb in clause.verbs or ("",):
            found += _of_clause(clause, verb)
    return found


def _of_clause(clause: Clause, verb: str) -> Iterator[CallRule]:
    """Read the things of a clause, each with the verb that stands nearest before it."""
    verbs = [verb]

    def read(pieces: Pieces, at: int) -> Found | None:
        # "Or" carries the "never" on to a verb of its own; "and" or a comma may end it.
        own = verb_of(word_at(pieces, at)) if word_at(pieces, at - 1) in ("or", "nor") else None
        if own:
            verbs.append(own)
        return read_thing(pieces, at + 1 if own else at, verbs[-1])

    things, end = read_list(clause.rest, 0, read)
    for thing in things:
        tail = read_tail(thing, clause.rest[end:], clause.preface)
        tail.instead = tail.instead or " ".join(one.text for one in clause.chosen)
        if not tail.lost:
            yield from rule_of(tail, soft=clause.soft or _is_everywhere(clause, thing))
