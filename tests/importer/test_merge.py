from __future__ import annotations

from collections.abc import Callable

import pytest

from dmm.importer.memories import ImportPlan
from dmm.importer.wording import Wording

Planner = Callable[..., ImportPlan]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("- Never commit secrets to the repository.", "* Do not commit secrets to the repository"),
        ("- Always run `make test` before pushing.", "1. Run `make test` before you push"),
        ("- You must NOT edit **generated** files.", "- Don't edit generated files."),
        (
            "- Write unit tests for public functions and classes",
            "- Write fast unit tests for public functions and classes",
        ),
    ],
)
def test_one_rule_in_two_wordings_is_the_same(one: str, other: str) -> None:
    assert Wording.of(one).says_the_same_as(Wording.of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The timeout to the carrier is 30 s.", "The timeout to the carrier is 60 s."),
        ("Use tabs for indentation in all files.", "Do not use tabs for indentation in all files."),
        ("Always commit the lock file with it.", "Never commit the lock file with it."),
        ("Prefer tabs over spaces.", "Prefer spaces over tabs."),
        ("Run `make test` before pushing.", "Run `make lint` before pushing."),
        ("Run the tests before pushing.", "Run the tests after pushing."),
        ("Run the tests before pushing.", "Run the tests before pushing on Windows."),
        ("You may rebase a shared branch.", "Rebase a shared branch."),
        ("Push to main.", "Push to main without review."),
        ("Set MAX_ROWS in config.", "Set MIN_ROWS in config."),
        ("Use Postgres for every integration test.", "Use MySQL for every integration test."),
        ("Keep p95 latency < 200 ms.", "Keep p95 latency > 200 ms."),
    ],
)
def test_rules_that_differ_in_substance_are_never_the_same(one: str, other: str) -> None:
    assert not Wording.of(one).says_the_same_as(Wording.of(other))


def test_a_rule_named_in_two_files_is_written_once_with_both_sources(plan: Planner) -> None:
    result = plan(
        ("CLAUDE.md", "# Shop\n\n## Testing\n\n- Always run `make test` before pushing.\n"),
        (
            "AGENTS.md",
            "# Shop\n\n## Tests\n\n- Run `make test` before you push.\n- Use factories.\n",
        ),
        budget=0,
    )
    bodies = "\n".join(p.memory.body for p in result.memories)
    assert bodies.count("make test") == 1
    assert "- Use factories." in bodies
    merged = result.merged[0]
    assert (str(merged.source), str(merged.kept)) == ("AGENTS.md:5", "CLAUDE.md:5")
    assert merged.text == "- Run `make test` before you push."
    home = next(p for p in result.memories if p.memory.path == merged.memory)
    assert home.memory.body.endswith("Source: CLAUDE.md:5, AGENTS.md:5-6")


def test_the_fuller_wording_is_kept(plan: Planner) -> None:
    result = plan(
        ("CLAUDE.md", "## Tests\n\n- Write unit tests for public functions and classes\n"),
        ("AGENTS.md", "## Tests\n\n- Write fast unit tests for public functions and classes\n"),
        budget=0,
    )
    assert [p.memory.body for p in result.memories] == [
        "# Tests\n\n- Write fast unit tests for public functions and classes\n\n"
        "Source: AGENTS.md:3, CLAUDE.md:3"
    ]
    assert [str(m.source) for m in result.merged] == ["CLAUDE.md:3"]


def test_the_same_words_under_do_and_dont_are_two_rules(plan: Planner) -> None:
    result = plan(
        ("CLAUDE.md", "## Do\n\n- Commit the generated client code\n"),
        ("AGENTS.md", "## Don't\n\n- Commit the generated client code\n"),
    )
    assert result.merged == ()


def test_the_same_words_about_two_languages_are_two_rules(plan: Planner) -> None:
    result = plan(
        ("CLAUDE.md", "## Python style\n\n- Indent with four blanks and sort the imports\n"),
        ("AGENTS.md", "## TypeScript style\n\n- Indent with four blanks and sort the imports\n"),
    )
    assert result.merged == ()


def test_the_same_words_about_two_parts_of_one_file_are_two_facts(plan: Planner) -> None:
    fact = "- Listens on the local port 8080\n"
    text = f"## Payments\n\n{fact}\n## Billing\n\n{fact}"
    assert plan(("CLAUDE.md", text)).merged == ()


def test_an_intro_whose_list_was_merged_away_goes_with_it(plan: Planner) -> None:
    rules = (
        "## Checks\n\nBefore a release:\n\n"
        "- Run the whole test suite twice\n- Read the changelog aloud once\n"
    )
    result = plan(("CLAUDE.md", rules), ("AGENTS.md", rules), budget=0)
    assert len(result.memories) == 1
    assert [str(m.source) for m in result.merged] == ["AGENTS.md:3", "AGENTS.md:5", "AGENTS.md:6"]
    assert {m.memory for m in result.merged} == {result.memories[0].memory.path}


def test_steps_merge_only_as_a_whole(plan: Planner) -> None:
    one = "## Release\n\n1. Build the signed package\n2. Upload the signed package\n"
    other = "## Release\n\n1. Build the signed package\n2. Tell the support team\n"
    assert plan(("CLAUDE.md", one), ("AGENTS.md", other)).merged == ()
    assert len(plan(("CLAUDE.md", one), ("AGENTS.md", one)).merged) == 1


def test_code_merges_only_to_the_letter(plan: Planner) -> None:
    one = "## Build\n\nBuild it with:\n\n```bash\nmake build\n```\n"
    other = one.replace("make build", "make  Build")
    assert plan(("CLAUDE.md", one), ("AGENTS.md", other)).merged == ()
    assert [str(m.source) for m in plan(("CLAUDE.md", one), ("AGENTS.md", one)).merged] == [
        "AGENTS.md:3-7"
    ]


def test_a_section_that_is_told_twice_is_one_place_whatever_its_number(plan: Planner) -> None:
    text = "## 1. Quality\n\n- Support light and dark mode\n\n## Quality\n\n"
    result = plan(("AGENTS.md", f"{text}- Support light and dark mode\n"), budget=0)
    assert [str(m.source) for m in result.merged] == ["AGENTS.md:7"]


def test_headings_that_differ_by_a_number_are_not_one_place(plan: Planner) -> None:
    result = plan(
        ("CLAUDE.md", "## Phase 1\n\n- Freeze the schema\n"),
        ("AGENTS.md", "## Phase 2\n\n- Freeze the schema\n"),
        budget=0,
    )
    assert result.merged == ()
    assert [p.memory.body for p in result.memories] == [
        "# Phase 1\n\n- Freeze the schema\n\nSource: CLAUDE.md:3",
        "# Phase 2\n\n- Freeze the schema\n\nSource: AGENTS.md:3",
    ]
