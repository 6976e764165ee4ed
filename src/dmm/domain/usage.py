"""How memories are counted: by which name, for which outcomes, and what a team adds to that."""

from __future__ import annotations

from dmm.domain.frozen import frozen

OUTCOMES = ("served", "helped", "wrong", "outdated")
OWN = "user:"


def key_of(identity: str, path: str) -> str:
    """Name a memory for counting: by its id, which outlives a move, or else by its path.

    The user's own memories may bear the ids of a project's.
    """
    if not identity:
        return path
    return f"{OWN}{identity}" if path.startswith(OWN) else identity


@frozen
class Count:
    """How often one memory was served, and said to be helpful, wrong or outdated."""

    id: str
    path: str
    served: int
    helped: int
    wrong: int
    outdated: int


@frozen
class DayCounts:
    """What a laptop counted up to the end of a day; `event` is the last one that it counted."""

    event: str
    day: str
    by: str
    counts: tuple[Count, ...]
