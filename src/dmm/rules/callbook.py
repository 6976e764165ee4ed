"""Judge tool calls by the active rules, in the daemon or in a hook alone.

Everything here is pure and light to load, and can be written as plain data: the hook process
reads it back when nobody else answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from dmm.domain.value import Value
from dmm.errors import name_fault
from dmm.rules.callrules import RULES_VERSION, SPOKEN_VERSION, Action, Match, ToolRule, meet
from dmm.rules.commands.calls import CallFacts, ToolCall, read_call
from dmm.rules.commands.globs import matches_name
from dmm.rules.content.writings import with_writings
from dmm.rules.index import CallIndex
from dmm.rules.needs import Done
from dmm.rules.patterns import ContentPattern, PathPattern, ToolPattern, singles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.rules.budget import Budget
    from dmm.rules.commands.calls import ScriptFacts, TextOf
    from dmm.rules.commands.reach import Tree
    from dmm.rules.patterns import Pattern

# The version of the engine that judges decisions and calls; every verdict records it.
ENGINE_VERSION = "4.3"
GUARD_VERSION = f"{ENGINE_VERSION}/{RULES_VERSION}.{SPOKEN_VERSION}"
Level = Literal["allow", "warn", "ask", "deny"]
LEVELS: tuple[Level, ...] = get_args(Level)
# What was done before, for a rule; what is searched for it takes the time of the call.
DoneBefore = Callable[["CallEntry", "Budget | None"], Sequence[Done]]
_OF_ACTION: dict[Action, Level] = {
    Action.DENY: "deny",
    Action.ASK: "ask",
    Action.WARN: "warn",
}
LONGEST_PLACE = 120
LONG_COMMAND = 10_000
_UNREADABLE = "DMM could not parse this command"
_NOT_READ = "DMM could not read all of this call"
_STOPPING = ("ask", "deny")
_IN_FORCE = "it might break an active rule"
_NOT_APPLIED = "this rule could not be applied"
_WRITE_OUT = "Write the command out in full, without decoding or building it, or ask the user."


def nothing_done(_: CallEntry, __: Budget | None = None) -> Sequence[Done]:
    """Return that nothing was done before."""
    return ()


def name_rule(seq: int | None, rule_id: str) -> str:
    """Return the name of a rule: the id of a file, or the number of a constraint."""
    return f"rule {rule_id}" if rule_id else f"constraint {seq}"


def recorded_seq(seq: int | None) -> int | None:
    """Return the number of a rule in this ledger, or None if it is not recorded there."""
    return seq if seq and seq > 0 else None


class CallEntry(Value):
    """One rule on tool calls with its constraint; `typed` ones also judge decisions.

    `most` is the hardest level the constraint may use, and `note` says why where that is not deny.
    `id` names the rule where it comes from a file; `seq` is 0 until that is recorded.
    """

    seq: int
    text: str
    rule: ToolRule
    typed: bool = False
    most: Level = "deny"
    note: str = ""
    id: str = ""

    def level_of(self, action: Action) -> Level:
        """Return the level at which a match of this rule stops a call."""
        return min(_OF_ACTION[action], self.most, key=LEVELS.index)


class Finding(Value):
    """A constraint that a decision or call breaks, and whether that blocks it.

    `note` says why it does not bind as others do, and `stopped` why its search was given up, on
    what is in `where`.
    """

    seq: int
    text: str
    blocks: bool
    spans: tuple[tuple[int, int], ...]
    reason: str
    suggestion: str
    trace: tuple[str, ...]
    level: Level = "deny"
    history_unknown: bool = False
    note: str = ""
    stopped: str = ""
    id: str = ""
    where: str = ""

    @property
    def name(self) -> str:
        """The id of the rule file, or the number of the constraint."""
        return name_rule(self.seq, self.id)

    def tell(self) -> str:
        """Return the constraint, why it was broken, and what makes it less strict."""
        told = f'{self.name} "{self.text}": {self.reason}'
        return f"{told}; {self.note}" if self.note else told


class Ruling(Value):
    """The verdict on a tool call, with everything that explains and reproduces it."""

    level: Level = "allow"
    seq: int | None = None
    text: str = ""
    reason: str = "no active rule is broken"
    suggestion: str = ""
    trace: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    id: str = ""

    @property
    def denied(self) -> bool:
        """Whether the call must not run."""
        return self.level == "deny"

    def describe(self) -> dict[str, Any]:
        """Return the ruling as it is recorded: enough to explain it and to try it again."""
        return {
            "status": self.level,
            "engine": GUARD_VERSION,
            "seq": self.seq,
            "reason": self.reason,
            "suggestion": self.suggestion,
            "violations": [
                {
                    "seq": one.seq,
                    "level": one.level,
                    "spans": [list(span) for span in one.spans],
                    "reason": one.reason,
                    **({"stopped": one.stopped, "where": one.where} if one.stopped else {}),
                }
                | ({"id": one.id} if one.id else {})
                for one in self.findings
            ],
            "trace": list(self.trace),
        } | ({"id": self.id} if self.id else {})


class CallBook:
    """Rules on tool calls, indexed once and asked often."""

    def __init__(self, entries: Iterable[CallEntry]) -> None:
        self.entries = tuple(entries)
        self._index = CallIndex((one, one.rule.patterns) for one in self.entries)
        self.stops_commands = any(_stops(one, _names_command) for one in self.entries)
        self._stops_hidden = any(_stops(one, _may_be_hidden) for one in self.entries)
        self._stops_any = any(one.level_of(one.rule.action) in _STOPPING for one in self.entries)

    def find(
        self, facts: CallFacts, done: DoneBefore | None = nothing_done
    ) -> Iterator[tuple[Finding, bool]]:
        """Check a call against every rule; each finding says whether its rule is typed.

        Without `done` it is not known what was done before; rules that want something done first
        ask then, at most.
        """
        for entry, met, doubt in self._meet_readings(facts, done):
            yield _finding(entry, met, doubt=doubt), entry.typed
        for script in facts.scripts:
            for entry, met, doubt in self._meet_readings(script.facts, done):
                found = _finding(entry, met, script, doubt=doubt)
                yield found.changed(spans=((0, len(facts.text)),)), entry.typed

    def _meet_readings(
        self, facts: CallFacts, done: DoneBefore | None
    ) -> Iterator[tuple[CallEntry, Match, str]]:
        """Check a call as written and in its other possible readings."""
        for entry, met in self._meet(facts, done):
            yield entry, met, ""
        for reading in facts.readings:
            for entry, met in self._meet(reading, done):
                doubt = reading.doubt_at(met.span)
                if doubt:
                    yield entry, met, doubt

    def _meet(self, facts: CallFacts, done: DoneBefore | None) -> Iterator[tuple[CallEntry, Match]]:
        for entry in self._index.candidates(facts):
            if facts.budget is not None:
                facts.budget.next_rule()
            past = None if done is None else partial(done, entry, facts.budget)
            try:
                met = meet(entry.rule, facts, past)
            except Exception as fault:  # noqa: BLE001 - one faulty rule must not disable the others
                met = _not_applied(entry, facts, fault)
            if met is not None:
                yield entry, met

    def check(
        self, call: ToolCall | CallFacts, done: DoneBefore | None = nothing_done
    ) -> list[Finding]:
        """Check a call against every rule; return the strictest finding of each constraint."""
        facts = call if isinstance(call, CallFacts) else with_writings(read_call(call), None)
        hardest: dict[tuple[int, str], Finding] = {}
        for one, _ in self.find(facts, done):
            known = hardest.get((one.seq, one.id))
            if known is None or LEVELS.index(one.level) > LEVELS.index(known.level):
                hardest[one.seq, one.id] = one
        return list(hardest.values())

    def _is_unclear(self, facts: CallFacts) -> bool:
        """Return whether a command may hide something that a rule denies.

        What a shell would refuse as malformed reaches no file; what is too long may.
        """
        cut = facts.malformed and len(facts.text) > LONG_COMMAND
        hides = bool(facts.unresolved) or cut
        return (hides and self._stops_hidden) or (facts.malformed and self.stops_commands)

    def rule(
        self,
        call: ToolCall,
        done: DoneBefore | None = nothing_done,
        files: TextOf | None = None,
        texts: TextOf | None = None,
        tree: Tree | None = None,
    ) -> Ruling:
        """Return the ruling on a call: the strictest finding decides, and the oldest of equal ones.

        `files` gives the text of a script that the call runs, and `texts` that of a file it
        changes, where the two have different limits; `tree` knows which files exist. What can't be
        read is asked about, where a rule could stop a command; after a fault of ours in reading,
        where any rule stops anything. The words of the call are then judged as far as they go.
        """
        fault = ""
        ways: tuple[Callable[[], CallFacts], ...] = (
            lambda: with_writings(read_call(call, files, tree), texts or files),
            lambda: with_writings(read_call(call), None),
            lambda: CallFacts(call, call.tool),
        )
        for read in ways:
            try:
                facts = read()
                return self._decide(facts, self.check(facts, done), fault)
            except Exception as error:  # noqa: BLE001 - less can be read of it, or nothing
                fault = fault or name_fault(error)
        return self._decide(CallFacts(call, call.tool), [], fault)

    def _decide(self, facts: CallFacts, findings: list[Finding], fault: str) -> Ruling:
        """Return the ruling by what was found in a call; a `fault` kept the rest from us."""
        found = sorted(findings, key=_hardest_and_oldest)
        unclear = self._is_unclear(facts) or (fault and self._stops_any)
        if unclear and not _settled(found):
            return _unreadable(facts, found, fault)
        if not found:
            return Ruling()
        first = found[0]
        return Ruling(
            level=first.level,
            seq=first.seq,
            text=first.text,
            reason=first.tell(),
            suggestion=first.suggestion,
            trace=_trace(found, fault),
            findings=tuple(found),
            id=first.id,
        )


def _not_applied(entry: CallEntry, facts: CallFacts, fault: Exception) -> Match:
    """Return a finding that asks about a call on which a rule failed."""
    why = name_fault(fault)
    reason = f"{_NOT_APPLIED}: {why}"
    rule, span = entry.rule, (0, len(facts.text))
    return Match(rule.id, Action.ASK, span, "this call", reason, "", (reason,), why)


def _hardest_and_oldest(one: Finding) -> tuple[int, bool, int, str]:
    """Return a sort key: the strictest first, then the oldest; unrecorded ones come last."""
    return -LEVELS.index(one.level), one.seq <= 0, abs(one.seq), one.id


def _settled(found: Sequence[Finding]) -> bool:
    return bool(found) and found[0].level in _STOPPING


def _unreadable(facts: CallFacts, found: Sequence[Finding], fault: str) -> Ruling:
    """Return a finding that asks about a call that can't be read."""
    steps = [f"unresolved: {one}" for one in facts.unresolved]
    if facts.malformed:
        steps.append(f"malformed or too long: {len(facts.text)} characters")
    unread = f"{_NOT_READ} ({fault})" if fault else _UNREADABLE
    unclear = facts.unresolved[0] if facts.unresolved and not fault else unread
    return Ruling(
        level="ask",
        reason=f"{unclear}, and {_IN_FORCE}",
        suggestion=_WRITE_OUT,
        trace=(*steps, *_trace(found, fault)),
        findings=tuple(found),
    )


def _trace(found: Sequence[Finding], fault: str) -> tuple[str, ...]:
    unread = (f"not read: {fault}",) if fault else ()
    return (*unread, *(f"{one.name}: {step}" for one in found for step in one.trace))


def _stops(entry: CallEntry, concerned: Callable[[Pattern], bool]) -> bool:
    """Return whether a rule denies, by a pattern of some kind."""
    rule = entry.rule
    return any(map(concerned, rule.patterns)) and entry.level_of(rule.action) == "deny"


def _names_command(pattern: Pattern) -> bool:
    """Whether a pattern is on commands themselves, not on files, texts or tools."""
    kinds = ToolPattern | PathPattern | ContentPattern
    return any(not isinstance(one, kinds) for one in singles(pattern))


def _may_be_hidden(pattern: Pattern) -> bool:
    """Return whether a command could hide this; the name of a tool is always visible."""
    tools = [one for one in singles(pattern) if isinstance(one, ToolPattern)]
    others = len(singles(pattern)) > len(tools)
    by_shell = all(matches_name("Bash", one.name) for one in tools)
    return by_shell and (others or any(one.matches for one in tools))


def _finding(
    entry: CallEntry, match: Match, script: ScriptFacts | None = None, *, doubt: str = ""
) -> Finding:
    doubt = doubt or match.doubt
    level = entry.level_of(match.action)
    if level == "deny" and (script is not None or doubt):
        # It is not certain that this part of a file runs, or that the words mean this.
        level = "ask"
    reason, trace = _tell(entry, match, script, doubt)
    return Finding(
        seq=entry.seq,
        text=entry.text,
        blocks=level == "deny",
        spans=(match.span,),
        reason=reason,
        suggestion=match.suggestion,
        trace=trace,
        level=level,
        history_unknown=match.history_unknown,
        note=entry.note,
        stopped=match.stopped,
        id=entry.id,
        where=match.matched[:LONGEST_PLACE] if match.stopped else "",
    )


def _tell(
    entry: CallEntry, match: Match, script: ScriptFacts | None, doubt: str
) -> tuple[str, tuple[str, ...]]:
    """Return why a rule matches, and the steps that led there."""
    # The sentence of a rule stands before its reason; only what it adds is said.
    said = match.reason in entry.text
    reason = "it matches" if said else match.reason
    if match.stopped and not match.reason.startswith(_NOT_APPLIED):
        reason = f"this rule could not be checked on {match.matched}: {match.stopped}"
    trace = [*match.trace]
    if script is not None:
        where = script.where(match.span[0])
        reason += f" ({where})"
        trace.append(f"found in {where}, which the call runs")
    elif match.matched not in reason:
        reason = f'it matches "{match.matched}"' if said else f'{reason} ("{match.matched}")'
    if doubt:
        reason += f"; {doubt}"
        trace.append(f"not certain: {doubt}")
    if match.missing and not match.stopped:
        wanted = ", ".join(one.text for one in match.missing)
        if match.history_unknown:
            reason += f"; whether this was done first is not known: {wanted}"
        elif said:
            reason += f"; this has to be done first: {wanted}"
        reason += "".join(f"; {one}" for one in match.shortfalls)
        trace.append(f"not done before: {wanted}")
    return reason, (*trace, *([entry.note] if entry.note else []))
