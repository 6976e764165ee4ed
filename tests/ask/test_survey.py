"""A survey of a repository reads what its names promise, and not too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.ask.code import Repository
from dmm.ask.signs import SIGNED
from dmm.ask.survey import MOST_READ, Survey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Project


class Counted(Repository):
    """A repository that remembers which files were read."""

    opened: set[str]

    def read(self, path: str) -> list[str]:
        """Read a file, and remember it."""
        self.opened.add(path)
        return Repository.read(self, path)


@pytest.fixture
def repository(project: Project) -> Iterator[Counted]:
    opened = Counted(project.folder, project.dmm / "index" / "repo.db")
    opened.opened = set()
    yield opened
    opened.close()


def test_all_sections_together_read_a_limited_number_of_files(
    repository: Counted, project: Project
) -> None:
    for package in range(30):
        folder = project.folder / f"packages/p{package:02}"
        folder.mkdir(parents=True)
        (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
        for name in ("main", "store", "api", "config", "llm", "server", "db", "routes", "settings"):
            (folder / f"{name}.py").write_text("x = 1\n")
    repository.refresh()
    assert Survey(repository).look_around(SIGNED) == []
    read = {path for path in repository.opened if path.endswith(".py")}
    assert 0 < len(read) <= MOST_READ < 30 * 9
    assert {path.split("/")[1] for path in read} == {f"p{at:02}" for at in range(30)}
