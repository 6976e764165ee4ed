"""Observations held by a service: current after each event, and true to the ledger as it stands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import EventType
from dmm.observations.distil import distil
from dmm.observations.service import Observations
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.domain.event import Event
    from dmm.observations.distil import Distilled, Progress


@pytest.fixture
def dmm(project: Project, open_project: Opener) -> Dmm:
    return open_project(project)


def hook(dmm: Dmm, event: str, **fields: Any) -> int:
    told = {"session_id": "s", "cwd": str(dmm.root.project), "hook_event_name": event} | fields
    read = parse_payload("claude-code", json.dumps(told).encode())
    dmm.sessions.attend(deliver(read, f"d{dmm.project_ledger.reading.head().seq}"))
    return dmm.project_ledger.reading.head().seq


def work(dmm: Dmm, number: str = "") -> None:
    hook(dmm, "UserPromptSubmit", prompt=f"Rename the Cart{number} class to Basket")
    given = {"file_path": f"{dmm.root.project}/src/cart{number}.py"}
    hook(dmm, "PostToolUse", tool_name="Edit", tool_input=given, tool_response="ok")


def held(dmm: Dmm) -> list[tuple[str, str, str]]:
    return [(one.id, str(one.kind), one.title) for one in dmm.observations.units().values()]


def test_where_nothing_was_recorded_there_is_nothing(dmm: Dmm) -> None:
    assert dict(dmm.observations.units()) == {}
    assert not dmm.project_ledger.exists


def test_an_observation_is_there_with_the_event_and_grows_with_the_next(dmm: Dmm) -> None:
    work(dmm)
    assert held(dmm) == [
        ("msg_1", "message", "Rename the Cart class to Basket"),
        ("obs_1", "change", "Rename the Cart class to Basket"),
    ]
    before = dmm.observations.units()["obs_1"]
    assert before.files == ("src/cart.py",)
    hook(dmm, "Stop", last_assistant_message="Renamed `Cart` to `Basket` in 1 file.")
    after = dmm.observations.units()["obs_1"]
    assert after.evidence == (*before.evidence, 3)
    assert [one.id for one in dmm.observations.units().values()] == ["msg_1", "obs_1", "msg_3"]


def test_what_is_held_is_what_a_fresh_reading_finds(dmm: Dmm) -> None:
    for number in range(3):
        work(dmm, str(number))
        dmm.observations.units()
        dmm.ledger.add_fact("region", "eu-west-1")
        hook(dmm, "Stop", last_assistant_message=f"Renamed `Cart{number}` in 1 file.")
        dmm.observations.units()
    fresh = Observations(dmm.project_ledger, str(dmm.root.project)).units()
    assert list(fresh.items()) == list(dmm.observations.units().items())


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the events that are distilled, as it happens."""
    numbers: list[int] = []

    def watched(events: Iterable[Event], start: Progress, *, root: str) -> Distilled:
        found = list(events)
        numbers.extend(event.seq for event in found)
        return distil(found, start, root=root)

    monkeypatch.setattr("dmm.observations.service.distil", watched)
    return numbers


def test_each_event_is_read_once_also_by_the_next_process(
    dmm: Dmm,
    project: Project,
    open_project: Opener,
    read: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dmm.observations.service.EVERY", 8)
    for number in range(12):
        work(dmm, str(number))
        hook(dmm, "Stop", last_assistant_message=f"Renamed `Cart{number}` in 1 file.")
        if number % 5 == 0:
            dmm.observations.units()
    whole = list(dmm.observations.units().items())
    assert read == [*range(1, 37)]
    read.clear()
    again = open_project(project)
    assert list(again.observations.units().items()) == whole
    assert read == []
    hook(again, "Stop", last_assistant_message="Renamed the last `Cart` in 1 file.")
    assert again.observations.units()["obs_34"].evidence[-1] == 37
    assert read == [37]
    fresh = Observations(dmm.project_ledger, str(dmm.root.project)).units()
    assert list(dmm.observations.units().items()) == list(fresh.items())


def test_what_was_read_for_another_folder_is_read_anew(dmm: Dmm, read: list[int]) -> None:
    work(dmm)
    assert dmm.observations.units()["obs_1"].files == ("src/cart.py",)
    read.clear()
    dmm.observations.project = "/elsewhere"
    assert list(dmm.observations.units()) == ["msg_1", "obs_1"]
    assert read == [1, 2]


def test_units_that_can_not_be_kept_on_disk_are_held_in_memory(
    dmm: Dmm, project: Project, read: list[int]
) -> None:
    (project.dmm / "index").write_text("no folder")
    work(dmm)
    assert len(held(dmm)) == 2
    read.clear()
    assert len(held(dmm)) == 2
    assert read == []


def test_units_that_are_lost_from_their_file_are_made_again(dmm: Dmm) -> None:
    work(dmm)
    before = held(dmm)
    kept = dmm.observations.units().kept
    assert kept is not None
    kept.store.connection.execute("DROP TABLE units")
    hook(dmm, "Stop", last_assistant_message="Renamed `Cart` to `Basket` in 1 file")
    assert held(dmm) == [*before, ("msg_3", "message", "Renamed `Cart` to `Basket` in 1 file")]


def test_units_are_found_by_id_and_by_day(dmm: Dmm) -> None:
    work(dmm)
    found = dmm.observations.find(["obs_1", "msg_77", "msg_1", "obs_1"])
    assert [one.id for one in found] == ["obs_1", "msg_1"]
    assert {one.id for one in dmm.observations.of_day(found[0].day)} == {"obs_1", "msg_1"}
    assert dmm.observations.of_day("1999-01-01") == []


def test_what_was_blanked_is_forgotten(dmm: Dmm) -> None:
    work(dmm)
    assert len(held(dmm)) == 2
    project_ledger = dmm.project_ledger
    project_ledger.log.blank(1, project_ledger.draft_of(EventType.PAYLOAD_REDACTED, {"seq": 1}))
    told = held(dmm)
    assert told == [("obs_2", "change", "Edited cart.py")]


def test_another_ledger_in_the_place_of_the_one_that_was_read_is_read_anew(
    project: Project, open_project: Opener
) -> None:
    dmm = open_project(project, trusted=False)
    work(dmm)
    assert len(held(dmm)) == 2
    path = dmm.project_ledger.path
    assert path is not None
    dmm.project_ledger.close()
    for name in path.parent.glob(f"{path.name}*"):
        name.unlink()
    dmm.ledger.add_fact("region", "eu-west-1")
    dmm.ledger.add_fact("zone", "b")
    dmm.ledger.add_fact("rack", "7")
    assert [one[0] for one in held(dmm)] == ["obs_1", "obs_2", "obs_3"]
