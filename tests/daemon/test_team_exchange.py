"""The threads that exchange rules with a team go on after every failure, and do not spin."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from tests.conftest import Project, git

from dmm.daemon.logs import Log
from dmm.daemon.team_exchange import SHORTEST_REST, WAIT, find_joined, repeat, rest_after
from dmm.errors import StorageError, TeamError
from dmm.projects import Projects, SharedModel

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.embed.model import Embedder


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (TeamError("edited", "event 3 holds secret words"), "edited"),
        (StorageError("secret words"), "storage"),
        (RecursionError("secret words"), "RecursionError"),
    ],
)
def test_a_failure_is_named_once_and_the_exchange_goes_on(
    tmp_path: Path, error: Exception, named: str
) -> None:
    leaving, path = threading.Event(), tmp_path / "logs" / "daemon.log"
    turns: list[int] = []

    def duty() -> float:
        turns.append(1)
        if len(turns) < 3:
            raise error
        leaving.set()
        return 0.0

    repeat(duty, leaving, Log(path), first=0.0)
    assert len(turns) == 3
    lines = path.read_text().splitlines()
    assert len(lines) == 1
    assert f"the exchange with the team failed ({named})" in lines[0]
    assert "secret" not in lines[0]


def test_a_server_that_does_not_wait_is_not_asked_again_at_once() -> None:
    assert rest_after(0, 0.01) == SHORTEST_REST >= 1.0
    assert rest_after(0, WAIT) == 0.0
    assert rest_after(2, 0.01) == 0.0


def test_worktrees_share_one_exchange_and_all_of_them_get_the_rules(
    project: Project, home: Path, model: Embedder
) -> None:
    project.write("global/note.md", "a note")
    git(project.folder, "init", "-q")
    git(project.folder, "add", "-f", ".")
    git(project.folder, "commit", "-q", "-m", "memory")
    beside = Project(project.folder.with_name("beside"))
    git(project.folder, "worktree", "add", "-q", str(beside.folder))
    projects = Projects(home=home, model=SharedModel(lambda: model))
    for one in (project, beside):
        one.trust(home)
        projects.find(one.folder)
    opened = projects.each()
    path = opened[0].dmm.base.team_rules.path
    assert find_joined(opened) == {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"joined")
    found = find_joined(opened)
    assert list(found) == [path]
    assert sorted(one.root for one in found[path]) == sorted((project.dmm, beside.dmm))
    projects.close()
