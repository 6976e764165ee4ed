"""Sign-in, several tabs, and a daemon that goes away and comes back."""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.daemon.conftest import eventually
from tests.page.browser import watching
from tests.page.visit import Visit, visiting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.page.world import Sample, World

pytestmark = pytest.mark.slow

REFUSED = r"console: Failed to load resource: the server responded with a status of 401"
# However far the browser had come with a request when its daemon was killed.
GONE = r"console: .*net::ERR_(CONNECTION_|SOCKET_|EMPTY_|INCOMPLETE_|NETWORK_)"


def test_what_dmm_ui_prints_signs_in_and_leaves_no_code(browser: Browser, world: World) -> None:
    told = world.dmm("ui", "--print")
    found = re.search(r"http://\S+#code=\S+", told)
    assert found is not None
    with watching(browser, world.host) as watched:
        visit = Visit(world, watched, watched.new_page())
        visit.page.goto(found[0])
        visit.settle()
        assert "code" not in visit.page.url
        visit.page.reload()
        visit.settle()
        cookies = watched.context.cookies()
        assert [(one["httpOnly"], one["sameSite"]) for one in cookies] == [(True, "Strict")]
        assert watched.unexpected == []
        # The same address signs nobody else in.
        with watching(browser, world.host) as other:
            page = other.new_page()
            page.goto(found[0])
            expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
            expect(page.get_by_role("alert")).to_contain_text("works once")
            other.allow(REFUSED)
            assert other.unexpected == []


def test_dmm_ui_opens_the_project_of_its_folder(
    browser: Browser, world: World, plain: Sample, place: Callable[[str], Path]
) -> None:
    other = plain.copy(world.machine, place("harbour"))
    for one, name in ((other, "harbour"), (world, "lantern")):
        found = re.search(r"http://\S+#code=\S+", one.dmm("ui", "--print"))
        assert found is not None
        with watching(browser, one.host) as watched:
            page = watched.new_page()
            page.goto(found[0])
            expect(page.get_by_role("button", name=f"Project {name}")).to_be_visible()
            assert watched.unexpected == []
    other.leave()


@pytest.mark.parametrize(
    "shown",
    [
        "review/{proposal}",
        "memory/project/auth/login_throttle.md",
        "ledger/3",
        "rules/never-push-to-main",
        "ask?q=how%20long%20do%20sessions%20live",
    ],
)
def test_an_address_leads_to_the_same_view_again(visit: Visit, shown: str, world: World) -> None:
    visit.open(shown.format(proposal=world.ids["project/auth/session_length.md"]))
    expect(visit.main.get_by_role("heading").first).to_be_visible()
    before = visit.main.inner_text()
    address = visit.page.url
    visit.page.reload()
    visit.settle()
    assert visit.page.url == address
    # Ages such as "2 m" may have moved on meanwhile.
    assert _steady(visit.main.inner_text()) == _steady(before)
    visit.open("health")
    visit.page.go_back()
    visit.settle()
    assert visit.page.url == address


def _steady(text: str) -> str:
    return re.sub(r"\b(now|\d+ ?(s|m|h|min))\b", "", text)


def test_several_tabs_share_one_stream(own: Visit) -> None:
    own.open("live")
    others = [own.new_tab() for _ in range(3)]
    own.world.ask("POST", "/v1/ledger/facts", {"key": "tide", "value": "high at noon"})
    for one in (own, *others):
        expect(one.main.get_by_text("tide").first).to_be_visible()
    opened = [one for one in own.watched.requests if "/v1/stream" in one]
    assert len(opened) == 1
    # The tab that held the stream goes; another takes it over.
    own.page.close()
    own.world.ask("POST", "/v1/ledger/facts", {"key": "wind", "value": "from the west"})
    for one in others:
        expect(one.main.get_by_text("wind").first).to_be_visible()


def test_a_daemon_that_is_killed_in_the_middle_of_an_edit_takes_no_text_with_it(
    browser: Browser, alone: World
) -> None:
    with visiting(browser, alone) as visit:
        visit.watched.allow(GONE)
        proposal = alone.propose_note("the sitemap is written anew each night", "sitemap")
        visit.open(f"review/{proposal}")
        visit.main.get_by_role("button", name="Edit").click()
        field = visit.page.get_by_role("textbox", name="Proposed text")
        expect(field).to_be_focused()
        visit.press("Control+End")
        visit.page.keyboard.type("\nFirst half, ")
        os.kill(alone.machine.about["pid"], signal.SIGKILL)
        visit.page.keyboard.type("second half.\n")
        banner = visit.page.get_by_role("status").get_by_text("Lost connection to the daemon")
        expect(banner).to_be_visible()
        eventually(lambda: not alone.machine.pids(), "it is gone")
        alone.machine.start()
        expect(banner).to_have_count(0)
        assert "First half, second half." in field.input_value()
        # Also a page that is loaded anew has it.
        visit.page.reload()
        visit.settle()
        field = visit.page.get_by_role("textbox", name="Proposed text")
        assert "First half, second half." in field.input_value()
        visit.main.get_by_role("button", name="Save as the proposed text").click()
        visit.confirm()
        expect(field).to_have_count(0)
        expect(visit.main).to_contain_text("First half, second half.")
        # News come again without anybody doing anything.
        visit.open("live")
        alone.ask("POST", "/v1/ledger/facts", {"key": "moon", "value": "waxing"})
        expect(visit.main.get_by_text("moon").first).to_be_visible()


def test_sign_out_ends_all_browsers(browser: Browser, world: World) -> None:
    with visiting(browser, world) as one, visiting(browser, world) as two:
        for visit in (one, two):
            visit.watched.allow(REFUSED)
        one.page.get_by_role("button", name="Project lantern").click()
        one.page.get_by_role("button", name="Sign out everywhere").click()
        one.page.get_by_role("button", name="Sign out").click()
        expect(one.page.get_by_role("heading", name="Sign in")).to_be_visible()
        two.page.get_by_role("link", name="Rules").click()
        expect(two.page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert two.ask("/v1/proposals")[0] == 401


def test_dmm_ui_signs_out_too(browser: Browser, world: World) -> None:
    with visiting(browser, world) as visit:
        visit.watched.allow(REFUSED)
        assert "Signed out" in world.dmm("ui", "--sign-out")
        assert visit.ask("/v1/proposals")[0] == 401
