"""The audit: every access is there, nothing that was said is, and it does not grow for ever."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dmm.errors import TeamError
from dmm.team.audit import KEPT
from dmm.team.port import Page, Refused, Revoked
from dmm.team.service import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.team.conftest import Hall

    from dmm.team.stored import StoredLog

NOON = dt.datetime(2026, 1, 31, 12, 0, tzinfo=dt.UTC)


def told(hall: Hall) -> list[tuple[str, str, str, int]]:
    found = hall.registry.accesses(hall.team, "shop", 1_000)
    return sorted((one.act, one.writer, one.about, one.count) for one in found)


def test_every_access_is_recorded_with_who_did_it(hall: Hall) -> None:
    registry, team = hall.registry, hall.team
    ada, ben = hall.join("owner"), hall.join("reader")
    first, second = ada.joined.writer, ben.joined.writer
    ada.say("never push to main CANARY")
    ada.log.push(ada.batch())
    ada.say("never use eval CANARY")
    ada.log.push(ada.batch())
    for _ in range(3):
        assert isinstance(ben.log.pull(0), Page)
    ben.say("never use exec CANARY")
    assert isinstance(ben.log.push(ben.batch()), Refused)
    registry.change_role(team, "shop", second, "reviewer", by=first)
    registry.lift(team, "shop", 3)
    registry.revoke(team, "shop", second)
    for _ in range(2):
        assert ben.log.pull(0) == Revoked()
    assert ben.log.push(ben.batch()) == Revoked()
    assert registry.open(f"{team}.{first}.{'0' * 64}") is None
    assert registry.open(f"{team}.{'0' * 16}.{'0' * 64}") is None
    with pytest.raises(TeamError):
        registry.join(f"{team}.{'0' * 64}.x", ben.key.public, "eve")
    assert told(hall) == sorted(
        [
            ("add", "", "", 1),
            ("invite", "", "owner", 1),
            ("invite", "", "reader", 1),
            ("join", first, "owner", 1),
            ("join", second, "reader", 1),
            ("push", first, "", 2),
            ("pull", second, "", 1),
            ("refused", second, "push: refused", 1),
            ("role", first, f"{second}: reader to reviewer", 1),
            ("lift", "", "team:3", 1),
            ("revoke", "", second, 1),
            ("refused", second, "pull: revoked", 2),
            ("refused", second, "push: revoked", 1),
            ("refused", "", "token", 1),
            ("refused", "", "token", 1),
            ("refused", "", "invitation", 1),
        ]
    )
    assert "CANARY" not in str(registry.accesses(team, "shop", 1_000))


def test_who_may_not_manage_a_project_is_recorded(hall: Hall) -> None:
    ada = hall.join("reviewer")
    writer, registry = ada.joined.writer, hall.registry
    acts: list[Callable[[], object]] = [
        lambda: registry.members(hall.team, "shop", by=writer),
        lambda: registry.invite(hall.team, "shop", "owner", by=writer),
        lambda: registry.change_role(hall.team, "shop", writer, "owner", by=writer),
        lambda: registry.revoke(hall.team, "shop", writer, by=writer),
    ]
    for count, act in enumerate(acts, 1):
        with pytest.raises(TeamError, match="a reviewer can't manage the team"):
            act()
        assert ("refused", writer, "manage", count) in told(hall)
    assert [one.role for one in registry.members(hall.team, "shop")] == ["reviewer"]


def test_an_owner_who_lists_the_laptops_is_recorded(hall: Hall) -> None:
    ada = hall.join("owner")
    for _ in range(2):
        hall.registry.members(hall.team, "shop", by=ada.joined.writer)
    assert ("members", ada.joined.writer, "", 2) in told(hall)


def test_what_sends_nothing_new_is_no_push(hall: Hall) -> None:
    ada = hall.join()
    ada.log.push(NOTHING)
    ada.say("never push to main")
    for _ in range(2):
        ada.log.push(ada.batch())
    assert [one for one in told(hall) if one[0] == "push"] == [("push", ada.joined.writer, "", 1)]


def test_a_stranger_gets_one_row_an_hour_however_often_they_try(hall: Hall) -> None:
    ada = hall.join()
    for _ in range(3):
        assert hall.registry.open(f"{hall.team}.{ada.joined.writer}.{'0' * 64}") is None
        with pytest.raises(TeamError):
            hall.registry.join(f"{hall.team}.{'0' * 64}.x", ada.key.public, "eve")
    assert [one[2:] for one in told(hall) if one[0] == "refused"] == [
        ("invitation", 1),
        ("token", 1),
    ]


def test_an_event_that_is_sent_under_another_number_is_recorded_as_refused(hall: Hall) -> None:
    ada, ben = hall.join(), hall.join()
    ada.say("never push to main", id="the-same")
    ben.say("never push to main", id="the-same")
    ada.log.push(ada.batch())
    assert isinstance(ben.log.push(ben.batch()), Refused)
    assert ("refused", ben.joined.writer, "push: replayed", 1) in told(hall)


def test_another_teams_accesses_are_not_seen_and_a_team_that_there_is_not_gets_none(
    hall: Hall,
) -> None:
    other = f"{hall.team}-b"
    hall.registry.add(other, "shop")
    zoe = hall.join(team=other)
    hall.join()
    assert zoe.joined.writer not in str(told(hall))
    assert hall.registry.open(f"{hall.team}-c.{'0' * 16}.x") is None
    with hall.registry.database.transaction(f"{hall.team}-c") as rows:
        assert rows("SELECT * FROM audit WHERE team_id = ?", f"{hall.team}-c") == []
    with pytest.raises(TeamError, match="there is no project"):
        hall.registry.accesses(f"{hall.team}-c", "shop", 10)


def at_time(log: StoredLog, at: dt.datetime) -> StoredLog:
    return replace(log, place=replace(log.place, clock=lambda: at))


def test_what_is_done_all_the_time_is_counted_by_the_hour_and_kept_for_a_while(hall: Hall) -> None:
    ada = hall.join()
    stored = hall.registry.open(ada.joined.token)
    assert stored is not None
    for hours in (0, 1):
        at = NOON + dt.timedelta(hours=hours)
        for minute in (5, 15, 25):
            log = at_time(stored, at + dt.timedelta(minutes=minute))
            assert isinstance(log.pull(0), Page)
            ada.say(f"never call number {hours}-{minute}")
            log.push(ada.batch())
    old = [one for one in hall.registry.accesses(hall.team, "shop", 99) if one.first < "2026-02"]
    assert [(one.act, one.first[11:16], one.last[11:16], one.count) for one in old] == [
        ("push", "13:05", "13:25", 3),
        ("pull", "13:05", "13:05", 1),
        ("push", "12:05", "12:25", 3),
        ("pull", "12:05", "12:05", 1),
    ]
    later = NOON + KEPT + dt.timedelta(hours=1, minutes=30)
    at_time(stored, later).pull(0)
    left = [one for one in hall.registry.accesses(hall.team, "shop", 99) if one.first < "2026-02"]
    assert [one.first[11:16] for one in left] == ["13:05", "13:05"]
