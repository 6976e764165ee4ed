"""Call the reviewer agent within the daily token limit, on record."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.models.metering import Meter, Question, Silence, Spent
from dmm.redaction.redact import redact
from dmm.review.reviewer import Answer, ask, is_modifiable, read_answer

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from dmm.config import ModelConfig
    from dmm.domain.proposal import Check, Proposal
    from dmm.models.port import ChatModel
    from dmm.review.surroundings import Neighbour
    from dmm.rules.project_ledger import ProjectLedger

__all__ = ["PURPOSE", "Reviewer", "Silence", "Spent"]

PURPOSE = "review"


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Asks a model about proposals; whatever goes wrong with it, the answer is silence."""

    chat: Callable[[], ChatModel | None]
    project_ledger: ProjectLedger
    model: ModelConfig
    now: Callable[[], dt.datetime]
    clock: Callable[[], float] = time.monotonic

    @property
    def _meter(self) -> Meter:
        return Meter(self.chat, self.project_ledger, self.model, self.now, self.clock)

    def review(
        self, proposal: Proposal, checks: Sequence[Check], neighbours: Sequence[Neighbour]
    ) -> Answer | Silence:
        """Ask about a proposal, once; without an answer it goes on waiting."""
        asked = [check.name for check in checks]
        question = Question(
            PURPOSE,
            lambda: ask(proposal, checks, neighbours, clean=_clean),
            lambda text: read_answer(text, asked, modifiable=is_modifiable(proposal)),
            proposal=proposal.seq,
            references=(proposal.seq,),
            otherwise="a person has to review",
        )
        return self._meter.ask(question)

    def spend(self, day: dt.date) -> list[Spent]:
        """Return what models cost on a day (UTC), by purpose."""
        return self._meter.spend(day)

    def spent_today(self) -> int:
        """Return how many tokens models took today (UTC), for whatever purpose."""
        return self._meter.spent_today()


def _clean(text: str) -> str:
    return redact(text).text
