"""A person at the page: signs in, opens places, reads, presses keys."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from playwright.sync_api import expect
from tests.page.browser import PATIENCE_MS, watching

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page
    from tests.page.browser import Watched
    from tests.page.world import World

SCREENS = ("live", "review", "memory", "ledger", "rules", "conflicts", "ask", "health")

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}

expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Visit:
    """A signed-in page of a world."""

    world: World
    watched: Watched
    page: Page
    confirmed: bool = False

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    def open(self, place: str) -> None:
        """Go to a place of the page and wait until everything is there."""
        self.page.goto(f"{self.world.origin}/#/{place}")
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is loading any more."""
        expect(self.page.get_by_role("navigation", name="Screens")).to_be_visible()
        self.watched.wait_until_quiet(self.page)

    def open_memory(self, path: str) -> None:
        """Go to a memory, whatever its path holds."""
        self.open("memory/" + "/".join(quote(part, safe="") for part in path.split("/")))

    def choose(self, project: str) -> None:
        """Switch to another project of the same user."""
        self.page.get_by_role("button", name=re.compile("^Project ")).click()
        dialog = self.page.get_by_role("dialog", name="Projects and settings")
        dialog.get_by_role("button", name=project).first.click()
        expect(self.page.get_by_role("button", name=f"Project {project}")).to_be_visible()
        self.settle()

    def new_tab(self) -> Visit:
        """Open the page once more in the same browser."""
        page = self.watched.new_page()
        page.goto(self.page.url)
        found = Visit(self.world, self.watched, page)
        found.settle()
        return found

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def confirm(self) -> None:
        """Answer the question who decides; the page asks it once in a while."""
        if not self.confirmed:
            dialog = self.page.get_by_role("dialog", name="Confirm that it is you")
            expect(dialog.get_by_role("textbox")).to_be_focused()
            self.page.keyboard.type(self.world.confirmation_code())
            self.press("Enter")
            expect(dialog).to_have_count(0)
            self.confirmed = True

    def ask(self, path: str, method: str = "GET", body: Any = None) -> Any:
        """Ask the daemon as the page's own scripts do; return its status and answer."""
        return self.page.evaluate(
            """async ([path, method, body, root]) => {
                const headers = {"X-DMM-Root": root};
                if (method !== "GET") Object.assign(headers, {
                    "X-DMM-Page": "1", "Content-Type": "application/json"});
                const sent = method === "GET" ? undefined : JSON.stringify(body ?? {});
                const reply = await fetch(path, {method, headers, body: sent});
                return [reply.status, await reply.json().catch(() => null)];
            }""",
            [path, method, body, self.world.root],
        )


def add_authenticator(page: Page) -> None:
    """Give a page an authenticator that has verified its user."""
    tools = page.context.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    tools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


@contextlib.contextmanager
def visiting(
    browser: Browser, world: World, *, width: int = 1280, height: int = 800, dark: bool = False
) -> Iterator[Visit]:
    """Sign a new browser profile in; at the end nothing unexpected may have happened."""
    with watching(browser, world.host, width=width, height=height, dark=dark) as watched:
        page = watched.new_page()
        visit = Visit(world, watched, page)
        page.goto(world.sign_in())
        visit.settle()
        yield visit
        assert watched.unexpected == [], watched.unexpected
