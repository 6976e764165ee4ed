"""The ledger of a project with the rules in force: its own constraints and the rule files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.errors import LedgerRefused, StorageError
from dmm.eventlog.open_ledger import OpenLedger, tool_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.eventlog.state import Constraint, State
    from dmm.rules.folder import RuleFolder
    from dmm.rules.language.judge import InForce, Recorded
    from dmm.rules.rulebook import Lookups, Rulebook

# Tool events are many and seldom a look-up; only those shortly before a decision are read.
TOOL_EVENTS_WITHIN = 2_000
TOOL_EVENTS_READ = 200


@dataclass(slots=True)
class _Compiled:
    """What was last made of the rules in force."""

    plain: tuple[dict[int, Constraint], list[Constraint]] | None = None
    rules: tuple[Sequence[Constraint], Rulebook] | None = None
    joint: tuple[Sequence[Constraint], Sequence[Constraint], list[Constraint]] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ProjectLedger(OpenLedger):
    """One ledger; beside its constraints, the rules in the files of `folder` are in force.

    So are those that `shared` returns, which others of a team have shared.
    """

    folder: RuleFolder | None = None
    shared: Callable[[], Sequence[Constraint]] | None = None
    _compiled: _Compiled = field(default_factory=_Compiled, repr=False)

    @property
    def place(self) -> str:
        """What this checkout is called in the ledger, where its rule files are recorded."""
        return "" if self.folder is None else self.folder.place

    @property
    def project(self) -> str:
        """The folder of this checkout, where it has one."""
        return "" if self.folder is None else str(self.folder.root.parent)

    def standing(self, state: State) -> Sequence[Constraint]:
        """List what is in force here now: the ledger's constraints, rules in files, the team's."""
        own = self._own(state)
        others = () if self.shared is None else self.shared()
        if not others:
            return own
        held = self._compiled.joint
        if held is None or held[0] is not own or held[1] is not others:
            held = self._compiled.joint = (own, others, [*own, *others])
        return held[2]

    def readable(self) -> Sequence[Constraint]:
        """List the project's own rules; of a ledger that can't be read, those in files alone."""
        try:
            return self._own(self.state())
        except (StorageError, LedgerRefused):
            return () if self.folder is None else self.folder.alone()

    def _own(self, state: State) -> Sequence[Constraint]:
        if self.folder is not None:
            return self.folder.standing(state)
        held = self._compiled.plain
        if held is None or held[0] is not state.constraints:
            held = self._compiled.plain = (state.constraints, state.in_force)
        return held[1]

    def rulebook(self, state: State) -> Rulebook:
        """Compile what is in force, once for as long as it is the same."""
        held, known = self.standing(state), self._compiled.rules
        if known is None or not _same(known[0], held):
            # Whoever only looks at the ledger does without what judges.
            from dmm.rules.rulebook import Rulebook

            known = self._compiled.rules = held, Rulebook(held)
        return known[1]

    def lookups(self, state: State) -> Lookups:
        """Return what was looked up since the last decision that a constraint applied to."""
        from dmm.rules.language.judge import Recorded
        from dmm.rules.rulebook import asks_lookup

        known: dict[int, list[Recorded]] = {}

        def since(constraint: InForce) -> list[Recorded]:
            if not asks_lookup(constraint.rule):
                return []
            last = state.committed.get(constraint.seq, 0)
            if last not in known:
                asked = [Recorded(seq, text) for seq, text in state.queries.items() if seq > last]
                known[last] = asked + self._by_tools(last, state.seq)
            return known[last]

        return since

    def _by_tools(self, after: int, to: int) -> list[Recorded]:
        from dmm.rules.language.judge import Recorded

        start = max(after, to - TOOL_EVENTS_WITHIN)
        events = self.reading.events_of([EventType.TOOL_USED], start, to)
        told = [Recorded(event.seq, text) for event in events if (text := tool_text(event))]
        return told[-TOOL_EVENTS_READ:]


def _same(one: Sequence[Constraint], other: Sequence[Constraint]) -> bool:
    """Return whether the same rules are in force, in the same words."""
    return one is other or [_key(rule) for rule in one] == [_key(rule) for rule in other]


def _key(rule: Constraint) -> tuple[int, str, str, str, str, str, str]:
    # The words of a team's rule may differ under its name, after joining another team.
    return rule.seq, rule.trust, rule.path, rule.digest, rule.id, rule.priority, rule.text
