from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import pytest

from dmm.domain.memory import ID_PATTERN, Scope
from dmm.importer.memories import ImportPlan, propose, provenance, slug
from dmm.importer.notes import Note
from dmm.importer.sources import SourceRef

DAY = dt.date(2026, 1, 2)
Planner = Callable[..., ImportPlan]


def note(
    title: str, scope: Scope = Scope.PROJECT, *, words: int = 10, priority: float = 0.5
) -> Note:
    return Note(
        title=title,
        body=f"# {title}\n\n" + "word " * words,
        tags=("a", "b"),
        scope=scope,
        priority=priority,
        sources=(SourceRef("CLAUDE.md", 1, 3),),
        topic="testing",
    )


def count(text: str) -> int:
    return len(text.split())


def proposed(
    *notes: Note, ids: set[str] | None = None, paths: set[str] | None = None
) -> ImportPlan:
    return propose(
        notes,
        day=DAY,
        taken_ids=ids or set(),
        taken_paths=paths or set(),
        count=count,
        baseline_budget=100,
    )


def test_ids_and_paths_avoid_those_taken_whatever_their_case() -> None:
    plan = proposed(
        note("Unit tests"),
        note("Unit Tests!"),
        ids={"mem_2026_01_02_001"},
        paths={"project/testing/UNIT_tests.md"},
    )
    memories = [p.memory for p in plan.memories]
    assert [m.id for m in memories] == ["mem_2026_01_02_002", "mem_2026_01_02_003"]
    assert [m.path for m in memories] == [
        "project/testing/unit_tests_2.md",
        "project/testing/unit_tests_3.md",
    ]
    assert all(ID_PATTERN.fullmatch(m.id) for m in memories)


def test_the_baseline_takes_the_strongest_that_fit_and_the_rest_stay_important() -> None:
    plan = proposed(
        note("Weak", Scope.BASELINE, words=40, priority=0.8),
        note("Strong", Scope.BASELINE, words=60, priority=0.95),
        note("Small", Scope.BASELINE, words=10, priority=0.7),
    )
    assert [(p.memory.path, p.memory.priority) for p in plan.memories] == [
        ("project/testing/weak.md", 0.9),
        ("baseline/strong.md", 0.95),
        ("baseline/small.md", 0.7),
    ]
    assert plan.baseline_tokens == sum(p.tokens for p in plan.memories[1:]) <= 100


def test_the_body_ends_with_its_source_and_the_scope_is_the_directory() -> None:
    memory = proposed(note("Mocks")).memories[0].memory
    assert memory.body.endswith("word\n\nSource: CLAUDE.md:1-3")
    assert memory.directory == "project/testing"
    assert (memory.title, memory.created) == ("Mocks", DAY)


def test_a_size_above_the_recommended_one_is_remarked() -> None:
    plan = proposed(note("Small"), note("Right", words=400), note("Large", words=900))
    assert [p.warnings for p in plan.memories] == [
        (),
        (),
        ("904 tokens: more than the recommended 800",),
    ]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Don't panic: `make test`", "dont_panic_make_test"),
        ("Größe & Maß", "groe_ma"),
        ("../../etc/passwd", "etc_passwd"),
        ("con", "note_con"),
        ("日本語", ""),
        ("word " * 30, "word_word_word_word_word_word_word_word_word"),
    ],
)
def test_a_title_becomes_a_safe_file_name(title: str, name: str) -> None:
    assert slug(title) == name
    assert re.fullmatch(r"[a-z0-9_]{0,48}", slug(title))


def test_a_title_without_latin_letters_still_gets_a_file() -> None:
    assert proposed(note("日本語")).memories[0].memory.path == "project/testing/a_b.md"


def test_sources_are_named_shortly() -> None:
    refs = [
        SourceRef("CLAUDE.md", 3, 5),
        SourceRef("CLAUDE.md", 9, 9),
        SourceRef("AGENTS.md", 1, 2),
    ]
    assert provenance(refs) == "Source: CLAUDE.md:3-5,9, AGENTS.md:1-2"
    scattered = [SourceRef("CLAUDE.md", n, n) for n in range(10, 50, 2)]
    assert provenance(scattered) == "Source: CLAUDE.md:10-48"
    many = [SourceRef(f"{n}.md", 1, 1) for n in range(8)]
    assert provenance(many).endswith("5.md:1 and 2 more")


def test_an_import_of_nothing_plans_nothing(plan: Planner) -> None:
    assert plan() == ImportPlan(memories=())
    assert plan(("CLAUDE.md", "")).memories == ()
    assert plan(("CLAUDE.md", "\ufeff---\n\n<!-- x -->\n")).memories == ()


def test_the_plan_says_what_the_monolith_costs(plan: Planner, count: Callable[[str], int]) -> None:
    text = "# Shop\n\n## Tests\n\n- Use factories for every model.\n"
    assert plan(("CLAUDE.md", text)).monolith_tokens == count(text)


def test_the_same_sources_give_the_same_plan(plan: Planner, realistic: list[object]) -> None:
    assert plan(*realistic) == plan(*realistic)
