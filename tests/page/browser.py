"""A real browser, and pages in it that note whatever must not happen."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE_MS = 60_000
# Runs before any script of the page. A violation is reported as an error of the console.
WATCH = """
addEventListener("securitypolicyviolation", ({effectiveDirective, blockedURI, sample}) =>
  console.error(`policy violated: ${effectiveDirective} ${blockedURI} ${sample}`));
"""
STREAM = "/v1/stream"
# A page that is not in front draws no frames.
TWO_FRAMES = """() => new Promise((done) => {
  setTimeout(done, 250);
  requestAnimationFrame(() => requestAnimationFrame(() => done(null)));
})"""
QUIET_ROUNDS = 3


class NoBrowser(Exception):
    """There is no browser here, and none could be installed."""


def find_browser() -> str:
    """Return the browser's program; install it where that is possible."""
    done = subprocess.run(
        ["sh", str(REPOSITORY / "tools" / "browser.sh")],
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    state, _, rest = done.stdout.strip().partition(" ")
    if state != "ready":
        raise NoBrowser(rest)
    return rest


@contextlib.contextmanager
def launched(program: str) -> Iterator[Browser]:
    """Run the browser; it finds no proxy and asks nobody but the page's own host."""
    kept: dict[str, str | float | bool]
    kept = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    flags = ["--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, env=kept, args=flags)
        yield browser
        browser.close()


@dataclass
class Watched:
    """A browser profile whose pages note every fault: errors, violations, foreign requests."""

    context: BrowserContext
    hosts: tuple[str, ...]
    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    # What has been asked for and not answered yet. The stream of news never ends.
    _open: set[Request] = field(default_factory=set)
    _allowed: list[re.Pattern[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.add_init_script(WATCH)
        self.context.on("request", self._request)
        self.context.on("requestfinished", self._ended)
        self.context.on("requestfailed", self._ended)
        self.context.on("console", self._said)
        self.context.on("weberror", lambda error: self.faults.append(f"error: {error.error}"))
        self.context.on("page", self._opened)

    def _opened(self, page: Page) -> None:
        page.on("dialog", self._asked)
        page.on("close", lambda _: self._open.clear())
        page.on("crash", lambda _: self.faults.append("the page crashed"))
        page.on("download", lambda one: self.faults.append(f"download: {one.url}"))

    def _asked(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _said(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "assert"):
            self.faults.append(f"console: {said.text} {said.location.get('url', '')}".strip())

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        self.requests.append(request.url)
        if parts.path != STREAM:
            self._open.add(request)
        if parts.scheme not in ("http", "https") or parts.hostname not in self.hosts:
            self.faults.append(f"request to another host: {request.url}")

    def _ended(self, request: Request) -> None:
        self._open.discard(request)

    def wait_until_quiet(self, page: Page) -> None:
        """Wait until everything asked for is there and drawn, and nothing more is asked for.

        An answer that is drawn may ask for more, such as the next rows of a list.
        """
        deadline = time.monotonic() + PATIENCE_MS / 1000
        quiet = 0
        while quiet < QUIET_ROUNDS:
            if time.monotonic() > deadline:
                raise AssertionError(f"still loading: {[one.url for one in self._open]}")
            page.evaluate(TWO_FRAMES)
            busy = self._open or page.locator("main .loading").count()
            quiet = 0 if busy else quiet + 1

    def new_page(self) -> Page:
        """Open a page, as a new tab of the same profile."""
        return self.context.new_page()

    def allow(self, pattern: str) -> None:
        """Expect a kind of fault, such as the refusal that a test is about."""
        self._allowed.append(re.compile(pattern))

    def wait_for(self, noted: str) -> None:
        """Wait until a fault is noted; the browser reports what happened a moment later."""
        page = self.context.pages[0]
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not any(noted in one for one in self.faults):
            if time.monotonic() > deadline:
                raise AssertionError(f"not noted: {noted}; but {self.faults}")
            page.wait_for_timeout(20)

    @property
    def unexpected(self) -> list[str]:
        """The faults that no test asked for."""
        return [one for one in self.faults if not any(rule.search(one) for rule in self._allowed)]


@contextlib.contextmanager
def watching(
    browser: Browser,
    *hosts: str,
    width: int = 1280,
    height: int = 800,
    dark: bool = False,
    reduced_motion: bool = True,
) -> Iterator[Watched]:
    """Open a profile of its own; what it noted can be read until the end."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce" if reduced_motion else "no-preference",
        locale="en-GB",
        timezone_id="UTC",
    )
    try:
        yield Watched(context, hosts)
    finally:
        context.close()
