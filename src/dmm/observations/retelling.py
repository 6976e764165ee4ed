"""A model's wording of an observation, laid over the original text.

Kind, files and evidence stay those of the rules. A retelling holds for the very evidence that it
was made of: an episode that went on, or lost an event, is told by the rules again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.event import Trust, least
from dmm.domain.payload import ObservationMade
from dmm.observations.records import label

if TYPE_CHECKING:
    from dmm.domain.event import Event
    from dmm.domain.observation import Observation


@dataclass(frozen=True, slots=True)
class Retelling:
    """Other words for one observation; `model` is the one that wrote them."""

    of: str
    title: str
    narrative: str
    facts: tuple[str, ...]
    model: str
    evidence: frozenset[int]
    trust: Trust

    def to_payload(self) -> ObservationMade:
        """Return what is recorded of it."""
        return ObservationMade(
            of=self.of,
            title=self.title,
            narrative=self.narrative,
            facts=self.facts,
            model=self.model,
        )


def read_retelling(event: Event) -> Retelling | None:
    """Read a retelling; None where an event is none, or was blanked."""
    told = ObservationMade.read(event)
    if told is None or told.facts is None:
        return None
    if not all((told.of, told.title, told.narrative, told.model)):
        return None
    evidence = frozenset(event.references)
    words = told.of, told.title, told.narrative, told.facts, told.model
    return Retelling(*words, evidence, label(event))


def retell(unit: Observation, told: Retelling) -> Observation | None:
    """Return an observation with its retelling, or None if the evidence differs."""
    if told.of != unit.id or told.evidence != frozenset(unit.evidence):
        return None
    return replace(
        unit,
        title=told.title,
        narrative=told.narrative,
        facts=told.facts or unit.facts,
        trust=least([Trust.AGENT, told.trust, unit.trust]),
    )


def write_kept(told: Retelling) -> str:
    """Write a retelling as text, to be kept beside the units."""
    evidence = sorted(told.evidence)
    row = (told.of, told.title, told.narrative, told.facts, told.model, evidence, told.trust)
    return json.dumps(row, separators=(",", ":"))


def read_kept(text: str) -> Retelling:
    """Read a stored retelling."""
    of, title, narrative, facts, model, evidence, trust = json.loads(text)
    return Retelling(of, title, narrative, tuple(facts), model, frozenset(evidence), Trust(trust))
