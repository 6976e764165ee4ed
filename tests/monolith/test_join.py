from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dmm.domain.memory import Confidence, Memory, Scope, Status
from dmm.monolith.join import join
from dmm.monolith.memories import ImportPlan

if TYPE_CHECKING:
    from dmm.monolith.sources import Source

Planner = Callable[..., ImportPlan]


def memory(path: str, body: str, **changes: Any) -> Memory:
    made = Memory(
        id="mem_2026_01_02_001",
        path=path,
        title=body.partition("\n")[0].removeprefix("# "),
        body=body,
        tags=("a", "error handling"),
        scope=Scope(path.partition("/")[0]),
        priority=0.5,
        confidence=Confidence.STABLE,
        status=Status.ACTIVE,
    )
    return replace(made, **changes)


TESTS = memory(
    "project/testing/tests.md", "# Tests\n\nUse factories.\n\n## Why\n\nThey are short.\n"
)
RULES = memory("baseline/rules.md", "Rules\n=====\n\n- Never push to main.\n")


def test_memories_are_joined_by_scope_with_their_headings_below_it() -> None:
    assert join([TESTS, RULES], title="Shop") == (
        "# Shop\n\n"
        "## Baseline\n\n"
        "### Rules\n"
        "<!-- dmm memory: baseline/rules.md scope=baseline tags=a,error%20handling priority=0.5"
        " confidence=stable status=active -->\n\n"
        "- Never push to main.\n\n"
        "## Project\n\n"
        "### Tests\n"
        "<!-- dmm memory: project/testing/tests.md scope=project tags=a,error%20handling"
        " priority=0.5 confidence=stable status=active -->\n\n"
        "Use factories.\n\n#### Why\n\nThey are short.\n"
    )


def test_deprecated_memories_are_left_out_unless_asked_for() -> None:
    old = replace(TESTS, status=Status.DEPRECATED)
    assert join([old], title="Shop") == "# Shop\n"
    assert "## Deprecated\n\n### Tests\n" in join([old], title="Shop", include_deprecated=True)


def test_a_body_without_a_title_gets_the_one_it_is_known_by() -> None:
    bare = memory("agent/a.md", "Be short.\n", title="Tone")
    assert "### Tone\n<!--" in join([bare], title="Shop")


def test_an_exported_file_is_imported_as_the_same_memories(plan: Planner) -> None:
    soon = memory(
        "ephemeral/now.md",
        "# Now\n\n```\n# code\n```\n",
        expires=dt.date(2026, 2, 1),
        confidence=Confidence.EXPERIMENTAL,
    )
    given = [RULES, TESTS, soon]
    back = [p.memory for p in plan(("EXPORT.md", join(given, title="Shop"))).memories]
    assert [replace(m, id=TESTS.id, created=None) for m in back] == [
        replace(RULES, body="# Rules\n\n- Never push to main.\n"),
        TESTS,
        soon,
    ]


def test_a_deprecated_memory_of_an_exported_file_is_not_revived(plan: Planner) -> None:
    old = replace(TESTS, status=Status.DEPRECATED)
    result = plan(("EXPORT.md", join([old], title="Shop", include_deprecated=True)))
    assert result.memories == ()
    assert {s.reason for s in result.skipped} == {"deprecated memory"}


def test_export_and_import_again_do_not_grow(plan: Planner, realistic: Sequence[Source]) -> None:
    first = [p.memory for p in plan(*realistic).memories]
    second = [p.memory for p in plan(("EXPORT.md", join(first, title="All"))).memories]
    third = [p.memory for p in plan(("EXPORT.md", join(second, title="All"))).memories]
    by_path = {m.path: m for m in second}
    assert len(second) == len(first)
    for one in first:
        again = by_path[one.path]
        assert replace(again, id=one.id) == one
    assert join(third, title="All") == join(second, title="All")


def test_a_mark_changed_by_hand_is_an_ordinary_comment(plan: Planner) -> None:
    text = join([TESTS], title="Shop").replace("priority=0.5", "priority=nan")
    (planned,) = plan(("EXPORT.md", text)).memories
    assert planned.memory.confidence is Confidence.ACTIVE
    assert planned.memory.path.startswith("project/testing/")
