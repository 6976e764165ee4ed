"""A model's wording of an observation, laid over the original text.

Kind, files and evidence stay those of the rules. A retelling holds for the very evidence that it
was made of: an episode that went on, or lost an event, is told by the rules again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust, least
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

    def describe(self) -> dict[str, Any]:
        """Lay it out as the payload of an event."""
        return {
            "of": self.of,
            "title": self.title,
            "narrative": self.narrative,
            "facts": list(self.facts),
            "model": self.model,
        }


def read_retelling(event: Event) -> Retelling | None:
    """Read a retelling; None where an event is none, or was blanked."""
    texts = [event.get(name) for name in ("of", "title", "narrative", "model")]
    facts = event.get("facts")
    if not all(isinstance(text, str) and text for text in texts) or not isinstance(facts, list):
        return None
    of, title, narrative, model = texts
    told = tuple(fact for fact in facts if isinstance(fact, str))
    return Retelling(of, title, narrative, told, model, frozenset(event.references), label(event))


def retell(unit: Observation, told: Retelling) -> Observation | None:
    """Lay a retelling over its observation; None where it was made of other evidence."""
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
    """Read a kept retelling back."""
    of, title, narrative, facts, model, evidence, trust = json.loads(text)
    return Retelling(of, title, narrative, tuple(facts), model, frozenset(evidence), Trust(trust))
