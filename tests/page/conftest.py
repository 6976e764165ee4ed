"""The browser and the projects of the tests of the page.

Projects are built once in a run and copied. `world` is shared and only looked at. A test that
changes something takes a copy (`own`); one that ends the daemon or adds a passkey, a machine of
its own (`alone`).
"""

from __future__ import annotations

import fcntl
import os
from itertools import count
from typing import TYPE_CHECKING

import pytest
from tests.page.browser import NoBrowser, find_browser, launched
from tests.page.hostile import build_hostile
from tests.page.large import build_large
from tests.page.visit import visiting
from tests.page.world import Sample, build, running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.daemon.conftest import Machine
    from tests.page.visit import Visit
    from tests.page.world import World

    Once = Callable[[str, Callable[[Path], object]], Path]


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
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Build something once in a run, in whichever of its processes comes first."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent

    def make(name: str, build: Callable[[Path], object]) -> Path:
        folder, done = base / "page" / name, base / "page" / f"{name}.done"
        folder.parent.mkdir(exist_ok=True)
        with (base / "page" / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                build(folder)
                done.touch()
        return folder

    return make


@pytest.fixture(scope="session")
def plain(once: Once) -> Sample:
    """A project as its user has written it, in which no agent has worked."""
    return Sample.read(once("sample", build) / "plain")


@pytest.fixture(scope="session")
def worked(once: Once) -> Sample:
    """A project in which agents have worked."""
    return Sample.read(once("sample", build) / "worked")


@pytest.fixture(scope="session")
def hostile(once: Once) -> Sample:
    """A project full of hostile words."""
    return Sample.read(once("hostile", build_hostile) / "hostile")


@pytest.fixture(scope="session")
def large(once: Once) -> Sample:
    """A project with 10,000 memories and 100,000 events."""
    return Sample.read(once("large", build_large) / "large")


@pytest.fixture(scope="session")
def machine(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A user's machine with a daemon that no test ends."""
    with running(tmp_path_factory.mktemp("machine")) as found:
        yield found


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Name places for projects, each in a folder of its own."""
    base, numbers = tmp_path_factory.mktemp("projects"), count()
    return lambda name: base / str(next(numbers)) / name


@pytest.fixture(scope="session")
def world(machine: Machine, worked: Sample, place: Callable[[str], Path]) -> World:
    """A project in which agents have worked, shared by all that only look at it."""
    return worked.copy(machine, place("lantern"))


@pytest.fixture
def visit(browser: Browser, world: World) -> Iterator[Visit]:
    """A signed-in page that only looks; at the end nothing unexpected may have happened."""
    with visiting(browser, world) as found:
        yield found


@pytest.fixture
def own(
    browser: Browser, machine: Machine, worked: Sample, place: Callable[[str], Path]
) -> Iterator[Visit]:
    """A signed-in page of a project that belongs to one test alone."""
    world = worked.copy(machine, place("lantern"))
    with visiting(browser, world) as found:
        yield found
    world.leave()


@pytest.fixture
def alone(browser: Browser, worked: Sample, tmp_path: Path) -> Iterator[World]:
    """A machine and a project on it that belong to one test alone."""
    with running(tmp_path) as machine:
        yield worked.copy(machine, tmp_path / "lantern")
