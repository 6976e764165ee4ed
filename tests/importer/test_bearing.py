from __future__ import annotations

import pytest

from dmm.domain.memory import Scope
from dmm.importer.bearing import Voice, bearing
from dmm.importer.sources import FrontMatter, SourceKind


def judge(title: str, text: str, path: str = "CLAUDE.md", tokens: int = 80) -> tuple[str, str]:
    found = bearing(title, text, tokens, Voice(path, SourceKind.CLAUDE, FrontMatter()))
    return found.scope.value, found.topic


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Role", "A senior engineer of the shop.", ("baseline", "identity")),
        ("Shop", "You are a careful engineer.", ("baseline", "identity")),
        ("Shop: overview", "It sells boats.", ("baseline", "scope")),
        (
            "Tests",
            "- Each test must finish in 2 s.\n- Mocks are not allowed.",
            ("project", "testing"),
        ),
        ("Testing", "- Use factories.\n- Never use SQLite.", ("project", "testing")),
        ("Communication", "- Be concise.\n- Reply in English.", ("agent", "communication")),
        ("Working together", "- Ask before you add a dependency.", ("agent", "general")),
        ("Deployment", "Staging deploys on merge.", ("project", "deploy")),
        ("Boats", "The boats are blue.", ("project", "general")),
    ],
)
def test_a_text_finds_its_scope_and_topic(title: str, text: str, expected: tuple[str, str]) -> None:
    assert judge(title, text) == expected


def test_habits_for_some_files_or_one_job_are_knowledge_of_the_project() -> None:
    habit = ("Working together", "- Ask before you add a dependency.")
    assert judge(*habit, "web/AGENTS.md")[0] == "project"
    skill = Voice(".claude/skills/deps/SKILL.md", SourceKind.SKILL, FrontMatter())
    assert bearing(*habit, 80, skill).scope is Scope.PROJECT


def test_a_long_text_never_goes_to_the_baseline() -> None:
    assert judge("Rules", "- Never push to main.", tokens=301)[0] == "project"


def test_the_users_own_conventions_are_global_and_habits_agent() -> None:
    mine = "~/.claude/CLAUDE.md"
    assert judge("Python style", "- Use type hints.", mine) == ("global", "style")
    assert judge("Commits", "- Use Conventional Commits.", mine) == ("agent", "git")


@pytest.mark.parametrize(
    ("kind", "scope"),
    [
        ("user", Scope.AGENT),
        ("feedback", Scope.AGENT),
        ("project", Scope.PROJECT),
        ("", Scope.PROJECT),
    ],
)
def test_the_type_of_an_auto_memory_decides_its_scope(kind: str, scope: Scope) -> None:
    voice = Voice("m/a.md", SourceKind.MEMORY_TOPIC, FrontMatter(memory_type=kind))
    assert bearing("Secrets", "- Never log secrets.", 20, voice).scope is scope


def test_a_cursor_rule_that_always_applies_goes_to_the_baseline() -> None:
    voice = Voice("a.mdc", SourceKind.CURSOR_RULE, FrontMatter(always=True))
    assert bearing("Imports", "Sort imports.", 20, voice).scope is Scope.BASELINE
