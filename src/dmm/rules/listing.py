"""Rules looked at: listed, shown, rehearsed, tried and laid out for an agent."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from dmm.domain.event import PERSONS
from dmm.errors import LedgerRefused, StorageError, UsageError
from dmm.eventlog.state import FILE, Constraint
from dmm.files.rules import FOLDER
from dmm.rules import results
from dmm.rules.allowances import Allowances
from dmm.rules.authorship import Wish, compose
from dmm.rules.checks import prove_files, show_ruling
from dmm.rules.drafts import write_draft
from dmm.rules.english import NOWHERE
from dmm.rules.folder import FileRule, priority_of
from dmm.rules.rulebook import filed_rule, on_calls
from dmm.rules.source import check_rule, state_of_rule
from dmm.rules.states import state_of
from dmm.rules.stops import find_stops
from dmm.rules.unchecked import find_misses, mark
from dmm.rules.views import (
    count_states,
    detail_constraint,
    detail_rule,
    digest_rule,
    digest_rules,
    ordered,
    show_constraint_rule,
    show_fault,
    show_shelved,
)
from dmm.tracing import SIMULATION, traced

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Sequence

    from dmm.passkeys.acts import PersonAct
    from dmm.rules.checks import Asked
    from dmm.rules.constraints import Constraints
    from dmm.rules.english import Surroundings
    from dmm.rules.guard import Guard
    from dmm.rules.rehearsals import Rehearsals
    from dmm.rules.rule import Rule, State
    from dmm.rules.shelf import RuleShelf

    Progress = Callable[[int, int], None]

HERE = "simulation"
STOPS_SHOWN = 10
F = TypeVar("F", bound=results.InForce)
R = TypeVar("R", bound=results.RuleRow)


@dataclass(frozen=True, slots=True)
class RuleReading:
    """The operations that change nothing."""

    shelf: RuleShelf
    constraints: Constraints
    rehearsals: Rehearsals
    guard: Guard
    is_trusted: Callable[[], bool] = lambda: True
    surroundings: Callable[[], Surroundings] = lambda: NOWHERE

    @traced()
    def list(self) -> results.RuleList:
        """List all rules, the most binding first, and the files that can't be used."""
        views = [show_shelved(one, results.RuleRow) for one in self.shelf.rules()]
        views += [show_constraint_rule(one, results.RuleRow) for one in self._constraints()]
        views = self._marked(views)
        faults = *map(show_fault, self.shelf.faults()), *self._team_faults()
        counts = count_states(one for one in views if not one.pending and not one.disabled)
        return self._unless_trusted(results.RuleList(tuple(ordered(views)), counts, faults))

    def _unless_trusted(self, told: F) -> F:
        """Add the notice that the rules of an untrusted project are inactive."""
        return told if self.is_trusted() else replace(told, trusted=False, in_force=False)

    @traced()
    def show(self, name: str) -> results.RuleShown:
        """Show one rule: its state, what it matches in plain words, and its examples."""
        found = self._find(name)
        about = {"stopped": self._count_stops(found), "digest": digest_rule(found)}
        if isinstance(found, FileRule):
            show = partial(show_shelved, found, results.RuleShown, source=found.source)
            told = detail_rule(show, found.rule, found.state, **about)
        else:
            told = _show_constraint(found, **about)
        return self._marked([self._unless_trusted(told)])[0]

    def _marked(self, views: Sequence[R]) -> builtins.list[R]:
        """Mark the rules that could not be checked on real calls lately."""
        misses = find_misses(self.constraints.project_ledger)
        return [replace(one, unchecked=mark(misses, one.id, one.seq)) for one in views]

    def unchecked(self) -> tuple[results.UncheckedRule, ...]:
        """List the rules that could not be checked on real calls lately, and why."""
        if not find_misses(self.constraints.project_ledger):
            return ()
        return tuple(
            results.UncheckedRule(one.id, one.title, *astuple(one.unchecked))
            for one in self.list().rules
            if one.unchecked is not None
        )

    def is_proposal(self, name: str) -> bool:
        """Whether a name is that of a rule file which an agent proposed."""
        return any(
            one.pending and one.from_file and name in (str(one.seq), one.id)
            for one in self._constraints()
        )

    def digest(self, names: Sequence[str]) -> str:
        """Return the digest of some rules, as somebody who looks at them now sees them."""
        return digest_rules([self._find(name) for name in dict.fromkeys(names)])

    def _count_stops(self, found: FileRule | Constraint) -> int:
        return len(find_stops(self.constraints.project_ledger, *_names(found)))

    @traced()
    def explain(self, name: str) -> results.RuleExplained | results.VerdictExplained:
        """Explain a rule by what it stopped last, or the verdict on one recorded call."""
        try:
            found = self._find(name)
        except UsageError:
            if not name.isdecimal():
                raise
            return self.rehearsals.explain(int(name))
        stops = find_stops(self.constraints.project_ledger, *_names(found))
        shown, last = self.show(name), tuple(stops[-STOPS_SHOWN:])
        about = shown.id, shown.title, shown.state, shown.matches, shown.stopped
        return results.RuleExplained(*about, last)

    def show_asked(self, seq: int) -> results.AskedCall:
        """Show a call that a rule asked about."""
        return self._allowances.show(seq)

    @property
    def _allowances(self) -> Allowances:
        return Allowances(self.constraints.project_ledger)

    @traced(*SIMULATION)
    def rehearse(self, what: str, *, progress: Progress | None = None) -> results.RuleRehearsed:
        """Replay past sessions against a rule: one that is there, a sentence, or a file's text."""
        constraint, state = self._suppose(what)
        told = self.rehearsals.rehearse_constraint(constraint, progress)
        return replace(told, state=state.value)

    def _suppose(self, what: str) -> tuple[Constraint, State]:
        if what.startswith("---"):
            rule = check_rule(f"{FOLDER}/new-rule.md", what)
            return _supposed(rule, what), state_of_rule(rule)
        try:
            found = self._find(what)
        except UsageError:
            if " " not in what.strip():
                raise
            composed = compose(Wish(what, known=self.surroundings()), ())
            return _supposed(composed.rule, composed.source), state_of_rule(composed.rule)
        if isinstance(found, FileRule):
            return _supposed(found.rule, found.source), found.state
        filed = filed_rule(found)
        if filed is not None:
            return _supposed(filed, found.source), state_of_rule(filed)
        return found, state_of(found)

    def check(self, asked: Asked) -> results.CallChecked:
        """Judge a call as a hook would; nothing is recorded."""
        call = asked.to_call(self.shelf.root.project)
        return self._unless_trusted(show_ruling(call, self.guard.judge(call)))

    def test(self) -> results.Proved:
        """Run the examples of all rule files, as they stand on disk."""
        return prove_files(self.shelf.root.folder, self.unchecked())

    @traced()
    def draft(self) -> results.Uncompileds:
        """Show the sentences without a matcher to an agent, with the matcher reference."""
        files = [one for one in self.shelf.rules() if not one.rule.disabled]
        bare = [
            results.Uncompiled(one.rule.id, one.rule.title, one.rule.origin or None)
            for one in files
            if lacks_matcher(one.rule)
        ]
        bare += [
            results.Uncompiled(str(one.seq), one.text, None)
            for one in self._constraints()
            if not one.pending and not one.is_shared and not stops_calls(one)
        ]
        return results.Uncompileds(tuple(bare), write_draft(bare))

    @property
    def _is_person(self) -> bool:
        return self.constraints.project_ledger.actor.trust in PERSONS

    def _need_person(self, act: PersonAct) -> None:
        if not self._is_person:
            hint = "a person can, in a terminal"
            raise LedgerRefused(f"an agent can't {act.words}", hint=hint)

    def _constraints(self) -> Sequence[Constraint]:
        """List the ledger's constraints in force and the team's; agents see no pending ones."""
        ledger = self.constraints.project_ledger
        own = [one for one in ledger.state().in_force if one.pending or not one.from_file]
        shared: Sequence[Constraint] = ()
        if ledger.shared is not None and not self._team_faults():
            shared = ledger.shared()
        return [one for one in (*own, *shared) if self._is_person or not one.pending]

    def _team_faults(self) -> builtins.list[results.RuleFault]:
        """Return why the team's rules can't be read."""
        ledger = self.constraints.project_ledger
        try:
            _ = ledger.shared and ledger.shared()
        except (StorageError, LedgerRefused) as error:
            return [results.RuleFault(error.where, None, error.what, error.hint)]
        return []

    def _find(self, name: str) -> FileRule | Constraint:
        if name.isdecimal():
            for rule in self.shelf.rules():
                if rule.seq and str(rule.seq) == name:
                    return rule
            for one in self._constraints():
                if str(one.seq) == name:
                    return one
        for one in self._constraints():
            if (one.pending or one.is_shared) and one.id == name:
                return one
        return self.shelf.find(name)

    def _need_file(self, name: str) -> FileRule:
        found = self._find(name)
        if isinstance(found, FileRule):
            return found
        if found.is_shared:
            raise not_ours(found)
        hint = f"make it one: dmm rules {'accept' if found.pending else 'adopt'} {found.seq}"
        raise UsageError(f"constraint {found.seq} is not a rule file", hint=hint)


def _show_constraint(one: Constraint, **more: Any) -> results.RuleShown:
    filed = filed_rule(one)
    if filed is None:
        return detail_constraint(one, **more)
    # Until a person decides, a proposed rule asks where it would deny.
    now = replace(filed, level="ask") if filed.level == "deny" else filed
    more |= {"proposes": filed.id, "becomes": state_of_rule(filed).value, "source": one.source}
    return detail_rule(
        partial(show_constraint_rule, one, results.RuleShown), now, state_of(one), **more
    )


def _supposed(rule: Rule, source: str) -> Constraint:
    stored = {"kind": FILE, "id": rule.id, "path": f"{FOLDER}/{rule.id}.md", "source": source}
    return Constraint(0, rule.title, priority_of(rule), HERE, rule=stored)


def lacks_matcher(rule: Rule) -> bool:
    """Whether a rule file says nothing of tool calls."""
    return not any(name in rule.fields for name in ("match", "before"))


def stops_calls(one: Constraint) -> bool:
    """Whether a constraint says something of tool calls."""
    return bool(on_calls(one))


def not_ours(found: Constraint) -> UsageError:
    """Return the error for a rule that can't be changed on this laptop."""
    hint = "whoever shared it can disable it; on the server: dmm server lift TEAM/PROJECT NUMBER"
    return UsageError(f"{found.id} is a rule of the team", hint=hint)


def need_seen(found: Sequence[FileRule | Constraint], seen: str | None) -> None:
    """Refuse to decide about another text than the one that was shown."""
    if seen is not None and digest_rules(found) != seen:
        raise not_shown()


def not_shown() -> LedgerRefused:
    """Return the error for a rule whose text is another than the one shown."""
    hint = "look at it again: dmm rules show"
    return LedgerRefused("the rule has changed since it was shown", hint=hint)


def _names(found: FileRule | Constraint) -> tuple[str, int]:
    if isinstance(found, FileRule):
        return found.rule.id, found.seq
    return found.id, found.seq
