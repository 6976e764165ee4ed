"""Who may write where: agent namespaces and configured grants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.config import GovernanceConfig, Grant

EVERYBODY = "*"
_APART = re.compile(r"[\W_]+")


def name_of(agent: str) -> str:
    """The name of an agent as its folder has it: Claude Code is claude-code."""
    return _APART.sub("-", agent.casefold()).strip("-")


def owner_of(path: str) -> str | None:
    """The agent whose namespace a path lies in: agent/<name>/…; None for what all share."""
    parts = path.split("/")
    return name_of(parts[1]) if parts[0] == Scope.AGENT and len(parts) > 2 else None


def is_own_place(path: str, agent: str) -> bool:
    """Whether a path lies in the namespace of this agent."""
    owner = owner_of(path)
    return bool(owner) and owner == name_of(agent)


def grant_of(governance: GovernanceConfig, agent: str) -> Grant | None:
    """Find what the configuration says of an agent, by its name or for all others."""
    named = {name_of(name): grant for name, grant in governance.agents.items() if name != EVERYBODY}
    return named.get(name_of(agent), governance.agents.get(EVERYBODY))


def may_propose(governance: GovernanceConfig, agent: str, path: str) -> bool:
    """Whether the configuration lets an agent propose for a file.

    An agent that is not named may propose everywhere. One that is named with places to propose
    for is held to them and to those where it may write at once; named with nothing at all, it may
    propose nothing.
    """
    grant = grant_of(governance, agent)
    if grant is None or (grant.auto_apply and not grant.propose):
        return True
    return is_within(path, (*grant.propose, *grant.auto_apply))


def may_apply_at_once(governance: GovernanceConfig, agent: str, path: str) -> bool:
    """Whether an agent's own notes may be applied there unseen; without a grant they may."""
    grant = grant_of(governance, agent)
    return grant is None or is_within(path, grant.auto_apply)


def is_within(path: str, places: Iterable[str]) -> bool:
    """Whether a file lies in one of some folders, compared by their parts."""
    wanted = [place.strip() for place in places]
    return EVERYBODY in wanted or any(f"{path}/".startswith(f"{one.strip('/')}/") for one in wanted)
