"""What `dmm status` tells, with and without an index, and that looking changes nothing."""

from __future__ import annotations

import datetime as dt
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import pytest

from dmm.config import RetrievalConfig
from dmm.domain.memory import OVERLAY_SCOPES, Origin
from dmm.domain.plain import to_plain
from dmm.domain.report import Finding
from dmm.embed.tokens import TokenCounter
from dmm.errors import ModelUnavailable
from dmm.files.citations import digest
from dmm.files.consents import without_consents
from dmm.files.roots import Root
from dmm.files.tree import MemoryTree
from dmm.index.service import Indexes
from dmm.index.shelves import Shelf
from dmm.memories.overview import Overview
from dmm.packs.baselines import Baselines
from dmm.project.init import set_up
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Writer

    from dmm.embed.model import Embedder
    from dmm.memories.overview import IndexState, Status

DAY = dt.date(2026, 1, 31)
COUNT = TokenCounter().count


def no_model() -> NoReturn:
    raise ModelUnavailable("not here")


def shelf(root: Root) -> Shelf:
    return Shelf(Origin.PROJECT, root.tree, root.folder / "index" / "embeddings.db")


def describe(root: Root, *shelves: Shelf) -> Status:
    shelves = shelves or (shelf(root),)
    return Overview(root, RetrievalConfig(), shelves, COUNT, lambda: DAY).describe()


def index(root: Root) -> IndexState:
    return describe(root).roots[0].index


def sync(*shelves: Shelf, load: Callable[[], Embedder] = no_model) -> None:
    indexes = Indexes(shelves, COUNT, load, batch_size=50)
    indexes.sync()
    indexes.close()


def traces(folder: Path) -> dict[str, tuple[int, int, int]]:
    found = {}
    for place in (folder, *folder.rglob("*")):
        status = place.lstat()
        found[str(place)] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def test_before_the_first_sync_the_files_are_described_and_the_index_is_not_built(
    root: Root,
) -> None:
    root.tree.root.rmdir()
    set_up(root.project, day=DAY)
    # A template that nobody has edited is no part of the baseline.
    assert describe(root).baseline_files == 0
    for name in ("identity", "hard_constraints"):
        file = root.tree.root / "baseline" / f"{name}.md"
        file.write_text(file.read_text() + "\nThis is ours.\n")
    before = traces(root.project)
    status = describe(root)
    (own,) = status.roots
    assert own.origin is Origin.PROJECT
    assert own.folder == str(root.tree.root)
    assert (own.files, own.deprecated, own.examples) == (6, 0, 4)
    assert own.scopes == {"baseline": 2, "global": 0, "agent": 0, "project": 0, "ephemeral": 0}
    assert own.index.state == "not built"
    assert (own.index.added, own.index.changed, own.index.removed) == (6, 0, 0)
    assert (own.index.size_bytes, own.index.generation, own.index.model) == (0, 0, None)
    assert own.index.writable
    assert not own.index.up_to_date
    texts = [root.tree.load(f"baseline/{name}.md") for name in ("identity", "hard_constraints")]
    assert status.baseline_files == 2
    assert status.baseline_tokens == sum(COUNT(text.memory.body) for text in texts)
    assert status.baseline_budget == 800
    assert (status.faults, status.stale, status.expired) == ((), (), ())
    assert status.sqlite_version == sqlite.version()
    assert traces(root.project) == before


def test_an_empty_memory_can_be_described_also_without_its_folder(root: Root) -> None:
    root.tree.root.rmdir()
    status = describe(root)
    assert status.roots[0].files == 0
    assert status.baseline_tokens == 0
    assert list(root.folder.iterdir()) == []


def test_after_a_sync_the_index_is_ready_and_looking_leaves_no_trace(
    root: Root, write: Writer, model: Embedder
) -> None:
    write("project/a.md", 1)
    write("deprecated/b.md", 2, scope="project")
    sync(shelf(root), load=lambda: model)
    before = traces(root.folder)
    status = describe(root)
    state = status.roots[0].index
    assert (state.state, state.note, state.up_to_date) == ("ready", None, True)
    assert (state.indexed, state.without_vectors) == (2, 0)
    assert state.generation > 0
    assert state.model is not None
    assert state.model.startswith("all-MiniLM-L6-v2")
    assert state.size_bytes == (root.folder / "index" / "embeddings.db").stat().st_size
    assert status.roots[0].scopes["project"] == 1
    assert status.roots[0].deprecated == 1
    assert traces(root.folder) == before


def test_without_the_model_the_memories_without_vectors_are_counted(
    root: Root, write: Writer
) -> None:
    write("project/a.md")
    sync(shelf(root))
    state = index(root)
    assert (state.model, state.indexed, state.without_vectors) == (None, 1, 1)
    assert state.up_to_date


def test_what_changed_since_the_last_sync_is_counted_and_not_synced(
    root: Root, write: Writer
) -> None:
    for number, name in enumerate("abcd", start=1):
        write(f"project/{name}.md", number)
    (root.tree.root / "project" / "faulty.md").write_text("no front matter")
    sync(shelf(root))
    write("project/a.md", 1, "# Title 1\n\nOther text.")
    (root.tree.root / "project" / "b.md").unlink()
    os.utime(root.tree.root / "project" / "c.md", ns=(1, 1))
    write("project/new.md", 9)
    for _ in range(2):
        state = index(root)
        assert (state.added, state.changed, state.removed) == (1, 1, 1)
        assert not state.up_to_date
    (root.tree.root / "project" / "faulty.md").write_text("still no front matter")
    assert index(root).changed == 2


def test_an_unchanged_file_is_taken_from_the_index(root: Root, write: Writer) -> None:
    write("project/a.md", 1, expires="2026-01-30", cites="[gone.py]")
    write("global/b.md", 2)
    (root.tree.root / "project" / "c.md").write_text("no front matter")
    for file in root.tree.root.rglob("*.md"):
        os.utime(file, ns=(10**18, 10**18))
    before = describe(root)
    sync(shelf(root))
    after = describe(root)
    assert (after.faults, after.stale, after.expired) == (
        before.faults,
        before.stale,
        before.expired,
    )
    assert after.roots[0].scopes == before.roots[0].scopes
    assert [finding.path for finding in after.faults] == ["project/c.md"]
    assert [finding.path for finding in after.stale] == ["project/a.md"]
    assert [finding.path for finding in after.expired] == ["project/a.md"]


def test_faults_stale_and_expired_memories_are_named(
    root: Root, write: Writer, tmp_path: Path
) -> None:
    (root.project / "code.py").write_text("new\nold\n")
    cites = (
        f"[{{path: code.py, lines: [1, 1], hash: '{digest(['old'])}'}},"
        " {path: code.py, lines: [1, 1], hash: '0123456789abcdef'}, gone.py]"
    )
    write("project/cites.md", 1, cites=cites)
    write("ephemeral/over.md", 2, expires="2026-01-30")
    write("deprecated/old.md", 3, scope="ephemeral", expires="2026-01-30", cites="[gone.py]")
    (root.tree.root / "project" / "latin.md").write_bytes(b"\xff")
    (root.tree.root / "project" / "link.md").symlink_to(tmp_path / "outside.md")
    status = describe(root)
    assert [(f.where, f.check, f.message) for f in status.faults] == [
        ("project/link.md", "io", "a symbolic link; links are not followed"),
        ("project/latin.md:1", "content", "not UTF-8 text"),
    ]
    assert [(f.path, f.message) for f in status.stale] == [
        ("project/cites.md", "cites code.py:1-1: changed"),
        ("project/cites.md", "cites gone.py: gone"),
    ]
    assert status.expired == (
        Finding(
            "ephemeral/over.md",
            "warning",
            "expired",
            "expired on 2026-01-30; it is no longer served",
            hint="delete it, give it a later day, or make it a project memory",
        ),
    )


def test_the_users_own_memory_is_described_beside_the_projects(
    root: Root, write: Writer, tmp_path: Path
) -> None:
    own = Root(tmp_path / "home" / ".dmm")
    write_own = replace(write, folder=own.tree.root)
    write_own("global/mine.md", 7)
    write_own("project/not_shared.md", 8)
    (own.tree.root / "agent").mkdir()
    (own.tree.root / "agent" / "bad.md").write_text("no front matter")
    write("project/a.md", 1)
    tree = MemoryTree(own.tree.root, tuple(scope.value for scope in OVERLAY_SCOPES))
    shelves = (shelf(root), Shelf(Origin.USER, tree, own.folder / "index" / "embeddings.db"))
    status = describe(root, *shelves)
    assert [(r.origin, r.files) for r in status.roots] == [(Origin.PROJECT, 1), (Origin.USER, 2)]
    assert [finding.path for finding in status.faults] == ["user:agent/bad.md"]


def test_an_index_that_a_full_disk_left_empty_is_not_built(root: Root, write: Writer) -> None:
    write("project/a.md")
    path = root.folder / "index" / "embeddings.db"
    path.parent.mkdir()
    path.write_bytes(b"")
    before = traces(root.folder)
    state = index(root)
    assert (state.state, state.note) == ("not built", None)
    assert (state.added, state.up_to_date) == (1, False)
    assert traces(root.folder) == before


def test_a_broken_index_is_told_and_left_as_it_is(root: Root, write: Writer) -> None:
    write("project/a.md")
    path = root.folder / "index" / "embeddings.db"
    path.parent.mkdir()
    path.write_bytes(b"not a database, but long enough to be one" * 50)
    before = traces(root.folder)
    state = index(root)
    assert state.state == "broken"
    assert state.note is not None
    assert state.note.endswith("; the next query rebuilds it")
    assert (state.added, state.up_to_date) == (1, False)
    assert traces(root.folder) == before


def test_a_file_in_the_place_of_the_index_folder_makes_it_unwritable(
    root: Root, write: Writer
) -> None:
    write("project/a.md")
    (root.folder / "index").write_text("a file")
    state = index(root)
    assert (state.state, state.writable) == ("not built", False)


def test_an_index_behind_a_link_is_not_read(root: Root, write: Writer, tmp_path: Path) -> None:
    write("project/a.md")
    sync(shelf(root))
    (root.folder / "index").rename(tmp_path / "elsewhere")
    (root.folder / "index").symlink_to(tmp_path / "elsewhere")
    state = index(root)
    assert state.state == "unreadable"
    assert state.note is not None
    assert state.note.endswith("the index is a symbolic link")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every folder")
def test_an_index_in_a_closed_folder_is_unreadable(root: Root, write: Writer) -> None:
    write("project/a.md")
    sync(shelf(root))
    (root.folder / "index").chmod(0)
    state = index(root)
    (root.folder / "index").chmod(0o700)
    assert (state.state, state.writable) == ("unreadable", False)


def test_an_index_that_is_open_here_is_asked_itself(root: Root, write: Writer) -> None:
    write("project/a.md")
    own = shelf(root)
    indexes = Indexes((own,), COUNT, no_model, batch_size=50)
    indexes.sync()
    state = describe(root, own).roots[0].index
    assert (state.state, state.note, state.up_to_date) == ("ready", None, True)
    assert own.store is not None
    assert own.store.generation() == state.generation
    indexes.close()


def test_an_index_that_another_process_has_open_is_told_as_such(root: Root, write: Writer) -> None:
    note = "another process has it open; the newest changes are not counted here"
    write("project/a.md")
    first = Indexes((shelf(root),), COUNT, no_model, batch_size=50)
    first.sync()
    state = index(root)
    assert (state.state, state.note) == ("unreadable", note)
    first.close()
    assert index(root).note is None
    write("project/b.md", 2)
    second = Indexes((shelf(root),), COUNT, no_model, batch_size=50)
    second.sync()
    state = index(root)
    assert (state.state, state.note, state.indexed, state.added) == ("ready", note, 1, 1)
    second.close()


def test_tokens_that_a_pack_has_counted_are_not_counted_again(root: Root, write: Writer) -> None:
    def refuse(text: str) -> int:
        raise AssertionError(f"counted: {text}")

    write("baseline/a.md", 1, "# Title 1\n\nWords.")
    Baselines(root, COUNT, without_consents(root.folder)).compile()
    before = traces(root.folder)
    overview = Overview(root, RetrievalConfig(), (shelf(root),), refuse, lambda: DAY)
    assert overview.describe().baseline_tokens == COUNT("# Title 1\n\nWords.")
    write("baseline/a.md", 1, "# Title 1\n\nOther words.")
    with pytest.raises(AssertionError, match="Other words"):
        overview.describe()
    assert traces(root.folder).keys() == before.keys()


def test_a_faulty_baseline_file_counts_as_it_is_served(root: Root, write: Writer) -> None:
    write("baseline/a.md", 1, "# Title 1\n\nWords.")
    write("baseline/b.md", 2, "# Title 2\n\nWords.", status="deprecated")
    (root.tree.root / "baseline" / "c.md").write_text("no front matter\n")
    status = describe(root)
    assert status.baseline_files == 2
    assert status.baseline_tokens == COUNT("# Title 1\n\nWords.") + COUNT("no front matter")


def test_the_status_can_be_told_as_data(root: Root, write: Writer) -> None:
    write("ephemeral/a.md", 1, expires="2026-01-30")
    told = json.loads(json.dumps(to_plain(describe(root))))
    path = root.folder / "index" / "embeddings.db"
    assert told == {
        "roots": [
            {
                "origin": "project",
                "folder": str(root.tree.root),
                "files": 1,
                "scopes": {"baseline": 0, "global": 0, "agent": 0, "project": 0, "ephemeral": 1},
                "deprecated": 0,
                "examples": 0,
                "index": {
                    "path": str(path),
                    "state": "not built",
                    "note": None,
                    "writable": True,
                    "size_bytes": 0,
                    "generation": 0,
                    "model": None,
                    "indexed": 0,
                    "without_vectors": 0,
                    "added": 1,
                    "changed": 0,
                    "removed": 0,
                    "up_to_date": False,
                },
            }
        ],
        "baseline_files": 0,
        "baseline_tokens": 0,
        "baseline_budget": 800,
        "faults": [],
        "stale": [],
        "ignored": [],
        "expired": [
            {
                "path": "ephemeral/a.md",
                "level": "warning",
                "check": "expired",
                "message": "expired on 2026-01-30; it is no longer served",
                "line": None,
                "hint": "delete it, give it a later day, or make it a project memory",
                "fixable": False,
            }
        ],
        "sqlite_version": sqlite.version(),
    }
