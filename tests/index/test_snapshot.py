"""The snapshot: several trees searched as one, in arrays."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dmm.domain.memory import Origin
from dmm.errors import IndexBroken
from dmm.index.records import Directory
from dmm.index.snapshot import CONFIDENCES, NEVER, SCOPES, UNKNOWN_DAY, Place, take_snapshot
from dmm.index.store import IndexStore
from dmm.index.sync import Syncer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import HashEmbedder, MemoryText, Project

    from dmm.index.snapshot import Snapshot

LATER = 2**62


@pytest.fixture
def index(
    count: Callable[[str], int], new_embedder: Callable[..., HashEmbedder]
) -> Callable[[Project, Origin], IndexStore]:
    def build(project: Project, origin: Origin) -> IndexStore:
        store = IndexStore.in_memory()
        report = Syncer(origin, count, new_embedder()).sync(project.tree, store, now_ns=LATER)
        assert report.faults == ()
        return store

    return build


@pytest.fixture
def both(
    new_project: Callable[[str], Project],
    memory_text: MemoryText,
    index: Callable[[Project, Origin], IndexStore],
) -> Snapshot:
    project, own = new_project("work"), new_project("home")
    project.write(
        "project/http/a.md",
        memory_text(
            "Retry",
            id="mem_2026_01_01_001",
            created="2026-01-31",
            expires="2027-01-31T10:00:00",
            cites="[a.py]",
            aliases="[try again]",
            confidence="stable",
        ),
    )
    project.write("project/http/_dir.md", "How we speak HTTP")
    project.write(
        "global/b.md",
        memory_text("Ours", id="mem_2026_01_01_002", scope="global", status="deprecated"),
    )
    own.write("global/a.md", memory_text("Theirs", id="mem_2026_01_01_002", scope="global"))
    own.write("global/c.md", memory_text("Only theirs", id="mem_2026_01_01_003", scope="global"))
    own.write("global/_dir.md", "My own ways")
    stores = [
        (Origin.PROJECT, index(project, Origin.PROJECT)),
        (Origin.USER, index(own, Origin.USER)),
    ]
    return take_snapshot(stores, 64)


def test_a_memory_of_the_user_gives_way_to_one_of_the_project_with_its_id(both: Snapshot) -> None:
    assert tuple(both.places) == (
        Place(Origin.PROJECT, "global/b.md", "mem_2026_01_01_002", "Ours"),
        Place(Origin.PROJECT, "project/http/a.md", "mem_2026_01_01_001", "Retry"),
        Place(Origin.USER, "global/c.md", "mem_2026_01_01_003", "Only theirs"),
    )
    assert len(both) == 3


def test_the_columns_hold_what_ranking_needs(both: Snapshot) -> None:
    columns = both.columns
    assert [SCOPES[number] for number in columns.scope] == ["global", "project", "global"]
    assert [CONFIDENCES[n] for n in columns.confidence] == ["active", "stable", "active"]
    assert columns.priority.tolist() == [0.5, 0.5, 0.5]
    assert columns.in_force.tolist() == [False, True, True]
    assert columns.cited.tolist() == [False, True, False]
    created, expires = dt.date(2026, 1, 31).toordinal(), dt.date(2027, 1, 31).toordinal()
    assert columns.created.tolist() == [UNKNOWN_DAY, created, UNKNOWN_DAY]
    assert columns.expires.tolist() == [NEVER, expires, NEVER]
    assert (columns.tokens > 10).all()


def test_folders_are_named_and_described_once(both: Snapshot) -> None:
    assert both.directories == (
        Directory("global", "My own ways"),
        Directory("project/http", "How we speak HTTP"),
    )
    assert both.columns.directory.tolist() == [0, 1, 0]


def test_folders_know_their_size_and_are_found_by_name_and_description(both: Snapshot) -> None:
    assert both.sizes.tolist() == [2, 1]
    assert both.signs.score({"http": 1.0}).bm25.argmax() == 1
    assert both.signs.score({"own": 1.0}).bm25.argmax() == 0


def test_memories_are_found_by_title_and_alias(both: Snapshot) -> None:
    assert both.names.find("when do we try again?", lambda _: True) == {1}
    assert both.names.find("ours", lambda _: True) == {0}


def test_words_and_vectors_stand_in_the_order_of_the_places(
    both: Snapshot, new_embedder: Callable[..., HashEmbedder]
) -> None:
    scores = both.lexical.score({"onli": 1.0, "their": 0.0})
    assert len(scores.bm25) == 3
    assert both.vectors is not None
    assert len(both.vectors) == 3
    rows, _ = both.vectors.nearest(new_embedder().embed_query("x"), 3, np.ones(3, np.bool_))
    assert sorted(rows.tolist()) == [0, 1, 2]


def test_without_a_model_there_are_no_vectors(
    project: Project, memory_text: MemoryText, index: Callable[[Project, Origin], IndexStore]
) -> None:
    project.write("project/a.md", memory_text())
    snapshot = take_snapshot([(Origin.PROJECT, index(project, Origin.PROJECT))], None)
    assert snapshot.vectors is None
    assert len(snapshot) == 1


def test_an_empty_tree_gives_an_empty_snapshot() -> None:
    snapshot = take_snapshot([(Origin.PROJECT, IndexStore.in_memory())], 64)
    assert (len(snapshot), snapshot.directories) == (0, ())
    assert snapshot.lexical.score({"x": 1.0}).unknown == {"x"}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memories SET scope = 'proje?t'",
        "UPDATE memories SET created = '2P26-01-31'",
        "UPDATE memories SET aliases = '[1'",
        "UPDATE vectors SET data = zeroblob(99)",
    ],
)
def test_content_that_can_not_be_what_was_written_is_a_broken_index(
    project: Project,
    memory_text: MemoryText,
    index: Callable[[Project, Origin], IndexStore],
    damage: str,
) -> None:
    project.write("project/a.md", memory_text())
    store = index(project, Origin.PROJECT)
    store._connection.execute(damage)
    with pytest.raises(IndexBroken, match=r"^:memory:: damaged content: "):
        take_snapshot([(Origin.PROJECT, store)], 64)
    store.close()
