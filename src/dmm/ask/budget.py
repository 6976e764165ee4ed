"""Share the token budget among evidence by the weights of a profile.

A block ends in a newline and the next begins with a solid character, so tokens add up exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.ask.evidence import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dmm.ask.evidence import Evidence
    from dmm.config import AskRatios


@dataclass(frozen=True, slots=True)
class Priced:
    """Evidence as it would stand in the prompt, with its tokens."""

    evidence: Evidence
    block: str
    tokens: int


@dataclass(slots=True)
class Choice:
    """What was taken and what was left, with the reason, and the account of every share."""

    taken: list[Priced] = field(default_factory=list)
    left: list[tuple[Priced, str]] = field(default_factory=list)
    shares: dict[Origin, int] = field(default_factory=dict)
    room: int = 0

    @property
    def ids(self) -> list[str]:
        """The ids of what was taken."""
        return [one.evidence.id for one in self.taken]

    def spent(self, origin: Origin | None = None) -> int:
        """Count the tokens that were taken, of one source or of all."""
        return sum(
            one.tokens for one in self.taken if origin is None or one.evidence.origin is origin
        )


def share_out(room: int, ratios: AskRatios) -> dict[Origin, int]:
    """Divide the room by ratios, in whole tokens; the shares are never more than the room."""
    return {
        Origin.MEMORY: int(room * ratios.memory),
        Origin.SESSIONS: int(room * ratios.sessions),
        Origin.CODE: int(room * ratios.code),
    }


def choose(
    evidence: Sequence[Evidence],
    room: int,
    ratios: AskRatios,
    write: Callable[[Evidence], str],
    count: Callable[[str], int],
) -> Choice:
    """Take what fits: each source within its share first, then all from what is left over.

    Evidence comes in the order of its worth; what is too long for the room is skipped, and shorter
    evidence after it may still be taken.
    """
    choice = Choice(shares=share_out(max(room, 0), ratios), room=max(room, 0))
    priced = [Priced(one, block := write(one), count(block)) for one in evidence]
    open_: list[Priced] = []
    left = dict(choice.shares)
    for one in priced:
        if one.tokens <= left[one.evidence.origin]:
            left[one.evidence.origin] -= one.tokens
            choice.taken.append(one)
        else:
            open_.append(one)
    rest = choice.room - choice.spent()
    for one in open_:
        if one.tokens <= rest:
            rest -= one.tokens
            choice.taken.append(one)
        else:
            choice.left.append((one, _reason(one, choice, left)))
    places = {one.id: at for at, one in enumerate(evidence)}
    choice.taken.sort(key=lambda one: places[one.evidence.id])
    return choice


def _reason(one: Priced, choice: Choice, left: Mapping[Origin, int]) -> str:
    if one.tokens > choice.room:
        return "longer than the whole budget"
    return f"no space: {left[one.evidence.origin]} tokens of its share were left"
