"""The ledger as the services hold it: made when needed, fresh, and read without being made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import EventType, Trust
from dmm.eventlog.open_ledger import Actor
from dmm.ledger.service import Ledger
from dmm.rules.language.judge import InForce, Priority, Recorded
from dmm.rules.project_ledger import TOOL_EVENTS_READ, ProjectLedger
from dmm.rules.rulebook import in_words

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable
    from pathlib import Path

RULE = "verify accessibility before booking"


def test_a_ledger_is_made_by_the_first_record_and_not_by_a_look(
    project_ledger: ProjectLedger, tmp_path: Path
) -> None:
    assert not project_ledger.exists
    assert project_ledger.state().seq == 0
    assert project_ledger.reading.head().seq == 0
    assert list(tmp_path.iterdir()) == []
    project_ledger.record(project_ledger.draft_of(EventType.FACT_ADDED, {"key": "a", "value": "1"}))
    assert (tmp_path / "ledger.db").exists()
    assert project_ledger.reading.head().seq == 1
    assert project_ledger.state().facts["a"].value == "1"


def test_a_draft_has_the_time_and_the_voice_of_the_moment(clock: Callable[[], dt.datetime]) -> None:
    actor = Actor("claude", "hook", Trust.AGENT, "session-1")
    project_ledger = ProjectLedger(None, clock, actor)
    one = project_ledger.draft_of(EventType.FACT_ADDED, {}, caused_by=3, references=(1, 2))
    assert one.at == "2026-01-31T12:30:15.250+00:00"
    assert (one.actor, one.source, one.trust, one.session) == (
        "claude",
        "hook",
        Trust.AGENT,
        "session-1",
    )
    assert (one.caused_by, one.references) == (3, (1, 2))
    assert one.id != project_ledger.draft_of(EventType.FACT_ADDED, {}).id
    assert project_ledger.draft_of(EventType.FACT_ADDED, {}, event_id="mine").id == "mine"


def test_recording_the_same_draft_again_changes_nothing(project_ledger: ProjectLedger) -> None:
    draft = project_ledger.draft_of(EventType.FACT_ADDED, {"key": "a", "value": "1"})
    assert project_ledger.record(draft).seq == 1
    assert project_ledger.record(draft).seq == 1
    assert project_ledger.state().seq == 1


def test_the_state_follows_what_another_process_records(
    project_ledger: ProjectLedger, clock: Callable[[], dt.datetime], tmp_path: Path
) -> None:
    other = Ledger(ProjectLedger(tmp_path / "ledger.db", clock))
    other.add_fact("a", "1")
    assert project_ledger.state().facts["a"].value == "1"
    other.add_fact("a", "2")
    assert project_ledger.state().facts["a"].value == "2"
    assert project_ledger.state(1).facts["a"].value == "1"
    other.project_ledger.close()


def test_the_rulebook_is_made_once_for_the_same_constraints(project_ledger: ProjectLedger) -> None:
    ledger = Ledger(project_ledger)
    ledger.add_constraint(RULE)
    first = project_ledger.rulebook(project_ledger.state())
    ledger.add_fact("a", "1")
    assert project_ledger.rulebook(project_ledger.state()) is first
    ledger.add_constraint("never use eval")
    assert project_ledger.rulebook(project_ledger.state()) is not first


def test_a_blanked_constraint_binds_nobody(project_ledger: ProjectLedger) -> None:
    ledger = Ledger(project_ledger)
    ledger.add_constraint("never use eval")
    assert ledger.record_decision("Use eval", "short").status == "BLOCKED"
    draft = project_ledger.draft_of(EventType.PAYLOAD_REDACTED, {"seq": 1, "reason": "leaked"})
    project_ledger.log.blank(1, draft)
    assert ledger.record_decision("Use eval", "short").status == "COMMITTED"


def constraint(project_ledger: ProjectLedger) -> InForce:
    return in_words(project_ledger.state().in_force[0])


def test_only_look_ups_since_the_last_decision_of_the_kind_count(
    project_ledger: ProjectLedger,
) -> None:
    ledger = Ledger(project_ledger)
    ledger.add_constraint(RULE)
    ledger.query_memory("accessibility")
    lookups = project_ledger.lookups(project_ledger.state())
    assert lookups(constraint(project_ledger)) == [Recorded(2, "accessibility")]
    ledger.record_decision("Book Hotel A", "fine")
    ledger.query_memory("budget")
    lookups = project_ledger.lookups(project_ledger.state())
    assert lookups(constraint(project_ledger)) == [Recorded(4, "budget")]


def test_a_rule_that_asks_for_no_look_up_gets_none(project_ledger: ProjectLedger) -> None:
    ledger = Ledger(project_ledger)
    ledger.query_memory("eval")
    guidance = InForce(7, "be kind", Priority.REQUIRED, None)
    assert project_ledger.lookups(project_ledger.state())(guidance) == []


def test_of_many_tool_events_only_the_newest_are_read(project_ledger: ProjectLedger) -> None:
    Ledger(project_ledger).add_constraint(RULE)
    project_ledger.log.append(
        project_ledger.draft_of(EventType.TOOL_USED, {"tool": "Read", "text": f"page {number}"})
        for number in range(TOOL_EVENTS_READ + 50)
    )
    found = project_ledger.lookups(project_ledger.state())(constraint(project_ledger))
    assert len(found) == TOOL_EVENTS_READ
    assert found[-1] == Recorded(TOOL_EVENTS_READ + 51, f"page {TOOL_EVENTS_READ + 49}")


def test_closing_twice_is_harmless(project_ledger: ProjectLedger) -> None:
    assert project_ledger.state().seq == 0
    project_ledger.close()
    project_ledger.close()
    assert project_ledger.state().seq == 0
