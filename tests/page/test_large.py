"""A project with 10,000 memories and 100,000 events is shown like a small one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.page.large import EVENTS, FOLDERS, MEMORIES
from tests.page.visit import SCREENS, visiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.daemon.conftest import Machine
    from tests.page.visit import Visit
    from tests.page.world import Sample, World

pytestmark = pytest.mark.slow

MOST_NODES = 2_000


@pytest.fixture(scope="module")
def crowd(machine: Machine, large: Sample, place: Callable[[str], Path]) -> World:
    return large.copy(machine, place("large"))


@pytest.fixture
def visit(browser: Browser, crowd: World) -> Iterator[Visit]:
    with visiting(browser, crowd) as found:
        yield found


def test_every_screen_holds_few_elements(visit: Visit) -> None:
    for place in (*SCREENS, f"memory/project/{FOLDERS[0]}"):
        visit.open(place)
        count = visit.page.evaluate("() => document.querySelectorAll('*').length")
        assert count <= MOST_NODES, (place, count)


def test_any_event_has_its_address(visit: Visit) -> None:
    visit.open(f"ledger/{EVENTS * 7 // 9}")
    expect(visit.main.get_by_role("article").last).to_contain_text(f"{EVENTS * 7 // 9}")
    expect(visit.main).to_contain_text(f"{EVENTS:,}")


def test_any_memory_is_found_by_its_name(visit: Visit) -> None:
    visit.open("memory")
    expect(visit.main).to_contain_text(f"{MEMORIES:,}")
    visit.main.get_by_role("searchbox", name="Search memories").fill("memory_07777")
    visit.main.get_by_role("link", name="memory_07777").click()
    visit.settle()
    expect(visit.main.get_by_role("article").last).to_contain_text("memory_07777")
