"""What a team shares besides rules, where its settings say so, and what others see of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dmm.cli.status import _team_rows
from dmm.cli.team import _lines
from dmm.domain.event import Draft, EventType, Trust
from dmm.eventlog.open_ledger import Actor
from dmm.review.writing import Writing
from dmm.team.sharing import SHARED

if TYPE_CHECKING:
    from tests.team.conftest import Office

    from dmm.bootstrap import Dmm

ALL = ["decisions", "facts", "reviews"]
CANARY = "canary-7f3a"


def settle(office: Office, name: str, shares: list[str], role: str = "reviewer") -> Dmm:
    """Join with a project whose settings name what is shared."""
    folder = office.folder / name / "work" / ".dmm"
    folder.mkdir(parents=True)
    (folder / "daemon.config.json").write_text(json.dumps({"team": {"share": shares}}))
    return office.laptop(name, role)


def told(dmm: Dmm) -> list[tuple[str, dict[str, str]]]:
    return [(one.type, dict(one.told)) for one in dmm.team.log() if one.writer != "server"]


def test_facts_decisions_and_reviews_reach_the_others_where_settings_name_them(
    office: Office,
) -> None:
    ada, ben = settle(office, "ada", ALL), settle(office, "ben", [])
    ada.ledger.add_fact("region", "eu-central-1")
    ada.ledger.record_decision("use PostgreSQL", rationale=CANARY)
    agent = ada.as_actor(Actor("agent", "mcp", Trust.AGENT))
    text = f"# Deploying\n\nDeploy on Mondays. {CANARY}\n"
    made = agent.proposals.write(Writing("global/deploy.md", CANARY, content=text))
    ada.reviews.reject(made.id, CANARY)
    ben.ledger.add_fact("owner", CANARY)
    assert (ada.team.sync().sent, ben.team.sync().sent) == (3, 0)
    found = told(ben)
    assert found[:2] == [
        ("FactAdded", {"key": "region", "value": "eu-central-1"}),
        ("DecisionMade", {"text": "use PostgreSQL"}),
    ]
    kind, review = found[2]
    assert (kind, review["verdict"], review["paths"]) == (
        "ProposalReviewed",
        "rejected",
        "global/deploy.md",
    )
    assert ben.project_ledger.state().facts.keys() == {"owner"}


def test_what_was_assumed_and_what_came_out_is_shown_as_a_difference(office: Office) -> None:
    ada, ben = settle(office, "ada", ["facts"]), settle(office, "ben", ["facts"])
    ada.ledger.add_fact("region", "eu-central-1")
    ben.ledger.add_fact("region", "us-east-1")
    ben.team.sync()
    assert ada.team.status().differences == ()
    ada.team.sync()
    ben.team.sync()
    assert ada.team.status().differences == ()
    (found,) = ben.team.status().differences
    assert (found.key, found.here, found.team, found.seq) == (
        "region",
        "us-east-1",
        "eu-central-1",
        4,
    )
    shown = list(_lines(ben.team.status()))
    assert "  differs: region: here us-east-1; team:4 says eu-central-1" in shown
    rows = [told for name, told in _team_rows(ben) if name == "Team"]
    assert rows[-1] == "[yellow]1 fact differs from the team's[/yellow]; see: dmm team status"
    ben.ledger.add_fact("region", "eu-central-1")
    assert ben.team.status().differences == ()
    assert not any("differ" in told for _, told in _team_rows(ben))


def test_a_contributor_shares_facts_and_no_rules(office: Office) -> None:
    ada, ben = settle(office, "ada", ALL, "contributor"), settle(office, "ben", [])
    ada.ledger.add_fact("region", "eu-central-1")
    ada.ledger.add_constraint("never run terraform destroy")
    assert ada.team.sync().sent == 1
    ben.team.sync()
    assert [kind for kind, _ in told(ben)] == ["FactAdded"]


def test_a_fact_that_was_redacted_while_it_waited_is_never_sent(office: Office) -> None:
    ada = settle(office, "ada", ALL)
    leaked = ada.ledger.add_fact("token", CANARY).seq
    assert ada.team.status().unsent == 1
    assert ada.redactions.redact([leaked], "it leaked").sent == 0
    assert ada.team.status().unsent == 0
    for file in ada.team.path.parent.glob("team.db*"):
        assert CANARY.encode() not in file.read_bytes()


def test_no_byte_of_a_prompt_an_output_a_task_or_private_words_is_on_the_wire(
    office: Office,
) -> None:
    ada = settle(office, "ada", ALL)
    agent = ada.as_actor(Actor(f"{CANARY}-actor", "mcp", Trust.AGENT, f"{CANARY}-session"))
    agent.ledger.add_fact(f"{CANARY}-key", CANARY)
    agent.ledger.record_decision(CANARY, rationale=CANARY)
    spoken = {"text": CANARY, "task": CANARY, "output": CANARY, "input": {"command": CANARY}}
    with ada.project_ledger.log.writing() as writer:
        # As if a person had recorded them: their type alone keeps them here.
        for kind in sorted(set(EventType) - set(SHARED) - {EventType.PAYLOAD_REDACTED}):
            writer.append(Draft(kind, spoken, f"id-{kind}", "2026-01-31T12:00:00.000+00:00"))
    ada.ledger.add_fact("region", f"eu <private>{CANARY}</private>")
    ada.ledger.record_decision(f"use it <private>{CANARY}", rationale=CANARY)
    assert ada.team.sync().sent == 2
    for file in (*office.folder.glob("server.db*"), *ada.team.path.parent.glob("team.db*")):
        assert CANARY.encode() not in file.read_bytes()
