"""The constraints in force as one thing to ask: rules in words, and rules on tool calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from dmm.domain.event import Trust
from dmm.errors import UsageError
from dmm.policy.clauses import read
from dmm.policy.commands import rules as tool_rules
from dmm.policy.commands.calls import CallFacts, ToolCall, read_call
from dmm.policy.commands.explain import describe_call, explain_rule
from dmm.policy.commands.index import CallIndex
from dmm.policy.commands.rules import (
    STARTER_VERSION,
    Action,
    CommandPattern,
    PathPattern,
    ToolPattern,
)
from dmm.policy.commands.syntax import compile_tool_rule
from dmm.policy.compile import compile_rule
from dmm.policy.judge import (
    ENGINE_VERSION,
    InForce,
    Priority,
    Recorded,
    RuleSet,
    Status,
    guards,
    judge,
)
from dmm.policy.rules import Verification, rule_from_dict, rule_to_dict
from dmm.policy.spoken.callrules import CallRule, Done, calls_from_dict, calls_to_dict, meet
from dmm.policy.spoken.derive import derive_rules
from dmm.policy.spoken.shown import NO_CALLS, describe_example, in_words_of_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.ledger.state import Constraint
    from dmm.policy.commands.calls import ScriptFacts
    from dmm.policy.commands.rules import ToolRule
    from dmm.policy.compile import Compilation
    from dmm.policy.rules import Rule
    from dmm.policy.spoken.callrules import Meeting

LANGUAGE = "language"
TOOL = "tool"
CALLS = "calls"
# What a tool returned or a stranger wrote stops nobody.
STRANGERS = frozenset((Trust.TOOL, Trust.THIRD_PARTY))
EXAMPLE_LINES = 2
# Programs that run what is given to them; rules do not name them all.
RUNNERS = frozenset(("sudo", "env", "time", "nohup", "xargs", "echo", "bash", "sh", "zsh", "eval"))

Level = Literal["allow", "warn", "ask", "deny"]
LEVELS: tuple[Level, ...] = get_args(Level)
Lookups = Callable[[InForce], Sequence[Recorded]]
DoneBefore = Callable[["CallEntry"], Sequence[Done]]


def nothing_done(_: CallEntry) -> Sequence[Done]:
    """Know of nothing that was done before."""
    return ()


@dataclass(frozen=True, slots=True)
class Compiled:
    """What became of a constraint's text: its stored rule, and how to show it."""

    rule: dict[str, Any] | None
    plain: str
    blocks: str
    allows: str
    why_not: str | None

    @property
    def enforceable(self) -> bool:
        """Whether the constraint can block anything."""
        return self.rule is not None


def compile_constraint(text: str) -> Compiled:
    """Compile a constraint's text: a typed tool rule, a rule in plain language, or guidance.

    What plain language says of tool calls stands beside the rule on words.
    """
    tool = compile_tool_rule(text)
    if tool is not None:
        return show_tool_rule(tool)
    found = compile_rule(text)
    calls = derive_rules(text)
    if found.rule is None and not calls:
        return Compiled(None, found.plain, found.blocks, found.allows, found.why_not)
    words = None if found.rule is None else rule_to_dict(found.rule)
    rule = {"kind": LANGUAGE, "rule": words, CALLS: calls_to_dict(calls)}
    if not calls:
        plain = f"{found.plain}\n{NO_CALLS}"
        return Compiled(rule, plain, found.blocks, found.allows, None)
    lines = [found.plain] if words else []
    lines += [line for one in calls for line in in_words_of_calls(one)]
    return Compiled(rule, "\n".join(lines), *_examples(found, calls), None)


def _examples(found: Compilation, calls: Sequence[CallRule]) -> tuple[str, str]:
    """Choose the two examples to show: calls, where a call is blocked."""
    denying = next((one.rule for one in calls if one.rule.action is Action.DENY), None)
    if denying is None and found.rule is not None:
        return found.blocks, found.allows
    shown = denying or calls[0].rule
    return describe_example(shown.blocked), describe_example(shown.allowed)


def show_tool_rule(rule: ToolRule) -> Compiled:
    """Lay a tool rule out as it is stored and shown."""
    stored = {"kind": TOOL, "rule": tool_rules.rule_to_dict(rule)}
    plain = "\n".join(explain_rule(rule).splitlines()[:-EXAMPLE_LINES])
    return Compiled(stored, plain, describe_call(rule.blocked), describe_call(rule.allowed), None)


@dataclass(frozen=True, slots=True)
class Finding:
    """A constraint that a decision meets, and whether that blocks it."""

    seq: int
    text: str
    blocks: bool
    spans: tuple[tuple[int, int], ...]
    reason: str
    suggestion: str
    trace: tuple[str, ...]
    level: Level = "deny"


@dataclass(frozen=True, slots=True)
class CallEntry:
    """One rule on tool calls with its constraint; `typed` ones also judge decisions."""

    constraint: Constraint
    rule: CallRule
    typed: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a decision; what blocks it comes first."""

    findings: tuple[Finding, ...] = ()

    @property
    def status(self) -> Status:
        """Blocked by the first finding, warned by it, or allowed."""
        if not self.findings:
            return Status.ALLOWED
        return Status.BLOCKED if self.findings[0].blocks else Status.WARNING

    @property
    def blocked(self) -> bool:
        """Whether the decision may not be committed."""
        return self.status is Status.BLOCKED

    @property
    def reason(self) -> str:
        """The first finding in words."""
        if not self.findings:
            return "no constraint in force is broken"
        first = self.findings[0]
        return f'constraint {first.seq} "{first.text}": {first.reason}'

    @property
    def suggestion(self) -> str:
        """The way out."""
        return self.findings[0].suggestion if self.findings else ""

    def describe(self) -> dict[str, Any]:
        """The verdict as it is recorded: enough to explain it and to try it again."""
        return {
            "status": self.status.value,
            "engine": ENGINE_VERSION,
            "reason": self.reason,
            "suggestion": self.suggestion,
            "violations": [
                {
                    "seq": one.seq,
                    "blocks": one.blocks,
                    "spans": [list(span) for span in one.spans],
                    "reason": one.reason,
                }
                for one in self.findings
            ],
            "trace": [
                f"constraint {one.seq}: {step}" for one in self.findings for step in one.trace
            ],
        }


class Rulebook:
    """Constraints, compiled once and asked often."""

    def __init__(self, constraints: Iterable[Constraint]) -> None:
        held = list(constraints)
        self._words = RuleSet([in_words(one) for one in held])
        entries = [entry for one in held for entry in on_calls(one)]
        self._calls = CallIndex((one, one.rule.rule.patterns) for one in entries)
        typed = [one.rule.rule for one in entries if one.typed]
        self._typed = bool(typed)
        self._programs = {name for rule in typed for name in _programs(rule)} | RUNNERS
        self.stops_commands = any(_stops_commands(one) for one in entries)

    def judge(self, text: str, lookups: Lookups) -> Judgement:
        """Judge a decision; nothing in its own text can lift or satisfy a constraint."""
        verdict = judge(text, self._words, lookups)
        found = [
            Finding(
                seq=one.seq,
                text=one.text,
                blocks=one.blocks,
                spans=tuple(one.match.spans),
                reason=one.match.reason,
                suggestion=one.match.suggestion,
                trace=tuple(one.match.trace),
            )
            for one in verdict.violations
        ]
        call = self._read_command(text)
        if call is not None:
            found += [one for one, typed in self._check(read_call(call)) if typed]
        return Judgement(tuple(sorted(found, key=lambda one: (not one.blocks, one.seq))))

    def check(self, call: ToolCall | CallFacts, done: DoneBefore = nothing_done) -> list[Finding]:
        """Hold a tool call against the rules on tool calls, each constraint once."""
        facts = call if isinstance(call, CallFacts) else read_call(call)
        hardest: dict[int, Finding] = {}
        for one, _ in self._check(facts, done):
            known = hardest.get(one.seq)
            if known is None or LEVELS.index(one.level) > LEVELS.index(known.level):
                hardest[one.seq] = one
        return list(hardest.values())

    def _check(
        self, facts: CallFacts, done: DoneBefore = nothing_done
    ) -> Iterator[tuple[Finding, bool]]:
        for entry in self._calls.candidates(facts):
            met = meet(entry.rule, facts, partial(done, entry))
            if met is not None:
                yield _call_finding(entry, met), entry.typed
        for script in facts.scripts:
            for entry in self._calls.candidates(script.facts):
                met = meet(entry.rule, script.facts, partial(done, entry))
                if met is not None:
                    finding = _call_finding(entry, met, script)
                    yield replace(finding, spans=((0, len(facts.text)),)), entry.typed

    def used_up(self, text: str) -> list[int]:
        """Name the constraints whose verification a committed decision uses up."""
        concerned = {
            one.seq: one.rule
            for one, part in self._words.candidates(read(text))
            if isinstance(part, Verification)
        }
        return [seq for seq, rule in concerned.items() if rule is not None and guards(rule, text)]

    def _read_command(self, text: str) -> ToolCall | None:
        """Read a decision as a shell command, where it can be one.

        In prose a backtick quotes a command, in a shell it runs one: such a text counts only if it
        begins with a known program.
        """
        words = text.split(maxsplit=1)
        if not self._typed or not words or ("`" in text and words[0] not in self._programs):
            return None
        return ToolCall("Bash", {"command": text})


def _programs(rule: ToolRule) -> Iterator[str]:
    for pattern in rule.patterns:
        if isinstance(pattern, CommandPattern):
            yield from pattern.programs


def _stops_commands(entry: CallEntry) -> bool:
    """Whether a rule could deny a command: one that can't be read may then hide it."""
    rule = entry.rule.rule
    on_commands = not all(isinstance(one, ToolPattern | PathPattern) for one in rule.patterns)
    return on_commands and level_of(entry.constraint, rule.action) == "deny"


def level_of(constraint: Constraint, action: Action) -> Level:
    """Say how hard a constraint may stop a call; a preference or a stranger only warns."""
    if constraint.priority == Priority.PREFERRED or constraint.trust in STRANGERS:
        return "warn"
    return _OF_ACTION[action]


_OF_ACTION: dict[Action, Level] = {
    Action.DENY: "deny",
    Action.ASK: "ask",
    Action.WARN: "warn",
}


def _call_finding(entry: CallEntry, met: Meeting, script: ScriptFacts | None = None) -> Finding:
    constraint, match = entry.constraint, met.match
    level = level_of(constraint, met.action)
    reason = "it matches" if match.reason in constraint.text else match.reason
    trace = [*match.trace]
    if script is not None:
        # It is not certain that this part of a file runs.
        level = "ask" if level == "deny" else level
        where = script.where(match.span[0])
        reason += f" ({where})"
        trace.append(f"found in {where}, which the call runs")
    elif match.matched not in reason:
        reason += f' ("{match.matched}")'
    if met.unknown:
        reason += f"; whether this is {' and '.join(met.unknown)} can't be seen"
        trace.append(f"scope not seen: {', '.join(met.unknown)}")
    if met.missing:
        trace.append(f"not done before: {', '.join(one.text for one in met.missing)}")
    trace += [f"not certain: {one}" for one in entry.rule.doubts]
    if constraint.trust in STRANGERS:
        trace.append(f"the constraint comes from {constraint.trust}: it only warns")
    return Finding(
        seq=constraint.seq,
        text=constraint.text,
        blocks=level == "deny",
        spans=(match.span,),
        reason=reason,
        suggestion=match.suggestion,
        trace=tuple(trace),
        level=level,
    )


def in_words(constraint: Constraint) -> InForce:
    """Read a constraint as the policy on words takes it; an unknown priority binds."""
    known = constraint.priority in list(Priority)
    priority = Priority(constraint.priority) if known else Priority.REQUIRED
    return InForce(constraint.seq, constraint.text, priority, _word_rule(constraint))


def _word_rule(constraint: Constraint) -> Rule | None:
    stored = constraint.rule
    if stored is None or stored.get("kind") != LANGUAGE:
        return None
    if stored.get("rule", "") is None:
        return None
    try:
        return rule_from_dict(stored["rule"])
    except (UsageError, KeyError, AttributeError):
        # Stored by another version: what the text says counts.
        return compile_rule(constraint.text).rule


def on_tools(constraint: Constraint) -> ToolRule | None:
    """Read a constraint as a rule on tool calls."""
    stored = constraint.rule
    if stored is None or stored.get("kind") != TOOL:
        return None
    try:
        rule = tool_rules.rule_from_dict(stored["rule"])
    except (UsageError, KeyError):
        return compile_tool_rule(constraint.text)
    if rule.id.startswith("starter.") and stored.get("version") != STARTER_VERSION:
        return _renewed(rule)
    return rule


def _renewed(rule: ToolRule) -> ToolRule:
    """Take a starter rule of another version as this version knows it."""
    from dmm.policy.commands.starter import starter_rules

    return next((one for one in starter_rules() if one.id == rule.id), rule)


def on_calls(constraint: Constraint) -> list[CallEntry]:
    """Read all that a constraint says of tool calls, typed or in plain words."""
    tool = on_tools(constraint)
    if tool is not None:
        return [CallEntry(constraint, CallRule(tool), typed=True)]
    stored = constraint.rule or {"kind": LANGUAGE}
    if stored.get("kind") != LANGUAGE:
        return []
    try:
        rules = calls_from_dict(stored[CALLS])
    except (UsageError, KeyError):
        # Recorded before, or by another version: what the text says counts.
        rules = derive_rules(constraint.text)
    return [CallEntry(constraint, rule, typed=False) for rule in rules]
