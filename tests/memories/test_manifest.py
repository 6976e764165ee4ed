"""The map of the memory beside the index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.memory import Origin
from dmm.embed.tokens import TokenCounter
from dmm.errors import StorageError
from dmm.index.store import IndexStore
from dmm.index.sync import Syncer
from dmm.memories.manifest import write_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Writer

    from dmm.files.roots import Root

COUNT = TokenCounter().count


@pytest.fixture
def store(root: Root) -> Iterator[IndexStore]:
    store = IndexStore.open(root.folder / "index" / "embeddings.db")
    yield store
    store.close()


def sync(root: Root, store: IndexStore) -> None:
    Syncer(Origin.PROJECT, COUNT, None).sync(root.tree, store, now_ns=0)


IDENTITY, LOGIN, OLD = "# Identität\n\nWho.", "# Login\n\nHow one logs in.", "# Old\n\nGone."


def described(path: str, number: int, title: str, tokens: int, **more: object) -> dict[str, object]:
    scope = path.partition("/")[0]
    known = {"path": path, "id": f"mem_2026_01_01_{number:03}", "title": title}
    return {**known, "tags": ["a", "b"], "scope": scope, "tokens": tokens, "in_force": True} | more


@pytest.fixture
def manifest(root: Root, write: Writer, store: IndexStore) -> dict[str, Any]:
    write("baseline/identity.md", 1, IDENTITY)
    write("project/auth/login.md", 2, LOGIN)
    write("project/auth/old.md", 3, OLD, status="deprecated")
    write("project/broken.md", 4, "no title")
    (root.tree.root / "project" / "auth" / "_dir.md").write_text("Sessions and passwords.\n")
    sync(root, store)
    write_manifest(root, store)
    read: dict[str, Any] = json.loads(root.manifest.read_text("utf-8"))
    return read


def test_the_manifest_counts_memories_and_tokens_by_scope(manifest: dict[str, Any]) -> None:
    identity, login, old = map(COUNT, (IDENTITY, LOGIN, OLD))
    nothing = {"count": 0, "tokens": 0}
    assert set(manifest) == {"version", "totals", "baseline_tokens", "directories"}
    assert (manifest["version"], manifest["baseline_tokens"]) == (1, identity)
    assert manifest["totals"] == {
        "count": 3,
        "tokens": identity + login + old,
        "scopes": {
            "baseline": {"count": 1, "tokens": identity},
            "global": nothing,
            "agent": nothing,
            "project": {"count": 1, "tokens": login},
            "ephemeral": nothing,
        },
        "deprecated": {"count": 1, "tokens": old},
    }


def test_the_manifest_maps_directories_and_their_memories(manifest: dict[str, Any]) -> None:
    identity, login, old = map(COUNT, (IDENTITY, LOGIN, OLD))
    baseline, auth = manifest["directories"]
    assert baseline == {
        "path": "baseline",
        "description": "",
        "count": 1,
        "tokens": identity,
        "memories": [described("baseline/identity.md", 1, "Identität", identity)],
    }
    assert auth == {
        "path": "project/auth",
        "description": "Sessions and passwords.",
        "count": 2,
        "tokens": login + old,
        "memories": [
            described("project/auth/login.md", 2, "Login", login),
            described("project/auth/old.md", 3, "Old", old, in_force=False),
        ],
    }


def test_an_empty_memory_has_a_manifest_too(root: Root, store: IndexStore) -> None:
    write_manifest(root, store)
    manifest = json.loads(root.manifest.read_text())
    assert manifest["totals"]["count"] == 0
    assert manifest["directories"] == []


def test_the_same_files_give_the_same_bytes_and_no_second_write(
    root: Root, write: Writer, store: IndexStore
) -> None:
    write("project/a.md", 1, "# A\n\nText.")
    sync(root, store)
    write_manifest(root, store)
    before = root.manifest.stat()
    data = root.manifest.read_bytes()
    Syncer(Origin.PROJECT, COUNT, None).sync(root.tree, store, now_ns=0, full=True)
    write_manifest(root, store)
    after = root.manifest.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    other = IndexStore.open(root.folder / "other.db")
    sync(root, other)
    root.manifest.unlink()
    write_manifest(root, other)
    other.close()
    assert root.manifest.read_bytes() == data


def test_a_changed_memory_changes_the_manifest(
    root: Root, write: Writer, store: IndexStore
) -> None:
    write("project/a.md", 1, "# A\n\nText.")
    sync(root, store)
    write_manifest(root, store)
    write("project/a.md", 1, "# B\n\nText.")
    sync(root, store)
    write_manifest(root, store)
    assert '"title": "B"' in root.manifest.read_text()
    assert [file.name for file in root.manifest.parent.glob("*.tmp")] == []


def test_an_index_in_memory_leaves_no_manifest(root: Root) -> None:
    store = IndexStore.in_memory()
    write_manifest(root, store)
    store.close()
    assert not root.manifest.exists()


def test_a_manifest_that_can_not_be_written_is_reported_with_its_path(
    root: Root, store: IndexStore
) -> None:
    root.manifest.mkdir()
    with pytest.raises(StorageError, match=r"manifest\.json"):
        write_manifest(root, store)
