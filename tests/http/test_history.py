"""Sessions and figures over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import Trust
from dmm.domain.plain import to_plain
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from tests.http.conftest import Server

NAME = "run/7 of [redacted:github-token]#1f3a"


def test_a_session_is_reached_by_its_name_whatever_that_is(server: Server) -> None:
    actor = Actor("codex", "hook", session=NAME)
    with server.projects.find(server.root).recording(actor) as dmm:
        dmm.ledger.add_fact("region", "eu")
    (row,) = server.ask("GET", "/v1/sessions").json()["sessions"]
    assert (row["id"], row["client"], row["packs"]) == (NAME, "codex", 0)
    path = "/v1/sessions/run/7%20of%20%5Bredacted%3Agithub-token%5D%231f3a"
    shown = server.ask("GET", path)
    with server.projects.find(server.root).reading(server.actor) as dmm:
        wanted = to_plain(dmm.session_history.show(NAME))
    wanted["cost"]["fixed"] = None
    assert shown.json() == wanted
    assert [one["kind"] for one in shown.json()["entries"]] == ["note"]
    missing = server.ask("GET", "/v1/sessions/nobody")
    assert (missing.status, missing.code) == (422, "usage")


@pytest.mark.parametrize(
    "text",
    [
        "Never deploy the  shop on a Friday",
        "Never deploy the shop " + "without asking the people who run it first, " * 5 + "ever",
    ],
)
def test_a_session_tells_agents_no_pending_constraint(server: Server, text: str) -> None:
    """Also where the line would cut the text, or write its blanks in another way."""
    name = f"of-{len(text)}"
    agent = Actor("codex", "hook", trust=Trust.AGENT, session=name)
    with server.projects.find(server.root).recording(agent) as dmm:
        dmm.ledger.add_constraint(text)
    shown = server.ask("GET", f"/v1/sessions/{name}").json()
    assert [one["kind"] for one in shown["entries"]] == ["note"]
    assert "deploy" not in str(shown)
    with server.projects.find(server.root).reading(server.actor) as dmm:
        assert "deploy" in str(to_plain(dmm.session_history.show(name)))


def test_figures_are_told_with_the_size_of_the_daemon(server: Server) -> None:
    server.ask("POST", "/v1/ledger/facts", {"key": "a", "value": "b"})
    server.ask("POST", "/v1/query", {"query": "what are the hard constraints"})
    told = server.ask("GET", "/v1/metrics?days=2").json()
    assert [one["packs"] for one in told["days"]] == [0, 1]
    assert told["now"]["memories"] == told["now"]["indexed"] > 0
    assert told["now"]["daemon_mb"] > 10
