"""The browser and the projects that the tests of the page share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.page.browser import NoBrowser, find_browser, launched
from tests.page.visit import visiting
from tests.page.world import living

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
    from tests.page.visit import Visit
    from tests.page.world import World


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium; where none can be had, tests skip, unless DMM_BROWSER says it must be."""
    try:
        program = find_browser()
    except NoBrowser as error:
        if os.environ.get("DMM_BROWSER") == "required":
            raise
        pytest.skip(f"no browser here: {error}")
    with launched(program) as running:
        yield running


@pytest.fixture(scope="session")
def world(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A machine with a project that was worked in; tests add to it and leave it usable."""
    with living(tmp_path_factory.mktemp("world")) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, world: World) -> Iterator[Visit]:
    """A signed-in page, at the end of which nothing unexpected may have happened."""
    with visiting(browser, world) as found:
        yield found
