"""Hostile words are shown as words: no script runs, nothing is loaded, all of it can be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.page.hostile import WRITTEN, Placed, expected, memory_path, session_of, table
from tests.page.visit import Visit, visiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator
    from tests.daemon.conftest import Machine
    from tests.page.world import Sample, World

pytestmark = pytest.mark.slow

LEAST = 200


PLANTED = list(table())


@pytest.fixture(scope="module")
def garden(machine: Machine, hostile: Sample, place: Callable[[str], Path]) -> World:
    return hostile.copy(machine, place("hostile"))


@pytest.fixture
def visit(browser: Browser, garden: World) -> Iterator[Visit]:
    with visiting(browser, garden) as found:
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


def test_there_are_two_hundred() -> None:
    assert len(PLANTED) == LEAST
    assert len({one.mark for one in PLANTED}) == LEAST


@pytest.mark.parametrize("kind", WRITTEN)
def test_memories(visit: Visit, kind: str) -> None:
    missed = []
    for one in PLANTED:
        if one.place == kind:
            visit.open_memory(memory_path(one))
            article = visit.main.get_by_role("article")
            expect(article).to_contain_text(one.mark)
            missed += unseen(article, [one])
    assert missed == []


@pytest.mark.parametrize("kind", ["prompt", "command", "file", "output"])
def test_prompts_and_calls(visit: Visit, kind: str) -> None:
    wanted = [one for one in PLANTED if one.place == kind]
    visit.open(f"session/{session_of(kind)}")
    expect(visit.main.get_by_role("article")).to_contain_text(wanted[0].mark)
    if kind != "output":
        assert unseen(visit.main.get_by_role("article"), wanted) == []
        return
    missed = []
    events = {one["payload"]["call"]: one["seq"] for one in visit.world.events("ToolUsed")}
    numbers = {one.mark: number for number, one in enumerate(PLANTED)}
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
