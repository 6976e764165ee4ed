"""The browser that the tests of the page share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.page.browser import NoBrowser, find_browser, launched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


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
