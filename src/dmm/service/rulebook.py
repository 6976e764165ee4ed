"""The constraints in force as one thing to ask: rules in words, and rules on tool calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.errors import UsageError
from dmm.policy.clauses import read
from dmm.policy.commands import rules as tool_rules
from dmm.policy.commands.calls import ToolCall, read_call
from dmm.policy.commands.explain import describe_call, explain_rule
from dmm.policy.commands.rules import Action, CommandPattern, match_tool
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
from dmm.policy.language import tokens_of
from dmm.policy.rules import Verification, rule_from_dict, rule_to_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.ledger.state import Constraint, Decision
    from dmm.policy.commands.rules import Match, ToolRule
    from dmm.policy.rules import Rule

LANGUAGE = "language"
TOOL = "tool"
EXAMPLE_LINES = 2
DECISIONS_LOOKED_AT = 1_000
# Programs that run what is given to them; rules do not name them all.
RUNNERS = frozenset(("sudo", "env", "time", "nohup", "xargs", "echo", "bash", "sh", "zsh", "eval"))

Lookups = Callable[[InForce], Sequence[Recorded]]


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
    """Compile a constraint's text: a typed tool rule, a rule in plain language, or guidance."""
    tool = compile_tool_rule(text)
    if tool is not None:
        return show_tool_rule(tool)
    found = compile_rule(text)
    rule = None
    if found.rule is not None:
        rule = {"kind": LANGUAGE, "rule": rule_to_dict(found.rule)}
    return Compiled(rule, found.plain, found.blocks, found.allows, found.why_not)


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
        self._tools = [(one, rule) for one in held if (rule := on_tools(one)) is not None]
        self._programs = {name for _, rule in self._tools for name in _programs(rule)} | RUNNERS

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
            found += self.check(call)
        return Judgement(tuple(sorted(found, key=lambda one: (not one.blocks, one.seq))))

    def check(self, call: ToolCall) -> list[Finding]:
        """Hold a tool call against the rules on tool calls."""
        facts = read_call(call)
        found = ((one, match_tool(rule, facts)) for one, rule in self._tools)
        return [_tool_finding(one, match) for one, match in found if match is not None]

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
        if not self._tools or not words or ("`" in text and words[0] not in self._programs):
            return None
        return ToolCall("Bash", {"command": text})


def _programs(rule: ToolRule) -> Iterator[str]:
    for pattern in rule.patterns:
        if isinstance(pattern, CommandPattern):
            yield from pattern.programs


def _tool_finding(constraint: Constraint, match: Match) -> Finding:
    binding = match.action is Action.DENY and constraint.priority != Priority.PREFERRED
    said = match.reason in constraint.text
    return Finding(
        seq=constraint.seq,
        text=constraint.text,
        blocks=binding,
        spans=(match.span,),
        reason=f'{"it matches" if said else match.reason} ("{match.matched}")',
        suggestion=match.suggestion,
        trace=match.trace,
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
        return tool_rules.rule_from_dict(stored["rule"])
    except (UsageError, KeyError):
        return compile_tool_rule(constraint.text)


def stopped_by(constraint: Constraint, call: ToolCall) -> Match | None:
    """Tell how one constraint on tool calls stops a call."""
    rule = on_tools(constraint)
    found = None if rule is None else match_tool(rule, call)
    return found if found is not None and found.action is Action.DENY else None


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
