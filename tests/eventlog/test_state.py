"""The fold: pure, total, the same bytes in every process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Event, EventType, canonical
from dmm.eventlog.state import FOLDED, QUERIES_KEPT, Constraint, Decision, Fact, State, fold

if TYPE_CHECKING:
    from collections.abc import Iterable

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
NAMES = ("key", "value", "confidence", "text", "priority", "rule", "seq", "applied", "question")
PAYLOADS = st.none() | st.dictionaries(st.sampled_from(NAMES), PLAIN, max_size=5)
SMALL = st.integers(1, 12)
SENSIBLE = st.one_of(
    st.tuples(
        st.just(EventType.FACT_ADDED),
        st.fixed_dictionaries({"key": st.sampled_from("abc"), "value": st.sampled_from("xyz")}),
    ),
    st.tuples(st.just(EventType.CONSTRAINT_ADDED), st.fixed_dictionaries({"text": st.text()})),
    st.tuples(st.just(EventType.CONSTRAINT_DEACTIVATED), st.fixed_dictionaries({"seq": SMALL})),
    st.tuples(
        st.sampled_from([EventType.DECISION_MADE, EventType.DECISION_BLOCKED]),
        st.fixed_dictionaries({"text": st.text(), "applied": st.lists(SMALL, max_size=3)}),
    ),
    st.tuples(
        st.just(EventType.MEMORY_QUERY_ISSUED), st.fixed_dictionaries({"question": st.text()})
    ),
    st.tuples(st.sampled_from([*FOLDED, "ToolUsed", "Unheard"]), PAYLOADS),
)


def event(seq: int, kind: str, payload: dict[str, Any] | None, version: int = 1) -> Event:
    identity, at = f"id-{seq}", "2026-01-31T12:00:00Z"
    return Event(seq, identity, kind, version, at, "user", "cli", "user", None, None, (), payload)


def events(made: Iterable[tuple[str, dict[str, Any] | None]]) -> list[Event]:
    return [event(seq, kind, payload) for seq, (kind, payload) in enumerate(made, start=1)]


LOGS = st.lists(SENSIBLE, max_size=20).map(events)


def test_a_fact_remembers_what_it_replaced() -> None:
    state = fold(
        State(),
        events(
            [
                ("FactAdded", {"key": "budget", "value": "3000"}),
                ("FactAdded", {"key": "place", "value": "Kyoto", "confidence": 0.5}),
                ("FactAdded", {"key": "budget", "value": "4000", "confidence": 7}),
            ]
        ),
    )
    assert state.facts == {
        "place": Fact("place", "Kyoto", 0.5, 2),
        "budget": Fact("budget", "4000", 1.0, 3, "3000", 1),
    }
    assert list(state.facts) == ["place", "budget"]
    assert [fact.drifted for fact in state.facts.values()] == [False, True]


def test_a_fact_that_is_told_again_has_not_drifted() -> None:
    same = ("FactAdded", {"key": "a", "value": "x"})
    state = fold(State(), events([same, same]))
    assert state.facts["a"] == Fact("a", "x", 1.0, 2, "x", 1)
    assert not state.facts["a"].drifted


def test_constraints_are_in_force_until_they_are_deactivated() -> None:
    rule = {"kind": "never", "what": ["x"]}
    learned = {"text": "no x", "priority": "learned", "triggered_by": 1, "rule": rule}
    state = fold(
        State(),
        events(
            [
                ("ConstraintAdded", {"text": "a"}),
                ("ConstraintAdded", learned),
                ("ConstraintDeactivated", {"seq": 1}),
                ("ConstraintDeactivated", {"seq": 99}),
            ]
        ),
    )
    kept = Constraint(2, "no x", "learned", "user", 1, active=True, rule=rule)
    assert state.constraints == {1: Constraint(1, "a", "required", "user", active=False), 2: kept}
    assert state.in_force == [kept]


def test_only_committed_decisions_use_a_verification_up() -> None:
    state = fold(
        State(),
        events(
            [
                ("DecisionMade", {"text": "a", "rationale": "r", "applied": [7, 8]}),
                ("DecisionBlocked", {"text": "b", "applied": [7]}),
                ("DecisionMade", {"text": "c", "applied": [8]}),
            ]
        ),
    )
    assert list(state.decisions.values()) == [
        Decision(1, "a", "committed", "r"),
        Decision(2, "b", "blocked"),
        Decision(3, "c", "committed"),
    ]
    assert state.committed == {7: 1, 8: 3}


def test_the_oldest_queries_are_forgotten() -> None:
    made = [("MemoryQueryIssued", {"question": f"q{n}"}) for n in range(1, QUERIES_KEPT + 3)]
    state = fold(State(), events(made))
    assert len(state.queries) == QUERIES_KEPT
    assert next(iter(state.queries.items())) == (3, "q3")


def test_events_that_say_nothing_change_nothing_but_the_number() -> None:
    odd = [
        event(1, "Unheard", {"key": "a", "value": "b"}),
        event(2, "FactAdded", None),
        event(3, "FactAdded", {"key": "a", "value": "b"}, version=2),
        event(4, "FactAdded", {"key": ["a"], "value": 3}),
        event(5, "ConstraintDeactivated", {"seq": "all"}),
        event(6, "DecisionMade", {"applied": [1]}),
    ]
    assert fold(State(), odd) == State(seq=6)


@given(LOGS)
def test_any_log_can_be_folded_and_written(log: list[Event]) -> None:
    state = fold(State(), log)
    assert state.seq == len(log)
    assert canonical(json.loads(state.canonical())).encode() == state.canonical()


@given(LOGS, st.integers(0, 20))
def test_a_fold_may_be_cut_anywhere(log: list[Event], cut: int) -> None:
    whole = fold(State(), log)
    parts = fold(fold(State(), log[:cut]), log[cut:])
    assert parts == whole
    assert parts.hash() == whole.hash()
    assert [list(part) for part in (parts.facts, parts.constraints)] == [
        list(part) for part in (whole.facts, whole.constraints)
    ]


@given(LOGS)
def test_a_fold_leaves_the_state_it_starts_from_alone(log: list[Event]) -> None:
    start = fold(State(), log)
    before = start.canonical()
    fold(start, [event(99, "FactAdded", {"key": "a", "value": "new"})])
    assert start.canonical() == before


@given(LOGS)
def test_facts_stand_in_the_order_of_their_numbers(log: list[Event]) -> None:
    seqs = [fact.seq for fact in fold(State(), log).facts.values()]
    assert seqs == sorted(seqs)


STORY = """
import sys
from dmm.domain.event import Draft
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import replay
log = EventLog.in_memory()
said = {"\\u00e9", "\\u00fc", "\\u00df", "\\u03a9", "a", "b", "\\u0130", "I", "i"}
kinds = ["FactAdded", "ConstraintAdded", "DecisionMade", "MemoryQueryIssued"]
drafts = []
for number in range(400):
    word = sorted(said)[number % len(said)]
    payload = {"key": word, "value": f"{number / 7}", "confidence": 1 / (number + 1),
        "text": word * 3, "rule": {word: number, "z": [1e22, 0.1], "A": None}, "question": word,
        "applied": [number % 5, number % 3]}
    drafts.append(Draft(kinds[number % 4], payload, str(number), "2026-01-31T12:00:00Z"))
log.append(drafts)
print(replay(log, 400).hash(), log.head().hash)
"""
PLACES = [
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "1"},
    {"PYTHONHASHSEED": "4294967295"},
    {"LC_ALL": "C"},
    {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    {"LC_ALL": "de_DE.ISO-8859-1", "PYTHONUTF8": "0"},
    {"TZ": "Pacific/Chatham"},
    {"TZ": "America/St_Johns", "PYTHONHASHSEED": "7"},
]


@pytest.fixture(scope="module")
def hashes() -> str:
    return run_story({})


def run_story(more: dict[str, str]) -> str:
    command = [sys.executable, "-c", STORY]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"} | more
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("place", PLACES, ids=lambda place: " ".join(place.values()))
def test_the_same_log_has_the_same_hashes_everywhere(hashes: str, place: dict[str, str]) -> None:
    assert run_story(place) == hashes


def test_the_chain_of_the_story_is_what_it_always_was(hashes: str) -> None:
    head = "41c84458b227735fad876804b2a992a7ac35ad3a81bb543edaadab1b0407b40f"
    assert hashes.split()[1] == head
