"""Payloads of events: every type has one, and it is stored and read without loss."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Event, EventType, canonical
from dmm.domain.payload import FactAdded, PackServed, ToolUsed
from dmm.domain.plain import to_plain
from dmm.domain.proposal_payload import ProposalMade
from dmm.domain.recorded import PAYLOADS, Payload
from dmm.eventlog.log import EventLog

STORE = Path(__file__).parents[1] / "stores" / "before_rule_files.tar.gz"
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=8),
    int: st.integers(),
    float: st.floats(0, 1),
    bool: st.booleans(),
    type(None): st.none(),
    Any: st.recursive(
        st.none() | st.booleans() | st.text(max_size=4),
        lambda inner: st.lists(inner, max_size=2),
        max_leaves=4,
    ),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Make values of an annotated type."""
    arguments = get_args(hint)
    if hint in SIMPLE:
        return SIMPLE[hint]
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        kind: Any = hint
        return st.builds(kind, **{one.name: values(hints[one.name]) for one in fields(hint)})
    if get_origin(hint) is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if get_origin(hint) is Mapping:
        return st.dictionaries(st.text(max_size=4), values(arguments[1]), max_size=3)
    if arguments:
        return st.one_of(*map(values, arguments))
    assert issubclass(hint, StrEnum)
    return st.sampled_from(list(hint))


def stored(kind: str, payload: dict[str, Any] | None, version: int = 1) -> Event:
    fields_of = ("id", kind, version, "2026-11-16T12:00:00Z", "user", "cli", "user", None, None, ())
    return Event(1, *fields_of, payload)


def test_every_type_of_event_has_its_payload() -> None:
    assert set(PAYLOADS) == set(EventType)
    assert {str(kind) for kind, one in PAYLOADS.items() if one.__name__ != kind} == set()


@cache
def payloads(kind: EventType) -> st.SearchStrategy[Any]:
    return values(PAYLOADS[kind])


@pytest.mark.parametrize("kind", list(EventType))
@given(data=st.data())
def test_what_is_stored_is_read_as_it_was(kind: EventType, data: st.DataObject) -> None:
    told = data.draw(payloads(kind))
    text = canonical(to_plain(told))
    read = Payload.read(stored(kind, json.loads(text)))
    assert read == told
    assert canonical(to_plain(read)) == text


def test_the_events_of_an_earlier_version_are_stored_again_byte_for_byte(tmp_path: Path) -> None:
    with tarfile.open(STORE) as archive:
        # The first versions of Python 3.11 have no filter.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(tmp_path)
    log = EventLog.open(tmp_path / ".git" / "dmm" / "ledger.db")
    events = list(log.events(0, log.head().seq))
    log.close()
    assert len(events) == 6
    again = [canonical(to_plain(Payload.read(event))) for event in events]
    assert again == [canonical(event.payload) for event in events]


def test_unknown_keys_are_passed_over_and_stay_in_the_event() -> None:
    event = stored("FactAdded", {"key": "a", "value": "b", "confidence": 1, "mood": "fine"})
    assert FactAdded.read(event) == FactAdded(key="a", value="b", confidence=1.0)
    assert event.get("mood") == "fine"


@pytest.mark.parametrize(
    "event",
    [
        stored("Unheard", {"key": "a", "value": "b"}),
        stored("FactAdded", None),
        stored("FactAdded", {"key": "a"}),
        stored("FactAdded", {"key": "a", "value": 7}),
        stored("FactAdded", {"key": "a", "value": "b"}, version=2),
        None,
    ],
)
def test_what_cannot_be_read_has_no_payload(event: Event | None) -> None:
    assert Payload.read(event) is None


def test_a_payload_is_read_as_one_of_its_own_type() -> None:
    assert PackServed.read(stored("FactAdded", {"key": "a", "value": "b"})) is None


def test_a_malformed_part_counts_as_absent() -> None:
    told = ToolUsed.read(stored("ToolUsed", {"tool": "Bash", "input": 7, "exit": "0"}))
    assert told == ToolUsed(tool="Bash", input=None)
    served = PackServed.read(stored("PackServed", {"retrieved": [7, {"path": "a", "hash": "x"}]}))
    assert served is not None
    assert [one.path for one in served.retrieved] == ["a"]


def test_a_proposal_with_a_malformed_part_is_none() -> None:
    edit = {"path": "a.md", "before": None, "after": "x"}
    made = {"operation": "create", "edits": [edit], "reason": "", "trust": "user"}
    assert ProposalMade.read(stored("ProposalMade", made)) is not None
    assert ProposalMade.read(stored("ProposalMade", made | {"edits": [edit, {}]})) is None
    assert ProposalMade.read(stored("ProposalMade", made | {"origin": 7})) is None
