"""A snapshot that is renewed is the one that would be loaded."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.memory import Confidence, Origin, Scope
from dmm.files.tree import Stamp
from dmm.index import renewal
from dmm.index.analysis import count_terms, weigh_query
from dmm.index.lexical import pack_terms
from dmm.index.records import Batch, Directory, IndexedMemory, KnownFile
from dmm.index.renewal import renew_snapshot
from dmm.index.snapshot import Columns, take_snapshot
from dmm.index.store import IndexStore
from dmm.index.vectors import pack_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.index.rows import SearchRow
    from dmm.index.snapshot import Snapshot, Stores

DIMENSIONS = 64
WORDS = ["retry", "gateway", "index lock", "token budget", "parse_config", "größe"]
QUERIES = ["the retry of a gateway", "index locks", "token budgat", "what is parse_config?"]


def memory(path: str, number: int, text: str) -> IndexedMemory:
    return IndexedMemory(
        path=path,
        id=f"mem_2026_01_01_{number:03d}",
        directory=path.rpartition("/")[0],
        title=text.capitalize(),
        content=text,
        scope=Scope.PROJECT,
        priority=0.1 * number,
        confidence=Confidence.ACTIVE,
        in_force=bool(number % 3),
        tags=(),
        token_count=len(text),
        heading_tokens=1,
        words=len(text.split()),
        code_density=0.0,
        created=None,
        expires=None,
        supersedes=(),
        related=(),
        cites=(),
        content_hash=hashlib.sha256(f"{text} {number}".encode()).hexdigest(),
        vector_key=f"{text} {path}",
        aliases=(f"alias {text}",) if number % 2 else (),
    )


def put(store: IndexStore, path: str, number: int, text: str, *, windows: int) -> None:
    one = memory(path, number, text)
    batch = Batch(files=[KnownFile(Stamp(path, 1, 1, 1), one.content_hash)])
    batch.memories.append((one, pack_terms(count_terms(text))))
    if windows:
        seed = sum(map(ord, one.vector_key))
        drawn = np.random.default_rng(seed).standard_normal((windows, DIMENSIONS))
        batch.vectors[one.vector_key] = pack_vectors(drawn.astype(np.float32))
    store.apply(batch)


def assert_same(one: Snapshot, other: Snapshot) -> None:
    for name in ("places", "directories", "hidden", "basis"):
        assert getattr(one, name) == getattr(other, name)
    np.testing.assert_array_equal(one.contents, other.contents)
    for field in fields(Columns):
        np.testing.assert_array_equal(
            getattr(one.columns, field.name), getattr(other.columns, field.name)
        )
    np.testing.assert_array_equal(one.sizes, other.sizes)
    rows = np.arange(len(one))
    towards = np.random.default_rng(1).standard_normal(DIMENSIONS).astype(np.float32)
    for query in QUERIES:
        for mine, theirs in ((one.lexical, other.lexical), (one.signs, other.signs)):
            left, right = mine.score(weigh_query(query)), theirs.score(weigh_query(query))
            np.testing.assert_array_equal(left.bm25, right.bm25)
            np.testing.assert_array_equal(left.coverage, right.coverage)
            assert left.unknown == right.unknown
        for is_known in (bool, lambda _: False):
            assert one.names.find(query, is_known) == other.names.find(query, is_known)
    assert (one.vectors is None) == (other.vectors is None)
    if one.vectors is not None and other.vectors is not None:
        np.testing.assert_array_equal(
            one.vectors.similarities(towards, rows), other.vectors.similarities(towards, rows)
        )


changes = st.lists(
    st.tuples(
        st.sampled_from([0, 0, 1]),
        st.sampled_from(["project/a/1.md", "project/a/2.md", "project/b/1.md", "project/c.md"]),
        st.none() | st.sampled_from(WORDS),
        st.integers(1, 6),
        st.integers(0, 3),
    ),
    max_size=6,
)


@pytest.fixture
def stores() -> Iterator[Stores]:
    both = (IndexStore.in_memory(), IndexStore.in_memory())
    yield [(Origin.PROJECT, both[0]), (Origin.USER, both[1])]
    for store in both:
        store.close()


@given(st.lists(changes, max_size=5), st.sampled_from([DIMENSIONS, None]))
def test_whatever_changes_the_renewed_snapshot_is_the_loaded_one(
    rounds: list[list[tuple[int, str, str | None, int, int]]], dimensions: int | None
) -> None:
    both = (IndexStore.in_memory(), IndexStore.in_memory())
    stores = [(Origin.PROJECT, both[0]), (Origin.USER, both[1])]
    held = renew_snapshot(None, stores, dimensions)
    for round_ in rounds:
        for which, path, text, number, windows in round_:
            if text is None:
                both[which].apply(Batch(removed=[path]))
            else:
                put(both[which], path, number, text, windows=windows)
        before = held
        held = renew_snapshot(held, stores, dimensions)
        assert_same(held, take_snapshot(stores, dimensions))
        assert len(before.places) == len(before.lexical.score({"x": 1.0}).bm25)
    for store in both:
        store.close()


def test_only_what_has_changed_is_read_again(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = stores[0][1]
    for number in range(5):
        put(own, f"project/{number}.md", number, WORDS[number], windows=1)
    held = take_snapshot(stores, DIMENSIONS)
    put(own, "project/2.md", 2, "another text", windows=1)
    read: list[str] = []
    real = own.search_row

    def note(path: str) -> SearchRow:
        read.append(path)
        return real(path)

    monkeypatch.setattr(own, "search_row", note)
    renewed = renew_snapshot(held, stores, DIMENSIONS)
    assert read == ["project/2.md"]
    assert renewed.places[0] is held.places[0]
    assert renewed.renewed == 1


def test_vectors_that_come_later_are_taken_in(stores: Stores) -> None:
    own = stores[0][1]
    put(own, "project/1.md", 1, "retry", windows=0)
    held = take_snapshot(stores, DIMENSIONS)
    assert held.vectors is not None
    assert len(held.vectors) == 0
    put(own, "project/1.md", 1, "retry", windows=2)
    renewed = renew_snapshot(held, stores, DIMENSIONS)
    assert renewed.vectors is not None
    assert len(renewed.vectors) == 2


def test_another_model_or_too_many_changes_load_everything(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = stores[0][1]
    put(own, "project/1.md", 1, "retry", windows=1)
    held = take_snapshot(stores, DIMENSIONS)
    own.apply(Batch(meta={"model": "another"}))
    assert renew_snapshot(held, stores, DIMENSIONS).places[0] is not held.places[0]
    held = take_snapshot(stores, DIMENSIONS)
    monkeypatch.setattr(renewal, "FEW", 0)
    put(own, "project/2.md", 2, "gateway", windows=1)
    renewed = renew_snapshot(held, stores, DIMENSIONS)
    assert renewed.renewed == 1
    put(own, "project/1.md", 1, "index lock", windows=1)
    again = renew_snapshot(renewed, stores, DIMENSIONS)
    assert again.renewed == 2
    put(own, "project/2.md", 2, "token budget", windows=1)
    assert renew_snapshot(again, stores, DIMENSIONS).renewed == 0
    for number in (3, 4, 5):
        put(own, f"project/{number}.md", number, "größe", windows=1)
    assert renew_snapshot(held, stores, DIMENSIONS).renewed == 0


def test_folders_are_described_anew(stores: Stores) -> None:
    own = stores[0][1]
    put(own, "project/a/1.md", 1, "retry", windows=1)
    held = take_snapshot(stores, DIMENSIONS)
    own.apply(Batch(directories=[Directory("project/a", "How we retry")]))
    put(own, "project/b/2.md", 2, "gateway", windows=1)
    renewed = renew_snapshot(held, stores, DIMENSIONS)
    assert renewed.directories == (
        Directory("project/a", "How we retry"),
        Directory("project/b", ""),
    )
    assert renewed.columns.directory.tolist() == [0, 1]
