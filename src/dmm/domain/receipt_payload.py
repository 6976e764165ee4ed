"""The receipt of a pack as the ledger keeps it: one short line for each entry and exclusion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.frozen import frozen
from dmm.domain.pack import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.domain.pack import Candidate, PackEntry

# How many of the best candidates that were left out are kept.
MOST_EXCLUDED = 20
# A word of a receipt and the letter that stands for it in the ledger; part of the format.
LANES = {
    "similarity": "s",
    "keywords": "k",
    "name": "n",
    "neighbours": "b",
    "files": "f",
}
REASONS = {
    Reason.BUDGET: "b",
    Reason.FLOOR: "f",
    Reason.DUPLICATE: "d",
    Reason.LIMIT: "l",
    Reason.GIVEN: "g",
}
_LANES = {letter: lane for lane, letter in LANES.items()}
_REASONS = {letter: reason for reason, letter in REASONS.items()}


class Found(NamedTuple):
    """Why an entry is in a pack."""

    score: float
    lanes: tuple[str, ...]
    tokens: int


class LeftOut(NamedTuple):
    """Why a candidate is not in a pack."""

    path: str
    score: float
    reason: str
    tokens: int


@frozen
class KeptReceipt:
    """Why a pack held what it held.

    `baseline` are the tokens of its entries and `found` the lines of the retrieved ones, in their
    order; `labels` belong to paths. `more` candidates were left out besides those in `excluded`.
    `memory` counts the tokens of all memories in force at that time, 0 where it is not known.
    """

    found: tuple[str, ...]
    baseline: tuple[int, ...] = ()
    excluded: tuple[str, ...] = ()
    more: int = 0
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    memory: int = 0

    def read_found(self) -> tuple[Found | None, ...]:
        """Return why each retrieved entry is there; None where a line can't be read."""
        return tuple(map(_read_found, self.found))

    def read_excluded(self) -> tuple[LeftOut, ...]:
        """Return what was left out, the best first; a line that can't be read is passed over."""
        return tuple(one for one in map(_read_excluded, self.excluded) if one is not None)


def keep_receipt(
    baseline: Iterable[PackEntry],
    retrieved: Iterable[PackEntry],
    candidates: Iterable[Candidate] = (),
    *,
    considered: int = 0,
    memory: int = 0,
) -> KeptReceipt:
    """Return the receipt of a pack in the form that the ledger keeps."""
    always, found = tuple(baseline), tuple(retrieved)
    held = {one.path for one in found}
    # One without any score says nothing; it is counted with the rest. A prompt of several sentences
    # may have found for one of them what another could not have.
    left_out = [
        one
        for one in candidates
        if not one.included and one.path not in held and round(one.score, 3) > 0
    ]
    excluded = tuple(map(_write_excluded, left_out[:MOST_EXCLUDED]))
    return KeptReceipt(
        found=tuple(map(_write_found, found)),
        baseline=tuple(one.token_count for one in always),
        excluded=excluded,
        more=max(0, considered - len(found) - len(excluded)),
        labels={one.path: one.labels for one in (*always, *found) if one.labels},
        memory=memory,
    )


def _write_found(entry: PackEntry) -> str:
    lanes = "".join(LANES[lane] for lane in entry.lanes)
    return f"{entry.relevance_score:.3f} {lanes} {entry.token_count}"


def _read_found(line: str) -> Found | None:
    score, _, rest = line.partition(" ")
    lanes, _, tokens = rest.partition(" ")
    try:
        return Found(float(score), tuple(_LANES[one] for one in lanes), int(tokens))
    except (ValueError, KeyError):
        return None


def _write_excluded(one: Candidate) -> str:
    return f"{one.score:.3f} {REASONS[one.reason]} {one.tokens} {one.path}"


def _read_excluded(line: str) -> LeftOut | None:
    parts = line.split(" ", 3)
    try:
        score, letter, tokens, path = parts
        return LeftOut(path, float(score), _REASONS[letter].value, int(tokens))
    except (ValueError, KeyError):
        return None
