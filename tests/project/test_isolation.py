"""Terms that a repository keeps out: validation refuses the memories that hold them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dmm.config import FILE_NAME

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Command, MemoryText, Opener, Project

    from dmm.domain.report import Finding


@pytest.fixture
def guarded(project: Project) -> Project:
    settings = {"validation": {"isolation_terms": ["Acme Corp", "Blue-Heron"]}}
    (project.dmm / FILE_NAME).write_text(json.dumps(settings))
    return project


def check(project: Project, open_project: Opener) -> list[Finding]:
    dmm = open_project(project)
    found = dmm.validation.check().findings
    dmm.close()
    return [one for one in found if one.check == "isolation"]


def test_a_memory_with_a_term_is_refused_with_its_line(
    guarded: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    guarded.write("project/retry.md", memory_text(body="As in the acme-corp client.\n\nRetry."))
    (found,) = check(guarded, open_project)
    assert (found.path, found.level, found.line) == ("project/retry.md", "error", 12)
    assert found.message == "contains the term 'Acme Corp'"
    assert found.hint == "rewrite it without the term (validation.isolation_terms)"


def test_names_of_files_and_descriptors_are_looked_at_too(
    guarded: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    guarded.write("project/blue_heron.md", memory_text())
    guarded.write("project/_dir.md", "About BlueHeron.\n")
    found = check(guarded, open_project)
    assert [(one.path, one.line) for one in found] == [
        ("project/_dir.md", 1),
        ("project/blue_heron.md", None),
    ]


def test_without_terms_nothing_is_refused(
    project: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    project.write("project/retry.md", memory_text(body="As in the Acme Corp client."))
    assert check(project, open_project) == []


@pytest.mark.slow
def test_the_command_fails_so_that_a_workflow_does(
    guarded: Project, command: Command, memory_text: MemoryText, home: Path
) -> None:
    guarded.write("project/retry.md", memory_text(body="Ask Acme Corp."))
    guarded.trust(home)
    ended = command("validate", within=guarded.folder)
    assert ended.returncode == 1
    assert "project/retry.md:12" in ended.stdout
    assert "contains the term 'Acme Corp'" in ended.stdout
