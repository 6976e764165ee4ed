"""The page says what a team is told: before a person decides, and of what is recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.daemon.conftest import eventually
from tests.page.visit import visiting
from tests.page.world import vet
from tests.team.conftest import registry as registry  # noqa: PLC0414 - a fixture, used by name
from tests.team.conftest import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
    from tests.page.visit import Visit
    from tests.page.world import World

    from dmm.team.registry import Registry

pytestmark = pytest.mark.slow

RULE = "Never restart the mail relay on Mondays"


@pytest.fixture
def visit(browser: Browser, alone: World, registry: Registry) -> Iterator[Visit]:
    """A page of a project whose team is told of reviews."""
    settings = json.dumps({"team": {"share": ["reviews"]}})
    (alone.project.dmm / "daemon.config.json").write_text(settings)
    vet(alone.machine, alone.project).accept(with_ledger=True)
    with served(registry) as url:
        alone.dmm("team", "join", url, registry.invite("acme", "shop", "reviewer"))
        with visiting(browser, alone) as found:
            yield found


def test_a_decision_shows_what_the_team_is_told_and_so_does_its_event(visit: Visit) -> None:
    world = visit.world
    first = world.propose_note("the lamp in the hall is switched on at dusk", "hall_lamp")
    visit.open(f"review/{first}")
    decision = visit.main.get_by_role("group", name="Decision")
    visit.press("r")
    expect(decision).to_contain_text(
        "Your team acme/shop is told: rejected: project/notes/hall_lamp.md"
    )
    visit.press("Escape")
    visit.main.get_by_role("button", name="Approve").click()
    expect(decision).to_contain_text(
        "Your team acme/shop is told: approved: project/notes/hall_lamp.md"
    )
    visit.main.get_by_role("button", name="Confirm approval").click()
    visit.confirm()
    expect(visit.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    (reviewed,) = [one for one in world.events("ProposalReviewed") if one["actor"] == "user"]
    world.dmm("team", "sync")
    visit.open(f"ledger/{reviewed['seq']}")
    row = visit.main.get_by_role("link", name=str(reviewed["seq"])).filter(has_text="approved")
    expect(row.locator(".tag").get_by_text("team", exact=True)).to_be_visible()
    expect(visit.main.get_by_role("article").locator("dl.about").first).to_contain_text("teamsent")


def test_accepting_a_rule_shows_its_words_to_the_team_and_disabling_it_that_it_ends(
    visit: Visit,
) -> None:
    world = visit.world
    made = world.ask("POST", "/v1/ledger/constraints", {"text": RULE})
    visit.open("rules")
    visit.main.get_by_role("link", name=RULE).click()
    visit.main.get_by_role("button", name="Accept").click()
    decision = visit.main.get_by_role("group", name="Decision")
    expect(decision).to_contain_text(f"Your team acme/shop is told: {RULE}")
    visit.main.get_by_role("button", name="Confirm: accept").click()
    visit.confirm()
    expect(visit.page.get_by_role("status").get_by_text("Accepted")).to_be_visible()
    visit.open(f"rules/{made['seq']}")
    visit.main.get_by_role("button", name="Disable").click()
    expect(decision).to_contain_text("Your team acme/shop is told: this rule no longer holds")
    eventually(
        lambda: world.ask("GET", f"/v1/team/shared?after=0&to={made['seq'] + 9}")["events"],
        "the rule is on its way",
    )


def test_what_no_team_is_told_of_says_nothing_of_one(visit: Visit) -> None:
    visit.open("rules/never-push-to-main")
    visit.main.get_by_role("button", name="Disable").click()
    expect(visit.main.get_by_role("button", name="Confirm: disable")).to_be_visible()
    visit.settle()
    expect(visit.main.get_by_text("Your team")).to_have_count(0)
    (fact, *_) = visit.world.events("FactAdded")
    visit.open(f"ledger/{fact['seq']}")
    expect(visit.main.get_by_role("article")).to_contain_text("trust")
    visit.settle()
    expect(visit.main.get_by_role("article").get_by_text("team", exact=True)).to_have_count(0)
