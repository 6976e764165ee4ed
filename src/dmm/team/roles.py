"""What each role of a team may do: one table, for the server and for laptops that read the log."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.errors import UsageError
from dmm.team.sharing import ADDS, LIFTED

if TYPE_CHECKING:
    from collections.abc import Mapping

READER, CONTRIBUTOR, REVIEWER, OWNER = "reader", "contributor", "reviewer", "owner"


class Right(StrEnum):
    """Something that only some roles may do; reading is for all."""

    SHARE = "share"
    RULE = "rule"
    MANAGE = "manage"


# Laptops check old events by this table, too: a right may be given later, never taken away.
RIGHTS: Mapping[str, frozenset[Right]] = {
    READER: frozenset(),
    CONTRIBUTOR: frozenset((Right.SHARE,)),
    REVIEWER: frozenset((Right.SHARE, Right.RULE)),
    OWNER: frozenset((Right.SHARE, Right.RULE, Right.MANAGE)),
}
ROLES = tuple(RIGHTS)
# Logs of the first version hold it for ever.
FORMER: Mapping[str, str] = {"maintainer": REVIEWER}
# What has an effect on other laptops.
_RULES = frozenset(map(str, (*ADDS, LIFTED, EventType.CONFLICT_RESOLVED)))


def read_role(name: str) -> str:
    """Return a role by the name it has now; an unknown one stays as it is."""
    return FORMER.get(name, name)


def need_role(name: str) -> str:
    """Return a role by the name it has now; UsageError where there is none of this name."""
    role = read_role(name)
    if role not in RIGHTS:
        raise UsageError(f"unknown role '{name}'", hint=f"one of {', '.join(ROLES)}")
    return role


def may(role: str, right: Right) -> bool:
    """Return whether a role has a right."""
    return right in RIGHTS.get(read_role(role), ())


def find_needed(kind: str) -> Right:
    """Return the right that sending a type of event needs."""
    return Right.RULE if kind in _RULES else Right.SHARE


def may_send(role: str, kind: str) -> bool:
    """Return whether a role may send a type of event."""
    return may(role, find_needed(kind))


def tell_forbidden(role: str, kind: str) -> str:
    """Say what a role may not do."""
    if kind == EventType.CONFLICT_RESOLVED:
        return f"a {role} can't settle conflicts for others"
    what = {Right.RULE: "share or lift rules", Right.SHARE: "add to the log"}
    return f"a {role} can't {what[find_needed(kind)]}"
