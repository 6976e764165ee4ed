"""Typed tool rules: frozen values that say which tool calls to deny, ask about or warn of."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.value import Value
from dmm.rules.callpatterns import (
    BranchPattern,
    CommandPattern,
    DependencyPattern,
    MessagePattern,
    PathPattern,
    ToolPattern,
)
from dmm.rules.commands.calls import read_call
from dmm.rules.commands.facts import CallFacts, CommandUse, PathUse, ToolCall, Writing
from dmm.rules.commands.globs import matches_name
from dmm.rules.content.pattern import ContentPattern
from dmm.rules.content.writings import with_writings
from dmm.rules.evidence import Evidence
from dmm.rules.joint import AllOf, Joint, belongs, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.values import Span

__all__ = [
    "KINDS", "RULES_VERSION", "STARTER_VERSION", "Action", "AllOf", "BranchPattern",
    "CommandPattern", "ContentPattern", "DependencyPattern", "Evidence", "Match", "MessagePattern",
    "PathPattern", "Pattern", "SinglePattern", "ToolPattern", "ToolRule", "match_tool", "matches",
]  # fmt: skip

RULES_VERSION = 2
STARTER_VERSION = 4


class Action(StrEnum):
    """What a match leads to, the hardest first."""

    DENY = "deny"
    ASK = "ask"
    WARN = "warn"


SinglePattern = (
    ToolPattern
    | CommandPattern
    | PathPattern
    | DependencyPattern
    | BranchPattern
    | ContentPattern
    | MessagePattern
)
Pattern = SinglePattern | AllOf
KINDS: dict[str, type[Pattern]] = {
    one.kind: one
    for one in (
        ToolPattern,
        CommandPattern,
        PathPattern,
        DependencyPattern,
        BranchPattern,
        ContentPattern,
        AllOf,
        MessagePattern,
    )
}


class ToolRule(Value):
    """A rule on tool calls: any pattern matches, no exception holds, the tool fits.

    `blocked` and `allowed` are one example each; they are checked by tests.
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


class Match(NamedTuple):
    """A rule met by a call: what it leads to, where, and the steps that led there."""

    rule: str
    action: Action
    span: Span
    matched: str
    reason: str
    suggestion: str
    trace: tuple[str, ...] = ()
    stopped: str = ""
    doubt: str = ""


def match_tool(rule: ToolRule, call: ToolCall | CallFacts) -> Match | None:
    """Match one rule against one call; none if the rule does not apply to it."""
    facts = call if isinstance(call, CallFacts) else with_writings(read_call(call), None)
    return next((match for _, match in matches(rule, facts)), None)


def matches(rule: ToolRule, facts: CallFacts) -> Iterator[tuple[object, Match]]:
    """Find all that a rule matches in one call, each with its subject."""
    if rule.tools and not any(matches_name(facts.call.tool, name) for name in rule.tools):
        return
    for pattern in rule.patterns:
        for subject, evidence in pattern.find(facts):
            if not _excepted(rule, facts, subject):
                yield subject, _match(rule, pattern, facts, evidence)


def _excepted(rule: ToolRule, facts: CallFacts, subject: object) -> bool:
    if isinstance(subject, Joint):
        return any(_excepted(rule, facts, one) for one in parts_of(subject))
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
    return any(
        _lifts(found, subject)
        for exception in exceptions
        for found, evidence in exception.find(facts)
        if not evidence.stopped
    )


def _touches_only_spared(rule: ToolRule, facts: CallFacts, command: CommandUse) -> bool:
    """Whether a command touches files, and the rule leaves all of them alone."""
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
    """Whether what an exception found is what the rule found.

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
