"""The page in a real browser: `python -m bench.page_browser [--json FILE]`; needs Chromium.

A project with 10,000 memories and 100,000 events against an empty one: the time until rows are
there as a ratio, the heap, any event by its number, bytes over the wire, requests to other hosts,
and how soon a killed daemon is noticed.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import signal
import statistics
import tempfile
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.page.browser import find_browser, launched
from tests.page.large import EVENTS, MEMORIES, make_large
from tests.page.visit import visiting
from tests.page.world import World, build_plain, running

from bench import report
from bench.report import Measure, Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

ROUNDS = 7
# What a daemon counts once for each ledger; the first visit would pay for it.
WARM = ("/v1/memories", "/v1/ledger/histogram", "/v1/ledger/events?last=1", "/v1/sessions")
FIRST = ("index.html", "app.js", "app.css", "chunk.js", "favicon.svg")
SCRIPTS, STYLES, LATER, WHOLE = 45.0, 12.0, 30.0, 300.0
# Measured by the page's own clock, a frame at a time: milliseconds since the load began until
# nothing of a screen is loading, and from a new address until its event is there.
ROWS = """() => new Promise((done) => {
  const look = () => document.querySelector("main :is(h1, h2)")
    && !document.querySelector(".loading") ? done(performance.now()) : requestAnimationFrame(look);
  look();
})"""
JUMP = """(seq) => new Promise((done) => {
  const begun = performance.now();
  location.hash = `#/ledger/${seq}`;
  const look = () => document.querySelector("main article")?.textContent.includes(seq)
    ? done(performance.now() - begun) : requestAnimationFrame(look);
  look();
})"""


def measure(memories: int = MEMORIES, events: int = EVENTS) -> Part:
    """Measure both projects in turns, so that a busy machine slows both."""
    with (
        tempfile.TemporaryDirectory(prefix="dmm-page-") as folder,
        running(Path(folder)) as machine,
        launched(find_browser()) as browser,
    ):
        home = machine.home
        world = build_plain(Path(folder) / "built").copy(machine, Path(folder) / "lantern")
        projects = {
            "empty": make_large(Path(folder) / "empty", home, 0, 0),
            "large": make_large(Path(folder) / "large", home, memories, events),
        }
        worlds = {name: World(machine, one) for name, one in projects.items()}
        for one in worlds.values():
            for path in WARM:
                one.ask("GET", path)
        measures = [*_weigh(), *_rows(browser, worlds), *_inside(browser, worlds["large"], events)]
        measures.append(_kill(browser, world))
    remark = f"Large: {memories:,} memories and {events:,} events. Medians of {ROUNDS} rounds."
    return Part("The page in Chromium", tuple(measures), remark)


def _weigh() -> Iterator[Measure]:
    """Count the bytes of the files as they would be sent, compressed."""
    folder = resources.files("dmm.web").joinpath("static")
    sizes = {
        one.name: len(gzip.compress(one.read_bytes(), 9)) / 1024
        for one in folder.iterdir()
        if one.is_file()
    }
    first = sum(size for name, size in sizes.items() if name in FIRST and name.endswith(".js"))
    styles = sum(size for name, size in sizes.items() if name.endswith(".css"))
    later = max((s for n, s in sizes.items() if n.endswith(".js") and n not in FIRST), default=0)
    whole = sum(one.read_bytes().__len__() for one in folder.iterdir() if one.is_file()) / 1024
    yield Measure("scripts of the first load, KB gzipped", first, SCRIPTS, at_most=True)
    yield Measure("styles, KB gzipped", styles, STYLES, at_most=True)
    yield Measure("largest part loaded later, KB gzipped", later, LATER, at_most=True)
    yield Measure("all files in the wheel, KB", whole, WHOLE, at_most=True)


def _rows(browser: Browser, worlds: dict[str, World]) -> Iterator[Measure]:
    """Time a load until the rows of a screen are there; the projects take turns."""
    for screen in ("live", "memory", "ledger"):
        taken: dict[str, list[float]] = {name: [] for name in worlds}
        with contextlib.ExitStack() as stack:
            visits = {
                name: stack.enter_context(visiting(browser, one)) for name, one in worlds.items()
            }
            for name, visit in visits.items():
                visit.choose(name)
                visit.open(screen)
            for _ in range(ROUNDS):
                for name, visit in visits.items():
                    visit.page.reload(wait_until="commit")
                    taken[name].append(visit.page.evaluate(ROWS))
        empty, large = (statistics.median(taken[name]) for name in ("empty", "large"))
        beside = {"empty, ms": empty, "large, ms": large}
        name = f"rows on {screen}, large over empty"
        yield Measure(name, large / empty, 1.3, at_most=True, digits=2, beside=beside)


def _inside(browser: Browser, large: World, events: int) -> Iterator[Measure]:
    """Look at the large project from within the page."""
    with visiting(browser, large) as visit:
        visit.choose("large")
        jumps = []
        for number in range(ROUNDS):
            seq = events * (number + 1) // (ROUNDS + 1)
            jumps.append(visit.page.evaluate(JUMP, str(seq)))
        for screen in ("live", "memory", "ledger", "rules", "health"):
            visit.open(screen)
        link = visit.watched.context.new_cdp_session(visit.page)
        link.send("HeapProfiler.collectGarbage")
        heap = link.send("Runtime.getHeapUsage")["usedSize"] / (1 << 20)
        nodes = visit.page.evaluate("() => document.querySelectorAll('*').length")
        others = [one for one in visit.watched.faults if "another host" in one]
        asked = len(visit.watched.requests)
    yield Measure("any event by its number, ms", statistics.median(jumps), 200, at_most=True)
    yield Measure("heap after five screens, MB", heap, 30, at_most=True)
    yield Measure("elements of the last screen", float(nodes), 2_000, at_most=True, digits=0)
    note = f"of {asked} requests"
    yield Measure("requests to other hosts", float(len(others)), 0, True, 0, note=note)


def _kill(browser: Browser, world: World) -> Measure:
    with visiting(browser, world) as visit:
        visit.watched.allow("ERR_")
        visit.open("live")
        os.kill(world.machine.about["pid"], signal.SIGKILL)
        begun = time.perf_counter()
        expect(visit.page.get_by_text("Lost connection to the daemon").first).to_be_visible()
        told = time.perf_counter() - begun
        while world.machine.pids():
            time.sleep(0.02)
        world.machine.start()
        expect(visit.page.get_by_text("Lost connection to the daemon")).to_have_count(0)
    return Measure("a killed daemon is noticed after, s", told, 2, at_most=True, digits=2)


def main() -> None:
    """Measure, print a table, and write the figures as JSON if a file is named."""
    parser = argparse.ArgumentParser(prog="page_browser", description=__doc__)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--memories", type=int, default=MEMORIES)
    parser.add_argument("--events", type=int, default=EVENTS)
    given = parser.parse_args()
    machine = report.describe_machine()
    part = measure(given.memories, given.events)
    print(report.render(part))
    print(report.footer(machine))
    if given.json is not None:
        given.json.write_text(json.dumps(report.as_dict([part], machine), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
