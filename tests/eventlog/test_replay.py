"""Replay: with snapshots or without, from any cut, the state is the same."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Draft, EventType
from dmm.eventlog import replay as replaying
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import pack, prove_snapshots, replay, unpack
from dmm.eventlog.seal import Seal
from dmm.eventlog.state import CODE, State, fold

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eventlog.conftest import Drafts, Forger

EVERY = 4
KINDS = st.lists(
    st.sampled_from(
        [
            *(EventType.FACT_ADDED, EventType.CONSTRAINT_ADDED, EventType.CONSTRAINT_DEACTIVATED),
            *(EventType.DECISION_MADE, EventType.DECISION_BLOCKED, EventType.TOOL_USED),
            *(EventType.MEMORY_QUERY_ISSUED, EventType.PACK_SERVED),
        ]
    ),
    min_size=1,
    max_size=20,
)


@pytest.fixture(autouse=True)
def _short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "EVERY", EVERY)


def fill(log: EventLog, kinds: list[EventType]) -> None:
    for number, kind in enumerate(kinds, start=1):
        payload = {
            "key": f"k{number % 3}",
            "value": f"v{number % 5}",
            "text": f"text {number}",
            "question": "q",
            "seq": number // 2,
            "applied": [number // 3],
            "rule": {"b": 1, "a": [number]},
        }
        log.append([Draft(kind, payload, f"e-{number}", "2026-01-31T12:00:00Z")])


@pytest.fixture
def story(log: EventLog) -> EventLog:
    kinds = [EventType.FACT_ADDED, EventType.CONSTRAINT_ADDED, EventType.DECISION_MADE]
    fill(log, [kinds[number % 3] for number in range(18)])
    return log


def folded(log: EventLog, to: int) -> State:
    """Fold all events, the unknown ones too, with no help."""
    return fold(State(), log.events(to=to))


@given(KINDS)
def test_every_cut_gives_the_state_of_the_whole_fold(kinds: list[EventType]) -> None:
    log = EventLog.in_memory()
    fill(log, kinds)
    head = len(kinds)
    replay(log, head)
    states = [folded(log, seq) for seq in range(head + 1)]
    for seq in range(head + 1):
        assert replay(log, seq) == states[seq]
        assert replay(log, seq).canonical() == states[seq].canonical()
        assert replay(log, seq, keep=False, start=State()) == states[seq]
        restored = unpack(pack(states[seq]), seq)
        assert restored is not None
        assert fold(restored, log.events(after=seq)) == states[head]
        assert [list(restored.facts), list(restored.queries)] == [
            list(states[seq].facts),
            list(states[seq].queries),
        ]
    assert prove_snapshots(log) == ()
    log.close()


def test_a_long_way_leaves_snapshots_for_the_next_time(story: EventLog) -> None:
    replay(story, 18, keep=False)
    assert list(story.snapshots(CODE)) == []
    replay(story, 10)
    assert [seq for seq, _ in story.snapshots(CODE)] == [4, 8]
    replay(story, 18)
    assert [seq for seq, _ in story.snapshots(CODE)] == [4, 8, 12, 16]


def test_the_nearest_snapshot_is_where_a_replay_begins(story: EventLog, forge: Forger) -> None:
    replay(story, 18)
    forge("DELETE FROM snapshots WHERE seq = 8")
    planted = fold(State(), story.events(to=8))
    story.keep_snapshots([(8, pack(State(seq=8, facts=planted.facts)))], CODE, 0)
    assert replay(story, 9).decisions.keys() == {9}
    assert replay(story, 7) == folded(story, 7)
    assert replay(story, 12) == folded(story, 12)


def test_a_replay_goes_no_further_than_the_log(story: EventLog) -> None:
    assert replay(story, 1_000) == folded(story, 18)
    assert replay(story, 0) == replay(story, -5) == State()


def test_a_known_state_is_where_a_replay_goes_on(story: EventLog) -> None:
    start = State(seq=15)
    assert replay(story, 18, start=start).facts.keys() == {"k1"}
    assert replay(story, 9, start=start) == folded(story, 9)


def test_a_snapshot_of_other_code_is_ignored_and_replaced(story: EventLog) -> None:
    story.keep_snapshots([(8, pack(State(seq=8)))], "state-0", 0)
    assert replay(story, 9, keep=False) == folded(story, 9)
    replay(story, 18)
    assert [seq for seq, _ in story.snapshots("state-0")] == []


def test_a_snapshot_of_another_chain_is_ignored(story: EventLog, forge: Forger) -> None:
    forge(f"INSERT INTO snapshots VALUES (8, 'f0', '{CODE}', x'00')")
    assert replay(story, 9, keep=False) == folded(story, 9)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no zlib",
        zlib.compress(b"{"),
        zlib.compress(b"[]"),
        zlib.compress(b"[8,[[1]],[],[],[],[]]"),
        zlib.compress(b"[8,[],[],[],3,[]]"),
        pack(State(seq=7)),
    ],
)
def test_a_damaged_snapshot_is_as_if_it_were_not_there(story: EventLog, data: bytes) -> None:
    story.keep_snapshots([(8, data)], CODE, 0)
    assert replay(story, 9, keep=False) == folded(story, 9)


def test_snapshots_that_were_changed_are_not_used_and_stay_as_evidence(
    story: EventLog, forge: Forger
) -> None:
    replay(story, 18)
    lie = pack(State(seq=8)).hex()
    forge(f"UPDATE snapshots SET state = x'{lie}' WHERE seq = 8")
    forge("UPDATE snapshots SET state = x'00' WHERE seq = 16")
    forge("INSERT INTO snapshots SELECT 99, 'f0', code, x'00' FROM snapshots WHERE seq = 4")
    for to in (9, 18):
        assert replay(story, to) == folded(story, to)
    assert story.wrong_snapshots == {8, 16}
    for _ in range(2):
        assert prove_snapshots(story) == (8, 16, 99)
    assert [seq for seq, _ in story.snapshots(CODE)] == [4, 8, 12, 16, 99]


def test_a_sealed_state_that_is_not_that_of_its_events_is_named(
    story: EventLog, forge: Forger
) -> None:
    story.keep_snapshots([(8, pack(State(seq=8)))], CODE, 0)
    assert prove_snapshots(story) == (8,)


def test_a_snapshot_sealed_for_another_event_or_by_another_key_is_not_used(
    story: EventLog, forge: Forger
) -> None:
    replay(story, 18)
    forge("UPDATE snapshots SET state = (SELECT state FROM snapshots WHERE seq = 4) WHERE seq = 8")
    assert replay(story, 9) == folded(story, 9)
    assert story.wrong_snapshots == {8}
    own, story.seal = story.seal, Seal(b"another key")
    assert prove_snapshots(story) == ()
    assert replay(story, 18) == folded(story, 18)
    assert [seq for seq, _ in story.snapshots(CODE)] == [4, 8, 12, 16]
    assert story.wrong_snapshots == {8}
    story.seal = None
    assert replay(story, 18) == folded(story, 18)
    assert prove_snapshots(story) == ()
    story.seal = own
    assert list(story.snapshots(CODE)) == []


def test_a_replay_within_a_transaction_sees_what_was_just_appended(
    story: EventLog, draft: Drafts
) -> None:
    with story.writing() as writer:
        writer.append(draft.fact("new", "x"))
        writer.append(draft.fact("newer", "x"))
        assert replay(story, 20).facts["newer"].seq == 20
    assert [seq for seq, _ in story.snapshots(CODE)] == [4, 8, 12, 16, 20]


def test_a_reader_neither_waits_nor_fails_for_its_snapshots(story: EventLog, path: Path) -> None:
    other = EventLog.open(path)
    with story.writing():
        assert replay(other, 18) == folded(other, 18)
    assert list(other.snapshots(CODE)) == []
    assert int(str(other._connection.pragma("busy_timeout"))) >= 10_000
    other.close()


def test_a_disk_without_room_for_snapshots_does_not_stop_a_reader(story: EventLog) -> None:
    pages = int(str(story._connection.pragma("page_count")))
    story._connection.pragma("max_page_count", pages)
    story.keep_snapshots([(8, bytes(1_000_000))], CODE, 0)
    assert list(story.snapshots(CODE)) == []
    assert replay(story, 18) == folded(story, 18)


def test_snapshots_do_not_touch_the_chain(story: EventLog, path: Path) -> None:
    before = list(story.raw())
    replay(story, 18)
    other = apsw.Connection(str(path))
    other.execute("DELETE FROM snapshots")
    other.close()
    assert list(story.raw()) == before
