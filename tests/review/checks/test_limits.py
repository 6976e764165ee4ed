from __future__ import annotations

import pytest
from tests.review.making import BODY, check, file_text, propose

from dmm.config import GovernanceConfig, Grant, ValidationConfig
from dmm.domain.event import Trust
from dmm.domain.proposal import CheckName, Edit, Operation, Outcome


def test_a_text_that_held_secrets_is_refused_with_their_kinds() -> None:
    found = check(CheckName.SECRETS, propose(), secrets=("token", "password", "token"))
    assert found.hard
    assert found.text == (
        "it contained secrets (password, token), which were removed before it was recorded; "
        "propose it again without them, and rotate the secrets if they are real"
    )
    assert check(CheckName.SECRETS, propose()).outcome is Outcome.PASS


def test_a_term_that_is_kept_out_is_refused_wherever_it_stands() -> None:
    rules = ValidationConfig(isolation_terms=("Project Falcon",))
    found = check(
        CheckName.ISOLATION,
        propose(file_text(BODY + "\nAs in project-falcon.\n")),
        validation=rules,
    )
    assert found.hard
    assert found.text == (
        "terms that this repository bans: "
        "'Project Falcon' in project/billing/refunds.md:27; rewrite it"
    )
    named = propose(path="project/project_falcon/a.md")
    assert check(CheckName.ISOLATION, named, validation=rules).hard
    assert check(CheckName.ISOLATION, propose(), validation=rules).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("proposer", "trust", "path", "outcome"),
    [
        ("claude", Trust.AGENT, "agent/claude/a.md", Outcome.PASS),
        ("Claude", Trust.AGENT, "agent/claude/a.md", Outcome.PASS),
        ("Claude Code", Trust.AGENT, "agent/claude-code/a.md", Outcome.PASS),
        ("codex", Trust.AGENT, "agent/claude/a.md", Outcome.FAIL),
        ("user", Trust.AGENT, "agent/claude/a.md", Outcome.FAIL),
        ("user", Trust.USER, "agent/claude/a.md", Outcome.PASS),
        ("codex", Trust.AGENT, "agent/shared.md", Outcome.PASS),
        ("codex", Trust.AGENT, "project/a.md", Outcome.PASS),
    ],
)
def test_a_namespace_belongs_to_its_agent_and_to_people(
    proposer: str, trust: Trust, path: str, outcome: Outcome
) -> None:
    text = file_text(scope=path.partition("/")[0])
    proposal = propose(text, path, proposer=proposer, trust=trust)
    assert check(CheckName.GOVERNANCE, proposal).outcome is outcome


@pytest.mark.parametrize(
    ("grants", "path", "outcome"),
    [
        ({}, "project/api/a.md", Outcome.PASS),
        ({"claude": Grant(propose=("project/api",))}, "project/api/a.md", Outcome.PASS),
        ({"claude": Grant(propose=("project/api",))}, "project/apiary/a.md", Outcome.FAIL),
        ({"claude": Grant(propose=("*",))}, "global/a.md", Outcome.PASS),
        ({"claude": Grant()}, "project/a.md", Outcome.FAIL),
        ({"claude": Grant(auto_apply=("ephemeral",))}, "project/a.md", Outcome.PASS),
        ({"*": Grant(propose=("ephemeral",))}, "project/a.md", Outcome.FAIL),
        (
            {"*": Grant(propose=("ephemeral",)), "claude": Grant(propose=("project",))},
            "project/a.md",
            Outcome.PASS,
        ),
    ],
)
def test_the_configuration_says_where_an_agent_may_propose(
    grants: dict[str, Grant], path: str, outcome: Outcome
) -> None:
    proposal = propose(file_text(scope=path.partition("/")[0]), path)
    found = check(CheckName.GOVERNANCE, proposal, governance=GovernanceConfig(agents=grants))
    assert found.outcome is outcome


def test_only_a_person_takes_back_what_was_applied() -> None:
    undo = propose(operation=Operation.UNDO, edits=(Edit("project/a.md", "x", "y"),))
    found = check(CheckName.GOVERNANCE, undo)
    assert found.hard
    assert found.text == "only a person can undo what was applied: dmm undo"
    by_user = propose(
        operation=Operation.UNDO, edits=(Edit("project/a.md", "x", "y"),), trust=Trust.USER
    )
    assert check(CheckName.GOVERNANCE, by_user).outcome is Outcome.PASS


def test_upkeep_may_suggest_the_end_of_any_memory() -> None:
    stale = propose(
        file_text(scope="agent", status="deprecated"),
        "agent/codex/a.md",
        file_text(scope="agent"),
        operation=Operation.DEPRECATE,
        proposer="dmm",
        origin="lifecycle",
    )
    assert check(CheckName.GOVERNANCE, stale).outcome is Outcome.PASS
