from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from dmm.importer.memories import ImportPlan

if TYPE_CHECKING:
    from dmm.importer.sources import Source

Planner = Callable[..., ImportPlan]


def conflicts(plan: Planner, one: str, other: str) -> list[tuple[str, ...]]:
    found = plan(
        ("CLAUDE.md", f"# Shop\n\n## Testing\n\n- Use factories.\n- {one}\n"),
        ("AGENTS.md", f"# Shop\n\n## Testing\n\n- {other}\n"),
        budget=0,
    ).conflicts
    return [(str(c.one), str(c.other), *c.memories) for c in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Each test finishes within 2 s.", "Each test finishes within 5 s."),
        ("Mock the clock.", "Never mock the clock."),
        ("Run slow tests first. Patch the mailer.", "Don't patch the mailer."),
    ],
    ids=["number", "polarity", "sentence"],
)
def test_rules_that_may_contradict_each_other_are_named(
    plan: Planner, one: str, other: str
) -> None:
    assert conflicts(plan, one, other) == [
        ("CLAUDE.md:6", "AGENTS.md:5", "project/testing/testing.md")
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Retry an upload 3 times.", "Retry a download 5 times."),
        ("Mock the clock.", "Never mock the database."),
        ("Wait 5 s for `api`.", "Wait 9 s for `worker`."),
    ],
)
def test_rules_about_different_things_are_no_conflict(plan: Planner, one: str, other: str) -> None:
    assert conflicts(plan, one, other) == []


def test_one_file_does_not_contradict_itself(plan: Planner) -> None:
    text = "# Shop\n\n## Testing\n\n- Wait 5 s for the test.\n- Wait 9 s for the test.\n"
    assert plan(("CLAUDE.md", text)).conflicts == ()


def test_the_conflicts_of_realistic_files_are_found_within_and_between_memories(
    plan: Planner, realistic: Sequence[Source]
) -> None:
    found = plan(*realistic, budget=0).conflicts
    assert [(str(c.one), str(c.other), c.memories) for c in found] == [
        ("CLAUDE.md:76", "AGENTS.md:18", ("project/testing/testing.md",)),
        (
            "CLAUDE.md:109-110",
            "AGENTS.md:40-41",
            ("project/errors/error_handling.md", "project/errors/errors.md"),
        ),
    ]
