"""What a person does on each screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.daemon.conftest import Session, eventually
from tests.page.visit import SCREENS, Visit
from tests.page.world import BLOCKED, PROMPTS, run

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
    inside, outside = (
        receipt.get_by_role("region", name=re.compile(f"^{name}"))
        for name in ("In the pack", "Left out")
    )
    held = inside.locator("a.memory-name .mono").all_inner_texts()
    out = outside.locator("a.memory-name .mono").all_inner_texts()
    assert held
    assert not set(held) & set(out)


def test_live_shows_a_blocked_call_with_its_rule_and_the_words_it_matched(visit: Visit) -> None:
    visit.open("live")
    page = visit.page
    page.get_by_role("navigation", name="Sessions").get_by_role("link", name="claude-code").click()
    blocked = visit.main.get_by_role("listitem").filter(has_text=BLOCKED).filter(has_text="blocked")
    expect(blocked.get_by_role("link", name="never-run-terraform-destroy")).to_be_visible()
    expect(blocked.locator("mark")).to_contain_text("terraform destroy")
    blocked.get_by_role("link", name="explain").click()
    visit.settle()
    event = visit.main.get_by_role("article", name="Event")
    expect(event.get_by_role("heading", level=2)).to_contain_text("Blocked terraform destroy")
    expect(event).to_contain_text("Tool call, blocked")
    expect(event.locator("mark")).to_have_text(BLOCKED)
    expect(event.get_by_role("link", name="never-run-terraform-destroy")).to_be_visible()


def test_live_tells_a_call_that_was_made_in_one_line(visit: Visit) -> None:
    visit.open("live")
    events = visit.main.get_by_role("listitem")
    expect(events.filter(has_text="Ran git status")).to_have_count(1)
    expect(events.filter(has_text="Blocked git push")).to_have_count(1)
    expect(visit.main.get_by_text("Checked git status")).to_have_count(0)


def test_live_shows_an_event_when_it_happens(own: Visit) -> None:
    own.open("live")
    own.world.ask("POST", "/v1/ledger/facts", {"key": "weather", "value": "fair and dry"})
    expect(own.main.get_by_text("weather").first).to_be_visible()


def test_review_approves_only_after_it_is_armed_and_confirmed(own: Visit) -> None:
    proposal = own.world.propose_note(
        "the mail server is asked at most twice a minute", "mail_limit"
    )
    own.open(f"review/{proposal}")
    own.press("a")
    expect(own.main.get_by_role("button", name="Confirm approval")).to_be_focused()
    assert proposal in own.world.pending()
    own.press("Escape")
    expect(own.main.get_by_role("button", name="Approve")).to_be_visible()
    own.press("a", "Enter")
    own.confirm()
    expect(own.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    assert proposal not in own.world.pending()
    assert (own.world.project.memory / "project" / "notes" / "mail_limit.md").exists()


def test_review_shows_a_clash_before_it_is_decided_and_takes_a_rejection(own: Visit) -> None:
    proposal = own.world.ids["project/auth/session_length.md"]
    own.open("review")
    own.page.get_by_role("link", name="session_length").click()
    own.settle()
    expect(own.main).to_contain_text("project/auth/sessions")
    expect(own.main.locator(".checks").first).to_contain_text("conflicts")
    own.press("r")
    own.page.keyboard.type("ours live 14 days")
    own.press("Enter")
    own.confirm()
    expect(own.page.get_by_role("status").get_by_text("rejected")).to_be_visible()
    assert proposal not in own.world.pending()


def test_review_frames_the_words_of_a_third_party(visit: Visit, world: World) -> None:
    visit.open("review")
    row = visit.main.get_by_role("link", name="retry_wait")
    expect(row).to_contain_text("third party")
    visit.open(f"review/{world.ids['project/payments/retry_wait.md']}")
    framed = visit.main.get_by_role("figure").filter(has_text="third party")
    expect(framed).to_contain_text("Retries of the payment provider need a random wait")


def test_review_approves_no_change_that_was_not_shown_to_its_end(own: Visit) -> None:
    body = "# Paper sizes\n\n" + "\n" * 300 + "Invoices are printed on paper of size A5.\n"
    proposal = own.world.propose("project/notes/paper_sizes.md", body, "seen while working")
    own.open(f"review/{proposal}")
    own.press("a")
    expect(own.main.get_by_role("button", name="Confirm approval")).to_be_disabled()
    expect(own.main).to_contain_text("not shown yet")
    expect(own.main).not_to_contain_text("size A5")
    own.main.get_by_role("button", name="more lines").click()
    expect(own.main).to_contain_text("size A5")
    own.main.get_by_role("button", name="Confirm approval").click()
    own.confirm()
    expect(own.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()


def test_review_shows_what_stands_behind_a_fence_and_the_numbers_of_a_list(own: Visit) -> None:
    code = "```sh ask nobody\nmake release\n```"
    body = f"# Release\n\n{code}\n\n7. Tag it.\n8. Tell [all](#everyone).\n"
    proposal = own.world.propose("project/notes/release.md", body, "seen while working")
    own.open(f"review/{proposal}")
    own.main.get_by_role("button", name="As it would read").click()
    text = own.main.locator(".markdown")
    expect(text).to_contain_text("sh ask nobody")
    expect(text.locator("ol")).to_have_attribute("start", "7")
    expect(text).to_contain_text("(#everyone)")


def test_review_takes_a_write_back(own: Visit) -> None:
    file = own.world.project.memory / "project" / "notes" / "paper_size.md"
    proposal = own.world.propose_note("invoices are printed on paper of size A5", "paper_size")
    own.open(f"review/{proposal}")
    own.press("a", "Enter")
    own.confirm()
    expect(own.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    assert file.exists()
    own.open(f"review/{proposal}")
    own.main.get_by_role("button", name="Undo").click()
    own.main.get_by_role("button", name="Confirm undo").click()
    own.confirm()
    expect(own.page.get_by_role("status").get_by_text("undone")).to_be_visible()
    assert not file.exists()


def test_memory_shows_the_code_that_changed_beside_the_text(visit: Visit) -> None:
    visit.open("memory")
    visit.main.get_by_role("link", name="project/auth").click()
    # A prompt of the same words can be tried beside it.
    folder = visit.main.get_by_role("region", name="Memories in project/auth")
    folder.get_by_role("link", name="Five failed logins").click()
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


def test_memory_an_edit_becomes_a_proposal(own: Visit) -> None:
    own.open("memory/project/database/migrations.md")
    own.main.get_by_role("button", name="Propose a change").click()
    field = own.main.get_by_role("textbox").last
    expect(field).to_be_focused()
    own.press("Control+End")
    own.page.keyboard.type("\nA migration is tried on a copy first.\n")
    expect(own.main.locator(".tag", has_text="checks pass")).to_be_visible()
    before = set(own.world.pending())
    own.press("Control+Enter")
    eventually(lambda: set(own.world.pending()) - before, "a proposal waits")


def test_ledger_tells_the_state_at_any_event_and_what_changed(visit: Visit, world: World) -> None:
    seq = world.events("FactAdded")[0]["seq"]
    visit.open(f"ledger/{seq}")
    visit.main.get_by_text("State", exact=True).click()
    visit.settle()
    facts = visit.main.get_by_role("region", name="Facts")
    expect(facts).to_contain_text("budget")
    expect(facts).to_contain_text("4000 EUR")
    expect(facts).not_to_contain_text("eu-west-1")
    expect(visit.main.get_by_role("region", name="Changes since")).to_contain_text("eu-west-1")


def test_rules_try_a_call_and_tell_why(visit: Visit) -> None:
    visit.open("rules")
    verdict = visit.main.get_by_role("article", name="New rule").get_by_role("status")
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


def test_rules_show_what_a_sentence_would_block_before_it_is_added(own: Visit) -> None:
    own.open("rules")
    own.main.get_by_role("textbox", name="Rule in a sentence").fill("never run kubectl delete")
    expect(own.main.get_by_role("article")).to_contain_text("kubectl delete")
    own.main.get_by_role("button", name="Add rule").click()
    own.confirm()
    expect(own.page.get_by_role("link", name="never run kubectl delete")).to_be_visible()
    told = own.world.ask("POST", "/v1/check", {"command": "kubectl delete pod shop"})
    assert told["outcome"] == "denied"


def test_rules_a_rule_that_an_agent_proposed_is_in_force_once_it_is_accepted(own: Visit) -> None:
    call = {"command": "npm publish --tag next"}
    own.open("rules")
    own.main.get_by_role("link", name="releases are published by the pipeline").click()
    rule = own.main.get_by_role("article", name="Pending rule")
    expect(rule).to_contain_text("npm publish")
    assert own.world.ask("POST", "/v1/check", call)["outcome"] != "denied"
    rule.get_by_role("button", name="Accept").click()
    rule.get_by_role("button", name="Confirm: accept").click()
    own.confirm()
    expect(own.page.get_by_role("status").get_by_text("Accepted: releases")).to_be_visible()
    expect(rule).to_have_count(0)
    assert own.world.ask("POST", "/v1/check", call)["outcome"] == "denied"
    # An agent meets it.
    session = Session(own.world.project.folder, "5b1b6a3e-0000-4000-8000-000000000077")
    run(own.world, session, [], [call["command"]])
    own.open("live")
    expect(own.main.get_by_text("Blocked npm publish --tag next").first).to_be_visible()


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


def test_another_project_is_a_click_away(visit: Visit) -> None:
    visit.press("p")
    dialog = visit.page.get_by_role("dialog", name="Projects and settings")
    shown = dialog.locator("button[aria-current=true]")
    expect(shown).to_contain_text(visit.world.root)


def test_every_screen_has_a_name_a_command_and_an_address(visit: Visit) -> None:
    for name in SCREENS:
        visit.open(name)
        heading = visit.main.get_by_role("heading", level=1)
        expect(heading).to_have_text(re.compile(name, re.IGNORECASE))
        expect(visit.page).to_have_title(re.compile(rf"^{name} ", re.IGNORECASE))
        expect(visit.main.locator(".problem")).to_have_count(0)
        expect(visit.main.get_by_text("This daemon can't answer that yet")).to_have_count(0)
