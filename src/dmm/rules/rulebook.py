"""Judge decisions and calls by all active constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust
from dmm.errors import MemoryFileError, UsageError
from dmm.rules import stored as call_forms
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.callrules import STARTER_VERSION, Action
from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.english import call_rules
from dmm.rules.explain import describe_call, describe_example
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Judgement, Priority, Recorded, RuleSet, guards, judge
from dmm.rules.language.rules import Verification, rule_from_dict, rule_to_dict
from dmm.rules.patterns import CommandPattern
from dmm.rules.source import judge_words, read_rule
from dmm.rules.starter import BUILT_IN
from dmm.rules.syntax import compile_tool_rule
from dmm.text.clauses import read
from dmm.text.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.eventlog.state import Constraint, Decision
    from dmm.rules.callbook import Level
    from dmm.rules.callrules import ToolRule
    from dmm.rules.language.compile import Compilation
    from dmm.rules.language.rules import Rule
    from dmm.rules.rule import Rule as FiledRule

LANGUAGE = "language"
TOOL = "tool"
CALLS = "calls"
DECISIONS_LOOKED_AT = 1_000
# What a tool returned or a stranger wrote stops nobody; an agent's own rule asks at most.
STRANGERS = frozenset((Trust.TOOL, Trust.THIRD_PARTY))
UNACCEPTED = "an agent added this rule; nobody has accepted it yet"
# Programs that run what is given to them; rules do not name them all.
RUNNERS = frozenset(("sudo", "env", "time", "nohup", "xargs", "echo", "bash", "sh", "zsh", "eval"))

Lookups = Callable[[InForce], Sequence[Recorded]]


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling a constraint: its rule with two examples, or why there is none."""

    rule: dict[str, Any] | None
    blocks: str = ""
    allows: str = ""
    why_not: str | None = None

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
    calls = call_rules(text)
    if found.rule is None and not calls:
        return Compiled(None, why_not=found.why_not)
    words = None if found.rule is None else rule_to_dict(found.rule)
    rule = {"kind": LANGUAGE, "rule": words, CALLS: call_forms.calls_to_dict(calls)}
    return Compiled(rule, *_examples(found, calls))


def _examples(found: Compilation, calls: Sequence[ToolRule]) -> tuple[str, str]:
    """Choose the two examples to show: calls, where a call is blocked."""
    denying = next((one for one in calls if one.action is Action.DENY), None)
    if denying is None and found.rule is not None:
        return found.blocks, found.allows
    shown = denying or calls[0]
    return describe_example(shown.blocked), describe_example(shown.allowed)


def show_tool_rule(rule: ToolRule) -> Compiled:
    """Lay a tool rule out as it is stored and shown."""
    stored = {"kind": TOOL, "rule": call_forms.rule_to_dict(rule)}
    return Compiled(stored, describe_call(rule.blocked), describe_call(rule.allowed))


class Rulebook:
    """Constraints, compiled once and asked often.

    Calls come all the time and decisions seldom: what the words say is read with the first one.
    """

    def __init__(self, constraints: Iterable[Constraint]) -> None:
        self._held = list(constraints)
        self._ids = {(one.seq, one.text): one.id for one in self._held if one.id}
        self._notes = {one.seq: UNACCEPTED for one in self._held if one.trust == Trust.AGENT}
        self.calls = CallBook(entry for one in self._held for entry in on_calls(one))
        typed = [one.rule for one in self.calls.entries if one.typed]
        self._typed = bool(typed)
        self._programs = {name for rule in typed for name in _programs(rule)} | RUNNERS

    @cached_property
    def guarding(self) -> CallBook:
        """The rules on calls for hooks; if any rule is active, agents can't lift rules."""
        return CallBook((*self.calls.entries, *BUILT_IN)) if self._held else self.calls

    @cached_property
    def _words(self) -> RuleSet:
        return RuleSet([in_words(one) for one in self._held])

    def judge(self, text: str, lookups: Lookups) -> Judgement:
        """Return the verdict on a decision; its own text can't lift or satisfy a constraint."""
        found = [
            one.changed(
                note=self._notes.get(one.seq, ""), id=self._ids.get((one.seq, one.text), "")
            )
            for one in judge(text, self._words, lookups).findings
        ]
        call = self._read_command(text)
        if call is not None:
            found += [one for one, typed in self.calls.find(read_call(call)) if typed]
        return Judgement.of(found)

    def used_up(self, text: str) -> list[int]:
        """Return the constraints whose verification a committed decision uses up."""
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


def in_words(constraint: Constraint) -> InForce:
    """Return a constraint as a rule in words; an unknown priority binds.

    One that waits for a person warns, as a preference does.
    """
    known = constraint.priority in list(Priority)
    priority = Priority(constraint.priority) if known else Priority.REQUIRED
    filed = filed_rule(constraint)
    if constraint.pending or (filed is not None and filed.level == "ask"):
        priority = Priority.PREFERRED
    return InForce(constraint.seq, constraint.text, priority, _word_rule(constraint))


def filed_rule(constraint: Constraint) -> FiledRule | None:
    """Return the rule of a constraint that is a rule file, as this version reads it."""
    if not constraint.from_file:
        return None
    try:
        return read_rule(constraint.path, constraint.source)
    except MemoryFileError:
        return None


def _word_rule(constraint: Constraint) -> Rule | None:
    filed = filed_rule(constraint)
    if filed is not None:
        return judge_words(filed)
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
        rule = call_forms.rule_from_dict(stored["rule"])
    except (UsageError, KeyError):
        return compile_tool_rule(constraint.text)
    if rule.id.startswith("starter.") and stored.get("version") != STARTER_VERSION:
        return _renewed(rule)
    return rule


def _renewed(rule: ToolRule) -> ToolRule:
    """Replace a starter rule of another version by that of this version."""
    from dmm.rules.starter import starter_rules

    return next((one for one in starter_rules() if one.id == rule.id), rule)


def on_calls(constraint: Constraint) -> list[CallEntry]:
    """Return the rules on tool calls in a constraint, typed or in plain words."""
    filed = filed_rule(constraint)
    if filed is not None:
        if filed.call is None or filed.disabled:
            return []
        return [_entry(constraint, filed.call, typed=filed.binds)]
    tool = on_tools(constraint)
    if tool is not None:
        return [_entry(constraint, tool, typed=True)]
    stored = constraint.rule or {"kind": LANGUAGE}
    if stored.get("kind") != LANGUAGE:
        return []
    try:
        rules = call_forms.calls_from_dict(stored[CALLS])
    except (UsageError, KeyError):
        # Recorded before, or by another version: what the text says counts.
        rules = call_rules(constraint.text)
    return [_entry(constraint, rule, typed=False) for rule in rules]


def _entry(constraint: Constraint, rule: ToolRule, *, typed: bool) -> CallEntry:
    most: Level = "deny"
    note = ""
    if constraint.from_file and not constraint.pending:
        # How hard it binds, its file says.
        most = "deny"
    elif constraint.priority == Priority.PREFERRED:
        most = "warn"
    elif constraint.trust in STRANGERS:
        most, note = "warn", f"the constraint comes from {constraint.trust}: it only warns"
    elif constraint.pending:
        most, note = "ask", UNACCEPTED
    return CallEntry(constraint.seq, constraint.text, rule, typed, most, note, constraint.id)


def asks_lookup(rule: Rule | None) -> bool:
    """Return whether a rule requires a look-up first."""
    return rule is not None and any(isinstance(part, Verification) for part in rule.parts)


def may_satisfy(rule: Rule | None, text: str) -> bool:
    """Return whether a recorded look-up may satisfy a rule."""
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
