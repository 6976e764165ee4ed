"""The reviewer agent decides only what it may, and whatever is wrong with it applies nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import Trust
from dmm.domain.proposal import CheckName
from dmm.errors import ConfigError
from dmm.eventlog.open_ledger import Actor
from dmm.review.drafting import About

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.conftest import Opener, Project
    from tests.models.scripted import Asked, Server

    from dmm.bootstrap import Dmm

AGENT = Actor(name="codex", source="mcp", trust=Trust.AGENT, session="s-1")
PARTS = (
    "The worker that renders invoices holds one connection for the whole batch.",
    "A second connection would see the numbers of the batch only after its commit.",
    "An invoice whose customer has no address is put aside and told to the operator.",
    "The batch goes on with the next invoice, and the operator repeats the single one later.",
    "Rounding happens once, at the end of an invoice, with the rule of the ledger.",
)
BODY = "# Rendering of invoices\n\n" + "\n\n".join(
    " ".join(PARTS[at:] + PARTS[:at]) for at in range(2)
)

LONG = "# Many words\n\n" + "many words " * 600


@pytest.fixture
def dmm(project: Project, home: Path, open_project: Opener, server: Server) -> Dmm:
    own = {"model": {"provider": "anthropic", "name": "m", "base_url": server.url}}
    (home / ".dmm").mkdir()
    (home / ".dmm" / "daemon.config.json").write_text(json.dumps(own))
    settings = {
        "reviewer_agent": {"enabled": True, "auto_approve_threshold": 0.9},
    }
    (project.dmm / "daemon.config.json").write_text(json.dumps(settings))
    opened = open_project(project).as_actor(AGENT)
    about = About(tags=("invoices", "rendering"))
    opened.proposals.create("project/invoices.md", BODY, "seen while rendering", about=about)
    return opened


def say(server: Server, verdict: str, confidence: float = 0.97, **more: Any) -> None:
    answer = {
        "verdict": verdict,
        "confidence": confidence,
        "reason": "as it should be",
        "checks": {str(name): "looked at" for name in CheckName},
    } | more
    tell(server, json.dumps(answer))


def tell(server: Server, text: str) -> None:
    usage = {"input_tokens": 100, "output_tokens": 10}
    server.say({"type": "message", "content": [{"type": "text", "text": text}], "usage": usage})


def written(project: Project) -> bool:
    return project.tree.text_of("project/invoices.md") is not None


def test_a_sure_approval_is_applied_and_raises_no_trust(
    dmm: Dmm, project: Project, server: Server
) -> None:
    say(server, "approved")
    found = dmm.reviews.process("1")
    assert found.status == "applied"
    assert written(project)
    applied = next(e for e in dmm.project_ledger.reading.events() if e.type == "ProposalApplied")
    assert applied.get("trust") == "agent"


def test_an_approval_below_the_threshold_waits_for_a_person(
    dmm: Dmm, project: Project, server: Server
) -> None:
    say(server, "approved", 0.6)
    found = dmm.reviews.process("1")
    assert found.status == "pending"
    assert "less sure than 0.90" in found.why
    assert not written(project)
    assert [one.verdict for one in dmm.reviews.show("1").reviews] == ["approved"]


def test_a_rejection_ends_it(dmm: Dmm, project: Project, server: Server) -> None:
    say(server, "rejected")
    assert dmm.reviews.process("1").status == "rejected"
    assert not written(project)


def test_a_changed_text_waits_for_a_person_who_sees_it(
    dmm: Dmm, project: Project, server: Server
) -> None:
    text = dmm.reviews.show("1").edits[0].after or ""
    say(server, "modified", content=text.replace("put aside", "set aside"))
    found = dmm.reviews.process("1")
    assert (found.status, written(project)) == ("pending", False)
    assert any("set aside" in line for line in dmm.reviews.show("1").diff)
    say(server, "approved")
    dmm.as_actor(Actor()).reviews.approve("1")
    assert "set aside" in (project.memory / "project" / "invoices.md").read_text()


@pytest.mark.parametrize("verdict", ["approved", "rejected", "modified"])
def test_a_text_that_changes_while_the_reviewer_thinks_is_not_judged_by_it(
    dmm: Dmm, project: Project, open_project: Opener, server: Server, verdict: str
) -> None:
    text = dmm.reviews.show("1").edits[0].after or ""
    other = open_project(project)
    more: dict[str, Any] = (
        {"content": text.replace("put aside", "set aside")} if verdict == "modified" else {}
    )
    say(server, verdict, **more)
    answer = server.pieces

    def meanwhile(asked: Asked) -> Iterable[bytes]:
        other.reviews.edit("1", text.replace("put aside", "thrown away"))
        return answer(asked)

    server.pieces = meanwhile
    found = dmm.reviews.process("1")
    assert (found.status, written(project)) == ("pending", False)
    assert found.why == "it or related memory changed while the reviewer was deciding"
    assert "thrown away" in (dmm.reviews.show("1").edits[0].after or "")


@pytest.mark.parametrize(
    "answer",
    ["", "APPROVED", "{}", '{"verdict": "approved"}', "<html>busy</html>", "[1, 2]", "null"],
)
def test_a_malformed_answer_decides_nothing(
    dmm: Dmm, project: Project, server: Server, answer: str
) -> None:
    tell(server, answer)
    assert dmm.reviews.process("1").status == "pending"
    assert not written(project)


def test_a_model_that_is_down_or_slow_decides_nothing(
    dmm: Dmm, project: Project, server: Server, home: Path, open_project: Opener
) -> None:
    server.say(b"busy", "500 Internal Server Error", Retry_After="0")
    assert dmm.reviews.process("1").status == "pending"
    own = {"provider": "anthropic", "name": "m", "base_url": server.url, "timeout_ms": 300}
    (home / ".dmm" / "daemon.config.json").write_text(json.dumps({"model": own}))
    server.pieces = lambda _: (b"H" for _ in range(100))
    server.pause = 0.05
    slow = open_project(project)
    assert slow.reviews.process("1").status == "pending"
    server.close()
    assert slow.reviews.process("1").status == "pending"
    assert not written(project)


def test_approval_of_what_a_check_refuses_applies_nothing(
    dmm: Dmm, project: Project, server: Server
) -> None:
    say(server, "approved", 1.0)
    soft = dmm.proposals.create("project/long.md", LONG, "note")
    hidden = dmm.proposals.create("project/hidden.md", BODY + "\u202etxt\n", "note")
    for found in (soft, hidden):
        assert dmm.reviews.process(found.id).status == "pending"
    asked = len(server.asked)
    assert asked == 1
    assert project.tree.scan().stamps == ()


def test_text_of_a_tool_is_not_even_shown_to_the_reviewer(
    dmm: Dmm, project: Project, server: Server
) -> None:
    say(server, "approved", 1.0)
    found = dmm.proposals.create("project/web.md", BODY, "read on a page", source="third_party")
    assert dmm.reviews.process(found.id).status == "pending"
    assert server.asked == []


def test_all_that_waits_is_put_to_the_reviewer(dmm: Dmm, project: Project, server: Server) -> None:
    say(server, "approved")
    dmm.proposals.create("project/long.md", LONG, "note")
    found = dmm.reviews.process_all()
    assert [one.status for one in found.processed] == ["applied", "pending"]
    assert found.pending == 1


def test_a_project_can_not_name_a_model(project: Project, open_project: Opener) -> None:
    settings = {"model": {"provider": "openai", "base_url": "https://elsewhere.example"}}
    (project.dmm / "daemon.config.json").write_text(json.dumps(settings))
    with pytest.raises(ConfigError, match="only your own settings can name a model"):
        open_project(project)
