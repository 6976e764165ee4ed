from __future__ import annotations

import pytest

from dmm.importer.sources import (
    FrontMatter,
    SourceKind,
    is_user_level,
    kinds_of,
    mentions,
    read_front_matter,
    recognise,
    split_lines,
)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("CLAUDE.md", SourceKind.CLAUDE),
        ("sub/CLAUDE.local.md", SourceKind.CLAUDE),
        ("AGENTS.md", SourceKind.AGENTS),
        ("GEMINI.md", SourceKind.GEMINI),
        (".github/copilot-instructions.md", SourceKind.COPILOT),
        (".github/instructions/web.instructions.md", SourceKind.COPILOT),
        (".cursorrules", SourceKind.CURSOR_RULES),
        (".cursor\\rules\\web.mdc", SourceKind.CURSOR_RULE),
        ("memory/MEMORY.md", SourceKind.MEMORY_INDEX),
        ("~/.claude/projects/-home-me-shop/memory/user_role.md", SourceKind.MEMORY_TOPIC),
        ("docs/guide.md", SourceKind.MARKDOWN),
        ("Claude.md", SourceKind.CLAUDE),
        ("docs/agents.md", SourceKind.MARKDOWN),
    ],
)
def test_a_file_is_recognised_by_its_path(path: str, kind: SourceKind) -> None:
    assert recognise(path) is kind


def test_a_file_beside_a_memory_index_is_one_of_its_topics() -> None:
    kinds = kinds_of(("m/MEMORY.md", "m/tests.md", "other/tests.md"))
    assert kinds["m/tests.md"] is SourceKind.MEMORY_TOPIC
    assert kinds["other/tests.md"] is SourceKind.MARKDOWN


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("~/.claude/CLAUDE.md", True),
        ("/home/ada/.codex/AGENTS.md", True),
        ("C:\\Users\\ada\\.gemini\\GEMINI.md", True),
        (".claude/CLAUDE.md", False),
        ("/srv/shop/.claude/CLAUDE.md", False),
        ("~/.claude/projects/-shop/memory/a.md", False),
    ],
)
def test_only_files_of_the_home_folder_speak_for_the_user(path: str, expected: bool) -> None:
    assert is_user_level(path) is expected


def front(text: str) -> FrontMatter:
    return read_front_matter(split_lines(text))


def test_unquoted_globs_of_a_cursor_rule_are_read() -> None:
    text = (
        "---\ndescription: Web rules\nglobs: *.ts, src/**/*.{ts,tsx}\nalwaysApply: true\n---\n# A"
    )
    assert front(text) == FrontMatter(
        last_line=5,
        description="Web rules",
        globs=("*.ts", "src/**/*.{ts,tsx}"),
        always=True,
    )


def test_globs_may_be_a_list() -> None:
    assert front('---\nglobs: ["*.py", "*.pyi"]\n---').globs == ("*.py", "*.pyi")
    assert front("---\nglobs:\n  - *.py\n  - *.pyi\n---").globs == ("*.py", "*.pyi")


def test_the_type_of_an_auto_memory_may_be_nested() -> None:
    text = (
        "---\nname: user_role\ndescription: >-\n  Data\n  engineer\nmetadata:\n  type: User\n---\n"
    )
    assert front(text) == FrontMatter(
        last_line=8, name="user_role", description="Data engineer", memory_type="user"
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\nWe part sections with lines.\n---\n",
        "---\nnote: this key is none we know\n---\n",
        "---\nname: never closed\n",
        "---\nname: " + "x" * 20_000 + "\n---\n",
        "# No front matter",
        "",
    ],
)
def test_what_is_not_front_matter_stays_content(text: str) -> None:
    assert front(text) == FrontMatter()


def test_aliases_in_front_matter_are_taken_as_plain_text() -> None:
    text = "---\nname: &a x\ndescription: *a\n---\n"
    assert front(text) == FrontMatter(last_line=4, name="&a x", description="*a")


def test_deeply_nested_front_matter_does_no_harm() -> None:
    assert front("---\nname: ok\ntags: " + "[" * 5000 + "\n---\n").name == "ok"


def test_files_pulled_in_by_a_line_are_named() -> None:
    line = (
        "See @docs/style.md and @~/.claude/me.md, not a@b.md, `@code.md`, @types/node or @pytest."
    )
    assert mentions(line) == ("docs/style.md", "~/.claude/me.md")
