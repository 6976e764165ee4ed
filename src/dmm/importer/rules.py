"""Plan and write rule files from binding sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.errors import DmmError
from dmm.importer.imperatives import find_imperatives
from dmm.rules.authorship import Likeness, Wish, compose
from dmm.rules.source import state_of_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.eventlog.state import Constraint
    from dmm.importer.imperatives import Imperative
    from dmm.importer.sources import Source
    from dmm.rules.authorship import Composed
    from dmm.rules.rule import Rule, State
    from dmm.rules.shelf import RuleShelf


@dataclass(frozen=True, slots=True)
class PlannedRule:
    """A rule file that an import would write, and the line it comes from."""

    rule: Rule
    state: State
    source: str


@dataclass(frozen=True, slots=True)
class RuleImport:
    """Turns binding sentences into rule files; those that hold already are left."""

    shelf: RuleShelf
    constraints: Callable[[], Sequence[Constraint]]
    propose_rule: Callable[[Rule, str], dict[str, Any]]

    def plan(self, sources: Sequence[Source]) -> tuple[PlannedRule, ...]:
        """Plan a rule file for each sentence: with a matcher where it is sure, else as advice."""
        shelved = [one.rule for one in self.shelf.rules()]
        known = [Likeness.of(one.title, one.call, one.folder) for one in shelved]
        known += [Likeness.of(one.text) for one in self.constraints()]
        taken = [one.id for one in shelved]
        found: list[PlannedRule] = []
        for one in (sentence for source in sources for sentence in find_imperatives(source)):
            composed = _compose(one, taken)
            if composed is None:
                continue
            rule = composed.rule
            own = Likeness.of(rule.title, rule.call, rule.folder)
            if any(own.same(other) for other in known):
                continue
            known.append(own)
            taken.append(rule.id)
            found.append(PlannedRule(rule, state_of_rule(rule), composed.source))
        return tuple(found)

    def write(self, planned: Sequence[PlannedRule]) -> tuple[str, ...]:
        """Write the planned files; what a person imports is in force at once."""
        return tuple(self.shelf.write(one.rule.id, one.source).path for one in planned)

    def propose(self, planned: Sequence[PlannedRule]) -> tuple[int, ...]:
        """Propose the rules that have a matcher; the others stay sentences of their memories."""
        told = [self.propose_rule(one.rule, one.source) for one in planned if one.rule.call]
        return tuple(one["seq"] for one in told)


def _compose(one: Imperative, taken: Sequence[str]) -> Composed | None:
    """Write a sentence as a rule; one whose matcher contradicts its own examples only advises."""
    origin = f"{one.source.path}:{one.source.first_line}"
    wish = Wish(one.text, origin=origin, folder=one.folder)
    for attempt in (wish, Wish(one.text, "advise", origin=origin, compiled=False)):
        try:
            return compose(attempt, taken)
        except DmmError:
            # Such as a sentence that looks like a secret: it stays in the memory it came from.
            continue
    return None
