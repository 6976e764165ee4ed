"""The team's rules: a fold of the log, read from the laptop's copy of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust
from dmm.eventlog.state import BY, TEAM, Constraint
from dmm.rules.rulebook import compile_constraint, in_words, on_calls
from dmm.team.checked import Checked
from dmm.team.credentials import read_credentials
from dmm.team.folding import MOST_RULES, InForce
from dmm.team.mark import need_left
from dmm.team.replica import Replica

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dmm.team.folding import TeamRule


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
        rule={**(compiled or {"kind": TEAM}), TEAM: rule.seq, BY: rule.by},
    )


def read_rules(path: Path, home: Path, checked: Checked | None = None) -> tuple[TeamRule, ...]:
    """Read the rules that others have shared; the laptop's own are in its ledger."""
    return read_in_force(path, home, checked).rules


def read_in_force(path: Path, home: Path, checked: Checked | None = None) -> InForce:
    """Read what others have shared and has an effect here, proved."""
    with Replica.opened(path) as replica:
        known = replica.membership()
        if not known.writer:
            # The laptop has left its team; or somebody emptied the copy, which lifts no rule.
            need_left(home, path)
            return InForce()
        # The copy is proved before any of it counts, and nothing counts that no signed end of the
        # log covers yet; the next pull continues from there.
        held = read_credentials(home, known.writer)
        checked = checked or Checked()
        with checked.lock:
            return replica.check(held, checked).fold.in_force(known.writer)
