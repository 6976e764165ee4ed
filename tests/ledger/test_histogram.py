"""Events over time: every event counts once, in the stretch in which it stands."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import Draft, Trust
from dmm.eventlog.open_ledger import IMPORTED
from dmm.ledger.histogram import Histograms, Stops
from dmm.ledger.service import Ledger

if TYPE_CHECKING:
    from dmm.rules.project_ledger import ProjectLedger

FIRST = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
DENIED = {"text": "ls", "verdict": {"status": "deny", "seq": 1}}
# The words alone do not make it a stop.
QUOTED = {"text": 'echo \'"status":"deny"\'', "input": {"status": "deny"}}


@pytest.fixture
def histograms(project_ledger: ProjectLedger) -> Histograms:
    return Histograms(project_ledger, Stops(project_ledger))


def record(ledger: ProjectLedger, hours: float, kind: str = "TurnEnded", **more: Any) -> None:
    at = (FIRST + dt.timedelta(hours=hours)).isoformat(timespec="milliseconds")
    payload = more.pop("payload", {"text": "done"})
    ledger.record(Draft(kind, payload, f"{kind}-{ledger.log.head().seq}", at, **more))


def counts(histograms: Histograms, buckets: int) -> list[int]:
    return [int(str(one.describe()["count"])) for one in histograms.count(buckets).buckets]


def test_events_count_in_stretches_of_equal_time(histograms: Histograms) -> None:
    for hours in (0, 0.5, 1, 5, 9, 10):
        record(histograms.project_ledger, hours)
    found = histograms.count(5)
    assert found.head == 6
    assert counts(histograms, 5) == [3, 0, 1, 0, 2]
    assert [(one.from_seq, one.to_seq) for one in found.buckets] == [
        *((1, 3), (4, 3), (4, 4), (5, 4), (5, 6)),
    ]
    assert found.buckets[0].begin == "2026-01-01T00:00:00.000+00:00"
    assert found.buckets[-1].end == "2026-01-01T10:00:00.000+00:00"


def test_calls_and_decisions_that_were_blocked_are_counted(histograms: Histograms) -> None:
    ledger = histograms.project_ledger
    record(ledger, 0, "ToolRequested", payload=DENIED)
    record(ledger, 1, "ToolRequested", payload=QUOTED)
    record(ledger, 2, "ToolRequested", payload={"text": "x", "verdict": {"status": "allow"}})
    assert [one.blocked for one in histograms.count(2).buckets] == [1, 0]
    Ledger(ledger).add_constraint("never use eval")
    Ledger(ledger).record_decision("Use eval", "quick")
    record(ledger, 3, "ToolRequested", payload=DENIED)
    assert sum(one.blocked for one in histograms.count(7).buckets) == 3


def test_imported_events_count_where_they_stand(histograms: Histograms) -> None:
    ledger = histograms.project_ledger
    for hours, source in ((-900, IMPORTED), (0, "hook"), (-500, IMPORTED), (2, "hook")):
        record(ledger, hours, source=source, trust=Trust.AGENT)
    record(ledger, -800, source=IMPORTED)
    found = histograms.count(4)
    assert sum(counts(histograms, 4)) == found.head == 5
    assert found.buckets[0].begin == "2026-01-01T00:00:00.000+00:00"


def test_a_ledger_without_events_or_of_one_moment_has_no_width(histograms: Histograms) -> None:
    assert histograms.count(3).buckets == ()
    record(histograms.project_ledger, 0)
    assert sum(counts(histograms, 3)) == 1
