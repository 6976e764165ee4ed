"""Needs: what has to be done before a call, and what was done, with how it went."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.value import Value
from dmm.rules.budget import Stopped
from dmm.rules.commands.calls import CallFacts, ToolCall, read_call
from dmm.rules.commands.operands import changing_unnamed
from dmm.rules.commands.paths import may_change
from dmm.rules.commands.procedures import EVERYDAY, FORMAT, PROCEDURE_CHECKS, may_run
from dmm.rules.outcomes import Outcome, read_outcome, read_output, runs_in_background
from dmm.rules.patterns import CommandPattern, Pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.rules.budget import Budget
    from dmm.rules.commands.calls import CommandUse, PathUse

_QUOTES = r"[\s`'\",;:]+"
# Words that may stand for any file: wildcards, variables, the folder itself.
_OPEN = r"""[*?\[$`]|[\s"]\.{1,2}/?[\s"]"""
_NOWHERE = -1
_WILD = frozenset("*?[")


class Done(NamedTuple):
    """A recorded query or tool call that may count as done before, and how it went.

    `exit_status` is that of the whole call, where the client reports one, and `printed` what its
    output says. `unfinished` says that nobody waited for its end. `spent` says that a call that
    wanted it done first has run since.
    """

    seq: int
    text: str
    call: ToolCall | None = None
    exit_status: int | None = None
    printed: Outcome = Outcome.UNKNOWN
    unfinished: bool = False
    spent: bool = False

    def may_match(self, patterns: Sequence[Pattern]) -> bool:
        """Return, cheaply, whether patterns could match: a command names its program."""
        return self.call is not None and any(_may_match(one, self.text) for one in patterns)

    def facts(self, budget: Budget | None = None) -> CallFacts:
        """Read what the call did, to be searched in the time of another call."""
        return read_call(self.call or ToolCall("", {}))._replace(budget=budget)

    def facts_passed(self, budget: Budget | None = None) -> CallFacts:
        """Read what the call did, without what failed or doesn't show that it passed."""
        facts = self.facts(budget)
        if self.exit_status:
            return CallFacts(facts.call, facts.text)
        shown = frozenset() if self.unfinished else _shown(facts)
        kept = [use for at, use in enumerate(facts.commands) if self._passed(shown=at in shown)]
        return _limited(facts, kept)._replace(paths=facts.paths)

    def _passed(self, *, shown: bool) -> bool:
        outcome = read_outcome(shown=shown, exit_status=self.exit_status, printed=self.printed)
        # Where nothing hides a status and no client tells it, a step that failed would say so.
        return outcome is Outcome.PASSED or (shown and outcome is Outcome.UNKNOWN)

    def changed_at(self, globs: Sequence[str]) -> int:
        """Return where the call last changed a file that globs name; negative if nowhere."""
        call = self.call
        if not globs or call is None:
            return _NOWHERE
        values = json.dumps(dict(call.input), sort_keys=True, default=str, ensure_ascii=False)
        if not _may_change(f"{call.cwd} {values}", globs):
            return _NOWHERE
        if self.exit_status and not read_call(call).commands:
            return _NOWHERE
        return _last_change(_written(call.tool, values, call.cwd, call.root), globs)


def done_by_call(
    seq: int, call: ToolCall, output: str = "", exit_status: int | None = None
) -> Done:
    """Read a finished call as something done, by all that is known of how it went."""
    held = " ".join(str(value) for value in call.input.values())
    background = runs_in_background(call.input)
    return Done(seq, held, call, exit_status, read_output(output), background)


class Need(Value):
    """What has to be done first: a call that matches one of the patterns.

    `since` names files: it has to be done after their last change, and then stays done until the
    next one. `passed` says that running it isn't enough.
    """

    text: str
    patterns: tuple[Pattern, ...] = ()
    since: tuple[str, ...] = ()
    passed: bool = True

    @property
    def is_procedure(self) -> bool:
        """Whether it goes by many names, such as the tests."""
        return any(
            isinstance(one, CommandPattern) and one.check in PROCEDURE_CHECKS
            for one in self.patterns
        )

    def met_by(self, done: Done, budget: Budget | None = None) -> bool:
        """Whether something recorded is what has to be done first."""
        if not done.may_match(self.patterns):
            return False
        facts = done.facts_passed(budget) if self.passed else done.facts(budget)
        return self._ran(self._after_changes(facts, done.changed_at(self.since)))

    def met_before(self, past: Sequence[Done], facts: CallFacts, at: int) -> bool:
        """Whether it was done before a call, whose act begins at a place of its text."""
        if self.since and _last_change(facts.paths, self.since, at) != _NOWHERE:
            return False
        fault: Stopped | None = None
        for one in self.valid(past):
            try:
                if self.met_by(one, facts.budget):
                    return True
            except Stopped as given_up:
                fault = fault or given_up
                if facts.budget is None or not facts.budget.has_time:
                    break
        if self._met_by_name(past):
            return True
        if fault is not None:
            raise fault
        return False

    def met_within(self, facts: CallFacts, earlier: Sequence[CommandUse], at: int) -> bool:
        """Whether earlier commands of the same call are what has to be done first."""
        changed = _last_change(facts.paths, self.since, at)
        return self._ran(self._after_changes(_limited(facts, earlier), changed))

    def valid(self, past: Sequence[Done]) -> Iterator[Done]:
        """Go back through what was done, as far as it still counts."""
        for one in sorted(past, key=lambda one: -one.seq):
            if self.since:
                yield one
                if one.changed_at(self.since) != _NOWHERE:
                    return
            elif not one.spent:
                yield one

    def explain(self, past: Sequence[Done], budget: Budget | None = None) -> str:
        """Return why something that was done does not count; empty where nothing was."""
        try:
            return self._explain(past, budget)
        except Stopped:
            # The time that is left would only have gone into a better message.
            return ""

    def _explain(self, past: Sequence[Done], budget: Budget | None) -> str:
        newest = sorted(past, key=lambda one: -one.seq)
        could = (one for one in newest if one.may_match(self.patterns))
        last = next((one for one in could if self._ran(one.facts(budget))), None)
        if last is None:
            return ""
        if self.since and self.met_by(last, budget):
            return f"{self.text}: {', '.join(self.since)} changed after the last run"
        if last.spent and not self.since:
            return f"{self.text}: no run since the last time"
        return (
            f"{self.text}: no run shows that it passed; run it by itself, since a pipe, `;`, `||` "
            "or `&` hides its exit status"
        )

    def _met_by_name(self, past: Sequence[Done]) -> bool:
        """Whether a query says which command was it, and that command passed."""
        checks = {one.check for one in self.patterns if isinstance(one, CommandPattern)}
        asked = [
            f" {one.text} "
            for one in past
            if one.call is None
            and not one.spent
            and any(may_run(name, one.text) for name in checks - {""})
        ]
        return bool(asked) and any(
            program in re.sub(_QUOTES, " ", text).replace(" ./", " ").split()
            for one in self.valid(past)
            if one.call is not None
            for program in _programs(one.facts_passed() if self.passed else one.facts())
            for text in asked
        )

    def _after_changes(self, facts: CallFacts, changed: int) -> CallFacts:
        """Leave out what a call did before it changed the files itself."""
        if changed == _NOWHERE:
            return facts
        late = [one for one in facts.commands if one.invocation.span[0] >= changed]
        paths = tuple(one for one in facts.paths if one.span[0] >= changed)
        return _limited(facts, late)._replace(paths=paths)

    def _ran(self, facts: CallFacts) -> bool:
        """Whether it was run; `Stopped` where that could not be found out."""
        found = [one for pattern in self.patterns for _, one in pattern.find(facts)]
        if found and all(one.stopped for one in found):
            raise Stopped(found[0].stopped)
        return bool(found)


def _may_match(pattern: Pattern, text: str) -> bool:
    if not isinstance(pattern, CommandPattern):
        return True
    if pattern.check in PROCEDURE_CHECKS:
        return may_run(pattern.check, text)
    return any(_WILD.intersection(name) or name in text for name in pattern.programs)


def _shown(facts: CallFacts) -> frozenset[int]:
    """Find the commands whose failure would be the failure of the call, by their numbers."""
    scripts = {id(use.script): use.script for use in facts.commands}
    ended = {key: {one.id for one in script.succeeded()} for key, script in scripts.items()}
    return frozenset(
        at for at, use in enumerate(facts.commands) if use.invocation.id in ended[id(use.script)]
    )


def _limited(facts: CallFacts, uses: Sequence[CommandUse]) -> CallFacts:
    """Keep only what some commands of a call do; a call without commands is kept whole."""
    if not facts.commands:
        return facts
    places = {one.invocation.span for one in uses}
    placed = facts.with_placed(
        lambda name: (one for one in getattr(facts, name) if one.span in places)
    )
    return placed._replace(commands=tuple(uses))


def _last_change(paths: Iterable[PathUse], globs: Sequence[str], before: int | None = None) -> int:
    """Find where files that globs name are last changed, up to a place of the call."""
    if not globs:
        return _NOWHERE
    found = [
        one.span[0]
        for one in paths
        if (before is None or one.span[0] < before) and may_change(one, "\n".join(globs))
    ]
    return max(found, default=_NOWHERE)


def _may_change(text: str, globs: Sequence[str]) -> bool:
    """Return, cheaply, whether a call could change the files."""
    wanted = [one for one in globs if not one.startswith("!")]
    folders = [one.lstrip("./").partition("/") for one in wanted]
    named = [name for name, slash, _ in folders if slash and _WILD.isdisjoint(name)]
    if len(named) < max(1, len(wanted)):
        return True
    if any(name in text for name in named) or may_run(FORMAT, text):
        return True
    return not changing_unnamed().isdisjoint(re.findall(r"[\w-]+", text)) or bool(
        re.search(_OPEN, text)
    )


@lru_cache(maxsize=4_096)
def _written(tool: str, values: str, cwd: str | None, root: str | None) -> tuple[PathUse, ...]:
    """List what a call changes; the same past is looked through at every guarded call."""
    facts = read_call(ToolCall(tool, json.loads(values), cwd, root=root))
    return tuple(one for one in facts.paths if one.changes)


def _programs(facts: CallFacts) -> Iterator[str]:
    for use in facts.commands:
        if use.invocation.words and use.invocation.program not in EVERYDAY:
            yield use.invocation.words[0].text.removeprefix("./")
