"""From one big instruction file to memories, and a new project's first answer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Command, Project
import pytest

pytestmark = pytest.mark.slow

MONOLITH = Path(__file__).parents[2] / "tools" / "demo" / "monolith.md"


def files_of(folder: Path) -> dict[str, bytes]:
    found = (file for file in folder.rglob("*.md") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in found}


def test_a_monolith_becomes_memories_that_are_valid_and_found(
    project: Project, command: Command
) -> None:
    shutil.copy(MONOLITH, project.folder / "CLAUDE.md")

    def dmm(*arguments: str) -> str:
        told = command(*arguments, within=project.folder)
        assert (told.returncode, told.stderr) == (0, ""), arguments
        return told.stdout

    applied = dmm("import", "CLAUDE.md", "--apply")
    assert "Every session now loads 633 tokens from these files." in applied
    written = files_of(project.memory)
    assert len(written) >= 5
    assert "errors:" not in dmm("validate")
    assert " memories already here" in dmm("import", "CLAUDE.md", "--apply")
    assert files_of(project.memory) == written
    assert "migration" in dmm("query", "how do I change the database schema")


def test_the_end_of_an_import_tells_what_is_left_to_do(project: Project, command: Command) -> None:
    (project.folder / "CLAUDE.md").write_text(
        "# Shop\n\n## Testing\n\n- A test finishes within 2 s.\n- See @docs/gone.md.\n"
    )
    (project.folder / "AGENTS.md").write_text(
        "# Shop\n\n## Testing\n\n- A test finishes within 5 s.\n"
    )
    told = command("import", "CLAUDE.md", "AGENTS.md", "--apply", within=project.folder)
    assert (told.returncode, told.stderr) == (0, "")
    lines = told.stdout.splitlines()
    assert "conflict? CLAUDE.md:5 / AGENTS.md:5: in project/testing/testing.md" in lines
    assert "mentions docs/gone.md (CLAUDE.md:6): no such file" in lines
    assert "1 memory (1 project)" in lines
    assert lines[-3:] == [
        "Shorten CLAUDE.md and AGENTS.md to one line that points to .dmm/BOOT.md; until",
        "then, every instruction is loaded twice.",
        "The memories are in .dmm/memory. Read them, run dmm validate, and commit them.",
    ]
    again = command("import", "AGENTS.md", "--apply", within=project.folder)
    assert again.stdout.startswith("1 memory already here\n")


def test_a_new_project_serves_none_of_its_examples(tmp_path: Path, command: Command) -> None:
    assert command("init", within=tmp_path).returncode == 0
    validated = command("validate", within=tmp_path)
    assert validated.stdout == "6 of 6 files valid\n"
    told = command("query", "how should a memory be written", within=tmp_path)
    assert "No baseline memories." in told.stdout
    assert "(relevance: " not in told.stdout
