"""Rewrite finished episodes with the user's chat model, if the user wants that.

DISTIL: observations (observations/service.py) → evidence and question
(observations/model_prompt.py) → model (models/metering.py) → what the evidence bears out →
ObservationMade events, which observations/service.py lays over the units. Without a model, and
whenever one fails, the text that rules made stays.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.domain.event import Trust, least
from dmm.domain.observation import Kind
from dmm.models.metering import Question, Silence
from dmm.observations.distil import RECORDS
from dmm.observations.last_session import moment_of
from dmm.observations.model_prompt import ask, gather, read_answer
from dmm.observations.records import label
from dmm.observations.results import DistilRun, EpisodeView, RefusedView, RetoldView
from dmm.observations.retelling import Retelling
from dmm.redaction.clean import clean
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.domain.event import Event
    from dmm.domain.observation import Observation
    from dmm.models.metering import Meter
    from dmm.observations.model_prompt import Answer, Material, Retold
    from dmm.observations.service import Observations

PURPOSE = "distil"
OFF = "observations.distil_with_model is off in this project's settings"
QUIET = dt.timedelta(minutes=30)
# So many that the longest answer still fits into the default of model.max_output_tokens.
MOST_IN_BATCH = 4
LONGEST_BATCH = 24_000
MOST_IN_RUN = 36
# What came to nothing so often is not asked about again.
MOST_TRIES = 2
# Reviews are waited for; better words are not.
SHARE = 0.5
# Decisions, facts and rules stand in somebody's own words, which nobody betters.
_KINDS = (Kind.BUGFIX, Kind.FEATURE, Kind.DISCOVERY, Kind.CHANGE)
_REACHED = ("answered", "malformed", "late")


@dataclass(slots=True)
class _Tally:
    """What came of a run."""

    calls: int = 0
    retold: list[RetoldView] = field(default_factory=list)
    refused: list[RefusedView] = field(default_factory=list)
    silence: str | None = None


@dataclass(frozen=True, slots=True)
class Distiller:
    """Has finished episodes retold; `require` refuses a project that is not trusted."""

    observations: Observations
    meter: Meter
    enabled: bool
    require: Callable[[], object]

    def look(self) -> DistilRun:
        """Return which episodes would be asked about; nothing is asked or recorded."""
        self.require()
        waiting = list(self._waiting())
        found = self._report(waiting, _Tally(silence=None if self.enabled else OFF))
        return replace(found, episodes=tuple(map(_view, waiting[:MOST_IN_RUN])))

    @traced()
    def distil(self, progress: Callable[[int, int], None] = lambda _done, _of: None) -> DistilRun:
        """Ask about finished episodes, the newest first, for as long as the model answers."""
        self.require()
        tally = _Tally(silence=None if self.enabled else OFF)
        waiting = list(self._waiting())
        chosen = waiting[:MOST_IN_RUN]
        done = 0
        for batch in self._batches(chosen):
            progress(done, len(chosen))
            if tally.silence is None:
                self._ask(batch, tally)
            done += len(batch)
        return self._report(waiting, tally)

    def _report(self, waiting: Sequence[Observation], tally: _Tally) -> DistilRun:
        return DistilRun(
            self.enabled,
            len(waiting) - len(tally.retold),
            tally.calls,
            tuple(tally.retold),
            tuple(tally.refused),
            tally.silence,
        )

    def _waiting(self) -> Iterator[Observation]:
        """Return the finished episodes that rules told, newest first."""
        unfinished = self.observations.unfinished.items()
        busy = {name for name, seq in unfinished if not self._is_quiet(seq)}
        tried = {name for name, times in self._tries().items() if times >= MOST_TRIES}
        done = self.observations.retold | busy | tried
        found = self.observations.newest_of(_KINDS)
        return (unit for unit in found if unit.id not in done and self._is_episode(unit))

    def _tries(self) -> Counter[str]:
        tries: Counter[str] = Counter()
        for call in self.meter.calls():
            named = call.get("observations")
            if call.get("outcome") in _REACHED and isinstance(named, list):
                tries.update(name for name in named if isinstance(name, str))
        return tries

    def _is_quiet(self, seq: int) -> bool:
        event = self._event(seq)
        return event is not None and self.meter.now() - moment_of(event) >= QUIET

    def _is_episode(self, unit: Observation) -> bool:
        first = self._event(unit.evidence[0])
        return first is not None and first.type not in RECORDS

    def _event(self, seq: int) -> Event | None:
        return self.meter.project_ledger.reading.event(seq)

    def _batches(self, units: Sequence[Observation]) -> Iterator[list[Material]]:
        batch: list[Material] = []
        for unit in units:
            events = [one for seq in unit.evidence if (one := self._event(seq)) is not None]
            material = gather(unit, events, clean)
            size = sum(one.size for one in batch) + material.size
            if batch and (len(batch) == MOST_IN_BATCH or size > LONGEST_BATCH):
                yield batch
                batch = []
            batch.append(material)
        if batch:
            yield batch

    def _ask(self, batch: Sequence[Material], tally: _Tally) -> None:
        question = Question(
            PURPOSE,
            lambda: ask(batch, clean=clean),
            lambda text: read_answer(text, batch),
            observations=tuple(one.unit.id for one in batch),
            otherwise="the original text stays",
            share=SHARE,
        )
        found = self.meter.ask(question)
        if isinstance(found, Silence):
            tally.silence = found.reason
            return
        tally.calls += 1
        self._keep(batch, found, tally)

    def _keep(self, batch: Sequence[Material], answer: Answer, tally: _Tally) -> None:
        for material in batch:
            unit = material.unit
            told = answer.retold.get(unit.id)
            if told is not None:
                self._record(material, told)
                tally.retold.append(RetoldView(unit.id, told.title, told.dropped))
            elif unit.id in answer.refused:
                tally.refused.append(RefusedView(unit.id, answer.refused[unit.id]))

    def _record(self, material: Material, told: Retold) -> None:
        unit = material.unit
        events = (self._event(seq) for seq, _, _ in material.evidence)
        shown = [label(event) for event in events if event is not None]
        settings = self.meter.model
        made = Retelling(
            of=unit.id,
            title=clean(told.title),
            narrative=clean(told.narrative),
            facts=tuple(map(clean, told.facts)),
            model=f"{settings.provider}/{settings.name}".rstrip("/"),
            evidence=frozenset(unit.evidence),
            trust=least([Trust.AGENT, unit.trust, *shown]),
        )
        project_ledger = self.meter.project_ledger
        draft = project_ledger.draft(made.to_payload(), references=unit.evidence)
        project_ledger.record(replace(draft, trust=made.trust))


def _view(unit: Observation) -> EpisodeView:
    return EpisodeView(unit.id, str(unit.kind), unit.at, unit.title)
