"""The text of a file that is moved is new to the folder it arrives in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.rules.content.conftest import make_book

from dmm.rules.commands.calls import ToolCall
from dmm.rules.commands.patches import unquoted
from dmm.rules.content.pattern import ContentPattern
from dmm.rules.on_file import files_of
from dmm.rules.patterns import AllOf, PathPattern

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.rules.callbook import Ruling

TEXT = ContentPattern(regex=r"console\.log", only_new=True)
LOG = AllOf((TEXT, PathPattern("src/**", ("write",))))
MOVE = (
    "*** Begin Patch\n*** Update File: {}\n*** Move to: {}\n@@\n-start();\n+begin();\n*** End Patch"
)
RENAME = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"
HUNK = "--- a/{0}\n+++ b/{1}\n@@ -1,2 +1,2 @@\n-start();\n+begin();\n console.log(1);\n"
NEXT = "diff --git a/c.ts b/c.ts\nindex 1..2\n--- a/c.ts\n+++ b/c.ts\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for path in ("lib/a.ts", "lib/deep/b.ts", "src/old/a.ts", "notes.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("start();\nconsole.log(1);\n")
    (tmp_path / "lib/clean.ts").write_text("start();\n")
    (tmp_path / "src/empty").mkdir()
    (tmp_path / "c.ts").write_text("a\n")
    return tmp_path


def _rule(
    project: Path,
    tool: str,
    values: dict[str, Any],
    *patterns: Any,
    unless: Any = (),
    cwd: str = "",
) -> Ruling:
    root = str(project)
    call = ToolCall(tool, values, f"{root}/{cwd}".rstrip("/"), root=root)
    files, texts, tree = files_of(call)
    return make_book(*(patterns or (LOG,)), unless=unless).rule(
        call, files=files, texts=texts, tree=tree
    )


def _git_patch(source: str, target: str, hunk: str = HUNK) -> str:
    return (RENAME + hunk).format(source, target)


MOVES = [
    "mv {0} {1}",
    "git mv {0} {1}",
    "git mv -f -- {0} {1}",
    "python -c \"import os; os.rename('{0}', '{1}')\"",
    "apply_patch <<'EOF'\n" + MOVE + "\nEOF",
    "git apply <<'EOF'\n" + RENAME + "EOF",
    "git apply <<'EOF'\n" + NEXT + RENAME + NEXT + "EOF",
]


@pytest.mark.parametrize("command", MOVES)
def test_a_file_that_is_moved_in_brings_its_text(command: str, project: Path) -> None:
    moved_in = {"command": command.format("lib/a.ts", "src/a.ts")}
    clean = {"command": command.format("lib/clean.ts", "src/a.ts")}
    inside = {"command": command.format("src/old/a.ts", "src/new/a.ts")}
    out = {"command": command.format("src/old/a.ts", "lib/x.ts")}

    assert _rule(project, "Bash", moved_in).level == "deny"
    assert "src/a.ts line 2" in _rule(project, "Bash", moved_in).reason
    assert [_rule(project, "Bash", one).level for one in (clean, inside, out)] == ["allow"] * 3


@pytest.mark.parametrize(
    "command",
    [
        "mv lib/a.ts src",
        "mv lib/a.ts src/",
        "mv lib/* src",
        "git mv lib/*.ts src/empty",
        "mv -t src lib/a.ts",
        "mkdir -p src/fresh && mv lib/a.ts src/fresh",
        "mv lib/a.ts src/empty",
        "cd lib && git mv a.ts ../src/a.ts",
        "mv lib/a.ts tmp.ts && mv tmp.ts src/a.ts",
    ],
)
def test_a_folder_and_wildcards_name_what_is_moved_in(command: str, project: Path) -> None:
    only_ts = AllOf((TEXT, PathPattern("src/**/*.ts", ("write",))))

    assert _rule(project, "Bash", {"command": command}).level == "deny"
    assert _rule(project, "Bash", {"command": command}, only_ts).level == "deny"


@pytest.mark.parametrize(
    "command",
    ["mv src/old src/new", "git mv src/old lib/old", "mv lib/clean.ts src", "mv lib other"],
)
def test_what_lay_there_before_or_goes_elsewhere_is_let_through(
    command: str, project: Path
) -> None:
    assert _rule(project, "Bash", {"command": command}).level == "allow"


def test_patches_of_every_client_and_tools_that_move_are_searched(project: Path) -> None:
    ends = "lib/a.ts", "src/a.ts"
    patch = {"input": MOVE.format(*ends)}
    tool = {"source": ends[0], "destination": ends[1]}
    swapped = {"destination": ends[1], "source": ends[0]}

    assert _rule(project, "apply_patch", patch).level == "deny"
    assert _rule(project, "mcp__filesystem__move_file", tool).level == "deny"
    assert _rule(project, "mcp__filesystem__move_file", swapped).level == "deny"
    shell = {"command": f"git apply <<'EOF'\n{_git_patch(*ends)}EOF"}
    assert _rule(project, "Bash", shell).level == "deny"
    command = {"command": "mv a.ts ../src/a.ts"}
    assert _rule(project, "Bash", command, cwd="lib").level == "deny"


def test_a_rename_in_a_patch_counts_for_both_names(project: Path) -> None:
    for name in ("lib/a.ts", "other/a.ts"):
        guarded = PathPattern(name, ("write",))
        for hunk in ("", HUNK):
            patch = _git_patch("lib/a.ts", "other/a.ts", hunk)
            call = {"command": f"git apply <<'EOF'\n{patch}EOF"}
            assert _rule(project, "Bash", call, guarded).level == "deny"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('"caf\\303\\251.ts"', "café.ts"),
        ('"say \\"hi\\".ts"', 'say "hi".ts'),
        ('"a\\tb\\\\.ts"', "a\tb\\.ts"),
        ('"', '"'),
        ("plain.ts\r", "plain.ts"),
    ],
)
def test_names_are_read_as_git_quotes_them(written: str, name: str) -> None:
    assert unquoted(written) == name


def test_a_quoted_name_in_a_patch_is_the_file_that_it_names(project: Path) -> None:
    quoted = '"caf\\303\\251.ts"'
    head = f"--- a/src/b.ts\n+++ {quoted.replace('caf', 'b/src/caf')}\n"
    call = {"command": f"git apply <<'EOF'\n{head}@@ -1 +1,2 @@\n x\n+console.log(1)\nEOF"}
    assert _rule(project, "Bash", call).level == "deny"
    guarded = PathPattern("src/café.ts", ("write",))
    patch = _git_patch("lib/a.ts", quoted.replace("caf", "src/caf"), "")
    call = {"command": f"git apply <<'EOF'\n{patch}EOF"}
    assert _rule(project, "Bash", call, guarded).level == "deny"


def test_a_file_that_changes_its_language_brings_new_text(project: Path) -> None:
    code = ContentPattern(pattern="console.log($$$)")
    named = AllOf((TEXT, PathPattern("*.ts", ("write",))))

    for rule in (code, named):
        assert _rule(project, "Bash", {"command": "mv notes.txt x.ts"}, rule).level == "deny"
    assert _rule(project, "Bash", {"command": "mv lib/a.ts lib/a.tsx"}, code).level == "allow"
    assert _rule(project, "Bash", {"command": "mv lib/a.ts src/a.ts"}, TEXT).level == "allow"


def test_a_file_that_was_excepted_before_brings_new_text(project: Path) -> None:
    unless = (PathPattern("lib/**", ("write",)),)

    def level(command: str) -> str:
        return _rule(project, "Bash", {"command": command}, TEXT, unless=unless).level

    assert level("mv lib/a.ts src/a.ts") == "deny"
    assert level("mv lib/a.ts lib/b.ts") == "allow"
    assert level("mv src/old/a.ts src/b.ts") == "allow"


def test_text_from_outside_the_repository_is_new(tmp_path: Path, project: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.ts"
    outside.write_text("console.log(1)\n")

    assert _rule(project, "Bash", {"command": f"mv {outside} src/x.ts"}, TEXT).level == "deny"


def test_what_a_moved_file_overwrites_is_not_taken_for_new(project: Path) -> None:
    command = {"command": "mv lib/a.ts src/old/a.ts"}

    assert _rule(project, "Bash", command).level == "allow"


@pytest.mark.parametrize(
    "command",
    ["git apply --check fix.patch", "git apply -R fix.patch", "patch --dry-run -p1 < fix.patch"],
)
def test_a_patch_that_is_only_looked_at_or_taken_back_adds_nothing(
    command: str, project: Path
) -> None:
    (project / "fix.patch").write_text(_git_patch("lib/a.ts", "src/a.ts", ""))
    assert _rule(project, "Bash", {"command": command}).level == "allow"


def test_a_word_that_is_the_value_of_an_option_moves_nothing(project: Path) -> None:
    assert _rule(project, "Bash", {"command": "touch a; git -C mv"}).level == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "git apply fix.patch",
        "patch -p1 < fix.patch",
        "cat fix.patch | git apply",
        "git apply - < fix.patch",
    ],
)
def test_a_patch_that_lies_in_a_file_is_read(command: str, project: Path) -> None:
    for added, level in (("console.log(2);", "deny"), ("log.info(2);", "allow")):
        hunk = f"@@ -1,2 +1,3 @@\n start();\n+{added}\n console.log(1);\n"
        text = f"--- a/src/old/a.ts\n+++ b/src/old/a.ts\n{hunk}"
        (project / "fix.patch").write_text(text)
        assert _rule(project, "Bash", {"command": command}).level == level
    (project / "fix.patch").write_text(_git_patch("lib/a.ts", "src/a.ts", ""))
    assert _rule(project, "Bash", {"command": command}).level == "deny"
