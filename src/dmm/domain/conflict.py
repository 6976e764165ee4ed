"""A conflict: two memories that can't both be followed, or that say the same."""

from __future__ import annotations

from enum import StrEnum

from dmm.domain.frozen import frozen

# Below this a clash is possible, not sure: it is worth a look, and no pack warns of it.
LEAST_SURE = 0.6


class ConflictType(StrEnum):
    """In which way two memories do not go together; `duplicate` is a kind of its own."""

    CONTRADICTION = "contradiction"
    NUMERIC = "numeric_clash"
    APPROACHES = "contradictory_approaches"
    SUPERSESSION = "same_supersedes_target"
    OUTDATED = "outdated"
    DUPLICATE = "duplicate"
    FLAGGED = "flagged"
    UNMERGED = "unmerged"


class Method(StrEnum):
    """How a pair came to be compared."""

    TAGS = "tags"
    SIMILARITY = "similarity"
    RELATED = "related"
    SUPERSEDES = "supersedes"
    RULES = "rules"
    FLAG = "flag"


@frozen
class Clash:
    """What comparing two memories found; the quotes are the sentences that it rests on."""

    type: ConflictType
    confidence: float
    description: str
    suggestion: str
    quotes: tuple[str, str] = ("", "")

    @property
    def sure(self) -> bool:
        """Whether a rule has found it, rather than the weight of the evidence alone."""
        return self.confidence >= LEAST_SURE


@frozen
class Side:
    """One memory of a conflict."""

    id: str
    path: str
    summary: str


@frozen
class Accepted:
    """A conflict that somebody of the team wants to live with; `seq` is its event there."""

    seq: int
    at: str
    by: str


class Resolution(StrEnum):
    """How a conflict is settled."""

    DEPRECATE = "deprecate"
    MERGE = "merge"
    CLARIFY = "clarify"
    INTENTIONAL = "intentional"
