from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from dmm.domain.memory import Memory, Scope
from dmm.importer.memories import ImportPlan
from dmm.importer.notes import HARD_LIMIT, WANTED_TOKENS

if TYPE_CHECKING:
    from dmm.importer.sources import Source

Planner = Callable[..., ImportPlan]
FILLER = "The vessel leaves the harbour at noon and the crane waits for the next container. "


def titles(plan: ImportPlan) -> list[str]:
    return [planned.memory.title for planned in plan.memories]


def only(plan: ImportPlan) -> Memory:
    (planned,) = plan.memories
    return planned.memory


def find(plan: ImportPlan, title: str) -> Memory:
    return next(p.memory for p in plan.memories if p.memory.title == title)


def test_a_section_of_wanted_size_is_one_memory_with_its_headings_rebased(plan: Planner) -> None:
    cranes = f"## Cranes\n\n{FILLER * 5}\n\n### Speed\n\nTen knots.\n\n"
    text = f"# Shop\n\n{cranes}## Ships\n\n{FILLER * 6}\n"
    result = plan(("CLAUDE.md", text))
    assert titles(result) == ["Cranes", "Ships"]
    assert result.memories[0].memory.body == (
        f"# Cranes\n\n{FILLER * 5}\n\n## Speed\n\nTen knots.\n\nSource: CLAUDE.md:5-9"
    )


def test_a_large_section_is_cut_at_its_subheadings(plan: Planner) -> None:
    parts = "".join(f"### Crane {n}\n\n{FILLER * 25}\n\n" for n in range(3))
    result = plan(("CLAUDE.md", f"# Shop\n\n## Cranes\n\n{parts}"))
    assert titles(result) == ["Crane 0", "Crane 1", "Crane 2"]


def test_a_section_without_subheadings_is_cut_between_paragraphs(plan: Planner) -> None:
    paragraphs = "\n\n".join(f"Day {n}: {FILLER * 8}" for n in range(9))
    result = plan(("CLAUDE.md", f"# Shop\n\n## Cranes\n\n{paragraphs}\n"))
    assert titles(result) == ["Cranes", "Cranes (part 2)"]
    assert all(planned.tokens <= WANTED_TOKENS for planned in result.memories)


def test_an_intro_stays_with_its_list_and_code_with_its_paragraph(plan: Planner) -> None:
    paragraphs = "\n\n".join(f"Day {n}: {FILLER * 10}" for n in range(4))
    tail = "Start the crane with:\n\n```bash\ncrane up\n```\n\nMind these:\n\n- wind\n- ice\n"
    result = plan(("CLAUDE.md", f"# Shop\n\n## Cranes\n\n{paragraphs}\n\n{FILLER * 4}\n\n{tail}"))
    bodies = [planned.memory.body for planned in result.memories]
    assert sum("Start the crane with:\n\n```bash\ncrane up\n```" in body for body in bodies) == 1
    assert sum("Mind these:\n\n- wind\n- ice" in body for body in bodies) == 1


def test_a_vague_heading_takes_the_one_above_into_its_title(plan: Planner) -> None:
    text = (
        f"# Shop\n\n## Testing\n\n### Commands\n\n{FILLER * 30}\n\n### Fixtures\n\n{FILLER * 30}\n"
    )
    assert titles(plan(("CLAUDE.md", text))) == ["Testing: commands", "Fixtures"]


def test_sections_of_the_same_name_are_told_apart(plan: Planner) -> None:
    services = "".join(
        f"## {name}\n\n### Limits\n\n{FILLER * 30}\n\n### Queues of {name}\n\n{FILLER * 30}\n\n"
        for name in ("Ingest", "Ledger")
    )
    assert titles(plan(("CLAUDE.md", f"# Shop\n\n{services}"))) == [
        "Ingest: limits",
        "Queues of Ingest",
        "Ledger: limits",
        "Queues of Ledger",
    ]


def test_small_sections_of_one_branch_share_a_memory(plan: Planner) -> None:
    text = (
        f"# Shop\n\n## Cranes\n\n### North\n\nRuns at noon.\n\n### South\n\nRuns at night.\n\n"
        f"### Main\n\n{FILLER * 30}\n\n### Reserve\n\n{FILLER * 31}\n"
    )
    result = plan(("CLAUDE.md", text))
    assert titles(result) == ["Cranes", "Main", "Reserve"]
    assert result.memories[0].memory.body == (
        "# Cranes\n\n## North\n\nRuns at noon.\n\n## South\n\nRuns at night.\n\n"
        "Source: CLAUDE.md:7-11"
    )


def test_subsections_about_different_things_are_memories_of_their_own(plan: Planner) -> None:
    names = ("API layer", "Database", "Background jobs", "Frontend")
    parts = "".join(f"### {name}\n\n{FILLER * 3}It is {name}.\n\n" for name in names)
    result = plan(("CLAUDE.md", f"# Shop\n\n## Architecture\n\n{parts}### Mail\n\nBy queue.\n"))
    assert titles(result) == [*names, "Mail"]


def test_steps_and_vague_subsections_stay_with_what_they_explain(plan: Planner) -> None:
    for names in (("Step 1: lift", "Step 2: lower"), ("Examples", "Rationale", "Loads")):
        parts = "".join(f"### {name}\n\n{FILLER * 3}It is {name}.\n\n" for name in names)
        assert titles(plan(("CLAUDE.md", f"# Shop\n\n## Cranes\n\n{parts}"))) == ["Cranes"]


def test_small_sections_stay_apart_and_only_tiny_ones_share_a_memory(plan: Planner) -> None:
    small = "".join(f"## {name}\n\n{FILLER * 2}\n\n" for name in ("Ships", "Cranes", "Docks"))
    tiny = "## Tides\n\nHigh at noon.\n\n## Gulls\n\nNot fed.\n\n## Fog\n\nSound a horn.\n"
    result = plan(("CLAUDE.md", f"# Harbour\n\n{small}{tiny}"))
    assert titles(result) == ["Ships", "Cranes", "Docks", "Harbour: tides, gulls and fog"]


def test_a_stray_word_moves_no_section_to_another_topic(plan: Planner) -> None:
    text = (
        f"# Shop\n\n## Testing\n\nTests use fixtures. {FILLER * 3}\n\n"
        "## Internationalisation\n\nWrap each text, and test with German.\n\n"
        "## Unit tests\n\nName them well.\n"
    )
    result = plan(("CLAUDE.md", text), budget=0)
    assert [(p.memory.path, "## Unit tests" in p.memory.body) for p in result.memories] == [
        ("project/testing/testing.md", True),
        ("project/general/internationalisation.md", False),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "This file provides guidance to Claude Code (claude.ai/code) when working with code in"
        " this repository.",
        "This file provides guidance to\nAI agents working in this codebase.",
    ],
)
def test_a_sentence_about_the_file_itself_is_skipped(plan: Planner, sentence: str) -> None:
    text = f"# CLAUDE.md\n\n{sentence}\n\n## Cranes\n\n{FILLER}\n"
    result = plan(("CLAUDE.md", text))
    assert titles(result) == ["Cranes"]
    assert [s.reason for s in result.skipped] == ["says only what the file is for"]


def test_a_sentence_about_the_file_that_says_more_is_kept(plan: Planner) -> None:
    more = "This file provides guidance for this repository. Never push to main."
    told = plan(("CLAUDE.md", f"# CLAUDE.md\n\n{more}\n"), budget=0)
    assert "Never push to main." in only(told).body


def test_a_flat_list_of_rules_is_sorted_by_topic(
    plan: Planner, realistic: Sequence[Source]
) -> None:
    flat = next(source for source in realistic if source.path == ".cursorrules")
    result = plan(flat, budget=40)
    assert [p.memory.path for p in result.memories] == [
        "baseline/identity.md",
        "project/frontend/cursor_rules_frontend.md",
        "project/testing/cursor_rules_testing.md",
        "project/git/cursor_rules_git.md",
        "project/api/cursor_rules_api.md",
        "project/database/cursor_rules_database.md",
        "project/security/cursor_rules_security.md",
        "project/style/cursor_rules_style.md",
        "agent/communication/cursor_rules.md",
    ]
    assert find(result, "Cursor rules: API").body == (
        "# Cursor rules: API\n\n"
        "- Validate every request body with zod in the API route handler.\n"
        "- API endpoints return problem+json responses on errors.\n"
        "- Paginate each list endpoint with a cursor; never return more than 100 rows in a"
        " response.\n\nSource: .cursorrules:11-13"
    )


def test_a_heading_that_is_itself_the_rule_is_kept(plan: Planner) -> None:
    memory = only(plan(("CLAUDE.md", "# Shop\n\n## Never deploy to production on a Friday\n")))
    assert memory.scope is Scope.BASELINE
    assert "Never deploy to production on a Friday" in memory.body


def test_a_heading_without_text_is_reported(plan: Planner) -> None:
    result = plan(("CLAUDE.md", f"# Shop\n\n## Later\n\n## Cranes\n\n{FILLER}\n"))
    assert [(s.text, str(s.source), s.reason) for s in result.skipped] == [
        ("Later", "CLAUDE.md:3", "heading without text")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```text\n" + "\n".join(f"line {n} of a long listing" for n in range(600)) + "\n```\n",
        "| a | b |\n|---|---|\n" + "\n".join(f"| row {n} | some words |" for n in range(400)),
        FILLER * 300,
        "- " + "\n  ".join(FILLER for _ in range(300)),
        "word" * 6000,
        "## " + FILLER * 300 + "\n\ntext",
    ],
    ids=["fence", "table", "line", "item", "word", "heading"],
)
def test_what_is_too_large_for_one_memory_is_cut(plan: Planner, text: str) -> None:
    result = plan(("CLAUDE.md", f"# Shop\n\n{text}\n"))
    assert len(result.memories) > 1
    assert max(planned.tokens for planned in result.memories) <= HARD_LIMIT


def test_the_parts_of_cut_code_are_fenced_and_of_a_cut_table_have_its_head(plan: Planner) -> None:
    code = "````text\n" + "\n".join(f"line {n} of a long listing" for n in range(600)) + "\n````"
    for planned in plan(("CLAUDE.md", f"# Shop\n\n{code}\n")).memories:
        assert planned.memory.body.count("````") == 2
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| row {n} | some words |" for n in range(400))
    for planned in plan(("CLAUDE.md", f"# Shop\n\n{table}\n")).memories:
        assert planned.memory.body.count("| a | b |\n|---|---|\n| row") == 1


def test_a_cursor_rule_says_what_it_applies_to(plan: Planner, realistic: Sequence[Source]) -> None:
    rule = next(source for source in realistic if source.path.endswith("components.mdc"))
    memory = only(plan(rule))
    assert memory.path == "project/frontend/react_components.md"
    assert memory.tags == ("frontend", "react", "typescript", "components")
    assert memory.body.startswith(
        "# React components\n\nApplies to: `*.tsx`, `src/components/**/*.{ts,tsx}`\n\n"
        "Conventions for React components of the web shop\n\n- One component per file"
    )


def test_an_auto_memory_keeps_its_name_and_its_index_is_not_a_memory(
    plan: Planner, realistic: Sequence[Source]
) -> None:
    result = plan(*(source for source in realistic if source.path.startswith("memory/")))
    assert [(p.memory.path, p.memory.title) for p in result.memories] == [
        ("project/deploy/deploy_notes.md", "Deploy notes"),
        ("agent/git/small_commits.md", "Small commits"),
        ("project/deploy/release_freeze.md", "Release freeze"),
    ]
    assert [(str(s.source), s.reason) for s in result.skipped] == [
        ("memory/MEMORY.md:3", "index line of feedback_small_commits.md"),
        ("memory/MEMORY.md:4", "index line of project_release_freeze.md"),
        ("memory/MEMORY.md:5", "link to gone.md, which is not among the files"),
    ]


def test_imports_of_other_files_are_reported_not_followed(
    plan: Planner, realistic: Sequence[Source]
) -> None:
    result = plan(realistic[0])
    assert [(i.target, str(i.ref)) for i in result.imports] == [
        ("docs/glossary.md", "CLAUDE.md:7"),
        ("README.md", "CLAUDE.md:9"),
    ]
    assert (
        "CLAUDE.md:7",
        "import of docs/glossary.md",
    ) in [(str(s.source), s.reason) for s in result.skipped]
