"""Suggestions: what is suggested of which memory, why, and what is left in peace."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.config import LifecycleConfig
from dmm.domain.memory import Confidence, Memory, Scope, Status
from dmm.domain.proposal import Operation
from dmm.lifecycle.suggest import PACKS_NEEDED, Grounds, Kind, Suggestion, suggest
from dmm.lifecycle.usage import Course, Objection, Tally, Usage, Use

TODAY = dt.date(2026, 6, 30)
LONG_AGO = dt.date(2025, 1, 1)
SETTINGS = LifecycleConfig(stale_days=90, promote_after=5, expired_days=7)
BUSY = {"2026-01-01": 1, "2026-06-01": PACKS_NEEDED}


def memory(path: str = "project/a.md", **fields: Any) -> Memory:
    values: dict[str, Any] = {
        "id": f"mem_2026_01_01_{path}",
        "path": path,
        "title": "A",
        "body": "A.",
        "tags": ("a",),
        "scope": Scope(path.partition("/")[0]),
        "priority": 0.5,
        "confidence": Confidence.ACTIVE,
        "status": Status.ACTIVE,
        "created": LONG_AGO,
    }
    return Memory(**(values | fields))


def used(one: Memory, **fields: Any) -> Usage:
    return Usage(memories={one.id: Use(one.id, one.path, **fields)}, packs=BUSY)


def look(*memories: Memory, usage: Usage | None = None, **grounds: Any) -> list[Suggestion]:
    return suggest(memories, Grounds(usage or Usage(), SETTINGS, TODAY, **grounds))


def only(*memories: Memory, usage: Usage | None = None, **grounds: Any) -> Suggestion:
    (found,) = look(*memories, usage=usage, **grounds)
    return found


def objection(seq: int, by: str = "agent/s1", *, user: bool = False) -> Objection:
    return Objection(seq, f"2026-06-0{seq}", "wrong", by, user)


def test_an_expired_memory_is_deprecated_after_some_days() -> None:
    note = memory("ephemeral/a.md", expires=dt.date(2026, 6, 22))
    found = only(note)
    assert (found.kind, found.operation) == (Kind.EXPIRED, Operation.DEPRECATE)
    assert found.reason == "it expired on 2026-06-22 and has not been served since"
    assert found.expires == dt.date(2026, 6, 22)
    assert look(replace(note, expires=dt.date(2026, 6, 23))) == []
    assert look(replace(note, expires=dt.datetime(2026, 6, 22, 23, 0))) == [found]  # noqa: DTZ001


def test_what_is_out_of_force_or_of_the_baseline_does_not_expire() -> None:
    gone = memory("ephemeral/a.md", expires=LONG_AGO, status=Status.DEPRECATED)
    assert look(gone, memory("baseline/a.md", expires=LONG_AGO)) == []


def test_two_who_report_a_memory_or_the_user_alone_have_it_suggested_for_deprecation() -> None:
    note = memory()
    twice = (objection(1), objection(2, "agent/s2"))
    found = only(note, usage=used(note, last_served="2026-06-30", objections=twice))
    assert (found.kind, found.operation) == (Kind.REPORTED, Operation.DEPRECATE)
    assert found.reason == "it was reported as wrong 2 times, last on 2026-06-02"
    alone = (objection(3, "user", user=True), objection(4)._replace(outcome="outdated"))
    found = only(note, usage=used(note, last_served="2026-06-30", objections=alone))
    assert found.reason == (
        "it was reported as wrong once and as outdated once, also by the user, last on 2026-06-04"
    )


def test_one_session_that_repeats_itself_is_one_voice() -> None:
    note = memory()
    thrice = tuple(objection(seq) for seq in (1, 2, 3))
    assert look(note, usage=used(note, last_served="2026-06-30", objections=thrice)) == []


def test_new_content_answers_the_reports_before_it() -> None:
    note = memory()
    usage = used(
        note, last_served="2026-06-30", objections=(objection(1), objection(2, "agent/s2"))
    )
    assert look(note, usage=usage, revised={note.path: 2}) == []
    assert only(note, usage=usage, revised={"project/b.md": 2}).kind is Kind.REPORTED


def session(note: Memory, *, well: bool) -> Course:
    tally = Tally(done=4) if well else Tally(failed=4)
    return Course(tally, settled=True, given={note.id: Tally()})


def risen(note: Memory, served: int, *went: bool, **fields: Any) -> Usage:
    sessions = {f"s{number}": session(note, well=well) for number, well in enumerate(went)}
    return replace(used(note, served=served, last_served="2026-06-30", **fields), sessions=sessions)


def test_a_note_that_serves_well_in_several_sessions_is_suggested_for_the_project() -> None:
    note = memory("ephemeral/a.md")
    found = only(note, usage=risen(note, 7, True, True, False))
    assert (found.kind, found.operation) == (Kind.PROMOTION, Operation.PROMOTE)
    assert found.new_scope is Scope.PROJECT
    assert found.reason == (
        "it was served 5 times or more, in 2 or more sessions;"
        " it is associated with success in more of them than with failure"
    )
    more = only(note, usage=risen(note, 9, True, True, True))
    assert more == found
    assert "served 10 times or more" in only(note, usage=risen(note, 11, True, True)).reason


@pytest.mark.parametrize(
    ("served", "went"),
    [(4, (True, True)), (9, (True,)), (9, (True, False)), (9, (False, False, True)), (9, ())],
)
def test_too_few_uses_or_no_better_sessions_promote_nothing(
    served: int, went: tuple[bool, ...]
) -> None:
    note = memory("ephemeral/a.md")
    assert look(note, usage=risen(note, served, *went)) == []


def test_a_trial_a_doubted_note_and_one_of_the_project_are_not_promoted() -> None:
    trial = memory("ephemeral/a.md", confidence=Confidence.EXPERIMENTAL)
    assert look(trial, usage=risen(trial, 9, True, True)) == []
    doubted = memory("ephemeral/a.md")
    assert look(doubted, usage=risen(doubted, 9, True, True, objections=(objection(1),))) == []
    settled = memory("project/a.md")
    assert look(settled, usage=risen(settled, 9, True, True)) == []
    expired = memory("ephemeral/a.md", expires=dt.date(2026, 6, 29))
    assert look(expired, usage=risen(expired, 9, True, True)) == []


def test_a_memory_that_nobody_was_given_for_long_is_stale() -> None:
    note = memory()
    found = only(note, usage=used(note, served=3, last_served="2026-03-31"))
    assert (found.kind, found.operation) == (Kind.STALE, Operation.DEPRECATE)
    assert found.reason == (
        "it was last served or confirmed on 2026-03-31; a memory is stale after 90 days"
    )
    assert look(note, usage=used(note, served=3, last_served="2026-04-01")) == []
    assert look(note, usage=used(note, last_helped="2026-04-01")) == []
    # As an event whose clock was wrong may say.
    assert look(note, usage=used(note, last_served="9999-12-31")) == []


def test_a_memory_that_was_never_served_counts_from_its_day_or_the_first_pack() -> None:
    usage = Usage(packs=BUSY)
    told = "it has not been served since 2026-01-01; a memory is stale after 90 days"
    assert only(memory(), usage=usage).reason == told
    later = only(memory(created=dt.date(2026, 3, 1)), usage=usage)
    assert later.reason.startswith("it has not been served since 2026-03-01;")
    assert look(memory(created=dt.date(2026, 5, 1)), usage=usage) == []
    assert look(memory(created=None), usage=usage) == []


def test_nothing_is_stale_where_nobody_asks() -> None:
    few = Usage(packs={"2026-01-01": 500, "2026-06-01": PACKS_NEEDED - 1})
    assert look(memory(), usage=few) == []
    assert look(memory(), usage=Usage()) == []


def test_a_stable_memory_has_twice_the_time() -> None:
    note = memory(confidence=Confidence.STABLE)
    assert look(note, usage=used(note, last_served="2026-03-01")) == []
    old = replace(used(note, last_served="2025-12-01"), packs={"2025-12-01": 1} | BUSY)
    assert only(note, usage=old).reason.endswith("stale after 180 days")


def test_what_reaches_everywhere_is_narrowed_before_it_goes() -> None:
    found = only(memory("global/a.md"), usage=Usage(packs=BUSY))
    assert (found.operation, found.new_scope) == (Operation.DEMOTE, Scope.PROJECT)
    assert look(memory("baseline/a.md"), usage=Usage(packs=BUSY)) == []


def overflow(*memories: Memory, tokens: dict[str, int], budget: int = 100) -> list[str]:
    found = look(*memories, baseline=tokens, budget=budget)
    assert all(one.kind is Kind.OVERFLOW for one in found)
    assert all(one.new_scope is Scope.GLOBAL for one in found)
    return [one.path for one in found]


def test_the_least_important_files_leave_a_baseline_that_is_too_large() -> None:
    files = [
        memory("baseline/low.md", priority=0.1),
        memory("baseline/trial.md", confidence=Confidence.EXPERIMENTAL),
        memory("baseline/stable.md", confidence=Confidence.STABLE),
    ]
    tokens = {"baseline/low.md": 20, "baseline/trial.md": 40, "baseline/stable.md": 60}
    assert overflow(*files, tokens=tokens) == ["baseline/low.md"]
    assert overflow(*files, tokens=tokens, budget=90) == ["baseline/trial.md"]
    assert overflow(*files, tokens=tokens, budget=60) == ["baseline/low.md", "baseline/trial.md"]
    assert overflow(*files, tokens=tokens, budget=120) == []
    found = look(*files, baseline=tokens, budget=100)[0]
    assert found.reason == (
        "the baseline has 120 tokens, its budget is 100;"
        " this file of 20 tokens and priority 0.1 is among the least confirmed"
    )


def test_identity_and_hard_constraints_never_leave_the_baseline() -> None:
    files = [memory("baseline/identity.md"), memory("baseline/hard_constraints.md")]
    assert overflow(*files, tokens={file.path: 500 for file in files}) == []
    reported = replace(used(files[0], objections=(objection(1, user=True),)), packs={})
    assert look(*files, usage=reported) == []


def test_a_file_is_in_one_suggestion_and_the_most_pressing_comes_first() -> None:
    expired = memory("ephemeral/z.md", expires=LONG_AGO)
    usage = used(expired, objections=(objection(1, user=True),))
    found = look(memory("project/a.md"), expired, usage=usage)
    assert [(one.kind, one.path) for one in found] == [
        (Kind.EXPIRED, "ephemeral/z.md"),
        (Kind.STALE, "project/a.md"),
    ]


PATHS = [f"{scope}/{name}.md" for scope in Scope for name in ("identity", "b")]
DAYS = st.dates(dt.date(2025, 1, 1), TODAY)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Memory], Grounds]:
    paths = draw(st.lists(st.sampled_from(PATHS), unique=True))
    memories = [
        memory(
            path,
            created=draw(st.none() | DAYS),
            expires=draw(st.none() | DAYS),
            priority=draw(st.floats(0, 1)),
            confidence=draw(st.sampled_from(Confidence)),
        )
        for path in paths
    ]
    uses = {
        one.id: Use(
            one.id,
            one.path,
            draw(st.integers(0, 20)),
            draw(DAYS).isoformat(),
            objections=tuple(
                draw(st.lists(st.builds(objection, st.integers(1, 9), user=st.booleans())))
            ),
        )
        for one in memories
        if draw(st.booleans())
    }
    tokens = {one.path: draw(st.integers(0, 90)) for one in memories if one.in_force}
    baseline = {path: n for path, n in tokens.items() if path.startswith("baseline/")}
    usage = Usage(memories=uses, packs=BUSY)
    return memories, Grounds(usage, SETTINGS, TODAY, baseline, draw(st.integers(1, 100)))


@given(worlds(), st.randoms())
def test_suggestions_are_the_same_in_any_order_one_for_a_file_and_enough(
    world: tuple[list[Memory], Grounds], chance: Any
) -> None:
    memories, grounds = world
    found = suggest(memories, grounds)
    shuffled = list(memories)
    chance.shuffle(shuffled)
    assert suggest(shuffled, grounds) == found
    paths = [one.path for one in found]
    assert len(paths) == len(set(paths))
    assert "baseline/identity.md" not in paths
    assert all(one.reason for one in found)
    left = sum(n for path, n in grounds.baseline.items() if path not in paths)
    fixed = grounds.baseline.get("baseline/identity.md", 0)
    assert left <= max(grounds.budget, fixed)
