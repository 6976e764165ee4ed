"""The team's rules: a fold of the log, read from the laptop's copy of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import EventType, Trust
from dmm.eventlog.state import TEAM, Constraint
from dmm.rules.rulebook import compile_constraint
from dmm.team.chain import MAINTAINER, read_payload
from dmm.team.credentials import read_credentials
from dmm.team.replica import Replica

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dmm.team.chain import Placed, WriterHead

ADDS = (EventType.CONSTRAINT_ADDED, EventType.CONSTRAINT_ACCEPTED)


@dataclass(frozen=True, slots=True)
class TeamRule:
    """A rule of the team: the number of its event in the log, and who shared it."""

    seq: int
    text: str
    priority: str
    writer: str


def fold_rules(events: Iterable[Placed], writers: Mapping[str, WriterHead]) -> tuple[TeamRule, ...]:
    """Return the rules in force; only those of maintainers count, and each lifts its own.

    A rule outlives the membership of whoever shared it.
    """
    rules: dict[tuple[str, str], TeamRule] = {}
    for one in events:
        entry = one.entry
        writer = writers.get(entry.writer)
        if writer is None or writer.role != MAINTAINER:
            continue
        told = {name: str(value) for name, value in read_payload(entry).items()}
        named = (entry.writer, told.get("of", entry.id))
        if entry.type in ADDS and "text" in told:
            priority = told.get("priority", "required")
            rules[named] = TeamRule(one.seq, told["text"], priority, entry.writer)
        elif entry.type == EventType.CONSTRAINT_DEACTIVATED:
            rules.pop(named, None)
    return tuple(rules.values())


def enact(rule: TeamRule) -> Constraint:
    """Return a team rule as a constraint; its words are compiled on this laptop."""
    compiled = compile_constraint(rule.text).rule or {"kind": TEAM}
    return Constraint(
        seq=0,
        text=rule.text,
        priority=rule.priority,
        trust=Trust.REVIEWED.value,
        rule={**compiled, TEAM: rule.seq},
    )


def read_rules(path: Path, home: Path) -> tuple[TeamRule, ...]:
    """Read the rules that others have shared; the laptop's own are in its ledger."""
    with Replica.opened(path) as replica:
        known = replica.membership()
        trail = replica.trail(read_credentials(home, known.writer))
        rules = fold_rules(replica.events(), trail.writers)
    return tuple(one for one in rules if one.writer != known.writer)
