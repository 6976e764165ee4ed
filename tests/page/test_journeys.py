"""What a person does on each screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.daemon.conftest import eventually
from tests.page.visit import SCREENS, Visit
from tests.page.world import BLOCKED, PROMPTS

if TYPE_CHECKING:
    from tests.page.world import World

pytestmark = pytest.mark.browser


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


def test_review_shows_a_clash_before_it_is_decided_and_takes_a_rejection(
    visit: Visit, world: World
) -> None:
    proposal = world.ids["project/auth/session_length.md"]
    visit.open("review")
    visit.page.get_by_role("link", name="session_length").click()
    visit.settle()
    expect(visit.main).to_contain_text("project/auth/sessions")
    expect(visit.main.locator(".checks").first).to_contain_text("conflicts")
    visit.press("r")
    visit.page.keyboard.type("ours live 14 days")
    visit.press("Enter")
    visit.confirm()
    expect(visit.page.get_by_role("status").get_by_text("rejected")).to_be_visible()
    assert proposal not in world.pending()


def test_review_frames_the_words_of_a_third_party(visit: Visit, world: World) -> None:
    visit.open(f"review/{world.ids['project/payments/retry_wait.md']}")
    framed = visit.main.get_by_role("figure").filter(has_text="third party")
    expect(framed).to_contain_text("Retries of the payment provider need a random wait")


def test_review_takes_a_write_back(visit: Visit, world: World) -> None:
    file = world.project.memory / "project" / "notes" / "paper_size.md"
    proposal = world.propose_note("invoices are printed on paper of size A5", "paper_size")
    visit.open(f"review/{proposal}")
    visit.press("a", "Enter")
    visit.confirm()
    expect(visit.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    assert file.exists()
    visit.open(f"review/{proposal}")
    visit.main.get_by_role("button", name="Undo").click()
    visit.main.get_by_role("button", name="Confirm undo").click()
    visit.confirm()
    expect(visit.page.get_by_role("status").get_by_text("undone")).to_be_visible()
    assert not file.exists()


def test_memory_shows_the_code_that_changed_beside_the_text(visit: Visit) -> None:
    visit.open("memory")
    visit.main.get_by_role("link", name="project/auth").click()
    visit.main.get_by_role("link", name="Five failed logins").click()
    visit.settle()
    article = visit.main.get_by_role("article")
    cited = article.get_by_role("figure").filter(has_text="lantern/auth.py:14-15")
    expect(cited).to_contain_text("changed")
    expect(cited).to_contain_text("THROTTLE_ATTEMPTS = 6")
    expect(article).to_contain_text("After five failures within 15 minutes")


def test_memory_search_finds_and_a_try_is_not_recorded(visit: Visit, world: World) -> None:
    visit.open("memory")
    visit.main.get_by_role("searchbox", name="Search memories").fill("idempotency")
    expect(visit.main.get_by_role("link", name="An order is charged once")).to_be_visible()
    before = len(world.events("PackServed"))
    visit.open("memory")
    visit.main.get_by_role("textbox", name="Task").fill("how are passwords stored")
    visit.main.get_by_role("button", name="Try").click()
    expect(visit.main.get_by_role("article")).to_contain_text("project/auth/passwords.md")
    assert len(world.events("PackServed")) == before


def test_memory_an_edit_becomes_a_proposal(visit: Visit, world: World) -> None:
    visit.open("memory/project/database/migrations.md")
    visit.main.get_by_role("button", name="Propose a change").click()
    field = visit.main.get_by_role("textbox").last
    expect(field).to_be_focused()
    visit.press("Control+End")
    visit.page.keyboard.type("\nA migration is tried on a copy first.\n")
    expect(visit.main.locator(".tag", has_text="checks pass")).to_be_visible()
    before = set(world.pending())
    visit.press("Control+Enter")
    eventually(lambda: set(world.pending()) - before, "a proposal waits")


def test_ledger_tells_the_state_at_any_event_and_what_changed(visit: Visit, world: World) -> None:
    seq = world.events("FactAdded")[0]["seq"]
    visit.open(f"ledger/{seq}")
    visit.main.get_by_text("State then", exact=True).click()
    visit.settle()
    facts = visit.main.get_by_role("region", name="Facts")
    expect(facts).to_contain_text("budget")
    expect(facts).to_contain_text("4000 EUR")
    expect(facts).not_to_contain_text("eu-west-1")
    expect(visit.main.get_by_role("region", name="What came since")).to_contain_text("eu-west-1")


def test_rules_try_a_call_and_tell_why(visit: Visit) -> None:
    visit.open("rules")
    verdict = visit.main.get_by_role("article", name="Bench").get_by_role("status")
    for command, outcome in (
        ("git push origin main", "denied"),
        ("git push origin topic", "allow"),
    ):
        visit.main.get_by_role("textbox", name="Command").fill(command)
        visit.main.get_by_role("button", name="Check").click()
        expect(verdict).to_contain_text(re.compile(outcome, re.IGNORECASE))
    visit.main.get_by_role("textbox", name="Command").fill("terraform destroy")
    visit.press("Enter")
    expect(verdict).to_contain_text("never-run-terraform-destroy")


def test_rules_show_what_a_sentence_would_block_before_it_is_added(
    visit: Visit, world: World
) -> None:
    visit.open("rules")
    visit.main.get_by_role("textbox", name="Rule in a sentence").fill("never run kubectl delete")
    expect(visit.main.get_by_role("article")).to_contain_text("kubectl delete")
    visit.main.get_by_role("button", name="Add rule").click()
    visit.confirm()
    expect(visit.page.get_by_role("link", name="never run kubectl delete")).to_be_visible()
    told = world.ask("POST", "/v1/check", {"command": "kubectl delete pod shop"})
    assert told["outcome"] == "denied"


def test_conflicts_show_both_sides(visit: Visit) -> None:
    visit.open("conflicts")
    article = visit.main.get_by_role("article")
    expect(article).to_contain_text("14 days")
    expect(article).to_contain_text("30 days")
    expect(article).to_contain_text("project/auth/sessions_end.md")


def test_ask_answers_with_what_it_is_based_on(visit: Visit) -> None:
    visit.open("ask")
    visit.main.get_by_role("textbox").or_(visit.main.get_by_role("searchbox")).first.fill(
        "how long do sessions live"
    )
    visit.main.get_by_role("button", name="Ask", exact=True).click()
    expect(visit.main).to_contain_text("project/auth/sessions.md")
    expect(visit.main).to_contain_text("lantern/auth.py")


def test_health_tells_figures_and_verifies_the_ledger(visit: Visit) -> None:
    visit.open("health")
    expect(visit.main).to_contain_text("all memory each time")
    visit.main.get_by_role("button", name="Verify the ledger").click()
    expect(visit.main).to_contain_text(re.compile("whole|valid|intact|nothing wrong", re.I))


def test_another_project_is_a_click_away(visit: Visit, world: World) -> None:
    visit.press("p")
    dialog = visit.page.get_by_role("dialog", name="Projects and settings")
    expect(dialog.get_by_role("button", name="lantern")).to_have_attribute("aria-current", "true")


def test_every_screen_has_a_name_a_command_and_an_address(visit: Visit) -> None:
    for name in SCREENS:
        visit.open(name)
        heading = visit.main.get_by_role("heading", level=1)
        expect(heading).to_have_text(re.compile(name, re.IGNORECASE))
        expect(visit.page).to_have_title(re.compile(rf"^{name} ", re.IGNORECASE))
        expect(visit.main.locator(".problem")).to_have_count(0)
        expect(visit.main.get_by_text("This daemon can't answer that yet")).to_have_count(0)
