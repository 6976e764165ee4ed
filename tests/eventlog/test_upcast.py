"""Upcasting: older events are read in today's form; what is not known stays as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Draft, Event
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import replay
from dmm.eventlog.upcast import UPCASTS, upcast
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eventlog.conftest import Drafts

    from dmm.eventlog.upcast import Upcasts


def split_name(payload: dict[str, Any]) -> dict[str, Any]:
    first, _, last = payload.pop("name").partition(" ")
    return payload | {"first": first, "last": last}


def count_letters(payload: dict[str, Any]) -> dict[str, Any]:
    return payload | {"letters": len(payload["first"] + payload["last"])}


EXAMPLE: Upcasts = {"GuestCame": {1: split_name, 2: count_letters}}
FIELDS = ("now", "user", "cli", "user", None, None, ())


def guest(version: int, payload: dict[str, Any] | None, kind: str = "GuestCame") -> Event:
    return Event(1, "id", kind, version, *FIELDS, payload=payload)


def test_an_old_event_is_raised_one_version_at_a_time() -> None:
    raised = upcast(guest(1, {"name": "Ada Lovelace"}), EXAMPLE)
    assert raised == guest(3, {"first": "Ada", "last": "Lovelace", "letters": 11})
    second = upcast(guest(2, {"first": "Ada", "last": ""}), EXAMPLE)
    assert second == guest(3, {"first": "Ada", "last": "", "letters": 3})


def test_what_is_not_known_stays_as_it_is() -> None:
    for event in (
        guest(3, {"first": "a", "last": "b", "letters": 2}),
        guest(9, {"of": "the future"}),
        guest(1, {"name": "a b"}, kind="Unheard"),
        guest(1, None),
    ):
        assert upcast(event, EXAMPLE) is event


def test_raising_leaves_the_event_it_starts_from_alone() -> None:
    event = guest(1, {"name": "Ada Lovelace"})
    before = replace(event, payload=dict(event.payload or {}))
    upcast(event, EXAMPLE)
    assert event == before


def test_events_are_raised_wherever_they_are_read_and_never_on_disk(path: Path) -> None:
    log = EventLog.open(path, EXAMPLE)
    draft = Draft("GuestCame", {"name": "Ada Lovelace"}, "a", "now")
    (appended,) = log.append([draft])
    wanted = {"first": "Ada", "last": "Lovelace", "letters": 11}
    (again,) = log.append([draft])
    read = [appended, again, log.event(1), log.find("a"), *log.events()]
    read += log.events_of(["GuestCame"], 0, 1)
    assert [event and (event.version, event.payload) for event in read] == [(3, wanted)] * 6
    assert next(log.raw())[11] == '{"name":"Ada Lovelace"}'
    assert verify(log.raw()).valid
    log.close()


def test_no_event_has_had_to_be_raised_so_far(log: EventLog, draft: Drafts) -> None:
    assert UPCASTS == {}
    log.append([draft.fact("a", "x")])
    assert replay(log, 1).facts["a"].value == "x"
