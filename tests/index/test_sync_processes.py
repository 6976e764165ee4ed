"""Indexing across processes: a kill costs nothing but the batch in work, and two do no harm."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from dmm.domain.memory import Origin
from dmm.index.store import IndexStore
from dmm.index.sync import Syncer

if TYPE_CHECKING:
    from tests.conftest import MemoryText, Project
    from tests.eventlog.conftest import Waiting

    from dmm.embed.model import Embedder

FILES = 30
RUN = """
import sys, time
from pathlib import Path
from dmm.domain.memory import Origin
from dmm.embed.model import Embedder
from dmm.files.tree import MemoryTree
from dmm.index.store import IndexStore
from dmm.index.sync import Syncer

folder, with_model, full = Path(sys.argv[1]), sys.argv[2] == "model", sys.argv[3] == "full"
embedder = Embedder.load(threads=1) if with_model else None
store = IndexStore.open(folder / "index" / "embeddings.db")
print("ready", flush=True)
sys.stdin.readline()

def show(done, total):
    print(done, total, flush=True)
    if with_model and done + 2 == total:
        sys.stdin.readline()  # this run never ends by itself

Syncer(Origin.PROJECT, len, embedder, batch_size=2).sync(
    MemoryTree(folder / "memory"), store, now_ns=time.time_ns(), full=full,
    progress=show,
)
store.close()
"""


def content(store: IndexStore) -> tuple[object, ...]:
    return store.memories(), list(store.search_rows()), store.vectors(), set(store.files())


@pytest.fixture
def filled(project: Project, memory_text: MemoryText) -> Project:
    for number in range(FILES):
        text = memory_text(f"Memory {number}", id=f"mem_2026_01_31_{number:03d}")
        project.write(f"project/{number}.md", text)
    return project


@pytest.mark.parametrize(("full", "lines"), [("", 1), ("", 6), ("full", 4)])
def test_a_killed_run_is_finished_by_the_next(
    launch: type[Waiting], filled: Project, model: Embedder, full: str, lines: int
) -> None:
    if full:
        with IndexStoreOf(filled) as store:
            Syncer(Origin.PROJECT, len, model).sync(filled.tree, store, now_ns=2**62)
    with launch(RUN, filled.dmm, "model", full) as process:
        process.tell()
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline().endswith(f" {FILES}\n")
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    fresh = IndexStore.in_memory()
    syncer = Syncer(Origin.PROJECT, len, model)
    syncer.sync(filled.tree, fresh, now_ns=2**62)
    with IndexStoreOf(filled) as store:
        assert len(store.memories()) >= lines * 2
        report = syncer.sync(filled.tree, store, now_ns=2**62)
        assert report.embedded <= FILES - lines * 2
        assert content(store) == content(fresh)
        assert store._connection.pragma("integrity_check") == "ok"


def test_two_processes_at_once_leave_the_index_of_one(
    launch: type[Waiting], filled: Project
) -> None:
    processes = [launch(RUN, filled.dmm, "words", "full") for _ in range(2)]
    for process in processes:
        process.tell()
    for process in processes:
        with process:
            process.communicate()
        assert process.returncode == 0
    fresh = IndexStore.in_memory()
    Syncer(Origin.PROJECT, len, None).sync(filled.tree, fresh, now_ns=2**62)
    with IndexStoreOf(filled) as store:
        assert content(store) == content(fresh)


def test_many_processes_may_create_the_index_at_the_same_time(
    launch: type[Waiting], filled: Project
) -> None:
    processes = [launch(RUN, filled.dmm, "words", "") for _ in range(3)]
    for process in processes:
        with process:
            process.tell()
            process.communicate()
        assert process.returncode == 0
    with IndexStoreOf(filled) as store:
        assert len(store.memories()) == FILES


class IndexStoreOf:
    """The project's index, closed at the end of the block."""

    def __init__(self, project: Project) -> None:
        self.store = IndexStore.open(project.index)

    def __enter__(self) -> IndexStore:
        return self.store

    def __exit__(self, *_: object) -> None:
        self.store.close()
