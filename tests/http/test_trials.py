"""Tries over HTTP: what would be said is what is said, and nothing is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.plain import to_plain
from dmm.eventlog.open_ledger import Actor
from dmm.http.nodes import read_body

if TYPE_CHECKING:
    from tests.http.conftest import Server

NOTE = "# Batteries of the sensors\n\nThe batteries last **two** years; see <b>the log</b>.\n"
CHANGE: dict[str, Any] = {"path": "project/batteries.md", "reason": "from the trial"}


@pytest.fixture
def recorded(server: Server) -> Server:
    """A server whose ledger has begun."""
    server.ask("POST", "/v1/ledger/facts", {"key": "a", "value": "b"})
    return server


def test_a_try_of_a_query_gives_the_same_pack_and_counts_as_nothing(recorded: Server) -> None:
    body = {"query": "what are the hard constraints", "explain": True}
    served = recorded.ask("POST", "/v1/query", body).json()
    last = recorded.root / ".dmm" / "packs" / "last_pack.md"
    last.unlink()
    before = recorded.events()
    tried = recorded.ask("POST", "/v1/query", body | {"record": False}).json()
    assert tried == served
    assert recorded.events() == before
    assert not last.exists()


def test_a_preview_says_what_the_proposal_is_then_told(recorded: Server) -> None:
    body = CHANGE | {"content": NOTE}
    before = recorded.events()
    seen = recorded.ask("POST", "/v1/proposals/preview", body).json()
    assert recorded.events() == before
    assert not (recorded.root / ".dmm" / "memory" / CHANGE["path"]).exists()
    made = recorded.ask("POST", "/v1/proposals", body).json()
    assert [one["name"] for one in seen["checks"]] == [one["name"] for one in made["checks"]]
    assert (seen["tier"], seen["why"], seen["trust"]) == (made["tier"], made["why"], made["trust"])
    shown = recorded.ask("GET", f"/v1/proposals/{made['id']}").json()
    assert (seen["digest"], seen["diff"]) == (shown["digest"], shown["diff"])
    assert shown["body"] == seen["body"] == to_plain(read_body(shown["edits"][0]["after"]))
    assert [one["t"] for one in seen["body"]] == ["h", "p"]
    assert "front" not in str(seen["body"])
    assert [one["path"] for one in seen["neighbours"]]


def test_looking_at_a_proposal_records_nothing(recorded: Server) -> None:
    body = CHANGE | {"path": "project/looked_at.md", "content": f"{NOTE}\nMore of it.\n"}
    made = recorded.ask("POST", "/v1/proposals", body).json()
    # Another proposal beside it changes what its checks say.
    other = CHANGE | {"path": "project/looked_at_2.md", "content": f"{NOTE}\nMuch more of it.\n"}
    recorded.ask("POST", "/v1/proposals", other)
    before = recorded.events()
    assert recorded.ask("GET", f"/v1/proposals/{made['id']}").status == 200
    assert recorded.events() == before


def test_a_preview_of_a_bad_change_is_refused_as_the_change_is(recorded: Server) -> None:
    body = {"path": "../x.md", "reason": "no", "content": NOTE}
    for address in ("/v1/proposals", "/v1/proposals/preview"):
        assert recorded.ask("POST", address, body).code == "path_refused"


def test_a_clash_is_named_with_its_sentences(recorded: Server) -> None:
    memory = recorded.root / ".dmm" / "memory" / "project"
    known = "---\nid: mem_2026_01_31_777\ntags: [auth]\nscope: project\npriority: 0.5\n"
    known += "confidence: stable\nstatus: active\n---\n# Session length\n\nSessions last 14 days.\n"
    (memory / "session_length.md").write_text(known)
    body = CHANGE | {
        "path": "project/session_length_2.md",
        "content": "# Length of a session\n\nSessions last 30 days.\n",
        "tags": ["auth"],
    }
    seen = recorded.ask("POST", "/v1/proposals/preview", body).json()
    (clash,) = [one for one in seen["conflicts"] if one["path"] == "project/session_length.md"]
    assert sorted(clash["quotes"]) == ["Sessions last 14 days.", "Sessions last 30 days."]


def test_a_conflict_is_shown_with_both_texts(recorded: Server) -> None:
    paths = ["baseline/identity.md", "agent/using_memory.md"]
    with recorded.projects.find(recorded.root).write(Actor()) as dmm:
        dmm.indexes.sync()
        made = dmm.conflicts.flag(paths, "they differ")
    shown = recorded.ask("GET", f"/v1/conflicts/{made.conflict_id}").json()
    assert [one["path"] for one in shown["sides"]] == paths
    for side in shown["sides"]:
        text = (recorded.root / ".dmm" / "memory" / side["path"]).read_text()
        assert side["text"] == text
        assert side["body"] == to_plain(read_body(text))
        assert side["title"] != side["path"]


def test_a_sentence_is_compiled_as_it_would_be_added(recorded: Server) -> None:
    before = recorded.events()
    told = recorded.ask("POST", "/v1/rules/compile", {"text": "never run terraform destroy"})
    assert told.json()["state"] == "enforced"
    assert told.json()["would_block"]
    assert told.json()["examples"]["allow"] == told.json()["would_allow"]
    assert "terraform destroy" in " ".join(told.json()["matches"])
    assert told.json()["source"].endswith("# never run terraform destroy\n")
    words = recorded.ask("POST", "/v1/rules/compile", {"text": "be kind to readers"}).json()
    assert (words["state"], words["would_block"]) == ("advice", [])
    assert words["why_not"]
    assert recorded.events() == before


def test_a_decision_is_judged_without_being_recorded(recorded: Server) -> None:
    with recorded.projects.find(recorded.root).recording(Actor()) as dmm:
        seq = dmm.ledger.add_constraint("never deploy on Fridays").seq
    before = recorded.events()
    judged = recorded.ask("POST", "/v1/check", {"decision": "Deploy on Friday evening"}).json()
    assert (judged["outcome"], judged["seq"]) == ("denied", seq)
    assert judged["findings"][0]["matched"]
    fine = recorded.ask("POST", "/v1/check", {"decision": "Write the tests first"}).json()
    assert (fine["outcome"], fine["findings"]) == ("allowed", [])
    both = recorded.ask("POST", "/v1/check", {"decision": "x", "command": "ls"})
    assert both.code == "usage"
    assert recorded.events() == before
