"""The team's rules: a fold of the log, read from the laptop's copy of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dmm.domain.conflict import Accepted, Resolution
from dmm.domain.event import EventType, Trust
from dmm.eventlog.state import TEAM, Constraint
from dmm.rules.rulebook import compile_constraint, in_words, on_calls
from dmm.team.chain import JOINED, ROLE_CHANGED, SERVER, read_payload
from dmm.team.credentials import read_credentials
from dmm.team.journal import read_shared
from dmm.team.mark import need_left
from dmm.team.replica import Replica
from dmm.team.roles import may_send
from dmm.team.sharing import ADDS, LIFTED, is_rule
from dmm.team.usage_counts import tell_day

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dmm.domain.usage import DayCounts
    from dmm.team.chain import Placed

# How many of a team are in force at once; the oldest are.
MOST_RULES = 1_000


@dataclass(frozen=True, slots=True)
class TeamRule:
    """A rule of the team: the number of its event in the log, and who shared it."""

    seq: int
    text: str
    priority: str
    writer: str


def fold_rules(events: Iterable[Placed]) -> tuple[TeamRule, ...]:
    """Return the rules in force: reviewers add them; they and the server lift them by id.

    What counts is the role at the time of the event. A rule outlives the membership of whoever
    shared it.
    """
    roles: dict[str, str] = {}
    rules: dict[str, TeamRule] = {}
    for one in events:
        entry = one.entry
        told = {name: str(value) for name, value in read_payload(entry).items()}
        if entry.writer == SERVER and entry.type in (JOINED, ROLE_CHANGED):
            roles[told.get("writer", "")] = told.get("role", "")
        named = told.get("of", entry.id)
        allowed = may_send(roles.get(entry.writer, ""), entry.type)
        if entry.type in ADDS and allowed and is_rule(told):
            rules[named] = TeamRule(one.seq, told["text"], told["priority"], entry.writer)
        elif entry.type == LIFTED and (allowed or entry.writer == SERVER):
            rules.pop(named, None)
    return tuple(rules.values())


@lru_cache(2 * MOST_RULES)
def enact(rule: TeamRule) -> Constraint:
    """Return a team rule as a constraint; its words are compiled on this laptop.

    One that can't be compiled is guidance: nobody's rule puts the others out of force.
    """
    try:
        made = _constrain(rule, compile_constraint(rule.text).rule)
        on_calls(made)
        in_words(made)
    except Exception:  # noqa: BLE001 - whatever its words do to the compiler
        return _constrain(rule, None)
    return made


def _constrain(rule: TeamRule, compiled: Mapping[str, Any] | None) -> Constraint:
    return Constraint(
        # No event of this ledger has the number of another rule of the team.
        seq=-rule.seq,
        text=rule.text,
        priority=rule.priority,
        trust=Trust.REVIEWED.value,
        rule={**(compiled or {"kind": TEAM}), TEAM: rule.seq},
    )


@dataclass(frozen=True, slots=True)
class InForce:
    """What the team's log does here: rules, conflicts accepted by their keys, counts of uses."""

    rules: tuple[TeamRule, ...] = ()
    accepted: Mapping[str, Accepted] = field(default_factory=dict)
    counts: tuple[DayCounts, ...] = ()


def read_rules(path: Path, home: Path) -> tuple[TeamRule, ...]:
    """Read the rules that others have shared; the laptop's own are in its ledger."""
    return read_in_force(path, home).rules


def read_in_force(path: Path, home: Path) -> InForce:
    """Read what others have shared and has an effect here, proved."""
    with Replica.opened(path) as replica:
        known = replica.membership()
        if not known.writer:
            # The laptop has left its team; or somebody emptied the copy, which lifts no rule.
            need_left(home, path)
            return InForce()
        # The copy is proved before any of it counts.
        replica.trail(read_credentials(home, known.writer))
        # What no signed end of the log covers yet has no effect; the next pull goes on from there.
        events = [one for one in replica.events() if one.seq <= known.head.seq]
    rules = tuple(one for one in fold_rules(events) if one.writer != known.writer)
    return InForce(rules[:MOST_RULES], *fold_used(events))


def fold_used(events: Iterable[Placed]) -> tuple[dict[str, Accepted], tuple[DayCounts, ...]]:
    """Return the conflicts that a reviewer accepted, the first verdict each, and all counts."""
    accepted: dict[str, Accepted] = {}
    counts = []
    for one in read_shared(events):
        if one.told.get("action") == Resolution.INTENTIONAL and "key" in one.told:
            by = one.name or one.writer
            accepted.setdefault(one.told["key"], Accepted(one.seq, one.at, by))
        elif one.type == EventType.USAGE_REPORTED:
            counts.append(tell_day(one.id, one.name or one.writer, one.told))
    return accepted, tuple(one for one in counts if one is not None)
