"""Tool calls of any client read as steps: edits with their files, commands with their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.observations.files import relate, removed_by_shell, written_by_shell
from dmm.observations.steps import read_steps

if TYPE_CHECKING:
    from tests.observations.conftest import Talk

PATCH = (
    "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: /srv/shop/src/b.py\n"
    "*** Move to: src/c.py\n*** Delete File: d.py\n*** End Patch\n"
)


@pytest.mark.parametrize(
    ("tool", "given", "steps"),
    [
        ("Edit", {"file_path": "/srv/shop/src/a.py"}, ["edit src/a.py"]),
        ("MultiEdit", {"file_path": "/srv/shop/src/a.py"}, ["edit src/a.py"]),
        ("Write", {"file_path": "/srv/shop/new.py", "content": "x"}, ["create new.py"]),
        ("NotebookEdit", {"notebook_path": "/srv/shop/n.ipynb"}, ["edit n.ipynb"]),
        ("write_file", {"file_path": "new.py"}, ["create new.py"]),
        ("replace", {"file_path": "src/a.py"}, ["edit src/a.py"]),
        ("Read", {"file_path": "/srv/shop/src/a.py"}, ["look src/a.py"]),
        ("Grep", {"pattern": "x", "path": "/srv/shop/src"}, ["look src"]),
        ("TodoWrite", {"todos": [{"content": "x"}]}, ["look "]),
        ("mcp__dmm__memory_write", {"path": "project/a.md"}, ["look project/a.md"]),
        ("Write", {"file_path": "/tmp/x.py"}, ["look /tmp/x.py"]),
        (
            "apply_patch",
            {"command": PATCH},
            ["create a.py", "edit src/b.py", "create src/c.py", "delete d.py"],
        ),
        ("shell", {"command": ["apply_patch", PATCH]}, [
            "create a.py", "edit src/b.py", "create src/c.py", "delete d.py",
        ]),
        ("Bash", {"command": "cat > src/new.py <<'E'\nx\nE"}, ["edit src/new.py"]),
        ("Bash", {"command": "sed -i 's/a/b/' src/a.py"}, ["edit src/a.py"]),
        ("Bash", {"command": "git rm -f src/old.py"}, ["delete src/old.py"]),
        ("Bash", {"command": "rm -rf build/*"}, ["run rm -rf build/*"]),
        ("Bash", {"command": "ls > /dev/null"}, ["look "]),
        ("run_shell_command", {"command": "make test"}, ["run make test"]),
        ("Unheard", {}, ["look "]),
    ],
)  # fmt: skip
def test_a_call_is_read_by_what_it_did(
    talk: Talk, tool: str, given: dict[str, Any], steps: list[str]
) -> None:
    talk.use(tool, "ok", **given)
    found = read_steps(talk.events[-1], "/srv/shop")
    assert [f"{step.act} {step.target}" for step in found] == steps


def test_an_edit_that_failed_changed_nothing(talk: Talk) -> None:
    talk.hook(
        "PostToolUseFailure", tool_name="Edit", tool_input={"file_path": "a.py"}, error="no match"
    )
    (step,) = read_steps(talk.events[-1], "")
    assert (step.act, step.failed) == ("look", True)


def test_paths_are_told_relative_to_the_project() -> None:
    assert relate("/srv/shop/src/a.py", "/srv/shop/src", "/srv/shop") == "src/a.py"
    assert relate("../b.py", "/srv/shop/src", "/srv/shop") == "b.py"
    assert relate("/home/me/old/a.py", "/home/me/old", "/srv/shop") == "a.py"
    assert relate("/etc/hosts", "/srv/shop", "/srv/shop") == "/etc/hosts"
    assert relate("src/a.py", "", "") == "src/a.py"


def test_what_a_shell_writes_or_removes_is_named() -> None:
    assert written_by_shell("echo x >> notes.md") == "notes.md"
    assert written_by_shell("echo x | tee out.txt") == "out.txt"
    assert written_by_shell("echo $X > $FILE") == ""
    assert written_by_shell("pytest > log.txt") == ""
    assert removed_by_shell("cd a && rm -f x.py 'y.py' ~/z") == ["x.py", "y.py"]
