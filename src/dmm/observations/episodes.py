"""Episodes: one request of a session and everything done about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, TypeVar

from dmm.domain.event import Trust, least
from dmm.observations.commands import CHANGES
from dmm.observations.steps import EDITS, Act, Step
from dmm.observations.wording import is_substantial, is_telling

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A long episode keeps its first and its newest steps; what is gathered of it stays of one size.
MOST_STEPS = 240
FIRST_STEPS = 40
MOST_FILES = 60
MOST_LOOKED_AT = 20
MOST_ANSWERS = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a message, with the event that holds them."""

    seq: int
    text: str
    trust: Trust


@dataclass(frozen=True, slots=True)
class Episode:
    """What is known so far of one request; `anchor` is the number that names it, 0 before one."""

    session: str
    anchor: int
    at: str
    actor: str
    prompt: Said | None = None
    steps: tuple[Step, ...] = ()
    edited: tuple[str, ...] = ()
    looked_at: tuple[str, ...] = ()
    answers: tuple[Said, ...] = ()
    labels: tuple[Trust, ...] = ()
    calls: int = 0
    changed: bool = False
    found: bool = False

    @property
    def asked(self) -> str:
        """The words of the request."""
        return "" if self.prompt is None else self.prompt.text

    @property
    def answer(self) -> str:
        """The newest answer that tells something."""
        return self.answers[-1].text if self.answers else ""

    @property
    def said(self) -> tuple[Said, ...]:
        """The request and the answers."""
        return (*filter(None, [self.prompt]), *self.answers)

    def steps_of(self, *acts: Act) -> list[Step]:
        """Return the steps that did such things."""
        return [step for step in self.steps if step.act in acts]

    @property
    def runs(self) -> list[Step]:
        """The commands that did more than look."""
        return self.steps_of(Act.RUN)

    @property
    def commits(self) -> list[Step]:
        """The commits with a known subject, which is their note; no other command has one."""
        return [run for run in self.runs if run.note]

    @property
    def newest(self) -> int:
        """The newest event that is known of it."""
        said = [one.seq for one in self.said]
        return max([self.anchor, *said, *(step.seq for step in self.steps[-1:])])

    @property
    def trust(self) -> Trust:
        """The least trust of all who spoke; what tools said is not counted here."""
        return least([*self.labels, *(one.trust for one in self.said)])

    def take(self, seq: int, steps: Sequence[Step], trust: Trust) -> Episode:
        """Add a tool event."""
        looked_at = [step.target for step in steps if step.act is Act.LOOK]
        edited = [step.target for step in steps if step.act in EDITS]
        done = [step for step in steps if step.act is not Act.LOOK]
        # The input of a call is the agent's own word, whatever the tool returned.
        spoken = Trust.AGENT if trust is Trust.TOOL else trust
        return replace(
            self,
            anchor=self.anchor or seq,
            steps=reduce(_joined, done, self.steps),
            edited=_distinct(self.edited, edited)[:MOST_FILES],
            looked_at=_distinct(self.looked_at, filter(None, looked_at))[:MOST_LOOKED_AT],
            labels=_distinct(self.labels, [spoken]),
            calls=self.calls + 1,
            changed=self.changed or any(one.sort in CHANGES and not one.failed for one in done),
        )

    def hear(self, said: Said) -> Episode:
        """Add what the agent said at the end of a turn; the first and the newest are kept."""
        if not is_telling(said.text):
            return self
        answers = _bounded((*self.answers, said), 1, MOST_ANSWERS)
        return replace(self, answers=answers, found=self.found or is_substantial(said.text))


def _distinct(known: Iterable[T], more: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*known, *more)))


def _bounded(held: tuple[T, ...], first: int, most: int) -> tuple[T, ...]:
    """Keep the first and the newest of what grew by one."""
    return held if len(held) <= most else (*held[:first], *held[first + 1 :])


def _joined(steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    if steps and steps[-1].is_like(step):
        return (*steps[:-1], replace(steps[-1], times=steps[-1].times + step.times))
    return _bounded((*steps, step), FIRST_STEPS, MOST_STEPS)
