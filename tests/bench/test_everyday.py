"""Imported projects of the benchmark of tasks, kept between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.everyday.snapshots import git, import_project
from bench.projects import open_store

if TYPE_CHECKING:
    from pathlib import Path

INSTRUCTIONS = """# Testing

## Slow tests

The slow tests start a database in a container, which takes a minute, so they run at night.

## Fixtures

Fixtures are stored as JSON in the folder of the test that uses them, one file for each case.
"""


def test_a_kept_project_that_lost_its_vectors_has_them_again_when_it_is_opened(
    tmp_path: Path,
) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "AGENTS.md").write_text(INSTRUCTIONS, "utf-8")
    git("-C", str(repository), "init", "-q")
    git("-C", str(repository), "add", ".")
    person = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    git("-C", str(repository), *person, "commit", "-q", "-m", "Instructions")
    first = import_project(repository, tmp_path / "kept")
    known = open_store(first.dmm).vectors().keys()
    open_store(first.dmm).drop_vectors()
    first.dmm.close()

    again = import_project(repository, tmp_path / "kept")

    assert known
    assert open_store(again.dmm).vectors().keys() == known
    again.dmm.close()
