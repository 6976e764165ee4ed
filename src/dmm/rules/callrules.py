"""Rules on tool calls: what they match, what they do, and what has to be done first."""

from __future__ import annotations

from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.value import Value
from dmm.rules.budget import Stopped
from dmm.rules.commands.calls import read_call
from dmm.rules.commands.facts import CallFacts, CommandUse, PathUse, ToolCall, Writing
from dmm.rules.commands.globs import matches_name
from dmm.rules.commands.ignoring import selects
from dmm.rules.commands.reach import OUTSIDE
from dmm.rules.content.writings import with_writings
from dmm.rules.patterns import ContentPattern, Joint, PathPattern, belongs, parts_of, singles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.rules.commands.values import Span
    from dmm.rules.evidence import Evidence
    from dmm.rules.needs import Done, Need
    from dmm.rules.patterns import Pattern

    Past = Callable[[], Sequence[Done]]

RULES_VERSION = 2
STARTER_VERSION = 4


class Action(StrEnum):
    """The actions of a rule, the strictest first."""

    DENY = "deny"
    ASK = "ask"
    WARN = "warn"


class ToolRule(Value):
    """A rule on tool calls: any pattern matches, no exception holds, the tool fits.

    `blocked` and `allowed` are one example each; they are checked by tests. `needs` has to be done
    first: a call that follows it is let through.
    """

    id: str
    patterns: tuple[Pattern, ...]
    reason: str
    suggestion: str
    blocked: ToolCall
    allowed: ToolCall
    action: Action = Action.DENY
    exceptions: tuple[Pattern, ...] = ()
    tools: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()


class Match(NamedTuple):
    """A rule that matches a call: its action, the place, and the steps that led there.

    `missing` was not done first, and `shortfalls` say why something that was done does not count.
    """

    rule: str
    action: Action
    span: Span
    matched: str
    reason: str
    suggestion: str
    trace: tuple[str, ...] = ()
    stopped: str = ""
    doubt: str = ""
    missing: tuple[Need, ...] = ()
    history_unknown: bool = False
    shortfalls: tuple[str, ...] = ()


def match_tool(rule: ToolRule, call: ToolCall | CallFacts) -> Match | None:
    """Match one rule against one call; return None if it does not apply."""
    facts = call if isinstance(call, CallFacts) else with_writings(read_call(call), None)
    return next((match for _, match in matches(rule, facts)), None)


def matches(rule: ToolRule, facts: CallFacts) -> Iterator[tuple[object, Match]]:
    """Find all that a rule matches in one call, each with its subject."""
    if rule.tools and not any(matches_name(facts.call.tool, name) for name in rule.tools):
        return

    @cache
    def lifting(exception: Pattern) -> list[object]:
        return [found for found, evidence in exception.find(facts) if not evidence.stopped]

    for pattern in rule.patterns:
        for subject, evidence in pattern.find(facts):
            excepted = _excepted(rule, facts, subject, lifting)
            if not excepted and not _held_before(rule, pattern, subject):
                yield subject, _match(rule, pattern, facts, evidence)


def _excepted(
    rule: ToolRule, facts: CallFacts, subject: object, lifting: Callable[[Pattern], list[object]]
) -> bool:
    """Whether an exception of a rule holds for a subject; `lifting` gives what one finds."""
    if isinstance(subject, Joint):
        return any(_excepted(rule, facts, one, lifting) for one in parts_of(subject))
    if facts.doubts and isinstance(subject, CommandUse) and subject.options.open:
        # Nobody knows whether the argument that would make it an exception is there.
        return False
    exceptions = rule.exceptions
    if isinstance(subject, PathUse) and (subject.glob or subject.reach):
        # Other files that the call means may be spared while this one is not.
        paths = [one for one in exceptions if isinstance(one, PathPattern)]
        if any(one.spares(subject) for one in paths):
            return True
        exceptions = tuple(one for one in exceptions if one not in paths)
    if isinstance(subject, CommandUse) and _touches_only_spared(rule, facts, subject):
        return True
    return any(_lifts(found, subject) for exception in exceptions for found in lifting(exception))


def _held_before(rule: ToolRule, pattern: Pattern, subject: object) -> bool:
    """Whether a rule held already for a text that is moved, where the text was before."""
    texts = (one for one in parts_of(subject) if isinstance(one, Writing))
    source = next((one.source for one in texts if one.source), "")
    if not source or source.startswith(OUTSIDE):
        return False
    spared = [one for one in rule.exceptions if isinstance(one, PathPattern)]
    return all(_is_meant(source, one) for one in singles(pattern)) and not any(
        _is_meant(source, one) for one in spared
    )


def _is_meant(path: str, pattern: Pattern) -> bool:
    """Whether a pattern is about texts in a file."""
    if isinstance(pattern, PathPattern):
        return selects(path, pattern.glob, pattern.folder)
    return not isinstance(pattern, ContentPattern) or pattern.reads(path)


def _touches_only_spared(rule: ToolRule, facts: CallFacts, command: CommandUse) -> bool:
    """Return whether a command touches only files that the rule exempts."""
    spared = [one for one in rule.exceptions if isinstance(one, PathPattern)]
    if not spared:
        return False
    touched = [use for use in facts.paths if use.span == command.invocation.span]
    # A rule spares a folder where it spares whatever lies in it.
    return bool(touched) and all(
        any(one.spares(use) or one.spares(_within(use)) for one in spared) for use in touched
    )


def _within(use: PathUse) -> PathUse:
    return use._replace(path=f"{use.path}/any") if use.access in ("delete", "rename") else use


def _lifts(found: object, subject: object) -> bool:
    """Return whether an exception found the same subject as the rule.

    That is the same thing, the same file, or the command that touches the file.
    """
    if isinstance(found, Joint):
        return any(_lifts(one, subject) for one in found.parts)
    file = isinstance(subject, PathUse | Writing)
    related = file and isinstance(found, PathUse | Writing | CommandUse)
    return found is subject or (related and belongs(found, subject))


def _match(rule: ToolRule, pattern: Pattern, facts: CallFacts, evidence: Evidence) -> Match:
    start, end = evidence.span
    trace = [f"rules version {RULES_VERSION}", f"{pattern.kind}: {evidence.why}"]
    if facts.malformed:
        trace.append("the command is not well formed or too long; read as far as possible")
    return Match(
        rule.id,
        rule.action,
        evidence.span,
        evidence.where or facts.text[start:end],
        rule.reason,
        rule.suggestion,
        tuple(trace),
        evidence.stopped,
        evidence.doubt,
    )


CALLS_VERSION = 3
SPOKEN_VERSION = f"{CALLS_VERSION}.3"


def meet(rule: ToolRule, facts: CallFacts, done: Past | None = tuple) -> Match | None:
    """Check a call against a rule.

    Without `done` nobody knows what was done before: a rule that wants something done first asks.
    """
    uncertain: Match | None = None
    for subject, found in matches(rule, facts):
        match = _with_missing(found, rule, facts, subject, done) if rule.needs else found
        if rule.needs and not match.missing:
            continue
        doubtful = bool(match.stopped or match.doubt)
        if (match.history_unknown or doubtful) and match.action is Action.DENY:
            match = match._replace(action=Action.ASK)
        if not doubtful:
            return match
        # A search that was given up counts where nothing is found for certain.
        uncertain = uncertain or match
    return uncertain


def _with_missing(
    match: Match, rule: ToolRule, facts: CallFacts, subject: object, done: Past | None
) -> Match:
    """Add to a match which required steps were not done before, and why."""
    earlier, at = _earlier(facts, subject)
    stopped: list[str] = []

    def lacks(is_met: Callable[[], bool]) -> bool:
        try:
            return not is_met()
        except Stopped as fault:
            stopped.append(fault.what)
            return True

    needs = [one for one in rule.needs if lacks(partial(one.met_within, facts, earlier, at))]
    past: Sequence[Done] = ()
    try:
        past = done() if needs and done is not None else ()
    except Stopped as fault:
        stopped.append(fault.what)
    missing = tuple(one for one in needs if lacks(partial(one.met_before, past, facts, at)))
    told = [one.explain(past, facts.budget) for one in missing] if not stopped else []
    return match._replace(
        stopped=match.stopped or "".join(stopped[:1]),
        missing=missing,
        history_unknown=done is None and bool(missing),
        shortfalls=tuple(one for one in told if one),
    )


def _earlier(facts: CallFacts, subject: object) -> tuple[list[CommandUse], int]:
    """Return the commands of a call that must have succeeded before its subject runs."""
    span = getattr(subject, "span", None)
    for use in facts.commands:
        if use is subject or use.invocation.span == span:
            before = {one.id for one in use.script.succeeded_before(use.invocation)}
            earlier = [one for one in facts.commands if one.invocation.id in before]
            return earlier, use.invocation.span[0]
    return [], 0
