"""A large new tree and the background process: it indexes, and answers meanwhile."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import HashEmbedder

from dmm.domain.pack import QueryRequest
from dmm.embed.shared import SharedModel
from dmm.projects import Projects

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from tests.conftest import MemoryText, Project
    from tests.daemon.conftest import Machine, Session

pytestmark = pytest.mark.slow

FILES = 150
QUESTION = "how does the lantern gateway retry a refused payment"
WANTED = "project/memory_130.md"


@pytest.fixture
def large(project: Project, home: Path, memory_text: MemoryText) -> Project:
    for number in range(FILES):
        body = f"Remark {number} about the harbour and the colour of ship {number}."
        if number == 130:
            body = "The lantern gateway retries a refused payment twice, then it gives up."
        text = memory_text(f"Remark {number}", body, id=f"mem_2026_01_31_{number:03d}")
        os.utime(project.write(f"project/memory_{number:03d}.md", text), (1e9, 1e9))
    project.write("baseline/rules.md", memory_text("Rules", "Always true.", scope="baseline"))
    (project.dmm / "daemon.config.json").write_text('{"indexer": {"query_wait_ms": 1}}')
    project.trust(home)
    return project


def test_the_first_answers_are_partial_and_the_last_is_whole(
    machine: Machine, large: Project, wait: Callable[..., Any]
) -> None:
    machine.start()

    def ask() -> dict[str, Any]:
        return dict(
            json.loads(machine.dmm("query", QUESTION, "--json", within=large.folder).stdout)
        )

    seen = []

    def is_whole() -> bool:
        seen.append(ask())
        return not seen[-1]["pack"]["notices"]

    wait(is_whole, "the index is complete", within=120)
    for told in seen:
        assert [one["path"] for one in told["pack"]["baseline_entries"]] == ["baseline/rules.md"]
    for told in seen[:-1]:
        (notice,) = told["pack"]["notices"]
        assert notice.startswith("only ")
        assert notice.endswith("dmm reindex")
    assert seen[-1]["pack"]["retrieved_entries"][0]["path"] == WANTED
    assert seen[-1]["stats"]["indexed"] == FILES + 1
    (told,) = machine.status()["projects"]
    assert told["indexing"] is None


def test_a_prompt_is_answered_while_the_files_are_indexed(
    machine: Machine, large: Project, session: Session
) -> None:
    machine.start()
    own = type(session)(large.folder)
    assert machine.hook(own.start()) is not None
    machine.hook(own.prompt(QUESTION))
    assert machine.status()["events"].get("failed: storage") is None


class Halting(HashEmbedder):
    """A stand-in for the model that stops in the middle of the second batch, until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.reached, self.may_go_on = threading.Event(), threading.Event()

    def embed_windows(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls == 2:
            self.reached.set()
            assert self.may_go_on.wait(30)
        return super().embed_windows(windows)


def test_a_query_comes_in_between_while_files_are_indexed_in_the_background(
    large: Project, home: Path
) -> None:
    model = Halting()
    projects = Projects(home=home, model=SharedModel(lambda: model))
    project = projects.find(large.folder)
    project.asked.indexes.allowance = 60.0
    with ThreadPoolExecutor(2) as pool:
        indexing = pool.submit(project.sync)
        assert model.reached.wait(30)
        assert project.indexing == (50, FILES + 1)
        asking = pool.submit(project.query, QueryRequest(QUESTION))
        model.may_go_on.set()
        answer, report = asking.result(60), indexing.result(60)
    assert report.waiting == report.lacking == 0
    assert answer.pack.retrieved_entries[0].path == WANTED
    (notice,) = answer.pack.notices
    assert "the rest is being indexed in the background" in notice
    assert project.query(QueryRequest(QUESTION)).pack.notices == ()
    projects.close()
