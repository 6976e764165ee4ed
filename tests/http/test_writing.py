"""Writing memory over HTTP: a token proposes, and only a person who is signed in decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from tests.http.conftest import Headers, Reply, Server

ROOMS = (
    *("hall", "kitchen", "cellar", "attic", "garage"),
    *("study", "library", "workshop", "pantry", "porch"),
)
NOTE = "# What the sensors of the house reported in the trial\n\n" + "\n".join(
    f"The sensor in the {room} reported {number + 11} degrees at noon and {number + 7} at night;"
    f" its battery was at {90 - number} percent and its clock was {number} seconds slow."
    for number, room in enumerate(ROOMS)
)
AGENT = (("X-DMM-Client", "codex"), ("X-DMM-Session", "s-1"))


def sign_in(server: Server) -> Headers:
    return server.sign_in()


def decide(server: Server, path: str, body: object) -> Reply:
    headers = sign_in(server)
    return server.ask("POST", path, body, headers=headers, without=("Authorization",))


def propose(server: Server, path: str, **given: Any) -> dict[str, Any]:
    body = {"path": path, "reason": "from the trial", "content": NOTE} | given
    told = server.ask("POST", "/v1/proposals", body, headers=AGENT)
    assert told.status == 200, told.body
    found: dict[str, Any] = told.json()
    return found


def test_a_proposal_is_answered_as_by_the_service(server: Server) -> None:
    given = {"tags": ["house", "sensors"], "priority": 0.7, "expires": "2999-12-31"}
    told = propose(server, "ephemeral/sensors_a.md", **given)
    assert (told["status"], told["operation"], told["trust"]) == ("pending", "create", "agent")
    shown = server.ask("GET", f"/v1/proposals/{told['id']}").json()
    assert (shown["proposer"], shown["source"], shown["session"]) == ("codex", "http", "s-1")
    text = shown["edits"][0]["after"]
    assert "tags: [house, sensors]\n" in text
    assert "priority: 0.7\n" in text
    assert "expires: 2999-12-31\n" in text
    listed = server.ask("GET", "/v1/proposals").json()
    assert told["id"] in [one["id"] for one in listed["proposals"]]
    with server.projects.find(server.root).write(Actor()) as dmm:
        assert dmm.reviews.list("pending").pending == listed["pending"]


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("/v1/proposals/{}/approve", {}),
        ("/v1/proposals/{}/reject", {"reason": "no"}),
        ("/v1/proposals/{}/edit", {"content": "---\nid: x\n---\n# X\n"}),
        ("/v1/undo", {"seq": 1}),
    ],
)
def test_a_token_decides_nothing(server: Server, address: str, body: dict[str, Any]) -> None:
    made = propose(server, f"project/refused_{len(address)}.md")
    before = server.events()
    told = server.ask("POST", address.format(made["id"]), body, headers=AGENT)
    assert (told.status, told.code) == (409, "review_refused")
    assert told.json()["error"]["what"] == "a token can't decide on memory; only a person can"
    assert server.events() == before
    assert not (server.root / ".dmm/memory/project" / f"refused_{len(address)}.md").exists()


def test_a_person_edits_approves_and_takes_back(server: Server) -> None:
    made = propose(server, "project/sensors_b.md")
    place = f"/v1/proposals/{made['id']}"
    text = server.ask("GET", place).json()["edits"][0]["after"].replace("hall", "entrance")
    edited = decide(server, f"{place}/edit", {"content": text})
    assert (edited.status, edited.json()["status"]) == (200, "pending")
    approved = decide(server, f"{place}/approve", {"reason": "true"})
    assert (approved.status, approved.json()["status"]) == (200, "applied")
    path = server.root / ".dmm/memory/project/sensors_b.md"
    assert path.read_text() == text
    looked = decide(server, "/v1/undo", {"seq": made["seq"], "preview": True})
    assert looked.json()["paths"] == ["project/sensors_b.md"]
    assert path.is_file()
    undone = decide(server, "/v1/undo", {"seq": made["seq"], "reason": "no"}).json()
    assert undone["undone"] == [made["id"]]
    assert not path.exists()
    again = decide(server, f"{place}/approve", {})
    assert (again.status, again.code) == (409, "review_refused")


def test_a_person_decides_about_what_was_seen_and_nothing_else(server: Server) -> None:
    made = propose(server, "project/sensors_s.md")
    place = f"/v1/proposals/{made['id']}"
    shown = server.ask("GET", place).json()
    text = shown["edits"][0]["after"].replace("hall", "entrance")
    decide(server, f"{place}/edit", {"content": text, "seen": shown["digest"]})
    for act in ("approve", "reject", "edit"):
        more = {"approve": {}, "reject": {"reason": "no"}, "edit": {"content": text + "More.\n"}}
        told = decide(server, f"{place}/{act}", {"seen": shown["digest"][:12], **more[act]})
        assert (told.status, told.code) == (409, "review_refused")
        assert told.json()["error"]["what"] == "its text was changed since you looked at it"
    again = server.ask("GET", place).json()
    approved = decide(server, f"{place}/approve", {"seen": again["digest"]})
    assert (approved.status, approved.json()["status"]) == (200, "applied")
    path = server.root / ".dmm/memory/project/sensors_s.md"
    assert path.read_text() == text
    path.unlink()
    assert decide(server, f"{place}/approve", {"seen": "no"}).status == 422


def test_a_person_rejects(server: Server) -> None:
    made = propose(server, "project/sensors_c.md")
    told = decide(server, f"/v1/proposals/{made['seq']}/reject", {"reason": "said already"})
    assert told.json()["status"] == "rejected"
    listed = server.ask("GET", "/v1/proposals?status=rejected").json()["proposals"]
    assert made["id"] in [one["id"] for one in listed]


def test_a_stale_proposal_is_refused_with_all_three_texts(server: Server) -> None:
    made = propose(server, "project/sensors_d.md")
    path = server.root / ".dmm/memory/project/sensors_d.md"
    path.write_text("by hand\n")
    told = decide(server, f"/v1/proposals/{made['id']}/approve", {})
    error = told.json()["error"]
    assert (told.status, error["code"]) == (409, "stale_base")
    assert "file +by hand" in error["view"]
    path.unlink()


def test_without_a_model_a_proposal_waits_on(server: Server) -> None:
    made = propose(server, "project/sensors_e.md")
    told = server.ask("POST", f"/v1/proposals/{made['id']}/process", {})
    assert (told.status, told.json()["status"]) == (200, "pending")
    assert told.json()["why"]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"content": None}, "content is missing"),
        ({"operation": "promote", "content": None}, "new_scope is missing"),
        ({"operation": "deprecate"}, "deprecate takes no content"),
        ({"expires": "2026-02-31"}, "expires is not a valid date"),
        ({"evidence": [9999]}, "there is no event 9999 to be based on"),
    ],
)
def test_what_makes_no_sense_is_refused(server: Server, given: dict[str, Any], what: str) -> None:
    body = {"path": "project/x.md", "reason": "why", "content": NOTE} | given
    told = server.ask("POST", "/v1/proposals", body)
    assert (told.status, told.code) == (422, "usage")
    assert told.json()["error"]["what"] == what


def test_no_path_leads_out_of_the_memory(server: Server) -> None:
    for path in ("../x.md", "/etc/passwd", "project/../../x.md", "BOOT.md", "project/x\x00.md"):
        body = {"path": path, "reason": "why", "content": NOTE}
        told = server.ask("POST", "/v1/proposals", body)
        assert (told.status, told.code) == (403, "path_refused"), path


def test_feedback_is_recorded_in_the_name_of_the_client(server: Server) -> None:
    body = {"memories": ["baseline/identity.md"], "outcome": "helped", "context": "who am I"}
    told = server.ask("POST", "/v1/feedback", body, headers=AGENT).json()
    assert told["memories"][0]["path"] == "baseline/identity.md"
    event = server.ask("GET", "/v1/ledger/events?last=1").json()["events"][0]
    assert (event["type"], event["actor"], event["seq"]) == ("UsageReported", "codex", told["seq"])


def test_conflicts_are_flagged_listed_shown_and_settled_by_proposals(server: Server) -> None:
    ids = ["agent/using_memory.md", "project/keeping_memory.md"]
    flagged = server.ask("POST", "/v1/conflicts", {"ids": ids, "description": "they differ"})
    assert flagged.status == 200, flagged.body
    name = flagged.json()["conflict_id"]
    shown = server.ask("GET", f"/v1/conflicts/{name}").json()
    assert [one["path"] for one in shown.pop("sides")] == ids
    assert len(shown.pop("digest")) == 64
    assert shown == flagged.json()
    listed = server.ask("GET", "/v1/conflicts").json()
    assert [one["conflict_id"] for one in listed["conflicts"]] == [name]
    body = {"action": "intentional", "reason": "both hold"}
    refused = server.ask("POST", f"/v1/conflicts/{name}/resolve", body)
    assert refused.json()["error"]["what"] == "an agent can't declare a conflict intentional"
    body = {"action": "deprecate", "target": ids[1], "reason": "the other is newer"}
    settled = server.ask("POST", f"/v1/conflicts/{name}/resolve", body)
    assert settled.status == 200, settled.body
    assert [one["operation"] for one in settled.json()["proposals"]] == ["deprecate"]
    assert (server.root / ".dmm/memory" / ids[1]).read_text().count("status: active") == 1


def test_a_token_proposes_a_note_and_a_person_writes_it(server: Server) -> None:
    body = {"text": "The release train leaves every second Thursday."}
    told = server.ask("POST", "/v1/remember", body, headers=AGENT).json()
    assert (told["status"], told["notices"]) == ("pending", [])
    assert told["path"].endswith("release_train_leaves_second_thursday.md")
    mine = decide(server, "/v1/remember", {"text": "Lamps in the cellar are switched by the door."})
    assert mine.json()["status"] == "applied"
    gone = decide(server, "/v1/forget", {"name": mine.json()["path"]}).json()
    assert (gone["status"], gone["path"]) == ("applied", mine.json()["path"])
    assert server.ask("POST", "/v1/remember", {"text": ""}, headers=AGENT).status == 422
