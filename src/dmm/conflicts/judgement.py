"""What two claims that meet come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.amounts import amounts
from dmm.conflicts.cases import apart
from dmm.conflicts.choices import choices
from dmm.conflicts.stances import stances

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.meetings import Finding, Meeting


def _changed(newer: Claim, older: Claim) -> bool:
    """Whether one claim says that what the other claims is so no longer."""
    held = older.period.end is not None or "still" in older.text
    return newer.changes and not older.changes and not held


_FEW, _LEAST_MET, _TELLING = 16, 2, 0.5


def clash(m: Meeting) -> Finding | None:
    """The clash of two claims that meet, if there is one."""
    if m.many > _FEW and sum(t.weight > _TELLING for t, _ in m.alignment.met) < _LEAST_MET:
        return None
    found = amounts(m) or stances(m) or choices(m)
    if found is None or apart(m) or _changed(m.one, m.other) or _changed(m.other, m.one):
        return None
    return found
