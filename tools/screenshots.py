"""Make pictures of all screens of the page, light and dark: `make screenshots`.

A sample project is built and worked in as the tests do it; the pictures lie in .screenshots.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.browser import NoBrowser, find_browser, launched
from tests.page.visit import SCREENS, visiting
from tests.page.world import PROMPTS, living

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from tests.page.visit import Visit
    from tests.page.world import World

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".screenshots"
SIZES = {"wide": (1280, 800), "phone": (390, 844)}


def main() -> int:
    """Make all pictures, or those whose names hold a word."""
    parser = argparse.ArgumentParser(prog="screenshots", description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of names; all by default")
    parser.add_argument("--into", type=Path, default=FOLDER, help="folder for the pictures")
    given = parser.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    (given.into / ".gitignore").write_text("*\n")
    try:
        program = find_browser()
    except NoBrowser as error:
        print(f"screenshots: no browser here: {error}", file=sys.stderr)
        return 1
    with (
        tempfile.TemporaryDirectory(prefix="dmm-shots-") as folder,
        living(Path(folder)) as world,
        launched(program) as browser,
    ):
        for size in SIZES:
            for dark in (False, True):
                _take(browser, world, size, dark, given.into, given.words)
    return 0


def _take(
    browser: Browser, world: World, size: str, dark: bool, into: Path, words: list[str]
) -> None:
    width, height = SIZES[size]
    shade = "dark" if dark else "light"
    with visiting(browser, world, width=width, height=height, dark=dark) as visit:
        for name, place in _places(world).items():
            file = into / f"{name}-{shade}-{size}.png"
            if words and not any(word in file.name for word in words):
                continue
            visit.open(place)
            _prepare(visit, name)
            visit.page.screenshot(path=file, animations="disabled")
            print(file, flush=True)


def _places(world: World) -> dict[str, str]:
    """Name what is shown: the eight screens as they open, and what lies within them."""
    pack = next(
        one["seq"] for one in world.events("PackServed") if one["payload"]["task"] == PROMPTS[2]
    )
    blocked = next(one for one in world.events("ToolRequested") if "terraform" in str(one))
    return {name: name for name in SCREENS} | {
        "session": f"session/{blocked['session']}",
        "pack": f"pack/{pack}",
        "proposal": f"review/{world.ids['project/payments/retry_wait.md']}",
        "memory-one": "memory/project/auth/login_throttle.md",
        "event": f"ledger/{blocked['seq']}",
        "rule": "rules/never-push-to-main",
        "rules-try": "rules",
        "answer": "ask?q=how%20long%20do%20sessions%20live",
    }


def _prepare(visit: Visit, name: str) -> None:
    if name == "rules-try":
        visit.main.get_by_role("textbox", name="Command").fill("git push origin main")
        visit.main.get_by_role("button", name="Check").click()
        visit.main.get_by_role("status").get_by_text("never-push-to-main").first.wait_for()
    visit.settle()


if __name__ == "__main__":
    sys.exit(main())
