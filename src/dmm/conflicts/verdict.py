"""The weight of the evidence: what two memories come to, all told."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dmm.conflicts.weights import BIAS, WEIGHTS
from dmm.domain.conflict import LEAST_SURE, Clash, ConflictType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.conflicts.evidence import Evidence
    from dmm.conflicts.meetings import Meeting

CONFLICT, COMPATIBLE, DUPLICATE = "conflict", "compatible", "duplicate"
# To be told of a contradiction that is none costs more than to be asked to read twice.
LEAST_CHANCE = {COMPATIBLE: 0.0, CONFLICT: 0.5, DUPLICATE: 0.46}
_MOST_POSSIBLE = LEAST_SURE - 0.01
_SEEMS = "They seem to speak of the same thing and not to agree."
_LOOK = "Read both: decide which holds, say where each holds, or mark them as intentional."
_SEEMS_SAME = "They seem to say the same thing in other words."
_LOOK_SAME = "Read both: merge them into one memory, or mark them as intentional."


def chances(evidence: Evidence) -> dict[str, float]:
    """How likely each verdict is."""
    odds = {COMPATIBLE: 1.0} | {
        verdict: math.exp(min(_score(BIAS[place], WEIGHTS, evidence, place), _HIGHEST))
        for place, verdict in enumerate((CONFLICT, DUPLICATE))
    }
    total = sum(odds.values())
    return {verdict: value / total for verdict, value in odds.items()}


_HIGHEST = 50.0


def _score(
    bias: float, weights: Mapping[str, tuple[float, float]], evidence: Evidence, place: int
) -> float:
    known = (weights[name][place] * value for name, value in evidence.items() if name in weights)
    return math.fsum((bias, *known))


def decide(likely: Mapping[str, float]) -> tuple[str, float]:
    """The verdict and its chance; other than compatible only where that is likely enough."""
    enough = {name: chance for name, chance in likely.items() if chance >= LEAST_CHANCE[name]}
    verdict = max(enough, key=lambda name: enough[name])
    return verdict, enough[verdict]


def weigh(evidence: Evidence, meetings: list[Meeting]) -> Clash | None:
    """The clash that the evidence speaks for, if it does; without a rule it is merely possible."""
    verdict, chance = decide(chances(evidence))
    if verdict == COMPATIBLE:
        return None
    quotes = (meetings[0].one.text, meetings[0].other.text) if meetings else ("", "")
    confidence = round(min(chance, _MOST_POSSIBLE), 2)
    if verdict == DUPLICATE:
        return Clash(ConflictType.DUPLICATE, confidence, _SEEMS_SAME, _LOOK_SAME, quotes)
    return Clash(ConflictType.CONTRADICTION, confidence, _SEEMS, _LOOK, quotes)
