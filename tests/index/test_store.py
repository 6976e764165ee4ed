"""The index file: what goes in comes out, in whole batches, and a bad file is noticed."""

from __future__ import annotations

import datetime as dt
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import fill

from dmm.domain.memory import Citation, Confidence, Scope
from dmm.errors import IndexBroken, IndexBusy, MemoryFileError, StorageError
from dmm.files.tree import Stamp
from dmm.index import rows
from dmm.index.records import Batch, Directory, IndexedMemory, KnownFile, Terms
from dmm.index.store import IndexStore
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEMORY = IndexedMemory(
    path="project/http/retry.md",
    id="mem_2026_01_31_001",
    directory="project/http",
    title="Retry policy — Größe",
    content="# Retry policy\n\nThree times.",
    scope=Scope.PROJECT,
    priority=0.1,
    confidence=Confidence.STABLE,
    in_force=True,
    tags=("http", "a: b"),
    token_count=12,
    heading_tokens=7,
    words=5,
    code_density=0.25,
    created=dt.date(2026, 1, 31),
    expires=dt.datetime(2027, 1, 1, 12, 30, tzinfo=dt.UTC),
    supersedes=("mem_2025_01_01_001",),
    related=("mem_2025_01_01_002", "x"),
    cites=(Citation("a.py", "f", (1, 2), "0" * 16), Citation("b.py")),
    content_hash="c" * 64,
    vector_key="v" * 32,
    aliases=("again", "ré-essai"),
    paths=("src/**",),
)
PLAIN = replace(
    MEMORY,
    path="global/b.md",
    in_force=False,
    created=None,
    expires=None,
    tags=(),
    supersedes=(),
    related=(),
    cites=(),
    aliases=(),
    vector_key="w" * 32,
)
TERMS = Terms(b"\x01\x00\x00\x00", b"\x00\x3c", 1.5)


def known(path: str, fault: MemoryFileError | None = None) -> KnownFile:
    return KnownFile(Stamp(path, 10, 2**62, 2**62 + 1), "c" * 64, fault)


def batch_of(*memories: IndexedMemory) -> Batch:
    return Batch(
        files=[known(memory.path) for memory in memories],
        memories=[(memory, TERMS) for memory in memories],
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index" / "embeddings.db"


@pytest.fixture
def store(path: Path) -> Iterator[IndexStore]:
    opened = IndexStore.open(path)
    yield opened
    opened.close()


def test_every_field_of_a_memory_survives(store: IndexStore, path: Path) -> None:
    store.apply(batch_of(MEMORY, PLAIN))
    store.close()
    again = IndexStore.open(path)
    assert again.memories() == [PLAIN, MEMORY]
    assert again.memory(MEMORY.path) == MEMORY
    again.close()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
days = st.none() | st.dates() | st.datetimes() | st.datetimes(timezones=st.just(dt.UTC))


@given(
    st.builds(
        IndexedMemory,
        path=texts,
        id=texts,
        directory=texts,
        title=texts,
        content=texts,
        scope=st.sampled_from(Scope),
        priority=st.floats(0, 1),
        confidence=st.sampled_from(Confidence),
        in_force=st.booleans(),
        tags=st.lists(texts, max_size=3).map(tuple),
        token_count=st.integers(0, 2000),
        heading_tokens=st.integers(0, 2000),
        words=st.integers(0, 2000),
        code_density=st.floats(0, 1),
        created=days,
        expires=days,
        supersedes=st.lists(texts, max_size=3).map(tuple),
        related=st.lists(texts, max_size=3).map(tuple),
        cites=st.lists(
            st.builds(
                Citation,
                texts,
                st.none() | texts,
                st.none() | st.tuples(st.integers(1, 9), st.integers(10, 99)),
                st.none() | texts,
            ),
            max_size=2,
        ).map(tuple),
        content_hash=texts,
        vector_key=texts,
        aliases=st.lists(texts, max_size=2).map(tuple),
        paths=st.lists(texts, max_size=2).map(tuple),
    )
)
def test_a_row_reads_back_as_the_memory_it_was_written_from(memory: IndexedMemory) -> None:
    row = rows.write_memory(memory, TERMS)
    assert rows.read_memory(row[:-3]) == memory
    assert row[-3:] == (TERMS.hashes, TERMS.weights, TERMS.length)


def test_searching_sees_the_columns_without_the_content(store: IndexStore) -> None:
    store.apply(batch_of(MEMORY, PLAIN))
    plain, full = (row._asdict() for row in store.search_rows())
    assert {
        "path": "project/http/retry.md",
        "id": "mem_2026_01_31_001",
        "directory": "project/http",
        "title": "Retry policy — Größe",
        "scope": "project",
        "priority": 0.1,
        "confidence": "stable",
        "in_force": 1,
        "token_count": 12,
        "heading_tokens": 7,
        "words": 5,
        "code_density": 0.25,
        "created": "2026-01-31",
        "expires": "2027-01-01T12:30:00+00:00",
        "cited": 1,
        "vector_key": "v" * 32,
        "term_hashes": TERMS.hashes,
        "term_weights": TERMS.weights,
        "term_length": 1.5,
    }.items() <= full.items()
    assert "content" not in full
    own = {"path": "global/b.md", "in_force": 0, "cited": 0, "created": None, "expires": None}
    assert own.items() <= plain.items()


@pytest.mark.parametrize(
    "fault",
    [
        None,
        MemoryFileError("project/a.md", "schema", "missing field: id", line=2, hint="add it"),
        MemoryFileError("project/a.md", "io", "unreadable"),
    ],
)
def test_a_file_is_remembered_with_its_fault(
    store: IndexStore, fault: MemoryFileError | None
) -> None:
    store.apply(Batch(files=[known("project/a.md", fault)]))
    (file,) = store.files().values()
    assert file.stamp == Stamp("project/a.md", 10, 2**62, 2**62 + 1)
    assert (file.fault is None) == (fault is None)
    if fault is not None and file.fault is not None:
        read = file.fault
        assert (read.path, read.fault, read.line) == (fault.path, fault.fault, fault.line)
        assert (str(read), read.hint) == (str(fault), fault.hint)


def test_a_removed_file_takes_its_memory_along(store: IndexStore) -> None:
    store.apply(batch_of(MEMORY, PLAIN))
    store.apply(Batch(removed=[MEMORY.path, "project/unknown.md"]))
    assert [memory.path for memory in store.memories()] == [PLAIN.path]
    assert list(store.files()) == [PLAIN.path]


def test_a_file_that_turns_bad_is_remembered_without_its_memory(store: IndexStore) -> None:
    store.apply(batch_of(MEMORY))
    fault = MemoryFileError(MEMORY.path, "yaml", "no front matter", line=1)
    store.apply(Batch(files=[known(MEMORY.path, fault)], removed=[MEMORY.path]))
    assert store.memories() == []
    assert list(store.files()) == [MEMORY.path]


def test_a_batch_is_visible_whole_or_not_at_all(store: IndexStore) -> None:
    store.apply(batch_of(PLAIN))
    before = store.generation()
    orphan = Batch(
        files=[known("project/new.md")], memories=[(MEMORY, TERMS)], vectors={"v": b"data"}
    )
    with pytest.raises(StorageError, match="FOREIGN KEY constraint failed"):
        store.apply(orphan)
    assert list(store.files()) == [PLAIN.path]
    assert store.vector_keys() == set()
    assert store.generation() == before


def test_every_change_is_a_new_generation(store: IndexStore) -> None:
    assert store.generation() == 0
    store.apply(batch_of(MEMORY))
    store.drop_vectors()
    store.clear()
    assert store.generation() == 3


def test_vectors_are_kept_by_key_and_given_for_memories_only(store: IndexStore) -> None:
    store.apply(batch_of(MEMORY, PLAIN))
    assert store.lacking_vectors() == [PLAIN.path, MEMORY.path]
    store.apply(Batch(vectors={MEMORY.vector_key: b"one", "orphan": b"two"}))
    assert store.lacking_vectors() == [PLAIN.path]
    assert store.vectors() == {MEMORY.vector_key: b"one"}
    assert store.vector_keys() == {MEMORY.vector_key, "orphan"}


def test_vectors_without_a_memory_are_dropped_when_they_are_too_many(store: IndexStore) -> None:
    store.apply(batch_of(MEMORY))
    store.apply(Batch(vectors={MEMORY.vector_key: b"one", "a": b"two", "b": b"three"}))
    store.forget_orphans(keep=2)
    assert len(store.vector_keys()) == 3
    store.forget_orphans(keep=1)
    assert store.vector_keys() == {MEMORY.vector_key}


def test_a_cleared_index_holds_nothing_but_its_generation(store: IndexStore) -> None:
    store.apply(batch_of(MEMORY))
    store.apply(Batch(vectors={"a": b"x"}, meta={"model": "m"}, directories=[Directory("a", "b")]))
    store.clear()
    assert (store.files(), store.memories(), store.directories()) == ({}, [], [])
    assert (store.vector_keys(), store.meta("model"), store.generation()) == (set(), None, 3)


def test_described_folders_are_replaced_together_or_left(store: IndexStore) -> None:
    store.apply(Batch(directories=[Directory("b", "two"), Directory("a", "one")]))
    store.apply(Batch(meta={"x": "y"}))
    assert store.directories() == [Directory("a", "one"), Directory("b", "two")]
    store.apply(Batch(directories=[]))
    assert store.directories() == []


def test_a_memory_that_is_not_there_means_the_index_is_broken(store: IndexStore) -> None:
    with pytest.raises(IndexBroken, match=r"no memory project/none\.md in the index"):
        store.memory("project/none.md")


def test_an_index_in_memory_works_the_same() -> None:
    store = IndexStore.in_memory()
    store.apply(batch_of(MEMORY))
    assert (store.memories(), store.where, store.writable) == ([MEMORY], ":memory:", True)
    store.close()


def test_a_file_of_garbage_is_broken(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"garbage" * 1000)
    with pytest.raises(IndexBroken, match="damaged database"):
        IndexStore.open(path)


@pytest.mark.parametrize("pragma", ["user_version = 2", "application_id = 0"])
def test_an_index_of_another_kind_is_not_believed(
    store: IndexStore, path: Path, pragma: str
) -> None:
    store.apply(batch_of(MEMORY))
    store._connection.execute(f"PRAGMA {pragma}")
    store.close()
    with pytest.raises(IndexBroken, match="an index from another version"):
        IndexStore.open(path)


def test_a_foreign_database_is_not_taken_for_an_index(path: Path) -> None:
    path.parent.mkdir()
    foreign = apsw.Connection(str(path))
    foreign.execute("CREATE TABLE theirs (x)")
    foreign.execute("PRAGMA user_version = 1")
    foreign.close()
    with pytest.raises(IndexBroken, match="an index from another version"):
        IndexStore.open(path)


def test_an_index_that_was_copied_here_is_not_believed(store: IndexStore, path: Path) -> None:
    store.apply(batch_of(MEMORY))
    store.close()
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    for opening in (IndexStore.open, IndexStore.open_read_only):
        with pytest.raises(IndexBroken, match="created elsewhere"):
            opening(copy)


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_log_that_is_a_link_is_not_read(
    store: IndexStore, path: Path, suffix: str, tmp_path: Path
) -> None:
    store.close()
    log = path.with_name(path.name + suffix)
    log.unlink(missing_ok=True)
    log.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(IndexBroken, match="its log is a symbolic link"):
        IndexStore.open(path)


def test_an_index_that_can_not_be_written_is_still_read(store: IndexStore, path: Path) -> None:
    store.apply(batch_of(MEMORY))
    store.close()
    path.with_name("embeddings.db-wal").mkdir()
    reader = IndexStore.open(path)
    assert not reader.writable
    assert reader.memories() == [MEMORY]
    with pytest.raises(StorageError, match="database can't be written"):
        reader.apply(batch_of(PLAIN))
    reader.close()


def test_a_read_only_index_of_another_version_is_broken(store: IndexStore, path: Path) -> None:
    store._connection.execute("PRAGMA user_version = 2")
    store.close()
    path.with_name("embeddings.db-wal").mkdir()
    with pytest.raises(IndexBroken, match="an index from another version"):
        IndexStore.open(path)


def test_a_place_where_no_index_can_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError) as raised:
        IndexStore.open(tmp_path / "file" / "embeddings.db")
    assert str(raised.value) == f"{tmp_path}/file: could not make the index folder: File exists"


@pytest.mark.parametrize("linked", ["folder", "file"])
def test_an_index_behind_a_link_is_refused(tmp_path: Path, path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "embeddings.db").write_bytes(b"precious")
    if linked == "folder":
        path.parent.symlink_to(outside)
    else:
        path.parent.mkdir()
        path.symlink_to(outside / "embeddings.db")
    with pytest.raises(StorageError) as raised:
        IndexStore.open(path)
    assert type(raised.value) is StorageError
    assert str(raised.value) == f"{path}: the index is a symbolic link"
    assert (outside / "embeddings.db").read_bytes() == b"precious"


def test_a_busy_index_is_not_taken_for_a_broken_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir()
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 1)
    other = apsw.Connection(str(path))
    other.execute("BEGIN EXCLUSIVE; CREATE TABLE theirs (x)")
    with pytest.raises(IndexBusy, match="database locked"):
        IndexStore.open(path)
    other.close()


def test_a_damaged_page_is_told_as_a_broken_index(store: IndexStore, path: Path) -> None:
    store.apply(batch_of(*(replace(MEMORY, path=f"project/{n}.md") for n in range(200))))
    store.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(IndexBroken, match="damaged database"):
        IndexStore.open(path).memories()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memories SET scope = 'proje?t'",
        "UPDATE memories SET cites = '[[1]]'",
        "UPDATE memories SET tags = 'x'",
        "UPDATE memories SET created = 'today'",
    ],
)
def test_a_row_that_can_not_be_what_was_written_is_a_broken_index(
    store: IndexStore, damage: str
) -> None:
    store.apply(batch_of(MEMORY))
    store._connection.execute(damage)
    with pytest.raises(IndexBroken, match="damaged content: ") as raised:
        store.memory(MEMORY.path)
    assert raised.value.hint == "delete the index folder; it is rebuilt from the files"


def test_tables_of_another_shape_are_a_broken_index(store: IndexStore) -> None:
    store._connection.execute("INSERT INTO meta VALUES ('generation', 'x')")
    with pytest.raises(IndexBroken, match="damaged content: "):
        store.generation()
    store._connection.execute("ALTER TABLE files RENAME COLUMN size TO length")
    with pytest.raises(IndexBroken, match="no such column: size"):
        store.files()


@pytest.mark.parametrize("room", [0, 12_288, 49_152])
def test_a_new_index_on_a_full_disk_is_no_broken_one(small_disk: Path, room: int) -> None:
    fill(small_disk)
    filling = small_disk / "fill"
    # Room may be left for the first page, and for none of the tables.
    os.truncate(filling, filling.stat().st_size - room)
    for _ in range(2):
        with pytest.raises(StorageError) as raised:
            IndexStore.open(small_disk / "index" / "embeddings.db")
        assert not isinstance(raised.value, IndexBroken)
        assert raised.value.hint == sqlite.FULL
