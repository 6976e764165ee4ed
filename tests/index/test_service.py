"""The indexes of a project: kept fresh, shared, rebuilt, and never in the way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

import pytest

from dmm.domain.memory import Origin
from dmm.domain.pack import QueryRequest
from dmm.errors import IndexBroken, IndexBusy, ModelUnavailable, StorageError
from dmm.files.lock import exclusive
from dmm.index.store import IndexStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import HashEmbedder, MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.index.service import Indexes


@pytest.fixture
def open_indexes(
    open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> Callable[[Project], Indexes]:
    return lambda project: open_project(project, new_embedder).indexes


@pytest.fixture
def notes(project: Project, memory_text: MemoryText) -> Project:
    for number in range(5):
        fields = {"id": f"mem_2026_02_01_00{number}"}
        text = memory_text(f"Note {number}", f"Words about thing {number}.", **fields)
        file = project.write(f"project/note_{number}.md", text)
        os.utime(file, (1e9, 1e9))  # new files are read again, which would fix their rows
    return project


@pytest.fixture
def own(home: Path, memory_text: MemoryText) -> Path:
    """A memory of the user's own."""
    file = home / ".dmm" / "memory" / "global" / "mine.md"
    file.parent.mkdir(parents=True)
    fields = {"scope": "global", "id": "mem_2026_05_05_001"}
    file.write_text(memory_text("Mine", "Words about mine.", **fields))
    return home / ".dmm" / "index" / "embeddings.db"


def test_one_act_sees_the_files_as_they_were_when_it_began(
    notes: Project, memory_text: MemoryText, open_indexes: Callable[[Project], Indexes]
) -> None:
    indexes = open_indexes(notes)
    with indexes.looked_at_once():
        notes.write("project/late.md", memory_text("Late", "Written meanwhile."))
        report = indexes.refresh()
        assert report is not None
        assert (report.total, len(indexes.snapshot())) == (5, 5)
    indexes.refresh()
    assert len(indexes.snapshot()) == 6


def test_a_sync_reports_over_all_trees(
    notes: Project, own: Path, open_indexes: Callable[[Project], Indexes]
) -> None:
    notes.write("project/bad.md", "no front matter")
    indexes = open_indexes(notes)
    report = indexes.sync()
    assert (report.total, report.indexed, report.embedded, report.removed) == (7, 6, 6, 0)
    assert [fault.path for fault in report.faults] == ["project/bad.md"]
    places = indexes.snapshot().places
    assert [(place.origin, place.path) for place in places] == [
        *((Origin.PROJECT, f"project/note_{number}.md") for number in range(5)),
        (Origin.USER, "global/mine.md"),
    ]
    assert own.is_file()
    assert indexes.memory(places[-1]).title == "Mine"


def test_the_snapshot_is_loaded_again_only_after_a_change(
    notes: Project, open_indexes: Callable[[Project], Indexes]
) -> None:
    indexes = open_indexes(notes)
    indexes.sync()
    first = indexes.snapshot()
    assert indexes.snapshot() is first
    (notes.memory / "project" / "note_4.md").unlink()
    indexes.sync()
    assert len(indexes.snapshot()) == 4


def test_only_one_process_indexes(
    notes: Project, open_indexes: Callable[[Project], Indexes]
) -> None:
    indexes = open_indexes(notes)
    indexes.sync()
    with exclusive(notes.index.with_name("index.lock"), what="busy"):
        with pytest.raises(IndexBusy, match="another process is indexing"):
            indexes.sync()
        assert indexes.refresh() is None
        assert list(indexes.notices) == ["index"]
    assert indexes.refresh() is not None
    assert indexes.notices == {}


def test_a_damaged_index_is_built_anew_by_any_sync(
    notes: Project, open_indexes: Callable[[Project], Indexes]
) -> None:
    sound = open_indexes(notes)
    sound.sync()
    sound.close()
    notes.index.write_bytes(b"garbage" * 1000)
    indexes = open_indexes(notes)
    assert indexes.sync().indexed == 5
    assert indexes.notices["broken"].startswith("the index was damaged and is being rebuilt (")
    assert notes.index.read_bytes()[:15] == b"SQLite format 3"


def test_an_index_damaged_while_it_is_open_is_built_anew(
    notes: Project, own: Path, open_indexes: Callable[[Project], Indexes]
) -> None:
    indexes = open_indexes(notes)
    indexes.sync()
    project_store, own_store = indexes.store(Origin.PROJECT), indexes.store(Origin.USER)
    assert project_store is not None
    project_store._connection.execute("UPDATE memories SET scope = 'nowhere'")
    assert len(indexes.snapshot()) == 6
    assert "damaged content" in indexes.notices["broken"]
    assert indexes.store(Origin.PROJECT) is not project_store

    project_store, own_store = indexes.store(Origin.PROJECT), indexes.store(Origin.USER)
    assert project_store is not None
    where = str(notes.index.resolve())
    indexes.fix(IndexBroken("somewhere in the middle", where=where))
    assert indexes.store(Origin.PROJECT) is not project_store
    assert indexes.store(Origin.USER) is own_store
    assert len(indexes.snapshot()) == 6


def spoil(dmm: Dmm, statement: str) -> None:
    """Change the index of a project after its first query, past what keeps it in order."""
    dmm.packs.query(QueryRequest("words"))
    store = dmm.indexes.store(Origin.PROJECT)
    assert store is not None
    store._connection.execute(statement)


def test_a_row_that_is_gone_is_mended_by_the_query_that_misses_it(
    notes: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> None:
    dmm = open_project(notes, new_embedder)
    spoil(dmm, "DELETE FROM memories")
    pack = dmm.packs.query(QueryRequest("words about thing"), refresh=False).pack
    assert len(pack.retrieved_entries) > 0
    (notice,) = pack.notices
    assert notice.startswith("the index was damaged and is being rebuilt (no memory project/")


def test_a_table_that_is_gone_is_made_again(
    notes: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> None:
    dmm = open_project(notes, new_embedder)
    spoil(dmm, "DROP TABLE vectors")
    dmm.indexes.close()
    dmm = open_project(notes, new_embedder)
    for notices in (1, 0):
        pack = dmm.packs.query(QueryRequest("words about thing")).pack
        assert len(pack.retrieved_entries) > 0
        assert len(pack.notices) == notices
        dmm = open_project(notes, new_embedder)


def test_an_index_that_cannot_be_made_lives_in_memory(
    notes: Project, open_indexes: Callable[[Project], Indexes]
) -> None:
    (notes.dmm / "index").write_text("not a folder")
    indexes = open_indexes(notes)
    assert indexes.sync().indexed == 5
    assert len(indexes.snapshot()) == 5
    assert indexes.notices["store"].startswith("the index is held in memory only: ")
    assert (notes.dmm / "index").read_text() == "not a folder"


def test_a_damaged_index_that_cannot_be_removed_is_replaced_in_memory(
    notes: Project,
    open_indexes: Callable[[Project], Indexes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sound = open_indexes(notes)
    sound.sync()
    sound.close()
    notes.index.write_bytes(b"garbage" * 1000)

    def refuse(*_: object, **__: object) -> NoReturn:
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    indexes = open_indexes(notes)
    assert indexes.sync().indexed == 5
    assert notes.index.read_bytes()[:7] == b"garbage"


def test_an_index_behind_a_link_is_not_written(
    notes: Project, open_indexes: Callable[[Project], Indexes], tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (notes.dmm / "index").symlink_to(tmp_path / "elsewhere")
    indexes = open_indexes(notes)
    assert indexes.sync().indexed == 5
    assert "symbolic link" in indexes.notices["store"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_index_that_can_only_be_read_is_read(
    notes: Project,
    open_indexes: Callable[[Project], Indexes],
    memory_text: MemoryText,
) -> None:
    indexes = open_indexes(notes)
    indexes.sync()
    indexes.close()
    shelf = indexes.shelves[0]
    connection = IndexStore.open(notes.index)._connection
    shelf.store = IndexStore(connection, str(notes.index), writable=False)
    with pytest.raises(StorageError, match="the index can't be written") as caught:
        indexes.sync()
    assert caught.value.hint == "make the folder writable, then: dmm reindex"
    assert indexes.refresh() is None
    assert "can't be written" in indexes.notices["index"]
    assert len(indexes.snapshot()) == 5


def test_the_model_is_asked_for_once_also_if_it_is_missing(
    notes: Project, open_project: Opener
) -> None:
    asked = []

    def missing() -> NoReturn:
        asked.append(1)
        raise ModelUnavailable("gone", where="model.onnx")

    indexes = open_project(notes, missing).indexes
    assert indexes.embedder() is None
    assert indexes.embedder() is None
    assert indexes.embed("words") is None
    assert asked == [1]


def test_vectors_come_when_the_model_is_back(
    notes: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> None:
    def missing() -> NoReturn:
        raise ModelUnavailable("gone")

    without = open_project(notes, missing).indexes
    assert (without.sync().indexed, without.snapshot().vectors) == (5, None)
    back = open_project(notes, new_embedder).indexes
    assert back.sync().embedded == 5
    vectors = back.snapshot().vectors
    assert vectors is not None
    assert len(vectors) == 5


def test_a_tree_that_is_not_there_has_no_store(
    notes: Project, open_indexes: Callable[[Project], Indexes]
) -> None:
    indexes = open_indexes(notes)
    assert indexes.store(Origin.USER) is None
    indexes.close()
    assert indexes.shelves[0].store is None
    indexes.close()
