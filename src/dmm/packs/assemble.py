"""Choose the entries of a pack: above the floor, no duplicates, within the budget.

Packing takes the ranked memories in order and stops at the first that does not fit, so a larger
budget only ever adds: it can't trade one memory for another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.pack import Candidate, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.domain.pack import PackEntry

# How import names the parts of a note that is too long for one memory; the first has no number.
_PART = re.compile(r"(.+)_part_(\d{1,4})\.md")


# A query makes some fifty of them and as many lines; tuples are made four times as quickly.
class Ranked(NamedTuple):
    """A candidate in rank order, as packing needs it."""

    row: int
    path: str
    title: str
    lanes: tuple[str, ...]
    parts: dict[str, float]
    score: float
    tokens: int
    relevant: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """Which candidates are in, and the line of the receipt for each."""

    included: tuple[Ranked, ...]
    receipt: tuple[Candidate, ...]


def choose(
    ranked: Sequence[Ranked],
    *,
    room: int,
    twin: Callable[[Ranked, Sequence[Ranked]], Ranked | None],
) -> Choice:
    """Take candidates in order; `twin` names an included one that says nearly the same."""
    included: list[Ranked] = []
    receipt: list[Candidate] = []
    left, full = room, False
    for candidate in ranked:
        reason, detail = Reason.INCLUDED, ""
        if full:
            reason, detail = Reason.BUDGET, "a better match did not fit"
        elif (double := twin(candidate, included)) is not None:
            reason, detail = Reason.DUPLICATE, f"says nearly the same as {double.path}"
        elif candidate.tokens > left:
            full = True
            reason, detail = Reason.BUDGET, f"{candidate.tokens} tokens, {max(left, 0)} left"
        else:
            included.append(candidate)
            left -= candidate.tokens
        receipt.append(_line(candidate, reason, detail))
    return Choice(tuple(included), tuple(receipt))


def account(choice: Choice, others: Sequence[Ranked]) -> tuple[Candidate, ...]:
    """Write the receipt, best score first, with those that could not be served at all."""
    passed = (_line(one, Reason.LIMIT if one.relevant else Reason.FLOOR) for one in others)
    return tuple(sorted((*choice.receipt, *passed), key=lambda line: -round(line.score, 6)))


def _line(candidate: Ranked, reason: Reason, detail: str = "") -> Candidate:
    _, path, title, lanes, parts, score, tokens, _ = candidate
    return Candidate(path, title, lanes, parts, score, tokens, reason, detail)


def order_parts(entries: Sequence[PackEntry]) -> list[PackEntry]:
    """Group the parts of one note in order, at the place of the best one."""
    notes: dict[str, list[tuple[int, PackEntry]]] = {}
    for entry in entries:
        found = _PART.fullmatch(entry.path)
        note, number = (found[1], int(found[2])) if found else (entry.path.removesuffix(".md"), 1)
        notes.setdefault(note, []).append((number, entry))
    return [one for parts in notes.values() for _, one in sorted(parts, key=itemgetter(0))]
