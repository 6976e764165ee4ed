"""Rules over HTTP: the same answers as elsewhere, and only a person puts one in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.http.conftest import Server

PROOF = {"block": ["git push -f"], "allow": ["git push"]}


def sign_in(server: Server) -> tuple[tuple[str, str], ...]:
    return server.sign_in()


def test_an_agent_proposes_and_a_person_accepts(server: Server) -> None:
    body = {"text": "never force-push", "match": {"command": "git push -f"}, "examples": PROOF}
    told = server.ask("POST", "/v1/rules", body).json()
    assert told["pending"] is True
    asked = {"command": "git push -f origin x"}
    assert server.ask("POST", "/v1/check", asked).json()["outcome"] == "asks"
    waiting = server.ask("GET", "/v1/rules/pending").json()["pending"]
    assert [(one["seq"], one["id"]) for one in waiting] == [(told["seq"], told["id"])]
    names = {"names": [str(told["seq"])]}
    refused = server.ask("POST", "/v1/rules/accept", names)
    assert (refused.status, refused.json()["error"]["code"]) == (409, "review_refused")
    person = sign_in(server)
    accepted = server.ask(
        "POST", "/v1/rules/accept", names, headers=person, without=("Authorization",)
    )
    assert accepted.json()["accepted"][0]["state"] == "enforced"
    assert server.ask("GET", "/v1/rules/pending").json()["pending"] == []
    assert server.ask("POST", "/v1/check", asked).json()["outcome"] == "denied"
    shown = server.ask("GET", "/v1/rules/never-force-push").json()
    assert (shown["state"], shown["examples"]["block"]) == ("enforced", ["git push -f"])
    assert server.ask("GET", "/v1/rules").json()["counts"]["enforced"] == 1
    assert server.ask("GET", "/v1/rules/test").json()["failures"] == []


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/v1/rules", {"text": "x y", "match": {"comand": "x"}}, "rule_form"),
        ("/v1/rules", {"text": "x y", "level": "strict"}, "usage"),
        ("/v1/check", {}, "usage"),
        ("/v1/rules/rehearse", {"rule": "unknown"}, "usage"),
    ],
)
def test_a_bad_request_says_what_is_wrong(
    server: Server, path: str, body: dict[str, object], code: str
) -> None:
    told = server.ask("POST", path, body)
    assert (told.status, told.json()["error"]["code"]) == (422, code)


@pytest.mark.parametrize("verb", ["disable", "enable", "edit"])
def test_a_token_changes_no_rule(server: Server, verb: str) -> None:
    body = {"source": "---\n---\n# x\n"} if verb == "edit" else {}
    told = server.ask("POST", f"/v1/rules/some-rule/{verb}", body)
    assert (told.status, told.json()["error"]["code"]) == (409, "review_refused")
