"""The event log: gap-free, append-only, each event once, errors in our own words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from dmm.domain.event import Draft, Event, EventType, Trust
from dmm.errors import IndexBroken, IndexBusy, LedgerBroken, LedgerRefused
from dmm.eventlog.chain import GENESIS, Head
from dmm.eventlog.log import EventLog
from dmm.eventlog.tables import APPLICATION_ID, SCHEMA_VERSION
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.eventlog.conftest import Drafts, Forger


def test_an_empty_log_has_a_head_of_nothing(log: EventLog) -> None:
    assert log.head() == Head(0, GENESIS)
    assert list(log.events()) == []
    assert log.event(1) is None
    assert log.find("id-1") is None


def test_events_are_numbered_without_gaps(log: EventLog, draft: Drafts) -> None:
    for size in (1, 3, 0, 2):
        log.append([draft(text="x") for _ in range(size)])
    assert [event.seq for event in log.events()] == [1, 2, 3, 4, 5, 6]
    assert log.head() == Head(6, list(log.events())[-1].hash)


def test_what_is_appended_is_given_back_as_it_is_stored(log: EventLog) -> None:
    first, second = log.append(
        [
            Draft(EventType.SESSION_STARTED, {}, "a", "2026-01-31T12:00:00Z"),
            Draft(
                type="Unheard",
                payload={"list": (1, 2), "text": "ü\ud800\0", "none": None},
                id="b",
                at="2026-01-31T12:00:01Z",
                actor="agent",
                source="mcp",
                trust=Trust.TOOL,
                session="s",
                caused_by=1,
                references=(1, 1),
                version=3,
            ),
        ]
    )
    assert [first, second] == list(log.events()) == [log.event(1), log.find("b")]
    assert second == Event(
        seq=2,
        id="b",
        type="Unheard",
        version=3,
        at="2026-01-31T12:00:01Z",
        actor="agent",
        source="mcp",
        trust="tool",
        session="s",
        caused_by=1,
        references=(1, 1),
        payload={"list": [1, 2], "text": "ü\ud800\0", "none": None},
    )
    assert first.references == ()


def test_events_are_read_by_range_and_by_type(log: EventLog, draft: Drafts) -> None:
    log.append([draft("A"), draft("B"), draft("A"), draft("C"), draft("B")])
    assert [event.seq for event in log.events(after=1, to=3)] == [2, 3]
    assert [event.seq for event in log.events(after=3)] == [4, 5]
    assert [event.seq for event in log.events_of(["B", "C"], 1, 5)] == [2, 4, 5]
    assert [event.seq for event in log.events_of(["A"], 0, 2)] == [1]


def test_a_second_try_under_the_same_id_is_recorded_once(log: EventLog, draft: Drafts) -> None:
    (first,) = log.append([draft(known="once", text="a")])
    again = log.append(
        [draft(known="once", text="a"), draft(text="b"), draft(known="once", text="a")]
    )
    assert [event.seq for event in again] == [1, 2, 1]
    assert again[0] == first
    assert log.head().seq == 2


def test_a_burst_is_recorded_as_one_by_one_would_be(log: EventLog, draft: Drafts) -> None:
    one_by_one = EventLog.in_memory()
    burst = [draft.fact(f"key{number % 3}", f"väl\u2028ue {number}") for number in range(20)]
    recorded = [one_by_one.append([draft])[0] for draft in burst]
    assert log.extend([]) == Head()
    head = log.extend([*burst[:12], *burst[5:]])
    assert head == one_by_one.head() == log.head() == Head(20, recorded[-1].hash)
    assert list(log.raw()) == list(one_by_one.raw())
    one_by_one.close()


def test_a_burst_with_a_draft_that_is_refused_leaves_nothing(log: EventLog, draft: Drafts) -> None:
    with pytest.raises(LedgerRefused):
        log.extend([draft(), draft(value={1, 2})])
    assert log.head() == Head()


def test_a_transaction_records_all_or_nothing(log: EventLog, draft: Drafts) -> None:
    def waver() -> None:
        with log.writing() as writer:
            writer.append(draft())
            raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError, match="changed my mind"):
        waver()
    assert log.head().seq == 0
    with pytest.raises(LedgerRefused):
        log.append([draft(), draft(nan=float("nan"))])
    assert log.head().seq == 0
    assert [event.seq for event in log.append([draft()])] == [1]


def statements_of(log: EventLog, act: Callable[[], object]) -> list[str]:
    """Tell the statements that a log runs meanwhile, each by its first word."""
    told: list[str] = []

    def note(_cursor: object, statement: str, _bindings: object) -> bool:
        told.append(statement.split(maxsplit=1)[0])
        return True

    log._connection.exec_trace = note
    act()
    log._connection.exec_trace = None
    return told


def test_the_head_is_read_again_only_if_another_may_have_moved_it(
    log: EventLog, path: Path, draft: Drafts
) -> None:
    other = EventLog.open(path)
    known, read = ["BEGIN", "INSERT", "COMMIT"], ["BEGIN", "SELECT", "INSERT", "COMMIT"]
    assert statements_of(log, lambda: log.append([draft()])) == read
    assert statements_of(log, lambda: log.append([draft()])) == known
    other.append([draft()])
    assert statements_of(log, lambda: log.append([draft()])) == read
    assert statements_of(log, lambda: log.append([draft()])) == known
    with pytest.raises(LedgerRefused):
        log.append([draft(), draft(value={1, 2})])
    assert statements_of(log, lambda: log.append([draft()])) == read
    log.blank(1, draft.redaction(1))
    assert statements_of(log, lambda: log.append([draft()])) == read
    result = verify(log.raw())
    assert (result.valid, result.events) == (True, 8)
    other.close()


def test_a_head_that_was_read_meanwhile_is_not_taken_for_the_one_written(
    log: EventLog, path: Path, draft: Drafts
) -> None:
    other = EventLog.open(path)
    for _ in range(3):
        log.append([draft()])
        assert other.head() == log.head()
        other.append([draft()])
        assert log.head() == other.head()
    assert verify(log.raw()).valid
    other.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"caused_by": 2}, "there is no earlier event 2"),
        ({"references": (1, 0)}, "there is no earlier event 0"),
        ({"references": (1, 7)}, "there is no earlier event 7"),
        ({"payload": {"x": "y" * (1 << 20)}}, "an event can hold at most 1 MiB"),
        ({"payload": {"x": object()}}, "a payload must be plain data"),
        ({"payload": {"x": 1, 2: "y"}}, "a payload must be plain data"),
        ({"payload": {"x": float("inf")}}, "a payload must be plain data"),
        ({"session": "\ud800"}, "an event must be valid UTF-8"),
    ],
)
def test_an_event_that_can_not_be_kept_is_refused(
    log: EventLog, draft: Drafts, change: dict[str, Any], message: str
) -> None:
    log.append([draft()])
    fields: dict[str, Any] = {"payload": {}, **change}
    with pytest.raises(LedgerRefused, match=message):
        log.append([Draft(type="A", id="a", at="2026-01-31T12:00:00Z", **fields)])
    assert log.head().seq == 1


@pytest.mark.parametrize("levels", [64, 65, 500, 100_000])
def test_a_payload_is_nested_only_so_deep(log: EventLog, draft: Drafts, levels: int) -> None:
    value: Any = 0
    for _ in range(levels - 1):
        value = [value]
    if levels <= 64:
        (event,) = log.append([draft(value=value)])
        assert event.payload == {"value": value}
    else:
        with pytest.raises(LedgerRefused, match=r"nested at most 64 levels deep|plain data"):
            log.append([draft(value=value)])


def test_a_wide_payload_is_no_deep_one(log: EventLog, draft: Drafts) -> None:
    (event,) = log.append([draft(rows=[{"n": [n]} for n in range(500)])])
    assert len(event.get("rows")) == 500


INSERT = (
    "INSERT{} INTO events VALUES ({}, '{}', 'A', 1, '', '', '', '', NULL, NULL, '[]', '', '', '')"
)


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("DELETE FROM events", "events are never deleted"),
        ("DELETE FROM events WHERE seq = 2", "events are never deleted"),
        ("UPDATE events SET payload = '{}' WHERE seq = 1", "events are never changed"),
        ("UPDATE events SET payload = NULL WHERE seq = 1", "events are never changed"),
        ("UPDATE events SET actor = 'x'", "events are never changed"),
        ("UPDATE events SET seq = seq + 10", "events are never changed"),
        ("UPDATE OR REPLACE events SET seq = 2 WHERE seq = 1", "events are never changed"),
        (INSERT.format(" OR REPLACE", 2, "x"), "events are only appended"),
        (INSERT.format(" OR REPLACE", 3, "id-1"), "events are only appended"),
        (INSERT.format("", 4, "x"), "events are only appended"),
        (INSERT.format("", 0, "x"), "events are only appended"),
        (INSERT.format("", "NULL", "x"), "events are only appended"),
        ("REPLACE INTO events SELECT * FROM events", "events are only appended"),
    ],
)
def test_the_file_itself_refuses_all_but_an_append(
    log: EventLog, path: Path, draft: Drafts, statement: str, refusal: str
) -> None:
    log.append([draft(), draft()])
    before = list(log.raw())
    other = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError, match=refusal):
        other.execute(statement)
    other.close()
    assert list(log.raw()) == before


def test_the_settings_that_durability_rests_on_are_in_force(log: EventLog) -> None:
    names = ("journal_mode", "synchronous", "secure_delete", "trusted_schema", "foreign_keys")
    assert [log._connection.pragma(name) for name in names] == ["wal", 2, 1, 0, 1]
    assert int(str(log._connection.pragma("busy_timeout"))) >= 10_000


def test_a_log_is_there_again_after_a_reopening(path: Path, draft: Drafts) -> None:
    first = EventLog.open(path)
    first.append([draft(text="kept")])
    first.close()
    second = EventLog.open(path)
    assert [event.payload for event in second.events()] == [{"text": "kept"}]
    second.close()


def test_a_log_in_memory_is_a_log_without_a_file(draft: Drafts) -> None:
    log = EventLog.in_memory()
    log.append([draft(text="a"), draft(text="b")])
    log.blank(1, draft.redaction(1))
    assert verify(log.raw()).valid
    assert [event.payload for event in log.events(to=2)] == [None, {"text": "b"}]
    log.close()


def test_a_ledger_of_a_newer_version_is_refused_and_left_alone(path: Path, draft: Drafts) -> None:
    log = EventLog.open(path)
    log.append([draft()])
    log._connection.pragma("user_version", SCHEMA_VERSION + 1)
    log.close()
    with pytest.raises(LedgerRefused) as raised:
        EventLog.open(path)
    assert str(raised.value) == f"{path}: the ledger was written by a newer version"
    assert raised.value.hint == "update DMM; this version can't read it"
    raw = apsw.Connection(str(path))
    assert raw.pragma("user_version") == SCHEMA_VERSION + 1
    raw.close()


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE events (x)", "PRAGMA user_version = 1", "PRAGMA application_id = 7"]
)
def test_a_database_of_something_else_is_refused(path: Path, statement: str) -> None:
    path.parent.mkdir()
    other = apsw.Connection(str(path))
    other.execute(statement)
    other.close()
    with pytest.raises(LedgerRefused, match="the file is not a ledger"):
        EventLog.open(path)


def test_a_new_ledger_says_what_it_is(log: EventLog) -> None:
    assert log._connection.pragma("application_id") == APPLICATION_ID
    assert log._connection.pragma("user_version") == SCHEMA_VERSION


def test_a_ledger_that_is_a_link_is_refused(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(LedgerRefused, match="symbolic link"):
        EventLog.open(path)
    assert not (tmp_path / "elsewhere.db").exists()


def test_a_file_that_is_no_database_is_a_broken_ledger(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this was a ledger once, before something went over it" * 100)
    with pytest.raises(LedgerBroken) as raised:
        EventLog.open(path)
    assert str(raised.value) == f"{path}: damaged database: file is not a database"
    assert (
        raised.value.hint
        == "restore the last backup: dmm ledger restore; without one, start a new ledger: dmm trust"
    )


def test_damage_within_the_file_is_a_broken_ledger(path: Path, draft: Drafts) -> None:
    log = EventLog.open(path)
    log.append([draft(text="x" * 500) for _ in range(200)])
    log.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 8192))
    log = EventLog.open(path)
    with pytest.raises(LedgerBroken, match="damaged database") as raised:
        list(log.events())
    assert raised.value.where == str(path)
    assert (
        raised.value.hint
        == "restore the last backup: dmm ledger restore; without one, start a new ledger: dmm trust"
    )
    with pytest.raises(LedgerBroken):
        log.append([draft()])
    log.close()


@pytest.mark.parametrize("change", ["payload = '{'", "payload = 'x'", "refs = 'x'", "refs = '1'"])
def test_an_event_that_is_no_json_any_more_is_damage(
    log: EventLog, draft: Drafts, forge: Forger, change: str
) -> None:
    log.append([draft()])
    forge(f"UPDATE events SET {change}")
    with pytest.raises(LedgerBroken, match="event 1 can't be read") as raised:
        list(log.events())
    assert raised.value.hint == "dmm ledger verify shows whether it was edited"
    assert verify(log.raw()).first_bad == 1


def test_tables_that_are_gone_are_damage(log: EventLog, path: Path) -> None:
    other = apsw.Connection(str(path))
    other.execute("DROP TABLE events")
    other.close()
    with pytest.raises(LedgerBroken, match="no such table: events"):
        log.head()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b"UserMessageReceived", b"UserMessageReceivee", "row 1 missing from index events_by_type"),
        (b"UserMessageReceived", b"", "Offset 0 out of range"),
    ],
)
def test_damage_of_the_file_itself_is_told(
    path: Path, draft: Drafts, old: bytes, new: bytes, told: str
) -> None:
    log = EventLog.open(path)
    log.append([draft(text="x" * 300) for _ in range(100)])
    assert log.damage() == ()
    find = "SELECT rootpage FROM sqlite_schema WHERE name = 'events_by_type'"
    start = (int(str(next(log._connection.execute(find))[0])) - 1) * 4096
    log.close()
    data = bytearray(path.read_bytes())
    page = data[start : start + 4096]
    spoiled = page.replace(old, new) if new else page[:8] + bytes(8) + page[16:]
    data[start : start + 4096] = spoiled
    path.write_bytes(data)
    log = EventLog.open(path)
    assert told in " ".join(log.damage())
    log.close()


def test_an_error_of_another_database_stays_what_it_is(log: EventLog) -> None:
    with pytest.raises(IndexBroken, match="other"), log.writing():
        raise IndexBroken("broken", where="other.db")


def test_a_second_writer_waits_and_is_then_told(log: EventLog, path: Path, draft: Drafts) -> None:
    other = EventLog.open(path)
    other._connection.set_busy_timeout(1)
    with log.writing(), pytest.raises(IndexBusy):
        other.append([draft()])
    other.append([draft()])
    other.close()


def test_a_reader_is_not_kept_waiting_by_a_writer(log: EventLog, path: Path, draft: Drafts) -> None:
    log.append([draft()])
    other = EventLog.open(path)
    with log.writing() as writer:
        writer.append(draft())
        assert other.head().seq == 1
    assert other.head().seq == 2
    other.close()


def test_the_payload_is_stored_as_canonical_json(log: EventLog, draft: Drafts) -> None:
    log.append([draft(b=1, a="é")])
    assert next(log.raw())[11] == '{"a":"\\u00e9","b":1}'
    assert json.loads(next(log.raw())[10]) == []
