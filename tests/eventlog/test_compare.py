"""Two states side by side: the difference, and a measure of it between 0 and 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.plain import to_plain
from dmm.eventlog.compare import diff, drift
from dmm.eventlog.state import Constraint, Decision, Fact, State

FACTS = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xyz"), max_size=4)
RULES = st.dictionaries(st.integers(1, 4), st.booleans(), max_size=4)
DECISIONS = st.dictionaries(st.integers(5, 8), st.sampled_from(["committed", "blocked"]))


def make(
    facts: dict[str, str] | None = None,
    rules: dict[int, bool] | None = None,
    decisions: dict[int, str] | None = None,
) -> State:
    return State(
        facts={key: Fact(key, value, 1.0, 1) for key, value in (facts or {}).items()},
        constraints={
            seq: Constraint(seq, "no x", "required", "user", active=active)
            for seq, active in (rules or {}).items()
        },
        decisions={seq: Decision(seq, "do x", status) for seq, status in (decisions or {}).items()},
    )


STATES = st.builds(make, FACTS, RULES, DECISIONS)


def test_a_difference_names_what_was_added_removed_and_changed() -> None:
    before = make({"a": "x", "b": "x", "c": "x"}, {1: True, 2: True})
    after = make({"b": "x", "c": "y", "d": "x"}, {1: True, 2: False}, {3: "committed"})
    rule = {"text": "no x", "priority": "required"}
    assert to_plain(diff(before, after)) == {
        "added": {
            "facts": [{"name": "d", "value": "x"}],
            "constraints": [],
            "decisions": [{"name": "3", "value": {"text": "do x", "status": "committed"}}],
        },
        "removed": {"facts": [{"name": "a", "value": "x"}], "constraints": [], "decisions": []},
        "changed": {
            "facts": [{"name": "c", "from": "x", "to": "y"}],
            "constraints": [
                {"name": "2", "from": rule | {"active": True}, "to": rule | {"active": False}}
            ],
            "decisions": [],
        },
    }


def test_drift_weighs_the_sections_that_hold_something() -> None:
    before = make({"a": "x", "b": "x"}, {1: True})
    after = make({"a": "x", "b": "y"}, {1: True})
    assert drift(before, after) == pytest.approx(0.5 * 0.5 / 0.8)
    assert drift(make(), make()) == 0
    assert drift(make(), make({"a": "x"})) == 1


@given(STATES)
def test_a_state_has_no_difference_and_no_drift_to_itself(state: State) -> None:
    assert drift(state, state) == 0
    parts = to_plain(diff(state, state))
    assert not any(rows for kind in parts.values() for rows in kind.values())


@given(STATES, STATES)
def test_drift_is_symmetric_and_between_0_and_1(one: State, other: State) -> None:
    assert drift(one, other) == drift(other, one)
    assert 0 <= drift(one, other) <= 1


@given(FACTS, RULES, FACTS, RULES)
def test_drift_is_1_where_nothing_is_common(
    facts: dict[str, str], rules: dict[int, bool], others: dict[str, str], more: dict[int, bool]
) -> None:
    one = make(facts, rules)
    other = make(
        {f"other {key}": value for key, value in others.items()},
        {seq + 10: active for seq, active in more.items()},
    )
    empty = not (facts or rules or others or more)
    assert drift(one, other) == pytest.approx(0 if empty else 1)


@given(STATES, STATES)
def test_drift_is_0_only_where_there_is_no_difference(one: State, other: State) -> None:
    parts = to_plain(diff(one, other))
    same = not any(rows for kind in parts.values() for rows in kind.values())
    assert (drift(one, other) == 0) == same


@given(STATES, STATES)
def test_a_difference_turned_round_swaps_added_and_removed(one: State, other: State) -> None:
    there, back = diff(one, other), diff(other, one)
    for section in there.added:
        assert sorted(map(str, there.added[section])) == sorted(map(str, back.removed[section]))
