"""Call the reviewer agent within the daily token limit, on record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.models.metering import Meter, Question, Silence, Spent
from dmm.redaction.clean import clean
from dmm.review.reviewer import Answer, ask, is_modifiable, read_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.domain.proposal import Check, Proposal
    from dmm.review.surroundings import Neighbour

__all__ = ["PURPOSE", "Reviewer", "Silence", "Spent"]

PURPOSE = "review"


@frozen
class Reviewer(Meter):
    """Asks a model about proposals; whatever goes wrong with it, the answer is silence."""

    def review(
        self, proposal: Proposal, checks: Sequence[Check], neighbours: Sequence[Neighbour]
    ) -> Answer | Silence:
        """Ask about a proposal, once; without an answer it goes on waiting."""
        asked = [check.name for check in checks]
        question = Question(
            PURPOSE,
            lambda: ask(proposal, checks, neighbours, clean=clean),
            lambda text: read_answer(text, asked, modifiable=is_modifiable(proposal)),
            proposal=proposal.seq,
            references=(proposal.seq,),
            otherwise="a person has to review",
        )
        return self.ask(question)
