"""Leaving a team: what its rules, its copy of the log and the laptop's key become."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.eventlog.state import TEAM
from dmm.rules.constraints import Constraints
from dmm.team.rules import enact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.rules.project_ledger import ProjectLedger
    from dmm.team.rules import TeamRule


@dataclass(frozen=True, slots=True)
class Left:
    """What leaving did: rules kept as rules of this laptop, entries that were never sent.

    `told` says whether the server knows that the laptop has left.
    """

    team: str
    project: str
    writer: str
    kept: int
    unsent: int
    told: bool


def keep_rules(ledger: ProjectLedger, rules: Iterable[TeamRule]) -> int:
    """Record rules of the team in the ledger; return how many were not in it.

    The ledger is asked without the team's rules: those are the ones to be recorded.
    """
    own = Constraints(replace(ledger, shared=None))
    added = 0
    for one in rules:
        compiled = dict(enact(one).rule or {})
        compiled.pop(TEAM, None)
        rule = None if compiled.get("kind") == TEAM else compiled
        told = own.record_constraint(one.text, one.priority, None, rule)
        added += "existing" not in told
    return added
