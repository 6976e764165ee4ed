"""Hostile words are shown as words: no script runs, nothing is loaded, all of it can be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.conftest import Project, git
from tests.page.hostile import WRITTEN, Placed, expected, memory_path, session_of, sow
from tests.page.visit import Visit, visiting
from tests.page.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser

LEAST = 200


@pytest.fixture(scope="module")
def garden(world: World) -> tuple[World, list[Placed]]:
    """A project full of hostile words."""
    project = Project(world.project.folder.parent / "hostile")
    project.memory.mkdir(parents=True)
    git(project.folder, "init", "--quiet")
    found = World(world.machine, project)
    return found, sow(found)


@pytest.fixture
def visit(browser: Browser, garden: tuple[World, list[Placed]]) -> Iterator[Visit]:
    with visiting(browser, garden[0]) as found:
        found.choose("hostile")
        yield found
        assert found.page.evaluate("() => window.ran") is None


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


def unseen(place: Locator, planted: list[Placed]) -> list[str]:
    """List the texts of which a reader does not see everything."""
    shown = squeeze(place.inner_text())
    return [
        f"{one.place}: {one.text.name}"
        for one in planted
        if not all(squeeze(part) in shown for part in (one.mark, *expected(one)))
    ]


def test_there_are_two_hundred(garden: tuple[World, list[Placed]]) -> None:
    assert len(garden[1]) == LEAST
    assert len({one.mark for one in garden[1]}) == LEAST


@pytest.mark.parametrize("kind", WRITTEN)
def test_memories(visit: Visit, garden: tuple[World, list[Placed]], kind: str) -> None:
    missed = []
    for one in garden[1]:
        if one.place == kind:
            visit.open_memory(memory_path(one))
            article = visit.main.get_by_role("article")
            expect(article).to_contain_text(one.mark)
            missed += unseen(article, [one])
    assert missed == []


@pytest.mark.parametrize("kind", ["prompt", "command", "file", "output"])
def test_prompts_and_calls(visit: Visit, garden: tuple[World, list[Placed]], kind: str) -> None:
    world, planted = garden
    wanted = [one for one in planted if one.place == kind]
    visit.open(f"session/{session_of(kind)}")
    expect(visit.main.get_by_role("article")).to_contain_text(wanted[0].mark)
    if kind != "output":
        assert unseen(visit.main.get_by_role("article"), wanted) == []
        return
    missed = []
    events = {one["payload"]["call"]: one["seq"] for one in world.events("ToolUsed")}
    numbers = {one.mark: number for number, one in enumerate(planted)}
    for one in wanted:
        visit.open(f"ledger/{events[f'toolu_{numbers[one.mark]:020d}']}")
        article = visit.main.get_by_role("article").last
        expect(article).to_contain_text(one.mark)
        missed += unseen(article, [one])
    assert missed == []


def test_lists_search_and_palette(visit: Visit) -> None:
    for place in ("live", "ledger", "memory/project/hostile", "health"):
        visit.open(place)
    visit.open("memory")
    visit.main.get_by_role("searchbox", name="Search memories").fill("hostile")
    expect(visit.main).to_contain_text("<script>")
    visit.press("Control+k")
    visit.page.keyboard.type("<img")
    expect(visit.page.get_by_role("option").first).to_contain_text("<img")
