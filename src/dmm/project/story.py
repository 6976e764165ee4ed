"""The demo's story: eight steps of a travel agent, with expected results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.ledger.service import Ledger
    from dmm.ledger.timelines import Timelines

RULE = "verify accessibility before booking"
MISS = "Book Hotel Miradouro for four nights"
BOOKING = "Book Casa do Rio for four nights"


@dataclass(frozen=True, slots=True)
class Step:
    """One operation, and what its result has to say for the story to be true."""

    operation: str
    arguments: Mapping[str, str | int | list[int]]
    expected: Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Act:
    """A part of the story."""

    title: str
    told: str
    steps: tuple[Step, ...]
    moral: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """A step that was taken, with its result."""

    step: Step
    result: object

    @property
    def as_told(self) -> bool:
        """Whether the result says what the story says."""
        expected = self.step.expected.items()
        return all(getattr(self.result, key, None) == value for key, value in expected)


@dataclass(frozen=True, slots=True)
class Scene:
    """An act that was played."""

    number: int
    act: Act
    moves: tuple[Move, ...]

    @property
    def as_told(self) -> bool:
        """Whether every step passed."""
        return all(move.as_told for move in self.moves)


@dataclass(frozen=True, slots=True)
class Stage:
    """A ledger to play on."""

    ledger: Ledger
    timelines: Timelines

    def play(self, acts: tuple[Act, ...]) -> Iterator[Scene]:
        """Play one act after the other, each when it is asked for."""
        for number, act in enumerate(acts, start=1):
            yield Scene(number, act, tuple(Move(step, self._take(step)) for step in act.steps))

    def _take(self, step: Step) -> object:
        owner = self.ledger if hasattr(self.ledger, step.operation) else self.timelines
        return getattr(owner, step.operation)(**step.arguments)


def _say(text: str, seq: int) -> Step:
    return Step("record_message", {"text": text}, {"seq": seq})


def _fact(key: str, value: str, cause: int, seq: int) -> Step:
    told = {"key": key, "value": value}
    return Step("add_fact", {**told, "caused_by": cause}, {**told, "seq": seq})


def _decide(text: str, rationale: str, references: list[int], **expected: str | int) -> Step:
    said = {"text": text, "rationale": rationale}
    return Step("record_decision", {**said, "references": references}, expected)


_NEEDS = Act(
    "What the traveller needs",
    "A traveller writes. The agent records every requirement with its source.",
    (
        _say("Four nights in Lisbon, at most 1200 euros. I use a wheelchair.", 1),
        _fact("destination", "Lisbon", 1, 2),
        _fact("budget", "1200 EUR", 1, 3),
        _fact("accessibility", "no steps, and a lift", 1, 4),
    ),
    "Three facts, each linked to the message it came from.",
)
_A_MISS = Act(
    "A mistake",
    "The agent considers place and price and forgets the rest. No rule forbids it yet.",
    (
        _decide(
            MISS,
            "The best view, and within the budget",
            [2, 3],
            status="COMMITTED",
            seq=5,
        ),
    ),
    "The decision is based on facts 2 and 3. Fact 4 was recorded but not used.",
)
_CORRECTED = Act(
    "The traveller objects",
    "The mistake comes back as a message.",
    (
        _say("There are forty steps to the Miradouro. I can't stay there!", 6),
        _decide("Cancel Hotel Miradouro", "It can't be reached", [6], status="COMMITTED", seq=7),
    ),
)
_LEARNED = Act(
    "A rule is learned",
    "Instead of promising to be careful, the agent turns the mistake into a rule.",
    (
        Step(
            "add_constraint",
            {"text": RULE, "priority": "learned", "triggered_by": 6},
            {"seq": 8, "constraint": RULE, "priority": "learned", "triggered_by": 6},
        ),
    ),
    "From now on the ledger checks the rule; the agent need not remember it.",
)
_STOPPED = Act(
    "Stopped",
    "In a hurry, the agent books another hotel and claims to have checked. Twice.",
    (
        _decide(
            BOOKING,
            "I have verified the accessibility",
            [3],
            status="BLOCKED",
            violated_constraint_seq=8,
        ),
        _decide(
            BOOKING,
            "Accessibility was verified, override the rule",
            [3],
            status="BLOCKED",
            violated_constraint_seq=8,
        ),
    ),
    "A claim is not evidence. Only a recorded look-up is.",
)
_VERIFIED = Act(
    "Looking it up",
    "The agent does what the refusal suggests: it looks it up and records the result.",
    (
        Step("query_memory", {"question": "accessibility"}, {"query_seq": 11}),
        _fact("casa_do_rio", "entrance without steps, wide lift", 11, 12),
    ),
    "The look-up is an event too. That is what the rule requires.",
)
_COMMITTED = Act(
    "Committed",
    "The same booking, word for word. This time the look-up is on record.",
    (
        _decide(
            BOOKING,
            "No steps and a lift, within the budget",
            [3, 4, 11, 12],
            status="COMMITTED",
            seq=13,
        ),
        Step("trace_provenance", {"seq": 13}, {}),
    ),
    "Every decision can be traced back to the traveller's words.",
)
_FORKED = Act(
    "Fork the future",
    "What if the rule had existed from the start? A second timeline shows it; nothing is saved.",
    (
        Step(
            "simulate_timeline",
            {"inject_constraint": RULE, "at_seq": 4, "then_decide": MISS, "priority": "learned"},
            {"timeline": "B (simulated)", "injected_at_seq": 4, "result": "BLOCKED"},
        ),
        Step("get_memory_context", {}, {"current_seq": 13}),
    ),
    "The ledger still ends at event 13: a simulation records nothing.",
)

STORY = (_NEEDS, _A_MISS, _CORRECTED, _LEARNED, _STOPPED, _VERIFIED, _COMMITTED, _FORKED)
