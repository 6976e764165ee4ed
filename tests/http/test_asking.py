"""Questions over HTTP: the same answer as every other surface gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.plain import to_plain

if TYPE_CHECKING:
    from tests.http.conftest import Server

QUESTION = "where do I start in this repository?"


def test_the_answer_is_that_of_the_service(server: Server) -> None:
    before = server.events()
    body = {"question": QUESTION, "budget": 900, "style": "full", "profile": "onboarding"}
    told = server.ask("POST", "/v1/ask", body).json()
    with server.projects.find(server.root).asking(server.actor) as dmm:
        found = dmm.asking.ask(QUESTION, budget=900, style="full", profile="onboarding")
    assert told == to_plain(found)
    assert told["token_estimate"] <= 900
    assert server.events() == before
    timed = server.ask("POST", "/v1/ask", body | {"verbose": True}).json()
    assert "total_ms" in timed["timing"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": " "},
        {"question": "x" * 20_001},
        {"question": QUESTION, "budget": -1},
        {"question": QUESTION, "style": "loud"},
        {"question": QUESTION, "profile": "tour"},
        {"question": QUESTION, "colour": "red"},
    ],
)
def test_what_can_not_be_read_is_refused(server: Server, body: dict[str, Any]) -> None:
    assert server.ask("POST", "/v1/ask", body).code == "usage"
