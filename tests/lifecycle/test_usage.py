"""Usage is what the ledger counts, and an association claims no more than what followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Event, EventType
from dmm.domain.usage import key_of
from dmm.lifecycle.usage import Association, Objection, Usage, Use, fold
from dmm.lifecycle.usage_projection import pack, unpack

A = {"id": "mem_2026_01_01_001", "path": "project/a.md"}
B = {"id": "mem_2026_01_01_002", "path": "project/b.md"}


@dataclass
class Log:
    """Writes events as the ledger would number them."""

    events: list[Event] = field(default_factory=list)

    def add(
        self,
        kind: str,
        payload: dict[str, Any] | None,
        *,
        session: str | None = "s1",
        day: str = "2026-02-01",
        trust: str = "agent",
        actor: str = "claude-code",
    ) -> int:
        seq = len(self.events) + 1
        at = f"{day}T10:00:00.000+00:00"
        self.events.append(
            Event(seq, f"id{seq}", kind, 1, at, actor, "hook", trust, session, None, (), payload)
        )
        return seq

    def serve(self, *held: dict[str, str], **about: Any) -> None:
        self.add(EventType.PACK_SERVED, {"task": "x", "retrieved": list(held)}, **about)

    def report(self, outcome: str, *held: dict[str, str], **about: Any) -> int:
        payload = {"memories": list(held), "outcome": outcome, "context": ""}
        return self.add(EventType.USAGE_REPORTED, payload, **about)

    def act(self, done: int = 0, failed: int = 0, denied: int = 0, **about: Any) -> None:
        for _ in range(done):
            self.add(EventType.TOOL_USED, {"tool": "Bash"}, **about)
        for _ in range(failed):
            self.add(EventType.TOOL_FAILED, {"tool": "Bash"}, **about)
        for _ in range(denied):
            self.add(EventType.TOOL_REQUESTED, {"verdict": {"status": "deny"}}, **about)

    def end(self, kind: str = EventType.TURN_ENDED, **about: Any) -> None:
        self.add(kind, {}, **about)

    @property
    def usage(self) -> Usage:
        return fold(self.events)

    def association(self, held: dict[str, str]) -> Association:
        return self.usage.associate().get(key_of(held["id"], held["path"]), Association())


@pytest.fixture
def log() -> Log:
    return Log()


def test_each_pack_counts_a_memory_once_with_the_day(log: Log) -> None:
    log.serve(A, A, B, day="2026-02-01")
    log.serve(A, session=None, day="2026-02-03")
    usage = log.usage
    assert usage.find(A["id"], A["path"]) == Use(
        "mem_2026_01_01_001", "project/a.md", served=2, last_served="2026-02-03"
    )
    assert usage.find(B["id"], B["path"]).served == 1
    assert usage.packs == {"2026-02-01": 1, "2026-02-03": 1}
    assert usage.began == "2026-02-01"
    assert usage.packs_since("2026-02-01") == 1


def test_the_baseline_of_a_pack_is_served_too(log: Log) -> None:
    log.add(EventType.PACK_SERVED, {"baseline": [A], "retrieved": [B]})
    assert [use.served for use in log.usage.memories.values()] == [1, 1]


def test_a_memory_is_known_by_its_id_after_a_move(log: Log) -> None:
    log.serve(A)
    log.serve(A | {"path": "global/a.md"})
    assert list(log.usage.memories.values()) == [
        Use(A["id"], "global/a.md", served=2, last_served="2026-02-01")
    ]


def test_the_users_own_memory_is_not_the_projects_of_the_same_id(log: Log) -> None:
    log.serve(A, A | {"path": "user:global/a.md"})
    assert {use.path: use.served for use in log.usage.memories.values()} == {
        "project/a.md": 1,
        "user:global/a.md": 1,
    }


def test_a_file_without_an_id_is_known_by_its_path(log: Log) -> None:
    log.serve({"id": "", "path": "baseline/broken.md"})
    assert log.usage.find("", "baseline/broken.md").served == 1


def test_reports_are_counted_with_who_made_them(log: Log) -> None:
    log.report("helped", A, day="2026-02-02")
    wrong = log.report("wrong", A, B, day="2026-02-03")
    outdated = log.report("outdated", A, trust="user", session=None, actor="user")
    log.report("served", A)
    use = log.usage.find(A["id"], A["path"])
    assert (use.served, use.helped, use.count("wrong"), use.count("outdated")) == (1, 1, 1, 1)
    assert use.last_used == "2026-02-02"
    assert use.objections == (
        Objection(wrong, "2026-02-03", "wrong", "claude-code/s1", user=False),
        Objection(outdated, "2026-02-01", "outdated", "user", user=True),
    )


@pytest.mark.parametrize("trust", ["tool", "third_party", "nonsense"])
def test_what_a_tool_returned_is_no_report(trust: str, log: Log) -> None:
    log.report("wrong", A, trust=trust)
    assert log.usage.memories == {}


@pytest.mark.parametrize(
    ("done", "failed", "denied", "expected"),
    [
        (4, 1, 0, Association(1, 1, 0)),
        (1, 0, 0, Association(1, 1, 0)),
        (4, 0, 1, Association(1, 1, 0)),
        (4, 1, 1, Association(1, 0, 0)),
        (2, 2, 0, Association(1, 0, 0)),
        (1, 2, 0, Association(1, 0, 1)),
        (1, 1, 1, Association(1, 0, 1)),
        (0, 0, 1, Association(1, 0, 1)),
        (0, 0, 0, Association(1, 0, 0)),
    ],
)
def test_a_session_goes_with_success_or_failure_by_what_its_actions_came_to(
    done: int, failed: int, denied: int, expected: Association, log: Log
) -> None:
    log.serve(A)
    log.act(done, failed, denied)
    log.end()
    assert log.association(A) == expected


def test_a_blocked_decision_counts_against_the_session(log: Log) -> None:
    log.serve(A)
    log.add(EventType.DECISION_BLOCKED, {"text": "x"})
    log.end(EventType.SESSION_ENDED)
    assert log.association(A) == Association(1, 0, 1)


def test_a_session_that_is_still_at_work_says_nothing(log: Log) -> None:
    log.serve(A)
    log.act(done=8)
    assert log.association(A) == Association(1, 0, 0)
    log.end()
    assert log.association(A) == Association(1, 1, 0)
    log.act(done=1)
    assert log.association(A) == Association(1, 0, 0)


def test_what_happened_before_a_memory_was_given_is_not_associated_with_it(log: Log) -> None:
    log.serve(A)
    log.act(failed=5)
    log.end()
    log.serve(B)
    log.act(done=3)
    log.end()
    assert log.association(A) == Association(1, 0, 1)
    assert log.association(B) == Association(1, 1, 0)


def test_a_report_on_the_very_memory_outweighs_how_the_session_went(log: Log) -> None:
    log.serve(A, B)
    log.act(done=9)
    log.end()
    log.report("wrong", A)
    log.act(failed=20)
    log.end()
    log.report("helped", B)
    assert log.association(A) == Association(1, 0, 1)
    assert log.association(B) == Association(1, 1, 0)


def test_other_sessions_and_what_has_none_are_kept_apart(log: Log) -> None:
    log.serve(A)
    log.act(done=3, session="s2")
    log.act(failed=3, session=None)
    log.end()
    log.serve(A, session="s2")
    log.act(done=1, session="s2")
    log.end(session="s2")
    assert log.association(A) == Association(2, 1, 0)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (EventType.PACK_SERVED, None),
        (EventType.PACK_SERVED, {"retrieved": "many"}),
        (EventType.PACK_SERVED, {"retrieved": [7, {"id": 7, "path": "x"}, {"hash": "y"}]}),
        (EventType.PACK_SERVED, {"task": "", "briefing": "x", "retrieved": [{"hash": "x"}]}),
        (EventType.USAGE_REPORTED, {"memories": [A], "outcome": ["helped"]}),
        (EventType.USAGE_REPORTED, {"memories": A, "outcome": "helped"}),
        (EventType.TOOL_REQUESTED, {"verdict": "deny"}),
        ("Unheard", {"retrieved": [A]}),
    ],
)
def test_malformed_events_change_nothing_but_the_number(
    kind: str, payload: dict[str, Any] | None, log: Log
) -> None:
    log.add(kind, payload)
    assert log.usage == Usage(seq=1)


def test_a_version_from_the_future_is_passed_over(log: Log) -> None:
    log.events.append(
        Event(
            1,
            "x",
            "PackServed",
            2,
            "2026-01-01",
            "a",
            "b",
            "agent",
            "s",
            None,
            (),
            {"retrieved": [A]},
        )
    )
    assert log.usage == Usage(seq=1)


def test_a_pack_without_a_date_counts_without_a_day(log: Log) -> None:
    log.serve(A, day="yesterday")
    assert log.usage.find(A["id"], A["path"]) == Use(A["id"], A["path"], served=1)
    assert log.usage.packs == {}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["serve", "act", "fail", "deny", "end", "helped", "wrong", "outdated"]),
        st.sampled_from([A, B, A | {"path": "global/a.md"}]),
        st.sampled_from(["s1", "s2", None]),
        st.sampled_from(["2026-02-01", "2026-02-02", "never"]),
    ),
    max_size=40,
)


def written(steps: list[tuple[str, dict[str, str], str | None, str]]) -> Log:
    log = Log()
    for step, held, session, day in steps:
        about: dict[str, Any] = {"session": session, "day": day}
        match step:
            case "serve":
                log.serve(held, **about)
            case "act":
                log.act(done=1, **about)
            case "fail":
                log.act(failed=1, **about)
            case "deny":
                log.act(denied=1, **about)
            case "end":
                log.end(**about)
            case outcome:
                log.report(outcome, held, **about)
    return log


@given(STEPS, st.integers(0, 40))
def test_the_fold_may_stop_anywhere_and_go_on(
    steps: list[tuple[str, dict[str, str], str | None, str]], cut: int
) -> None:
    log = written(steps)
    first = fold(log.events[:cut])
    before = first.canonical()
    assert fold(log.events[cut:], first).canonical() == log.usage.canonical()
    assert first.canonical() == before


@given(STEPS)
def test_usage_outlives_its_bytes(
    steps: list[tuple[str, dict[str, str], str | None, str]],
) -> None:
    usage = written(steps).usage
    assert unpack(pack(usage), usage.seq) == usage
    assert unpack(pack(usage), usage.seq + 1) is None


@pytest.mark.parametrize("data", [b"", b"x", pack(Usage())[:-3]])
def test_other_bytes_are_no_usage(data: bytes) -> None:
    assert unpack(data, 0) is None


@given(STEPS)
def test_no_session_is_counted_twice_for_a_memory(
    steps: list[tuple[str, dict[str, str], str | None, str]],
) -> None:
    for found in written(steps).usage.associate().values():
        assert found.sessions <= 2
        assert found.succeeded + found.failed <= found.sessions
