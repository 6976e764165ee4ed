"""Typed tool rules: frozen values that say which tool calls to deny, ask about or warn of."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.policy.commands.branches import is_every, same_branch
from dmm.policy.commands.calls import read_call
from dmm.policy.commands.checks import CHECKS
from dmm.policy.commands.dependencies import ANY_PACKAGE, normal_name
from dmm.policy.commands.facts import (
    Access,
    CallFacts,
    CommandUse,
    PathUse,
    ToolCall,
    Verb,
    relative_path,
)
from dmm.policy.commands.globs import (
    matches_name,
    matches_path,
    plain_example,
)
from dmm.policy.commands.options import SUBCOMMANDED
from dmm.policy.commands.paths import covers, script_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dmm.policy.commands.options import Options
    from dmm.policy.commands.values import Span

RULES_VERSION = 2
STARTER_VERSION = 4


class Action(StrEnum):
    """What a match leads to, the hardest first."""

    DENY = "deny"
    ASK = "ask"
    WARN = "warn"


class Evidence(NamedTuple):
    """What of a call matched a pattern: the place, the text there, and why."""

    span: Span
    why: str


class ToolPattern(Value):
    """Any call of a tool whose name matches a glob."""

    kind: ClassVar[str] = "tool"
    name: str

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the call itself."""
        if matches_name(facts.call.tool, self.name):
            yield facts.call, Evidence((0, len(facts.text)), f"the tool is {facts.call.tool}")


class CommandPattern(Value):
    """An invocation: program, operands in order, flags that must and must not be there, a check.

    `a|b` in a flag or operand means either. The first operand of a program with subcommands
    must be its subcommand; the others may stand anywhere behind it, in order.
    """

    kind: ClassVar[str] = "command"
    programs: tuple[str, ...]
    operands: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    check: str = ""

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the invocations that match, each with its evidence."""
        for use in facts.commands:
            why = self._why(use, facts.call)
            if why:
                yield use, Evidence(use.invocation.span, why)

    def _why(self, use: CommandUse, call: ToolCall) -> str | None:
        program = use.invocation.program
        if not any(matches_name(program, wanted) for wanted in self.programs):
            return None
        options = use.options
        if not all(options.may_have(flag) for flag in self.flags):
            return None
        if any(options.has_exactly(flag) for flag in self.without):
            return None
        if not self._operands_match(program, options):
            return None
        found = f"{program} {' '.join((*self.operands, *self.flags))}".strip()
        if not self.check:
            return f"`{found}` is run"
        evidence = CHECKS[self.check](use, call)
        return f"`{found}`: {evidence}" if evidence else None

    def _operands_match(self, program: str, options: Options) -> bool:
        words = options.operands
        at = 0
        for number, wanted in enumerate(self.operands):
            first = number == 0 and program in SUBCOMMANDED
            stop = min(1, len(words)) if first else len(words)
            while at < stop and not options.either(words[at].text, wanted):
                at += 1
            if at >= stop:
                return False
            at += 1
        return True


class PathPattern(Value):
    """A file that is read or written, by a file tool, a patch or a command."""

    kind: ClassVar[str] = "path"
    glob: str
    access: tuple[Access, ...] = ("read", "write")

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the files that match, each with its evidence."""
        for use in facts.paths:
            if use.access in self.access and covers(use, self.glob):
                done = "read" if use.access == "read" else "written"
                yield use, Evidence(use.span, f"{use.path} is {done}")

    def spares(self, use: PathUse) -> bool:
        """Whether every file that a path with wildcards could mean is covered."""
        return use.access in self.access and matches_path(plain_example(use.path), self.glob)


class DependencyPattern(Value):
    """A package that is added by a command or in a manifest."""

    kind: ClassVar[str] = "dependency"
    name: str

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the packages that match, each with its evidence."""
        wanted = normal_name(self.name)
        for use in facts.dependencies:
            anything = facts.doubts and use.name == ANY_PACKAGE
            if anything or matches_name(normal_name(use.name), wanted):
                yield use, Evidence(use.span, f"{use.name} is added by {use.source}")


class BranchPattern(Value):
    """Something done to a branch: pushed, force-pushed, deleted, committed to, rewritten.

    A push that leaves the branch to Git matches only where the current branch is known.
    """

    kind: ClassVar[str] = "branch"
    name: str
    verbs: tuple[Verb, ...] = ("push", "force-push", "delete", "commit", "rewrite")

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find what is done to the branches that match, each with its evidence."""
        for use in facts.branches:
            if use.verb in self.verbs and use.name and same_branch(use.name, self.name):
                named = "every branch" if is_every(use.name) else f"the branch {use.name}"
                yield use, Evidence(use.span, f"{use.verb} of {named}")


class ScriptPattern(Value):
    """A script that is run by its path, by itself or by an interpreter."""

    kind: ClassVar[str] = "script"
    glob: str

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the invocations that run the script, each with its evidence."""
        for use in facts.commands:
            path = script_of(use)
            if path and matches_path(relative_path(path, facts.call.cwd), self.glob):
                yield use, Evidence(use.invocation.span, f"{path} is run")


class WrappedPattern(Value):
    """Whatever one program runs for another: `uv run`, `npx`, `sudo`."""

    kind: ClassVar[str] = "wrapped"
    wrapper: str

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the invocations that the wrapper runs, each with its evidence."""
        for use in facts.commands:
            if self.wrapper in use.invocation.context.via:
                yield use, Evidence(use.invocation.span, f"it is run by {self.wrapper}")


Pattern = (
    ToolPattern
    | CommandPattern
    | PathPattern
    | DependencyPattern
    | BranchPattern
    | ScriptPattern
    | WrappedPattern
)
_KINDS: dict[str, type[Pattern]] = {
    one.kind: one
    for one in (
        ToolPattern,
        CommandPattern,
        PathPattern,
        DependencyPattern,
        BranchPattern,
        ScriptPattern,
        WrappedPattern,
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


def match_tool(rule: ToolRule, call: ToolCall | CallFacts) -> Match | None:
    """Match one rule against one call; none when the call is no concern of the rule."""
    facts = call if isinstance(call, CallFacts) else read_call(call)
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
    if facts.doubts and isinstance(subject, CommandUse) and subject.options.open:
        # Nobody knows whether the argument that would make it an exception is there.
        return False
    if isinstance(subject, PathUse) and subject.glob:
        return any(isinstance(one, PathPattern) and one.spares(subject) for one in rule.exceptions)
    return any(
        found is subject for exception in rule.exceptions for found, _ in exception.find(facts)
    )


def _match(rule: ToolRule, pattern: Pattern, facts: CallFacts, evidence: Evidence) -> Match:
    start, end = evidence.span
    trace = [f"rules version {RULES_VERSION}", f"{pattern.kind}: {evidence.why}"]
    if facts.malformed:
        trace.append("the command is not well formed or too long; read as far as possible")
    return Match(
        rule.id,
        rule.action,
        evidence.span,
        facts.text[start:end],
        rule.reason,
        rule.suggestion,
        tuple(trace),
    )


_ORDER = tuple(Action)


def check_call(rules: Iterable[ToolRule], call: ToolCall | CallFacts) -> tuple[Match, ...]:
    """Match all rules against one call; the hardest action first, else the order of the rules."""
    facts = call if isinstance(call, CallFacts) else read_call(call)
    found = [match for rule in rules if (match := match_tool(rule, facts))]
    return tuple(sorted(found, key=lambda match: _ORDER.index(match.action)))


def rule_to_dict(rule: ToolRule) -> dict[str, object]:
    """Write a rule as plain values for JSON."""
    return {
        "id": rule.id,
        "action": rule.action.value,
        "tools": list(rule.tools),
        "patterns": [pattern_to_dict(one) for one in rule.patterns],
        "exceptions": [pattern_to_dict(one) for one in rule.exceptions],
        "reason": rule.reason,
        "suggestion": rule.suggestion,
        "blocked": _call_to_dict(rule.blocked),
        "allowed": _call_to_dict(rule.allowed),
    }


def pattern_to_dict(pattern: Pattern) -> dict[str, object]:
    """Write a pattern as plain values for JSON."""
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in vars(pattern).items()
    }
    return {"kind": pattern.kind, **values}


def _call_to_dict(call: ToolCall) -> dict[str, object]:
    return {"tool": call.tool, "input": dict(call.input), "cwd": call.cwd, "branch": call.branch}


def rule_from_dict(values: Mapping[str, object]) -> ToolRule:
    """Read a rule back from plain values; anything that is no rule is refused."""
    try:
        return _rule(values)
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise UsageError(
            f"these values are no tool rule: {fault}", hint="write it with rule_to_dict"
        ) from fault


def _rule(values: Mapping[str, object]) -> ToolRule:
    return ToolRule(
        id=str(values["id"]),
        patterns=patterns_from(values["patterns"]),
        reason=str(values["reason"]),
        suggestion=str(values["suggestion"]),
        blocked=_call(values["blocked"]),
        allowed=_call(values["allowed"]),
        action=Action(str(values["action"])),
        exceptions=patterns_from(values["exceptions"]),
        tools=_strings(values["tools"]),
    )


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError("a list of strings is expected")
    return tuple(value)


def patterns_from(value: object) -> tuple[Pattern, ...]:
    """Read patterns back from plain values."""
    if not isinstance(value, list):
        raise TypeError("a list of patterns is expected")
    return tuple(_pattern(one) for one in value)


def _pattern(values: dict[str, object]) -> Pattern:
    fields = {
        name: _strings(value) if isinstance(value, list) else value
        for name, value in values.items()
        if name != "kind"
    }
    pattern = _KINDS[str(values["kind"])](**fields)  # type: ignore[arg-type]  # checked below
    if isinstance(pattern, CommandPattern) and pattern.check not in ("", *CHECKS):
        raise ValueError(f"no check is called {pattern.check!r}")
    return pattern


def _call(values: object) -> ToolCall:
    if not isinstance(values, dict):
        raise TypeError("an example call is expected")
    return ToolCall(**values)
