"""What checks compare a proposal with, as values read beforehand."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from dmm.config import GovernanceConfig, ValidationConfig
from dmm.domain.frozen import frozen
from dmm.domain.memory import Scope

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping

    from dmm.domain.conflict import Clash
    from dmm.domain.proposal import Proposal


@frozen
class Neighbour:
    """A memory in force that is near to what is proposed; `similarity` is None without a model."""

    path: str
    id: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    scope: Scope = Scope.PROJECT
    similarity: float | None = None


@frozen
class Surroundings:
    """Everything around a proposal that its checks need.

    `ids` maps the id of every memory to its path, `neighbours` are the nearest memories, best
    first, without the proposal's own files, `clashes` tell what a memory says against it together
    with that memory's path and id, `others` are the other open proposals, `secrets` the kinds of
    secrets that were taken out of the text, and `tainted` the tool event whose output it repeats.
    """

    count: Callable[[str], int]
    today: dt.date
    validation: ValidationConfig = field(default_factory=ValidationConfig)
    governance: GovernanceConfig = field(default_factory=GovernanceConfig)
    baseline_budget: int = 800
    baseline_tokens: int = 0
    ids: Mapping[str, str] = field(default_factory=dict)
    neighbours: tuple[Neighbour, ...] = ()
    clashes: tuple[tuple[Clash, str, str], ...] = ()
    others: tuple[Proposal, ...] = ()
    secrets: tuple[str, ...] = ()
    tainted: str | None = None
