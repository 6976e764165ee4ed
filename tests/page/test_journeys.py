"""What a person does on each screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.page.visit import SCREENS, Visit
from tests.page.world import BLOCKED, PROMPTS

if TYPE_CHECKING:
    from tests.page.world import World

pytestmark = pytest.mark.slow


def test_live_tells_why_a_prompt_got_its_memories(visit: Visit) -> None:
    visit.open("live")
    page = visit.page
    page.get_by_role("navigation", name="Sessions").get_by_role("link", name="claude-code").click()
    visit.settle()
    story = visit.main.get_by_role("listitem").filter(has_text=PROMPTS[1])
    expect(story.first).to_be_visible()
    visit.main.get_by_role("button", name="Why these memories").first.click()
    receipt = visit.main.locator(".receipt")
    expect(receipt).to_contain_text("In the pack")
    expect(receipt).to_contain_text("Five failed logins")
    expect(receipt).to_contain_text("changed")
    expect(receipt).to_contain_text("Left out")


def test_live_shows_a_blocked_call_with_its_rule_and_the_words_it_matched(visit: Visit) -> None:
    visit.open("live")
    page = visit.page
    page.get_by_role("navigation", name="Sessions").get_by_role("link", name="claude-code").click()
    blocked = visit.main.get_by_role("listitem").filter(has_text=BLOCKED).filter(has_text="blocked")
    expect(blocked.get_by_role("link", name="never-run-terraform-destroy")).to_be_visible()
    expect(blocked.locator("mark")).to_contain_text("terraform destroy")
    blocked.get_by_role("link", name="explain").click()
    visit.settle()
    expect(visit.main).to_contain_text("never run terraform destroy")


def test_live_shows_an_event_when_it_happens(visit: Visit, world: World) -> None:
    visit.open("live")
    world.ask("POST", "/v1/ledger/facts", {"key": "weather", "value": "fair and dry"})
    expect(visit.main.get_by_text("weather").first).to_be_visible()


def test_review_approves_only_after_it_is_armed_and_confirmed(visit: Visit, world: World) -> None:
    proposal = world.propose_note("the mail server is asked at most twice a minute", "mail_limit")
    visit.open(f"review/{proposal}")
    visit.press("a")
    expect(visit.main.get_by_role("button", name="Confirm approval")).to_be_focused()
    assert proposal in world.pending()
    visit.press("Escape")
    expect(visit.main.get_by_role("button", name="Approve")).to_be_visible()
    visit.press("a", "Enter")
    visit.confirm()
    expect(visit.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    assert proposal not in world.pending()
    assert (world.project.memory / "project" / "notes" / "mail_limit.md").exists()


def test_every_screen_has_a_name_a_command_and_an_address(visit: Visit) -> None:
    for name in SCREENS:
        visit.open(name)
        heading = visit.main.get_by_role("heading", level=1)
        expect(heading).to_have_text(re.compile(name, re.IGNORECASE))
        expect(visit.page).to_have_title(re.compile(rf"^{name} ", re.IGNORECASE))
        expect(visit.main.locator(".problem")).to_have_count(0)
        expect(visit.main.get_by_text("This daemon can't answer that yet")).to_have_count(0)
