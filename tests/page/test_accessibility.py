"""axe has nothing against any screen, in light and dark, on a phone and on a desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.page.axe import find_violations
from tests.page.visit import SCREENS, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from tests.page.world import World

pytestmark = pytest.mark.slow

# Besides the eight screens: what opens from them.
MORE = ("memory/project/auth/login_throttle.md", "rules/never-push-to-main")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(browser: Browser, world: World, width: int, dark: bool) -> None:
    found = {}
    with visiting(browser, world, width=width, dark=dark) as visit:
        for place in (*SCREENS, *MORE):
            visit.open(place)
            found[place] = find_violations(visit.page)
            overflow = visit.page.evaluate(
                "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert overflow <= 0, f"{place} is wider than the window"
    assert {place: faults for place, faults in found.items() if faults} == {}


def test_axe_finds_nothing_in_the_dialogs(browser: Browser, world: World) -> None:
    with visiting(browser, world) as visit:
        for keys in (["Control+k"], ["?"], ["p"]):
            visit.open("live")
            visit.press(*keys)
            dialog = visit.page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            assert find_violations(visit.page) == []
            visit.press("Escape")
            expect(dialog).to_have_count(0)


def test_twice_the_size_of_letters_still_fits(browser: Browser, world: World) -> None:
    # A window of 1280 px at 200 % is one of 640 px.
    with visiting(browser, world, width=640, height=400) as visit:
        for place in SCREENS:
            visit.open(place)
            overflow = visit.page.evaluate(
                "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert overflow <= 0, f"{place} is wider than the window"
