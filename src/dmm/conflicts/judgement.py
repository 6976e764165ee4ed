"""What two claims that meet come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.amounts import amounts
from dmm.conflicts.cases import apart
from dmm.conflicts.choices import choices
from dmm.conflicts.stances import stances

if TYPE_CHECKING:
    from dmm.conflicts.meetings import Finding, Meeting


_FEW, _LEAST_MET, _TELLING = 16, 2, 0.5


def clash(m: Meeting) -> Finding | None:
    """The clash of two claims that meet, if there is one."""
    if m.many > _FEW and sum(t.weight > _TELLING for t, _ in m.alignment.met) < _LEAST_MET:
        return None
    found = amounts(m) or stances(m) or choices(m)
    if found is None or apart(m):
        return None
    return found
