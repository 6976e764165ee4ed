"""The walk of a new user: docs/ui.md says where to click, and this clicks there."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest
from playwright.sync_api import expect
from tests.page.browser import watching
from tests.page.visit import Visit
from tests.page.world import PROMPTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Locator
    from tests.daemon.conftest import Machine
    from tests.page.world import Sample, World

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs" / "ui.md"
NUMBERS = {"eight": 8, "nine": 9, "ten": 10}
# What the document can't name, because each project has its own: the first link of a list.
LISTS = {"the session at the top": "Sessions", "a proposal": "Waiting proposals"}


def read_walk() -> str:
    text = DOCS.read_text("utf-8")
    return text[text.index("## The first three minutes") : text.index("## Signing in and out")]


@pytest.fixture
def world(machine: Machine, worked: Sample, place: Callable[[str], Path]) -> World:
    return worked.copy(machine, place("lantern"))


def open_ui(world: World) -> tuple[str, str]:
    """Run `dmm ui` in a terminal; return the address and the code that it prints."""
    line = str(Path(sys.executable).with_name("dmm"))
    own = world.machine.environment() | {"TERM": "xterm"}
    terminal: pexpect.spawn[str] = pexpect.spawn(
        line, ["ui", "--print"], cwd=world.root, env=own, encoding="utf-8", timeout=60
    )
    terminal.expect(r"(http://\S+#code=\S+)")
    assert isinstance(terminal.match, re.Match)
    address = terminal.match[1]
    terminal.expect(r"Confirmation code: (\d+ \d+)")
    code = terminal.match[1]
    terminal.close()
    return address, code


def find(visit: Visit, name: str) -> Locator:
    page = visit.page
    if name in LISTS:
        rows = page.get_by_role("navigation", name=LISTS[name]).get_by_role("link")
        # The first row of Live is everything; sessions follow.
        return rows.filter(has_not_text="Everything").first
    # The rail adds to a name how much waits there.
    named = re.compile(rf"^{re.escape(name)}(,.*)?$")
    dialog = page.get_by_role("dialog")
    place = dialog if dialog.count() else page
    return place.get_by_role("button", name=named).or_(place.get_by_role("link", name=named)).first


def test_a_new_user_who_does_what_the_document_says_gets_what_it_says(
    browser: Browser, world: World
) -> None:
    walk = read_walk()
    clicks = re.findall(r"\*\*(.+?)\*\*", walk)
    told = re.search(r"(\w+) clicks and one code", walk)
    assert told is not None
    assert len(clicks) == NUMBERS[told[1]]
    typed = re.search(r"such as `([^`]+)`", walk)
    assert typed is not None
    waiting = set(world.pending())
    address, code = open_ui(world)
    with watching(browser, world.host) as watched:
        visit = Visit(world, watched, watched.new_page())
        visit.page.goto(address)
        visit.settle()
        for name in clicks:
            if name == "Confirm":
                visit.page.get_by_role("dialog").get_by_role("textbox").fill(code)
            if name == "Check":
                visit.main.get_by_role("textbox", name="Command").fill(typed[1])
            find(visit, name).click()
            _look(visit, name)
            visit.settle()
        assert watched.unexpected == []
    assert len(waiting - set(world.pending())) == 1
    world.leave()


def _look(visit: Visit, clicked: str) -> None:
    """See what the document says is there after a click."""
    if clicked == "Why these memories":
        receipt = visit.main.locator(".receipt")
        for words in ("In the pack", "charge_once.md", "similarity", "Left out", "about the task"):
            expect(receipt).to_contain_text(words)
        expect(visit.main).to_contain_text(PROMPTS[2])
    if clicked == "Confirm":
        expect(visit.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    if clicked == "Check":
        verdict = visit.main.get_by_role("article", name="New rule").get_by_role("status").first
        expect(verdict).to_contain_text("denied")
        expect(verdict).to_contain_text("never-push-to-main")
