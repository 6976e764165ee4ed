"""The ledger over time: exact results, nothing recorded, and errors that name the way out."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import EventType, Trust
from dmm.domain.plain import to_plain
from dmm.errors import LedgerRefused, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.ledger.results import Committed
from dmm.ledger.service import Ledger
from dmm.ledger.timelines import Timelines
from dmm.rules.project_ledger import ProjectLedger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RULE = "verify accessibility before booking"
UNVERIFIED = 'no recorded verification of accessibility ("Book")'


def clock() -> dt.datetime:
    return dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)


@pytest.fixture
def project_ledger() -> ProjectLedger:
    return ProjectLedger(None, clock)


@pytest.fixture
def ledger(project_ledger: ProjectLedger) -> Ledger:
    return Ledger(project_ledger)


@pytest.fixture
def timelines(project_ledger: ProjectLedger) -> Timelines:
    return Timelines(project_ledger)


@pytest.fixture
def told(ledger: Ledger) -> Ledger:
    """A short history: message, fact, decision, the fact changed, a rule, a refusal."""
    ledger.record_message("My budget is 4000")
    ledger.add_fact("budget", "4000", caused_by=1)
    ledger.record_decision("Book Hotel A", "within the budget", [2])
    ledger.add_fact("budget", "3000")
    ledger.add_constraint(RULE, "learned", 3)
    ledger.record_decision("Book Hotel B", "cheaper", [4])
    return ledger


def head(project_ledger: ProjectLedger) -> int:
    return project_ledger.log.head().seq


def test_a_trace_leads_back_to_the_first_event_and_marks_what_is_stale(
    told: Ledger, timelines: Timelines
) -> None:
    chain = timelines.trace_provenance(seq=3).chain
    assert [link.seq for link in chain] == [3, 2, 1]
    assert list(to_plain(chain[0])) == ["seq", "type", "payload", "caused_by"]
    assert chain[0].type == "DecisionMade"
    assert to_plain(chain[0])["payload"]["references"] == [2]
    assert to_plain(chain[1]) == {
        "seq": 2,
        "type": "FactAdded",
        "payload": {"key": "budget", "value": "4000", "confidence": 1.0},
        "caused_by": 1,
        "stale": True,
    }
    assert to_plain(chain[2]) == {
        "seq": 1,
        "type": "UserMessageReceived",
        "payload": {"text": "My budget is 4000"},
        "caused_by": None,
    }


def test_a_fact_is_traced_by_its_key(told: Ledger, timelines: Timelines) -> None:
    assert to_plain(timelines.trace_provenance(fact_key="budget")) == {
        "chain": [
            {
                "seq": 4,
                "type": "FactAdded",
                "payload": {"key": "budget", "value": "3000", "confidence": 1.0},
                "caused_by": None,
            }
        ]
    }


def test_a_learned_rule_is_traced_to_what_taught_it(told: Ledger, timelines: Timelines) -> None:
    assert [link.seq for link in timelines.trace_provenance(seq=5).chain] == [5, 3, 2, 1]


def test_a_trace_needs_an_event_or_a_fact_that_is_there(told: Ledger, timelines: Timelines) -> None:
    with pytest.raises(UsageError, match="name an event or a fact"):
        timelines.trace_provenance()
    with pytest.raises(UsageError, match="name an event or a fact, not both"):
        timelines.trace_provenance(1, "budget")
    with pytest.raises(LedgerRefused, match="there is no fact 'colour'"):
        timelines.trace_provenance(fact_key="colour")
    for seq in (0, -1, 7, 10**30):
        with pytest.raises(LedgerRefused, match=f"there is no event {seq}") as refused:
            timelines.trace_provenance(seq=seq)
        assert refused.value.hint == "name an event from 1 to 6"


def test_a_pending_constraint_is_not_active_at_any_time(
    ledger: Ledger, timelines: Timelines, project_ledger: ProjectLedger
) -> None:
    agent = Ledger(project_ledger.as_actor(Actor("codex", "mcp", Trust.AGENT)))
    agent.add_constraint(RULE)
    ledger.accept_constraints([1])
    agent.add_constraint("never book on Sundays")
    agent.deactivate(3)
    then = timelines.time_travel(1)
    (waiting,) = then.historical_state.constraints
    assert (waiting.active, waiting.pending) == (False, True)
    (accepted,) = then.diff_from_current.changed["constraints"]
    assert (accepted["from"]["active"], accepted["to"]["active"]) == (False, True)
    now = timelines.time_travel(4).historical_state.constraints
    assert [(one.active, one.pending) for one in now] == [(True, False), (False, False)]


def test_time_travel_tells_what_was_known_and_what_came_after(
    told: Ledger, timelines: Timelines
) -> None:
    rule = {"text": RULE, "priority": "learned", "active": True}
    assert to_plain(timelines.time_travel(3)) == {
        "mode": "FLASHBACK",
        "viewing_seq": 3,
        "current_seq": 6,
        "historical_state": {
            "facts": {"budget": {"value": "4000", "confidence": 1.0, "seq": 2}},
            "constraints": [],
            "decisions": [{"text": "Book Hotel A", "status": "committed", "seq": 3}],
        },
        "diff_from_current": {
            "added": {
                "facts": [],
                "constraints": [{"name": "5", "value": rule}],
                "decisions": [
                    {"name": "6", "value": {"text": "Book Hotel B", "status": "blocked"}}
                ],
            },
            "removed": {"facts": [], "constraints": [], "decisions": []},
            "changed": {
                "facts": [{"name": "budget", "from": "4000", "to": "3000"}],
                "constraints": [],
                "decisions": [],
            },
        },
    }
    assert timelines.time_travel(0).historical_state.facts == {}
    assert timelines.time_travel(6).viewing_seq == 6


@pytest.mark.parametrize("seq", [-1, 7, 10**30])
def test_no_state_is_told_of_an_event_that_is_not_there(
    told: Ledger, timelines: Timelines, seq: int
) -> None:
    calls: list[Callable[[], object]] = [
        lambda: timelines.time_travel(seq),
        lambda: timelines.replay(seq),
        lambda: timelines.diff(0, seq),
        lambda: timelines.drift(seq, 0),
        lambda: timelines.explain(seq),
        lambda: timelines.simulate_timeline("never test", seq, "Test it"),
    ]
    for call in calls:
        with pytest.raises(LedgerRefused, match=f"there is no event {seq}"):
            call()


def test_replaying_gives_the_state_and_its_hash(told: Ledger, timelines: Timelines) -> None:
    whole = timelines.replay()
    assert list(to_plain(whole)) == ["seq", "state_hash", "state"]
    assert whole.seq == 6
    assert whole == timelines.replay(6)
    assert len(whole.state_hash) == 64
    assert whole.state_hash != timelines.replay(5).state_hash


def test_a_difference_names_both_ends(told: Ledger, timelines: Timelines) -> None:
    found = timelines.diff(4, 2)
    assert (found.from_seq, found.to_seq) == (4, 2)
    assert found.changed["facts"] == [{"name": "budget", "from": "3000", "to": "4000"}]
    assert found.removed["decisions"][0]["name"] == "3"


def test_drift_is_0_for_the_same_and_1_for_nothing_in_common(
    told: Ledger, timelines: Timelines
) -> None:
    assert to_plain(timelines.drift(3, 3)) == {"from_seq": 3, "to_seq": 3, "drift": 0.0}
    assert timelines.drift(0, 6).drift == 1.0
    # Facts: 1 of 1 changed; decisions: none of 1. So 0.5 of 0.7.
    assert timelines.drift(3, 4).drift == 0.7143


def test_a_simulation_blocks_what_an_earlier_rule_would_have(
    told: Ledger, timelines: Timelines, project_ledger: ProjectLedger
) -> None:
    assert to_plain(timelines.simulate_timeline(RULE, 2, "Book Hotel A")) == {
        "timeline": "B (simulated)",
        "injected_constraint": RULE,
        "injected_at_seq": 2,
        "injected_priority": "required",
        "tested_decision": "Book Hotel A",
        "result": "BLOCKED",
        "reason": f'injected constraint "{RULE}": {UNVERIFIED}',
    }
    assert head(project_ledger) == 6


def test_a_simulation_allows_what_the_rule_does_not_concern(
    told: Ledger, timelines: Timelines
) -> None:
    found = timelines.simulate_timeline(RULE, 2, "Write to the traveller", priority="learned")
    assert (found.result, found.reason) == ("ALLOWED", None)
    assert found.injected_priority == "learned"
    preferred = timelines.simulate_timeline(RULE, 2, "Book Hotel A", "preferred")
    assert preferred.result == "ALLOWED"


def test_a_simulation_knows_what_was_looked_up_by_then(
    ledger: Ledger, timelines: Timelines
) -> None:
    ledger.query_memory("accessibility")
    ledger.record_decision("Book Hotel A", "fine")
    assert timelines.simulate_timeline(RULE, 0, "Book Hotel A").result == "BLOCKED"
    assert timelines.simulate_timeline(RULE, 1, "Book Hotel A").result == "ALLOWED"
    assert timelines.simulate_timeline(RULE, 2, "Book Hotel B").result == "BLOCKED"


def test_a_simulation_names_the_rule_in_force_where_that_one_blocks(
    told: Ledger, timelines: Timelines
) -> None:
    found = timelines.simulate_timeline("never use eval", 5, "Book Hotel C")
    assert found.result == "BLOCKED"
    assert (found.reason or "").startswith(f'constraint 5 "{RULE}"')


def test_a_simulation_refuses_what_is_empty_or_unknown(timelines: Timelines) -> None:
    with pytest.raises(UsageError, match="the constraint is empty"):
        timelines.simulate_timeline(" ", 0, "Book")
    with pytest.raises(UsageError, match="the text is empty"):
        timelines.simulate_timeline("never test", 0, "")
    with pytest.raises(UsageError, match="priority"):
        timelines.simulate_timeline("never test", 0, "Test", "urgent")


def test_a_rehearsal_names_what_a_rule_would_have_blocked(
    ledger: Ledger, timelines: Timelines, project_ledger: ProjectLedger
) -> None:
    ledger.record_decision("Book Hotel A", "fine")
    ledger.query_memory("accessibility")
    ledger.record_decision("Book Hotel B", "fine")
    ledger.record_decision("Book Hotel C", "fine")
    ledger.record_decision("Write a letter", "fine")
    found = timelines.rehearse(RULE)
    assert to_plain(found) == {
        "constraint": RULE,
        "enforceable": True,
        "decisions": 4,
        "tool_calls": 0,
        "would_block": [
            {"seq": 1, "text": "Book Hotel A", "reason": UNVERIFIED},
            {"seq": 4, "text": "Book Hotel C", "reason": UNVERIFIED},
        ],
    }
    assert head(project_ledger) == 5
    assert timelines.rehearse("Be kind").enforceable is False
    assert timelines.rehearse(RULE, "preferred").would_block == ()


def test_a_rehearsal_holds_recorded_tool_calls_against_a_rule(
    timelines: Timelines, project_ledger: ProjectLedger
) -> None:
    def tool(kind: str, command: str, caused_by: int | None = None) -> None:
        payload = {"tool": "Bash", "input": {"command": command}}
        project_ledger.record(project_ledger.draft_of(kind, payload, caused_by=caused_by))

    tool(EventType.TOOL_REQUESTED, "git push --force")
    tool(EventType.TOOL_USED, "git push --force", caused_by=1)
    tool(EventType.TOOL_USED, "git push -f origin topic")
    tool(EventType.TOOL_REQUESTED, "git push")
    project_ledger.record(project_ledger.draft_of(EventType.TOOL_USED, {"tool": 7}))
    found = timelines.rehearse("command: git push --force")
    assert found.tool_calls == 3
    assert [(one.seq, one.text) for one in found.would_block] == [
        (1, "git push --force"),
        (3, "git push -f origin topic"),
    ]


@pytest.mark.repeats
def test_a_rehearsal_of_a_long_log_finds_every_breach(ledger: Ledger, timelines: Timelines) -> None:
    for number in range(300):
        ledger.query_memory(f"the price of hotel {number}")
        ledger.record_decision(f"Book Hotel {number}", "fine")
    found = timelines.rehearse(RULE)
    assert len(found.would_block) == 300


def test_an_explanation_replays_the_verdict(told: Ledger, timelines: Timelines) -> None:
    found = timelines.explain(6)
    assert list(to_plain(found)) == ["seq", "branch", "decision", "recorded", "replayed", "agrees"]
    assert found.decision == "Book Hotel B"
    assert found.recorded == found.replayed
    assert found.agrees is True
    assert found.recorded["violations"][0]["seq"] == 5
    assert found.recorded["trace"]
    assert timelines.explain(3).recorded["status"] == "ALLOWED"


def test_an_explanation_says_when_the_engine_would_decide_otherwise(
    project_ledger: ProjectLedger, ledger: Ledger, timelines: Timelines
) -> None:
    ledger.add_constraint("never use eval")
    verdict = {"status": "ALLOWED", "engine": "0", "reason": "", "violations": [], "trace": []}
    payload = {"text": "Use eval", "rationale": "short", "verdict": verdict}
    project_ledger.record(project_ledger.draft_of(EventType.DECISION_MADE, payload))
    found = timelines.explain(2)
    assert found.agrees is False
    assert (found.recorded["status"], found.replayed["status"]) == ("ALLOWED", "BLOCKED")


def test_only_decisions_are_explained(told: Ledger, timelines: Timelines) -> None:
    with pytest.raises(LedgerRefused, match="event 1 is neither a decision"):
        timelines.explain(1)


def test_looking_at_a_ledger_that_is_not_there_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    project_ledger = ProjectLedger(path, clock)
    timelines = Timelines(project_ledger)
    assert to_plain(timelines.trace_provenance(fact_key="budget")) == {"chain": []}
    assert timelines.replay().seq == 0
    assert timelines.time_travel(0).current_seq == 0
    assert timelines.rehearse(RULE).decisions == 0
    assert Ledger(project_ledger).get_memory_context().current_seq == 0
    with pytest.raises(LedgerRefused) as refused:
        timelines.time_travel(3)
    assert refused.value.hint == "nothing is recorded yet"
    assert list(tmp_path.iterdir()) == []
    assert Ledger(project_ledger).add_fact("budget", "1").seq == 1
    assert timelines.replay().seq == 1
    project_ledger.close()


def test_a_simulation_shows_both_timelines_of_what_followed(
    timelines: Timelines, ledger: Ledger
) -> None:
    ledger.add_fact("region", "eu")
    begun = ledger.project_ledger.log.head().seq
    ledger.add_constraint("never use eval")
    first = ledger.record_decision("Book the hotel", "it is near")
    ledger.record_decision("Use eval", "quick")
    last = ledger.record_decision("Write the report", "it is due")
    told = timelines.simulate_timelines("never book the hotel", begun, "Book the hotel")
    assert isinstance(first, Committed)
    assert isinstance(last, Committed)
    assert told.result == "BLOCKED"
    sides = told.timelines
    assert sides.to_seq == last.seq
    assert [(one.text, one.status) for one in sides.a] == [
        ("Book the hotel", "COMMITTED"),
        ("Use eval", "BLOCKED"),
        ("Write the report", "COMMITTED"),
    ]
    assert [(one.seq, one.status, one.why is not None) for one in sides.b] == [
        (first.seq, "BLOCKED", True),
        (first.seq + 1, "BLOCKED", False),
        (last.seq, "COMMITTED", False),
    ]
    assert ledger.project_ledger.log.head().seq == last.seq
