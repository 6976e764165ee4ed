"""Similarity search: small in storage, exact where it can be, true to brute force elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from dmm.index import vectors
from dmm.index.vectors import VectorIndex, pack_vectors, unpack_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIMENSIONS = 384
random = np.random.default_rng(7)


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def corpus(memories: int, topics: int = 40) -> list[Floats]:
    """Windows scattered around topics, as text is; some memories have none, most one or two."""
    centres = random.standard_normal((topics, DIMENSIONS)).astype(np.float32)
    counts = random.integers(0, 4, memories)
    noise = [random.standard_normal((count, DIMENSIONS), np.float32) for count in counts]
    return [unit(centres[row % topics] + 0.8 * held) for row, held in enumerate(noise)]


def brute_force(windows: list[Floats], query: Floats, allowed: NDArray[np.bool_]) -> list[int]:
    best = [
        (float((held @ query).max()) if len(held) and allowed[row] else -2.0, row)
        for row, held in enumerate(windows)
    ]
    return [row for score, row in sorted(best, key=lambda pair: (-pair[0], pair[1])) if score > -2]


def stored(windows: list[Floats]) -> list[Floats]:
    """The windows as they are after storing, since similarities are computed from these."""
    result = []
    for held in windows:
        scales, small, _ = unpack_vectors([pack_vectors(held)], DIMENSIONS)
        result.append(np.asarray(small * scales[:, None], np.float32))
    return result


@pytest.fixture(scope="module")
def windows() -> list[Floats]:
    return corpus(600)


def test_storing_costs_little_room_and_less_precision(windows: list[Floats]) -> None:
    every = np.concatenate(windows)
    blob = pack_vectors(every)
    scales, small, _ = unpack_vectors([blob], DIMENSIONS)
    assert len(blob) == len(every) * (4 + DIMENSIONS)
    error = np.abs(small * scales[:, None] - every)
    assert np.all(error <= scales[:, None] * 0.5001)
    cosines = np.sum(unit(np.asarray(small * scales[:, None], np.float32)) * every, axis=1)
    assert cosines.min() > 0.9999


def test_a_window_of_zeros_and_no_window_at_all_can_be_stored() -> None:
    scales, small, _ = unpack_vectors([pack_vectors(np.zeros((1, 64), np.float32))], 64)
    assert not (small * scales[:, None]).any()
    assert pack_vectors(np.zeros((0, 64), np.float32)) == b""


def test_many_blobs_are_unpacked_in_their_order(windows: list[Floats]) -> None:
    blobs = [pack_vectors(held) for held in windows[:20]]
    scales, small, _ = unpack_vectors(blobs, DIMENSIONS)
    assert np.allclose(small * scales[:, None], np.concatenate(windows[:20]), atol=0.002)


@pytest.mark.parametrize("share", [1.0, 0.7, 0.1, 0.0])
def test_the_nearest_memories_are_those_of_brute_force(windows: list[Floats], share: float) -> None:
    index = VectorIndex([pack_vectors(held) for held in windows], DIMENSIONS)
    assert len(index) == sum(map(len, windows))
    kept = stored(windows)
    for number in range(10):
        query = unit(
            windows[3 + number * 7][:1].sum(axis=0) + random.standard_normal(DIMENSIONS) / 9
        )
        allowed = random.random(len(windows)) < share
        rows, similarities = index.nearest(query, 20, allowed)
        assert rows.tolist() == sorted(brute_force(kept, query, allowed)[:20])
        best = [float((kept[row] @ query).max()) for row in rows]
        assert similarities.tolist() == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize(("share", "least"), [(1.0, 0.95), (0.6, 0.95), (0.2, 0.95), (0.01, 0.95)])
def test_a_large_index_finds_nearly_all_that_brute_force_finds(
    monkeypatch: pytest.MonkeyPatch, share: float, least: float
) -> None:
    monkeypatch.setattr(vectors, "EXACT_LIMIT", 100)
    monkeypatch.setattr(vectors, "BLOCK", 1_000)
    many = corpus(4_000)
    index = VectorIndex([pack_vectors(held) for held in many], DIMENSIONS)
    kept, every = stored(many), np.concatenate(many)
    found = wanted = 0
    for number in range(20):
        allowed = random.random(len(many)) < share
        query = unit(every[number * 50] + unit(random.standard_normal(DIMENSIONS, np.float32)))
        truth = brute_force(kept, query, allowed)[:10]
        rows, similarities = index.nearest(query, 10, allowed)
        assert allowed[rows].all()
        assert similarities.tolist() == pytest.approx(index.similarities(query, rows).tolist())
        found += len(set(truth) & set(rows.tolist()))
        wanted += len(truth)
    assert found / wanted >= least


@pytest.mark.parametrize("share", [1.0, 0.1])
def test_the_same_is_found_where_windows_are_not_held_as_floats(share: float) -> None:
    many = corpus(2_500)
    blobs = [pack_vectors(held) for held in many]
    roomy, lean = VectorIndex(blobs, DIMENSIONS), VectorIndex(blobs, DIMENSIONS, floats=False)
    for number in range(5):
        allowed = random.random(len(many)) < share
        query = unit(np.concatenate(many)[number * 50])
        rows, similarities = roomy.nearest(query, 10, allowed)
        same, values = lean.nearest(query, 10, allowed)
        assert rows.tolist() == same.tolist()
        assert values.tolist() == pytest.approx(similarities.tolist(), abs=1e-6)


def test_a_filter_that_leaves_nothing_finds_nothing(
    windows: list[Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = [pack_vectors(held) for held in windows]
    query = unit(random.standard_normal(DIMENSIONS, np.float32))
    nothing = np.zeros(len(windows), np.bool_)
    exact = VectorIndex(blobs, DIMENSIONS)
    monkeypatch.setattr(vectors, "EXACT_LIMIT", 10)
    large = VectorIndex(blobs, DIMENSIONS)
    for index in (exact, large):
        rows, similarities = index.nearest(query, 5, nothing)
        assert (len(rows), len(similarities)) == (0, 0)


@pytest.mark.parametrize("limit", [100_000, 10])
def test_the_similarity_of_a_memory_is_that_of_its_best_window(
    windows: list[Floats], monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(vectors, "EXACT_LIMIT", limit)
    index = VectorIndex([pack_vectors(held) for held in windows], DIMENSIONS)
    query = unit(random.standard_normal(DIMENSIONS, np.float32))
    rows = random.permutation(len(windows))[:200].astype(np.intp)
    wanted = [float((held @ query).max()) if len(held) else -1.0 for held in stored(windows)]
    found = index.similarities(query, rows)
    assert found.tolist() == pytest.approx([wanted[row] for row in rows], abs=1e-5)


def test_memories_without_windows_are_never_near(windows: list[Floats]) -> None:
    index = VectorIndex([b"", b"", b""], DIMENSIONS)
    query = unit(random.standard_normal(DIMENSIONS, np.float32))
    assert len(index) == 0
    assert index.similarities(query, np.array([0, 2], np.intp)).tolist() == [-1.0, -1.0]
    rows, _ = index.nearest(query, 5, np.ones(3, np.bool_))
    assert rows.tolist() == []
    assert not index.centre(1).any()
    assert len(VectorIndex([], DIMENSIONS)) == 0


def test_the_centre_of_a_memory_is_the_direction_between_its_windows() -> None:
    two = unit(random.standard_normal((2, DIMENSIONS), np.float32))
    index = VectorIndex([b"", pack_vectors(two)], DIMENSIONS)
    centre = index.centre(1)
    assert float(np.linalg.norm(centre)) == pytest.approx(1.0, abs=1e-6)
    assert float(centre @ unit(two.sum(axis=0))) == pytest.approx(1.0, abs=1e-4)
