"""Episodes: one request of a session and everything done about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.event import Trust, least
from dmm.observations.commands import CHANGES, Sort
from dmm.observations.steps import EDITS, Act, Step
from dmm.observations.wording import is_substantial, is_telling

if TYPE_CHECKING:
    from collections.abc import Iterable

# A long episode keeps its first and its newest steps; what is gathered of it stays of one size.
MOST_STEPS = 240
FIRST_STEPS = 40
MOST_FILES = 60
MOST_LOOKED_AT = 20
MOST_ANSWERS = 3


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
    def runs(self) -> list[Step]:
        """The commands that did more than look."""
        return [step for step in self.steps if step.act is Act.RUN]

    @property
    def commits(self) -> list[Step]:
        """The commits with a known subject, which is their note."""
        return [run for run in self.runs if run.sort is Sort.COMMIT and run.note]

    @property
    def newest(self) -> int:
        """The newest event that is known of it."""
        said = [one.seq for one in (self.prompt, *self.answers) if one is not None]
        return max([self.anchor, *said, *(step.seq for step in self.steps[-1:])])

    @property
    def trust(self) -> Trust:
        """The least trust of all who spoke; what tools said is not counted here."""
        spoken = [self.prompt.trust] if self.prompt else []
        return least([*spoken, *self.labels, *(one.trust for one in self.answers)])

    def take(self, seq: int, steps: Iterable[Step], trust: Trust) -> Episode:
        """Add a tool event."""
        kept, edited, looked_at = self.steps, self.edited, self.looked_at
        changed = self.changed
        for step in steps:
            if step.act is Act.LOOK:
                if step.target and len(looked_at) < MOST_LOOKED_AT:
                    looked_at = _with(looked_at, step.target)
                continue
            kept = _joined(kept, step)
            changed = changed or (step.sort in CHANGES and not step.failed)
            if step.act in EDITS and len(edited) < MOST_FILES:
                edited = _with(edited, step.target)
        return replace(
            self,
            anchor=self.anchor or seq,
            steps=kept,
            edited=edited,
            looked_at=looked_at,
            labels=_labelled(self.labels, trust),
            calls=self.calls + 1,
            changed=changed,
        )

    def hear(self, said: Said) -> Episode:
        """Add what the agent said at the end of a turn; the first and the newest are kept."""
        if not is_telling(said.text):
            return self
        answers = (*self.answers, said)
        if len(answers) > MOST_ANSWERS:
            answers = (answers[0], *answers[2:])
        return replace(self, answers=answers, found=self.found or is_substantial(said.text))


def _with(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return names if name in names else (*names, name)


def _labelled(labels: tuple[Trust, ...], trust: Trust) -> tuple[Trust, ...]:
    # The input of a call is the agent's own word, whatever the tool returned.
    spoken = Trust.AGENT if trust is Trust.TOOL else trust
    return labels if spoken in labels else (*labels, spoken)


def _joined(steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    if steps and steps[-1].is_like(step):
        return (*steps[:-1], replace(steps[-1], times=steps[-1].times + step.times))
    steps = (*steps, step)
    if len(steps) > MOST_STEPS:
        steps = (*steps[:FIRST_STEPS], *steps[FIRST_STEPS + 1 :])
    return steps
