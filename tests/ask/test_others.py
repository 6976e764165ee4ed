"""Places that are read but not quoted are named, one for each file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.ask.test_asking import fill

from dmm.ask.render import OTHERS_HEAD
from dmm.domain.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

QUESTION = "Where is the tide of a berth computed?"
MOST_QUOTED = 12


@pytest.fixture
def harbour(project: Project, open_project: Opener) -> Dmm:
    """Open a project with more files about tides than a prompt quotes."""
    files = {
        f"src/berth{at}.py": (
            f"def tide_{at}(berth):\n"
            f'    """Compute the tide of berth {at}."""\n'
            f"    level = berth.level\n    return level * {at}\n"
        )
        for at in range(20)
    }
    tests = {
        f"tests/test_berth{at}.py": f"def test_tide_{at}():\n    assert tide_{at}(berth)\n"
        for at in range(8)
    }
    return open_project(fill(project, files | tests))


def test_places_beyond_the_quoted_ones_are_listed_with_name_and_comment(harbour: Dmm) -> None:
    told: dict[str, Any] = to_plain(harbour.asking.ask(QUESTION))
    prompt = told["suggested_prompt"]
    quoted = [one["path"] for one in told["repo_context"]]
    assert len(quoted) == MOST_QUOTED
    assert not [one for one in quoted if one.startswith("tests/")]
    lines = prompt[prompt.index(OTHERS_HEAD) + len(OTHERS_HEAD) :].splitlines()
    code = [one for one in lines if one.startswith("- src/")]
    assert len(code) == 20 - MOST_QUOTED
    assert all(": Compute the tide of berth" in one for one in code)
    assert sum(one.startswith("- tests/") for one in lines) == 5
    listed = [one["cite"].partition(":")[0] for one in told["prompt_plan"]["others"]]
    assert not set(listed) & set(quoted)
    assert len(set(listed)) == len(listed) == len(lines)


def test_what_has_no_room_is_listed_before_what_is_farther(harbour: Dmm) -> None:
    told: dict[str, Any] = to_plain(harbour.asking.ask(QUESTION, budget=800))
    nearest = [one["cite"].partition("@")[0] for one in told["repo_context"]]
    left = [one for one in nearest if f"[{one}@" not in told["suggested_prompt"]]
    assert left
    listed = told["suggested_prompt"].partition(OTHERS_HEAD)[2].splitlines()
    assert [one.split()[1] for one in listed[: len(left)]] == left
    assert len(told["prompt_plan"]["others"]) == len(listed)


@pytest.mark.parametrize("budget", [20, 40, 60])
def test_without_room_for_evidence_nothing_is_listed(harbour: Dmm, budget: int) -> None:
    long = "how is the tide of a berth computed " + "and of each of the others " * 20
    assert OTHERS_HEAD not in harbour.asking.ask(QUESTION, budget=budget).prompt
    assert OTHERS_HEAD not in harbour.asking.ask(long, budget=budget * 3).prompt


def test_the_short_answer_goes_on_with_the_nearest_of_them(harbour: Dmm) -> None:
    answer: dict[str, Any] = to_plain(harbour.asking.ask(QUESTION))["answer"]
    assert len(answer["points"]) == 3
    assert [one["cite"] for one in answer["see_also"]] == answer["more"]
    assert len(answer["more"]) == 9
    assert all("Compute the tide" in one["text"] for one in answer["see_also"])


@pytest.mark.parametrize("budget", range(700, 1_700, 100))
def test_what_is_listed_counts_against_the_budget(
    harbour: Dmm, count: Callable[[str], int], budget: int
) -> None:
    told: dict[str, Any] = to_plain(harbour.asking.ask(QUESTION, budget=budget))
    metrics, total = told["prompt_metrics"], count(told["suggested_prompt"])
    assert total == metrics["total"] <= budget
    assert total == sum(metrics["parts"].values()) + sum(metrics["evidence"].values())
    assert ("others" in metrics["parts"]) == (OTHERS_HEAD in told["suggested_prompt"])
