"""Recall over HTTP: the same data as every other surface gives."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from dmm.domain.event import EventType, Trust
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from tests.http.conftest import Server

TALK = (
    (EventType.USER_MESSAGE_RECEIVED, "Why does the nightly export lose rows?"),
    (EventType.TURN_ENDED, "The cursor is closed too early; keep it open until the last page."),
)


@pytest.fixture(scope="module", autouse=True)
def talked(server: Server) -> None:
    with server.projects.find(server.root).recording(
        Actor("agent", "hook", Trust.USER, "s1")
    ) as dmm:
        for kind, text in TALK:
            dmm.project_ledger.record(dmm.project_ledger.draft(kind, {"text": text}))


def test_the_three_layers_answer_what_the_service_tells(server: Server) -> None:
    rows = server.ask("GET", f"/v1/search?query={quote('why are rows lost')}&limit=5").json()
    around = server.ask("GET", "/v1/timeline?id=msg_1&before=0&after=1").json()
    full = server.ask("GET", "/v1/observations?ids=msg_2&ids=msg_9").json()
    with server.projects.find(server.root).recall(server.actor) as dmm:
        assert rows == dmm.recall.search("why are rows lost", limit=5)
        assert around == dmm.recall.timeline("msg_1", before=0, after=1)
        assert full == dmm.recall.get_observations(["msg_2", "msg_9"])
    assert rows["results"][0]["id"] == "msg_1"
    assert full["missing"] == ["msg_9"]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/search?kind=idea",
        "/v1/search?since=yesterday",
        "/v1/search?limit=0",
        "/v1/timeline?before=-1",
        "/v1/observations",
    ],
)
def test_what_can_not_be_read_is_refused(server: Server, path: str) -> None:
    assert server.ask("GET", path).code == "usage"


def test_filters_narrow_what_is_found(server: Server) -> None:
    found = server.ask("GET", "/v1/search?query=rows&session=s1&kind=message").json()["results"]
    assert {row["session"] for row in found} == {"s1"}
    later = server.ask("GET", "/v1/search?query=rows&since=9999-01-01").json()
    assert later["results"] == []
    assert "leave one out" in later["hint"]
