"""Everything can be done with the keyboard alone; the mouse is never touched here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.page.visit import SCREENS, Visit, visiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.daemon.conftest import Machine
    from tests.page.world import Sample, World

pytestmark = pytest.mark.slow

TOPICS = (
    *("mail server", "search index", "stock report", "invoice number", "warehouse list"),
    *("price table", "cart timeout", "newsletter", "refund letter", "voucher code"),
    *("delivery note", "address check", "picture size", "product text", "review stars"),
    *("gift card", "return label", "opening hours", "phone number", "cookie notice"),
)


@pytest.fixture
def queue(machine: Machine, plain: Sample, place: Callable[[str], Path]) -> Iterator[World]:
    """A project in which nothing waits yet."""
    world = plain.copy(machine, place("lantern"))
    yield world
    world.leave()


def test_twenty_reviews(browser: Browser, queue: World) -> None:
    for number, topic in enumerate(TOPICS):
        words = f"the {topic} is looked at again every {number + 2} weeks"
        queue.propose_note(words, topic.replace(" ", "_"))
    with visiting(browser, queue) as visit:
        waiting = queue.pending()
        assert len(waiting) == len(TOPICS)
        visit.press("g", "r")
        visit.settle()
        for number, proposal in enumerate(waiting):
            _heading(visit, proposal)
            kind = "reject" if number % 4 == 1 else "edit" if number % 4 == 3 else "approve"
            _decide(visit, kind, proposal)
        expect(visit.main.get_by_text("Nothing waits for you")).to_be_visible()
    assert queue.pending() == []
    told = queue.ask("GET", "/v1/proposals?status=all")["proposals"]
    states = [one["status"] for one in told]
    assert (states.count("applied"), states.count("rejected")) == (15, 5)
    edited = queue.project.memory / "project" / "notes" / "invoice_number.md"
    assert "Edited by hand." in edited.read_text()


def _heading(visit: Visit, proposal: str) -> None:
    """Wait until a proposal is shown; after a decision the next one comes by itself."""
    expect(visit.main.get_by_role("article", name=f"{proposal}:")).to_be_visible()
    expect(visit.main.get_by_role("button", name="Approve")).to_be_visible()


def _decide(visit: Visit, kind: str, proposal: str) -> None:
    page = visit.page
    if kind == "edit":
        visit.press("e")
        field = page.get_by_role("textbox", name="Proposed text")
        expect(field).to_be_focused()
        visit.press("Control+End")
        page.keyboard.type("\nEdited by hand.\n")
        visit.press("Control+Enter")
        visit.confirm()
        expect(field).to_have_count(0)
        # What is armed before the new text is there is taken back: it would be for another text.
        expect(visit.main.get_by_role("region", name="Difference")).to_contain_text("by hand.")
        visit.settle()
    if kind == "reject":
        # Typed at once: none of it is taken as a shortcut.
        visit.press("r")
        page.keyboard.type(f"not ours: {proposal}")
        expect(visit.main.get_by_role("textbox", name="Reason")).to_have_value(
            f"not ours: {proposal}"
        )
        visit.press("Enter")
    else:
        visit.press("a")
        # Texts so much alike make a check fail; a person may approve them all the same.
        armed = visit.main.get_by_role("button", name=re.compile("Confirm approval|Approve anyway"))
        expect(armed).to_be_focused()
        visit.press("Enter")
    visit.confirm()
    done = "rejected" if kind == "reject" else "approved and applied"
    expect(page.get_by_role("status").get_by_text(f"{proposal} {done}")).to_be_visible()


def test_one_key_alone_decides_nothing(browser: Browser, queue: World) -> None:
    proposal = queue.propose_note("the shop window shows what is new", "shop_window")
    waiting = queue.pending()
    assert proposal in waiting
    with visiting(browser, queue) as visit:
        visit.open(f"review/{proposal}")
        for key in ("a", "Escape", "r", "Escape", "s", "j", "k", "Enter", "y", "Space"):
            visit.press(key)
    assert queue.pending() == waiting


def test_a_key_leads_to_every_screen(visit: Visit) -> None:
    letters = dict(zip(SCREENS, "lrmeucah", strict=True))
    for name, letter in letters.items():
        visit.press("g", letter)
        visit.settle()
        current = visit.page.get_by_role("navigation", name="Screens").locator("[aria-current]")
        expect(current).to_have_attribute("href", f"#/{name}")
        expect(visit.main.get_by_role("heading", level=1)).to_be_focused()


def test_single_keys_can_be_switched_off(visit: Visit) -> None:
    visit.open("memory/project/auth/login_throttle.md")
    visit.press("p")
    dialog = visit.page.get_by_role("dialog", name="Projects and settings")
    dialog.get_by_role("checkbox", name="Single-key shortcuts").press("Space")
    visit.press("Escape")
    visit.press("g", "r")
    expect(visit.page.get_by_role("dialog")).to_have_count(0)
    assert visit.page.url.endswith("login_throttle.md")
    # What needs no single key still works.
    visit.press("Control+k")
    expect(visit.page.get_by_role("combobox")).to_be_focused()


def test_the_palette_finds_a_screen_a_memory_a_rule_and_an_event(visit: Visit) -> None:
    for typed, to in (
        ("health", "#/health"),
        ("login_throttle", "#/memory/project/auth/login_throttle.md"),
        ("terraform", "#/rules/never-run-terraform-destroy"),
        ("3", "#/ledger/3"),
    ):
        visit.open("live")
        visit.press("Control+k")
        field = visit.page.get_by_role("combobox", name="Find or do something")
        expect(field).to_be_focused()
        visit.page.keyboard.type(typed)
        # Other projects and memories may have the number in their names; the event stands first.
        first = "Event 3" if typed == "3" else typed.split("_")[0]
        expect(visit.page.get_by_role("option").first).to_contain_text(first, ignore_case=True)
        visit.press("Enter")
        expect(visit.page.get_by_role("dialog")).to_have_count(0)
        expect(visit.page).to_have_url(re.compile(f"{re.escape(to)}$"))
