from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import pytest

from dmm.domain.memory import Citation, Confidence, Memory, Scope, Status
from dmm.importer.join import join
from dmm.importer.memories import ImportPlan
from dmm.importer.plan import plan_import
from dmm.importer.sources import Source

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


TESTS = memory("project/testing/tests.md", "# Tests\n\nUse factories.\n\n## Why\n\nThey are short.")
RULES = memory("baseline/rules.md", "Rules\n=====\n\n- Never push to main.\n")


def test_memories_are_joined_by_scope_with_their_headings_below_it() -> None:
    assert join([TESTS, RULES], title="Shop") == (
        "# Shop\n\n"
        "## Baseline\n\n"
        "### Rules\n"
        "<!-- dmm memory: baseline/rules.md id=mem_2026_01_02_001 scope=baseline"
        " tags=a,error%20handling priority=0.5 confidence=stable status=active -->\n\n"
        "- Never push to main.\n\n"
        "## Project\n\n"
        "### Tests\n"
        "<!-- dmm memory: project/testing/tests.md id=mem_2026_01_02_001 scope=project"
        " tags=a,error%20handling priority=0.5 confidence=stable status=active -->\n\n"
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
        "# Now\n\n```\n# code\n```",
        expires=dt.date(2026, 2, 1),
        confidence=Confidence.EXPERIMENTAL,
    )
    given = [RULES, TESTS, soon]
    back = [p.memory for p in plan(("EXPORT.md", join(given, title="Shop"))).memories]
    assert [replace(m, id=TESTS.id, created=None) for m in back] == [
        replace(RULES, body="# Rules\n\n- Never push to main."),
        TESTS,
        soon,
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"status": Status.DEPRECATED},
        {"confidence": Confidence.DEPRECATED},
        {"path": "deprecated/testing/tests.md"},
        {"path": "deprecated/tests.md", "status": Status.DEPRECATED, "scope": Scope.BASELINE},
    ],
)
def test_a_deprecated_memory_comes_back_deprecated(plan: Planner, changes: dict[str, Any]) -> None:
    old = replace(TESTS, **changes)
    text = join([old], title="Shop", include_deprecated=True)
    other = ("CLAUDE.md", "# A\n\n## Tests\n\nFactories make the models.\n")
    result = plan(("EXPORT.md", text), other)
    assert result.memories[0].memory == old
    assert [p.memory.in_force for p in result.memories] == [False, True]
    assert result.baseline_tokens == 0


def test_a_deprecated_memory_of_an_odd_name_is_not_revived(plan: Planner) -> None:
    old = replace(TESTS, path="deprecated/Old Tests.md")
    text = join([old], title="Shop", include_deprecated=True)
    (planned,) = plan(("EXPORT.md", text)).memories
    assert planned.memory == replace(old, path="deprecated/tests.md")


def test_every_field_that_a_person_writes_survives(plan: Planner) -> None:
    full = replace(
        TESTS,
        created=dt.date(2025, 12, 24),
        expires=dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC),
        aliases=("unit tests", "a,b;c=d -->"),
        related=("mem_2026_01_02_002",),
        supersedes=("mem_2026_01_02_002", "mem_2020_01_01_001"),
        cites=(Citation("src/a b.py", "run", (3, 9), "ab12"), Citation("Makefile")),
        paths=("src/**/*.py", "a b.md"),
    )
    unsaid = {one.name for one in fields(Memory) if getattr(full, one.name) == one.default}
    assert unsaid == {"last_used", "usage_count"}
    other = replace(RULES, id="mem_2026_01_02_002", body="# Rules\n\n- Never push to main.")
    back = [p.memory for p in plan(("EXPORT.md", join([full, other], title="Shop"))).memories]
    assert back == [other, replace(full, supersedes=("mem_2026_01_02_002",))]


def test_links_follow_an_id_that_had_to_change(count: Callable[[str], int]) -> None:
    one = replace(TESTS, related=("mem_2026_01_02_002",))
    two = replace(RULES, id="mem_2026_01_02_002")
    source = Source("EXPORT.md", join([one, two], title="Shop"))
    day = dt.date(2026, 1, 2)
    result = plan_import(
        [source], count=count, day=day, taken_ids={"mem_2026_01_02_002"}, taken_paths=set()
    )
    assert [(p.memory.id, p.memory.related) for p in result.memories] == [
        ("mem_2026_01_02_003", ()),
        ("mem_2026_01_02_001", ("mem_2026_01_02_003",)),
    ]


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
