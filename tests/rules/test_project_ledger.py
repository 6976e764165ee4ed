"""The ledger as the services hold it: made when needed, fresh, and read without being made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import EventType, Trust
from dmm.eventlog.open_ledger import Voice
from dmm.ledger.service import Ledger
from dmm.rules.language.judge import InForce, Priority, Recorded
from dmm.rules.project_ledger import TOOL_EVENTS_READ, Chronicle
from dmm.rules.rulebook import in_words

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable
    from pathlib import Path

RULE = "verify accessibility before booking"


def test_a_ledger_is_made_by_the_first_record_and_not_by_a_look(
    chronicle: Chronicle, tmp_path: Path
) -> None:
    assert not chronicle.exists
    assert chronicle.state().seq == 0
    assert chronicle.reading.head().seq == 0
    assert list(tmp_path.iterdir()) == []
    chronicle.record(chronicle.draft(EventType.FACT_ADDED, {"key": "a", "value": "1"}))
    assert (tmp_path / "ledger.db").exists()
    assert chronicle.reading.head().seq == 1
    assert chronicle.state().facts["a"].value == "1"


def test_a_draft_has_the_time_and_the_voice_of_the_moment(clock: Callable[[], dt.datetime]) -> None:
    voice = Voice("claude", "hook", Trust.AGENT, "session-1")
    chronicle = Chronicle(None, clock, voice)
    one = chronicle.draft(EventType.FACT_ADDED, {}, caused_by=3, references=(1, 2))
    assert one.at == "2026-01-31T12:30:15.250+00:00"
    assert (one.actor, one.source, one.trust, one.session) == (
        "claude",
        "hook",
        Trust.AGENT,
        "session-1",
    )
    assert (one.caused_by, one.references) == (3, (1, 2))
    assert one.id != chronicle.draft(EventType.FACT_ADDED, {}).id
    assert chronicle.draft(EventType.FACT_ADDED, {}, event_id="mine").id == "mine"


def test_recording_the_same_draft_again_changes_nothing(chronicle: Chronicle) -> None:
    draft = chronicle.draft(EventType.FACT_ADDED, {"key": "a", "value": "1"})
    assert chronicle.record(draft).seq == 1
    assert chronicle.record(draft).seq == 1
    assert chronicle.state().seq == 1


def test_the_state_follows_what_another_process_records(
    chronicle: Chronicle, clock: Callable[[], dt.datetime], tmp_path: Path
) -> None:
    other = Ledger(Chronicle(tmp_path / "ledger.db", clock))
    other.add_fact("a", "1")
    assert chronicle.state().facts["a"].value == "1"
    other.add_fact("a", "2")
    assert chronicle.state().facts["a"].value == "2"
    assert chronicle.state(1).facts["a"].value == "1"
    other.chronicle.close()


def test_the_rulebook_is_made_once_for_the_same_constraints(chronicle: Chronicle) -> None:
    ledger = Ledger(chronicle)
    ledger.add_constraint(RULE)
    first = chronicle.rulebook(chronicle.state())
    ledger.add_fact("a", "1")
    assert chronicle.rulebook(chronicle.state()) is first
    ledger.add_constraint("never use eval")
    assert chronicle.rulebook(chronicle.state()) is not first


def test_a_blanked_constraint_binds_nobody(chronicle: Chronicle) -> None:
    ledger = Ledger(chronicle)
    ledger.add_constraint("never use eval")
    assert ledger.record_decision("Use eval", "short")["status"] == "BLOCKED"
    draft = chronicle.draft(EventType.PAYLOAD_REDACTED, {"seq": 1, "reason": "leaked"})
    chronicle.log.blank(1, draft)
    assert ledger.record_decision("Use eval", "short")["status"] == "COMMITTED"


def constraint(chronicle: Chronicle) -> InForce:
    return in_words(chronicle.state().in_force[0])


def test_only_look_ups_since_the_last_decision_of_the_kind_count(chronicle: Chronicle) -> None:
    ledger = Ledger(chronicle)
    ledger.add_constraint(RULE)
    ledger.query_memory("accessibility")
    lookups = chronicle.lookups(chronicle.state())
    assert lookups(constraint(chronicle)) == [Recorded(2, "accessibility")]
    ledger.record_decision("Book Hotel A", "fine")
    ledger.query_memory("budget")
    lookups = chronicle.lookups(chronicle.state())
    assert lookups(constraint(chronicle)) == [Recorded(4, "budget")]


def test_a_rule_that_asks_for_no_look_up_gets_none(chronicle: Chronicle) -> None:
    ledger = Ledger(chronicle)
    ledger.query_memory("eval")
    guidance = InForce(7, "be kind", Priority.REQUIRED, None)
    assert chronicle.lookups(chronicle.state())(guidance) == []


def test_of_many_tool_events_only_the_newest_are_read(chronicle: Chronicle) -> None:
    Ledger(chronicle).add_constraint(RULE)
    chronicle.log.append(
        chronicle.draft(EventType.TOOL_USED, {"tool": "Read", "text": f"page {number}"})
        for number in range(TOOL_EVENTS_READ + 50)
    )
    found = chronicle.lookups(chronicle.state())(constraint(chronicle))
    assert len(found) == TOOL_EVENTS_READ
    assert found[-1] == Recorded(TOOL_EVENTS_READ + 51, f"page {TOOL_EVENTS_READ + 49}")


def test_closing_twice_is_harmless(chronicle: Chronicle) -> None:
    assert chronicle.state().seq == 0
    chronicle.close()
    chronicle.close()
    assert chronicle.state().seq == 0
