"""Plan and write rule files from binding sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import DmmError
from dmm.rules.authorship import Likeness, Wish, compose
from dmm.rules.english import NOWHERE
from dmm.rules.explain import describe_rule
from dmm.rules.faults import clashes
from dmm.rules.rule import State
from dmm.rules.source import spares_only_files, state_of_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.eventlog.state import Constraint
    from dmm.importer.imperatives import Imperative
    from dmm.rules.authorship import Composed
    from dmm.rules.english import Surroundings
    from dmm.rules.results import ConstraintRecorded
    from dmm.rules.rule import Rule
    from dmm.rules.shelf import RuleShelf


_ON_CALLS = (State.ENFORCED, State.ASKS)


@dataclass(frozen=True, slots=True)
class PlannedRule:
    """A rule file that an import would write, and the line it comes from."""

    rule: Rule
    state: State
    source: str

    @property
    def does(self) -> tuple[str, ...]:
        """What the rule does to tool calls, in words; nothing if it is only shown to agents."""
        return tuple(describe_rule(self.rule))


@dataclass(frozen=True, slots=True)
class RulePlan:
    """The rule files to write, the sentences they enforce, and the rules that exist already."""

    rules: tuple[PlannedRule, ...] = ()
    enforced: frozenset[str] = frozenset()
    shelved: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleImport:
    """Turns binding sentences into rule files, except those that are rules already."""

    shelf: RuleShelf
    constraints: Callable[[], Sequence[Constraint]]
    propose_rule: Callable[[Rule, str], ConstraintRecorded]
    surroundings: Callable[[], Surroundings] = lambda: NOWHERE

    def plan(self, sentences: Sequence[Imperative]) -> RulePlan:
        """Plan a rule file for each sentence with a matcher; the others stay memories."""
        shelved = tuple(one.rule for one in self.shelf.rules())
        known = [Likeness.of(one.title, one.call, one.folder) for one in shelved]
        known += [Likeness.of(one.text) for one in self.constraints()]
        taken = [one.id for one in shelved]
        around = self.surroundings()
        enforced: dict[str, str] = {}
        found: list[PlannedRule] = []
        for one in sentences:
            composed = _compose(one, around, taken)
            if composed is None:
                continue
            rule = composed.rule
            own = Likeness.of(rule.title, rule.call, rule.folder)
            if any(own.find_other_way(other) for other in known):
                # "Use bun, not npm" beside "Use pnpm, not npm": the first one holds.
                continue
            enforced[one.text.casefold()] = rule.id
            if any(own.same(other) for other in known):
                continue
            known.append(own)
            taken.append(rule.id)
            found.append(PlannedRule(rule, state_of_rule(rule), composed.source))
        # A sentence that can't hold beside another rule stays memory, too.
        wrong = {one.rule for one in clashes([*shelved, *(one.rule for one in found)])}
        return RulePlan(
            tuple(one for one in found if one.rule.id not in wrong),
            frozenset(text for text, name in enforced.items() if name not in wrong),
            shelved,
        )

    def refuse_unapproved(self, planned: Sequence[PlannedRule]) -> None:
        """Refuse to write over texts that nobody has approved."""
        for one in planned:
            self.shelf.refuse_unapproved(one.rule.id, one.source)

    def write(self, planned: Sequence[PlannedRule]) -> tuple[str, ...]:
        """Write the planned files; what a person imports is in force at once."""
        return tuple(self.shelf.write(one.rule.id, one.source).path for one in planned)

    def propose(self, planned: Sequence[PlannedRule]) -> tuple[int, ...]:
        """Propose the rules; each asks until a person accepts it."""
        return tuple(self.propose_rule(one.rule, one.source).seq for one in planned)


def _compose(one: Imperative, around: Surroundings, taken: Sequence[str]) -> Composed | None:
    """Return the rule file of a sentence, or None if it compiles to no certain matcher."""
    origin = f"{one.source.path}:{one.source.first_line}"
    try:
        known = around._replace(folder=one.folder, heading=one.heading)
        wish = Wish(one.text, origin=origin, known=known)
        composed = compose(wish, taken)
    except DmmError:
        # Such as a matcher that contradicts its own examples: the sentence stays memory.
        return None
    acts = state_of_rule(composed.rule) in _ON_CALLS and not spares_only_files(composed.rule)
    return composed if acts else None
