"""An answer with all that it rests on, and its form as plain data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.ask import coverage, landmarks, plan, render
from dmm.ask.days import Span
from dmm.ask.evidence import Origin

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping

    from dmm.ask.answer import Answer
    from dmm.ask.budget import Choice
    from dmm.ask.critic import Critique
    from dmm.ask.evidence import Evidence
    from dmm.ask.mapping import Decision
    from dmm.ask.question import Question
    from dmm.ask.sections import Section
    from dmm.ask.sources import Told

EXECUTOR_OFF = "off"
TOO_SMALL = "notice: nothing fits into a budget of {} tokens; give a larger one, or none\n"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, and how to answer it."""

    question: str
    day: dt.date
    budget: int
    style: str = render.COMPACT
    profile: str | None = None
    default_profile: str = ""
    retry_max: int = 2


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything found for a question, each item once, best first; the others are not quoted."""

    memory: Told
    sessions: Told
    covered: coverage.Covered
    evidence: tuple[Evidence, ...]
    others: tuple[Evidence, ...]
    dropped: tuple[tuple[str, str], ...]
    files: int
    packages: Mapping[str, int]
    named: tuple[Section, ...]
    unknown: tuple[str, ...]
    unproved: tuple[str, ...]

    def name_package(self, path: str) -> str:
        """Name the package of a file where the repository has several; empty otherwise."""
        return landmarks.package_of(path, self.packages) if len(self.packages) > 1 else ""


@dataclass(frozen=True, slots=True)
class Written:
    """The prompt with its parts, their tokens, and what was chosen for it."""

    parts: dict[str, str]
    tokens: dict[str, int]
    left: tuple[str, ...]
    choice: Choice
    gate: coverage.Gate
    others: tuple[Evidence, ...] = ()
    text: str = field(init=False)

    def __post_init__(self) -> None:
        order = list(Origin)
        chosen = sorted(self.choice.taken, key=lambda one: order.index(one.evidence.origin))
        frame = ("task", "coverage", "warning", "plan", "evidence")
        heads = [self.parts[name] for name in frame if name in self.parts]
        blocks = (one.block for one in chosen)
        text = "".join((*heads, *blocks, self.parts.get("others", "")))
        object.__setattr__(self, "text", text)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, and how it was made."""

    request: Request
    question: Question
    decision: Decision
    gathered: Gathered
    written: Written
    answer: Answer
    tokens: int
    critique: Critique
    repository_notices: tuple[str, ...] = ()
    timing: Mapping[str, float] | None = None

    @property
    def prompt(self) -> str:
        """The prompt for an agent; where the budget holds nothing, a line that says so."""
        return self.written.text or TOO_SMALL.format(self.request.budget)

    @property
    def notices(self) -> tuple[str, ...]:
        """What to know about the search."""
        found = self.gathered
        return (*found.memory.notices, *found.sessions.notices, *self.repository_notices)

    @property
    def found(self) -> dict[Origin, int]:
        """How much evidence each source has."""
        return _count(self.gathered.evidence)

    @property
    def taken(self) -> dict[Origin, int]:
        """How much evidence of each source is in the prompt."""
        return _count(one.evidence for one in self.written.choice.taken)

    def describe(self) -> object:
        """Return the whole answer as plain data."""
        evidence, written = self.gathered.evidence, self.written
        profile, taken = self.decision.profile, set(written.choice.ids)
        return {
            "layer1_search": self._tell_search(),
            "layer3_observations": _of(Origin.SESSIONS, evidence),
            "repo_context": _of(Origin.CODE, evidence),
            "answer": self.answer,
            "suggested_prompt": written.text,
            "token_estimate": self.tokens,
            "mapping_decision": self.decision,
            "coverage_gate": written.gate,
            "prompt_plan": self._tell_plan(),
            "prompt_metrics": {
                "budget": self.request.budget,
                "total": self.tokens,
                "remaining": self.request.budget - self.tokens,
                "frame": sum(written.tokens.values()),
                "parts": written.tokens,
                "evidence": {one: written.choice.spent(one) for one in Origin},
            },
            "task_spec": self._tell_task(),
            "execution_plan": plan.plan(profile, evidence, taken),
            "coverage_9_section": coverage.describe_sections(evidence),
            "evidence_stats": {
                "found": self.found,
                "taken": self.taken,
                "left": len(written.choice.left),
                "deduplicated": len(self.gathered.dropped),
                "low_trust": sum(bool(one.doubt) for one in evidence),
                "repo_files": self.gathered.files,
            },
            "executor_mode": EXECUTOR_OFF,
            "execution_attempted": False,
            "execution_result": None,
            "execution_critic": self.critique,
            "layers": self._tell_layers(),
            **({"timing": self.timing} if self.timing else {}),
        }

    def _tell_search(self) -> object:
        """Rows of sessions to choose from, and the memories, which are short enough to be whole."""
        told, searched = self.gathered.sessions, self.gathered.sessions.searched
        about = {} if searched is None else {"query": searched.query, "filters": told.filters}
        about |= {"retrieval": told.retrieval, "units": told.size} if searched else {}
        return {
            **about,
            **({"hint": searched.hint} if searched and searched.hint else {}),
            "results": searched.results if searched else (),
            "memories": _of(Origin.MEMORY, self.gathered.evidence),
            "notices": self.notices,
        }

    def _tell_plan(self) -> object:
        """What is in the prompt and what is not, with the cost of each."""
        choice = self.written.choice
        return {
            "style": self.request.style,
            "parts": tuple(self.written.parts),
            "parts_left": self.written.left,
            "room": choice.room,
            "shares": {
                origin: {"share": share, "used": choice.spent(origin)}
                for origin, share in choice.shares.items()
            },
            "taken": [{"id": one.evidence.id, "tokens": one.tokens} for one in choice.taken],
            "left": [
                {"id": one.evidence.id, "tokens": one.tokens, "reason": why}
                for one, why in choice.left
            ],
            "deduplicated": [{"id": one, "same_as": same} for one, same in self.gathered.dropped],
            "others": [
                {"cite": one.cite, "title": one.title, "remark": one.remark}
                for one in self.written.others
            ],
        }

    def _tell_task(self) -> object:
        """The task: what is asked, what for, and when it is done."""
        question, profile = self.question, self.decision.profile
        return {
            "question": question.text,
            "profile": profile.name,
            "goal": profile.goal,
            "time": question.span or Span(None, None, ""),
            "kinds": question.kinds,
            "files": question.files,
            "symbols": question.symbols,
            "names": question.names,
            "looks_back": question.looks_back,
            "sections": profile.sections,
            "required_coverage": profile.needs,
            "budget": self.request.budget,
            "style": self.request.style,
            "acceptance": plan.ACCEPTANCE,
        }

    def _tell_layers(self) -> object:
        """What each of the six product layers did: counts and names, no times."""
        question, gathered, gate = self.question, self.gathered, self.written.gate
        sessions = [one for one in gathered.evidence if one.origin is Origin.SESSIONS]
        return {
            "access_ux": {
                "question_characters": len(question.text),
                "style": self.request.style,
                "budget": self.request.budget,
            },
            "task_compiler_plan": {
                "profile": self.decision.profile.name,
                "source": self.decision.source,
                "time": question.span or Span(None, None, ""),
                "kinds": question.kinds,
                "files": question.files,
                "symbols": question.symbols,
                "steps": len(plan.steps_of(self.decision.profile)),
            },
            "memory_ingestion_structuring": {
                "units": gathered.sessions.size,
                "observations": len(sessions),
                "kinds": dict(sorted(Counter(one.kind for one in sessions).items())),
            },
            "storage_index": {
                "memories": gathered.memory.size,
                "repo_files": gathered.files,
                "units": gathered.sessions.size,
            },
            "retrieval_ranking": {
                "found": self.found,
                "taken": self.taken,
                "deduplicated": len(gathered.dropped),
                "sessions": gathered.sessions.retrieval,
                "memory": gathered.memory.retrieval,
                "probes": len(gate.probes),
            },
            "execution_critic_delivery": {
                "executor_mode": EXECUTOR_OFF,
                "coverage_pass": gate.pass_,
                "stuck_detected": self.critique.stuck_detected,
                "risk_level": self.critique.risk_level,
                "parts": tuple(self.written.parts),
                "tokens": self.tokens,
            },
        }


def _of(origin: Origin, evidence: Iterable[Evidence]) -> list[Evidence]:
    return [one for one in evidence if one.origin is origin]


def _count(evidence: Iterable[Evidence]) -> dict[Origin, int]:
    counted = Counter(one.origin for one in evidence)
    return {one: counted[one] for one in Origin}
