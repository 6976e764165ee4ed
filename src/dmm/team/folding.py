"""The state of a team's log: a fold over its events, in the order of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.conflict import Accepted, Resolution
from dmm.domain.event import EventType
from dmm.team.chain import JOINED, ROLE_CHANGED, SERVER
from dmm.team.journal import Laptops, tell_by, tell_shared
from dmm.team.roles import may_send
from dmm.team.sharing import ADDS, LIFTED
from dmm.team.usage_counts import tell_day

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.domain.usage import DayCounts
    from dmm.team.chain import Placed
    from dmm.team.journal import Shared

# How many of a team are in force at once; the oldest are.
MOST_RULES = 1_000


@dataclass(frozen=True, slots=True)
class TeamRule:
    """A rule of the team: the number of its event in the log, and who shared it."""

    seq: int
    text: str
    priority: str
    writer: str
    name: str = ""
    proved: bool = False

    @property
    def by(self) -> str:
        """Whose word it is."""
        return tell_by(self.name or self.writer, proved=self.proved)


@dataclass(frozen=True, slots=True)
class InForce:
    """What the team's log does here: rules, conflicts accepted by their keys, counts of uses."""

    rules: tuple[TeamRule, ...] = ()
    accepted: Mapping[str, Accepted] = field(default_factory=dict)
    counts: tuple[DayCounts, ...] = ()


@dataclass(slots=True)
class Fold:
    """The state of a log as far as it was read."""

    rules: dict[str, TeamRule] = field(default_factory=dict)
    _roles: dict[str, str] = field(default_factory=dict)
    _laptops: Laptops = field(default_factory=Laptops)
    _accepted: dict[str, Accepted] = field(default_factory=dict)
    # The keys of those that a passkey proved.
    _proved: set[str] = field(default_factory=set)
    _counts: list[DayCounts] = field(default_factory=list)

    def add(self, one: Placed) -> None:
        """Take in the next event."""
        told = tell_shared(one, self._laptops)
        self._follow_rules(told)
        if told.type == EventType.CONFLICT_RESOLVED and told.told:
            self._settle(told)
        elif told.type == EventType.USAGE_REPORTED:
            self._count(told)

    def _follow_rules(self, one: Shared) -> None:
        """Reviewers add rules; they and the server lift them by id.

        What counts is the role at the time of the event. A rule outlives the membership of whoever
        shared it.
        """
        told = one.told
        if one.writer == SERVER and one.type in (JOINED, ROLE_CHANGED):
            self._roles[told.get("writer", "")] = told.get("role", "")
        named = told.get("of", one.id)
        allowed = may_send(self._roles.get(one.writer, ""), one.type)
        if one.type in ADDS and allowed and told:
            by = (one.writer, one.name, one.proved)
            self.rules[named] = TeamRule(one.seq, told["text"], told["priority"], *by)
        elif one.type == LIFTED and (allowed or one.writer == SERVER):
            self.rules.pop(named, None)

    def _settle(self, told: Shared) -> None:
        """Take a verdict on a conflict; the last one in the order of the server counts.

        Only a person whom a passkey proves takes back what such a person said.
        """
        key = told.told["key"]
        if key in self._proved and not told.proved:
            return
        self._accepted.pop(key, None)
        self._proved.discard(key)
        if told.told["action"] == Resolution.INTENTIONAL:
            self._proved |= {key} if told.proved else set()
            by = tell_by(told.name or told.writer, proved=told.proved)
            self._accepted[key] = Accepted(told.seq, told.at, by)

    def _count(self, told: Shared) -> None:
        counts = tell_day(told.id, told.at, told.name or told.writer, told.told)
        if counts is not None:
            self._counts.append(counts)

    def in_force(self, own: str) -> InForce:
        """Return what has an effect on the laptop of a writer; its own rules are in its ledger."""
        rules = tuple(one for one in self.rules.values() if one.writer != own)
        return InForce(rules[:MOST_RULES], dict(self._accepted), tuple(self._counts))
