"""The ledger as a file to be trusted: made once, verified, anchored, copied, read out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw
import pytest

from dmm.domain.event import Trust
from dmm.domain.plain import to_plain
from dmm.errors import LedgerRefused
from dmm.eventlog import tables
from dmm.eventlog.open_ledger import Actor
from dmm.ledger.audit import Audit
from dmm.ledger.service import Ledger
from dmm.project.activity_projection import ActivityProjection
from dmm.rules.discretion import HIDDEN
from dmm.rules.project_ledger import ProjectLedger

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def audit(project_ledger: ProjectLedger, tmp_path: Path) -> Audit:
    span = ActivityProjection(project_ledger).span
    return Audit(project_ledger, tmp_path / "ledger.anchor", span)


@pytest.fixture
def ledger(project_ledger: ProjectLedger) -> Ledger:
    """Three facts."""
    ledger = Ledger(project_ledger)
    for number in (1, 2, 3):
        ledger.add_fact("budget", str(number))
    return ledger


def forge(path: Path, statement: str) -> None:
    """Write to the file past its triggers."""
    connection = apsw.Connection(str(path))
    names = [str(row[0]) for row in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
    )]  # fmt: skip
    for name in names:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(statement)
    connection.close()


def test_a_ledger_is_made_once(audit: Audit, tmp_path: Path) -> None:
    path = str(tmp_path / "ledger.db")
    assert to_plain(audit.init()) == {"ledger": path, "created": True, "seq": 0}
    Ledger(audit.project_ledger).add_fact("a", "1")
    assert to_plain(audit.init()) == {"ledger": path, "created": False, "seq": 1}


def test_a_whole_ledger_is_valid(audit: Audit, ledger: Ledger) -> None:
    assert to_plain(audit.verify()) == {
        "valid": True,
        "events": 3,
        "blanked": 0,
        "head": ledger.project_ledger.log.head().hash,
        "first_bad_seq": None,
        "reason": None,
        "anchors": 0,
        "foreign_anchors": 0,
        "unread_anchor_lines": [],
        "wrong_snapshots": [],
    }


def test_the_head_is_anchored_once(audit: Audit, ledger: Ledger, tmp_path: Path) -> None:
    assert audit.verify(anchor=True).anchored == 3
    assert audit.verify(anchor=True).anchored is None
    lines = (tmp_path / "ledger.anchor").read_text().splitlines()
    first = ledger.project_ledger.log.event(1)
    assert first is not None
    assert lines == [f"3 {ledger.project_ledger.log.head().hash} 2026-01-31 {first.hash}"]
    ledger.add_fact("budget", "4")
    told = audit.verify(anchor=True)
    assert (told.anchors, told.anchored) == (1, 4)


@pytest.mark.parametrize(
    ("statement", "first_bad", "reason"),
    [
        ("UPDATE events SET payload = replace(payload, '2', '9') WHERE seq = 2", 2, "edited"),
        ("UPDATE events SET actor = 'admin' WHERE seq = 2", 2, "does not follow"),
        ("DELETE FROM events WHERE seq = 2", 2, "event 2 is missing"),
        ("DELETE FROM events WHERE seq = 3", 3, "anchored at 3 and is now shorter"),
        ("DELETE FROM events", 1, "anchored at 3 and is now shorter"),
    ],
)
def test_a_forgery_is_found_at_the_first_bad_event(
    audit: Audit, ledger: Ledger, tmp_path: Path, statement: str, first_bad: int, reason: str
) -> None:
    audit.verify(anchor=True)
    anchors = tmp_path / "ledger.anchor"
    # An anchor without the hash of the first event belongs to this ledger, whatever it holds.
    anchors.write_text(" ".join(anchors.read_text().split()[:3]))
    forge(tmp_path / "ledger.db", statement)
    told = audit.verify(anchor=True)
    assert (told.valid, told.first_bad_seq) == (False, first_bad)
    assert reason in (told.reason or "")
    assert "anchored" not in to_plain(told)
    assert len(anchors.read_text().splitlines()) == 1


def test_lines_that_are_no_anchors_are_named(audit: Audit, ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "ledger.anchor").write_text("# heads\n<<<<<<< mine\n")
    assert to_plain(audit.verify().unread_anchor_lines) == [2]


def test_verifying_nothing_makes_nothing(audit: Audit, tmp_path: Path) -> None:
    told = audit.verify(anchor=True)
    assert (told.valid, told.events) == (True, 0)
    assert list(tmp_path.iterdir()) == []


def test_a_copy_is_whole_and_verified(
    audit: Audit, ledger: Ledger, clock: Callable[[], dt.datetime], tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"
    told = audit.backup(target)
    assert (told.path, told.valid, told.events) == (str(target), True, 3)
    copy = ProjectLedger(target, clock)
    assert copy.state().hash() == ledger.project_ledger.state().hash()
    copy.close()
    assert sorted(one.name for one in tmp_path.glob("*copy*")) == ["copy.db"]
    with pytest.raises(LedgerRefused, match="already exists"):
        audit.backup(target)


def test_a_forged_ledger_makes_a_copy_that_is_said_to_be_bad(
    audit: Audit, ledger: Ledger, tmp_path: Path
) -> None:
    forge(tmp_path / "ledger.db", "UPDATE events SET actor = 'admin' WHERE seq = 2")
    told = audit.backup(tmp_path / "copy.db")
    assert (told.valid, told.first_bad_seq) == (False, 2)


def test_there_is_nothing_to_copy_without_a_ledger(audit: Audit, tmp_path: Path) -> None:
    with pytest.raises(LedgerRefused, match="no ledger to copy"):
        audit.backup(tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []


def test_the_log_is_read_out_from_its_end(audit: Audit, ledger: Ledger) -> None:
    ledger.query_memory("budget")
    assert [one.seq for one in audit.entries(2).events] == [3, 4]
    assert [one.seq for one in audit.entries(10).events] == [1, 2, 3, 4]
    assert [one.seq for one in audit.entries(2, "FactAdded").events] == [2, 3]
    assert [one.seq for one in audit.entries(2, "factadded").events] == [2, 3]
    assert to_plain(audit.entries(2, "Unheard")) == {"events": []}
    event = audit.entries(1).events[0]
    assert event.payload == {"question": "budget", "scope": "all"}
    assert list(to_plain(event)) == [
        *("seq", "id", "type", "version", "at", "actor", "source", "trust", "session"),
        *("caused_by", "references", "payload", "hash"),
    ]


def test_events_are_read_between_two_numbers_by_type_and_by_session(
    audit: Audit, ledger: Ledger
) -> None:
    agent = ledger.project_ledger.as_actor(Actor("codex", "hook", session="s-1"))
    Ledger(agent).add_fact("region", "eu")
    ledger.query_memory("budget")

    def seqs(last: int, kind: str | None = None, **within: Any) -> list[int]:
        return [one.seq for one in audit.entries(last, kind, **within).events]

    assert seqs(2, before=4) == [2, 3]
    assert seqs(10, after=3) == [4, 5]
    assert seqs(1, "FactAdded", before=3) == [2]
    assert seqs(10, "FactAdded", after=1, before=4) == [2, 3]
    assert seqs(10, session="s-1") == [4]
    assert seqs(10, "MemoryQueryIssued", session="s-1") == []


def test_the_newest_of_a_type_are_found_by_its_index_read_backwards(
    ledger: Ledger, tmp_path: Path
) -> None:
    statement = tables.LATEST.format(more=" AND type = ?")
    connection = apsw.Connection(str(tmp_path / "ledger.db"))
    plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", (0, 9, "FactAdded", 2)).fetchall()
    connection.close()
    assert len(plan) == 1
    assert "USING INDEX events_by_type (type=? AND seq>? AND seq<?)" in str(plan[0])


def test_one_event_is_read_whole_or_refused(audit: Audit, ledger: Ledger) -> None:
    assert audit.entry(2) == audit.entries(2).events[0]
    with pytest.raises(LedgerRefused, match="no event 4"):
        audit.entry(4)


def test_brief_lines_come_with_the_newest_number(audit: Audit, ledger: Ledger) -> None:
    told = audit.briefs(2, before=3)
    assert told.head == 3
    assert [(one.seq, one.line) for one in told.events] == [
        (1, "Fact: budget = 1"),
        (2, "Fact: budget = 2"),
    ]


def test_an_agent_reads_no_pending_constraint_in_brief(audit: Audit, ledger: Ledger) -> None:
    text = "never deploy on " + "very " * 60 + "hot days"
    as_agent = ledger.project_ledger.as_actor(Actor("codex", "mcp", Trust.AGENT))
    Ledger(as_agent).add_constraint(text)
    told = Audit(as_agent, audit.anchors, audit.find_span).briefs(1)
    assert told.events[0].line == f'Rule added: "{HIDDEN}"'
    assert audit.briefs(1).events[0].line.startswith('Rule added: "never deploy')


def test_a_session_of_long_ago_is_read_where_it_was(audit: Audit, ledger: Ledger) -> None:
    book = ledger.project_ledger
    for name in ("old", "old", "new", "old", "new"):
        Ledger(book.as_actor(Actor("codex", "hook", Trust.AGENT, name))).add_fact("k", name)
    told = [
        [one.seq for one in audit.entries(9, session="old").events],
        [one.seq for one in audit.entries(9, session="old", after=4).events],
        [one.seq for one in audit.entries(1, session="old", before=7).events],
        [one.seq for one in audit.entries(9, "factadded", session="new").events],
        [one.seq for one in audit.entries(9, session="never").events],
    ]
    assert told == [[4, 5, 7], [5, 7], [5], [6, 8], []]
