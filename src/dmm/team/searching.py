"""Who may search what: a laptop sees the projects that its tokens are for, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.errors import TeamError
from dmm.team.answers import MOST_OTHERS
from dmm.team.audit import Act
from dmm.team.port import REVOKED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.team.chain import LogName
    from dmm.team.registry import Registry
    from dmm.team.stored import StoredLog


def find_readable(registry: Registry, log: StoredLog, also: Sequence[str]) -> list[LogName]:
    """Return the projects that a laptop may read by its tokens, and record that it does.

    A token that is for nothing, or for a laptop that was removed, adds nothing and is not told.
    """
    if not _enter(log):
        raise TeamError("revoked", REVOKED)
    others = (registry.open(token) for token in dict.fromkeys(also[:MOST_OTHERS]))
    readable = {one.place.log for one in others if one is not None and _enter(one)}
    return sorted({log.place.log, *readable})


def _enter(log: StoredLog) -> bool:
    """Return whether a laptop is a member; whichever role it has, it may read."""
    place = log.place
    with place.database.transaction(place.team) as rows:
        known = place.writer(rows, log.writer)
        member = known is not None and not known.revoked
        if member:
            place.note(rows, Act.SEARCHED, log.writer)
        else:
            place.note(rows, Act.REFUSED, log.writer, "search: revoked")
    return member
