"""Memories that point in similar directions, one by one and all at once."""

from __future__ import annotations

import numpy as np
import pytest

from dmm.index.vectors import pack_vectors
from dmm.packs import alike
from dmm.packs.alike import Likeness

DIMENSIONS = 16


def blob(*directions: list[float]) -> bytes:
    windows = np.zeros((len(directions), DIMENSIONS), np.float32)
    for row, direction in enumerate(directions):
        windows[row, : len(direction)] = direction
    return pack_vectors(windows)


@pytest.fixture
def three() -> Likeness:
    likeness = Likeness(DIMENSIONS)
    likeness.put(0, blob([1, 0]))
    likeness.put(1, blob([1, 1]))
    likeness.put(2, blob([0, 1]))
    return likeness


def test_the_nearest_come_first_and_the_floor_ends_them(three: Likeness) -> None:
    ((number, value),) = three.near(0, 5, 0.5)
    assert (number, round(value, 2)) == (1, 0.71)
    assert [number for number, _ in three.near(1, 5, 0.5)] == [0, 2]
    assert [number for number, _ in three.near(1, 1, 0.5)] == [0]


def test_the_direction_of_a_memory_is_the_average_of_its_windows(three: Likeness) -> None:
    three.put(3, blob([1, 0], [0, 1]))
    assert [number for number, _ in three.near(3, 1, 0.99)] == [1]
    assert three.to_each(3, [1]) == [pytest.approx(1.0, abs=1e-3)]


def test_a_memory_without_windows_is_like_nothing(three: Likeness) -> None:
    three.put(3, b"")
    assert three.near(3, 5, -1.0) == []
    assert three.to_each(0, [3, 9_999]) == [None, None]
    assert three.to_each(3, [0]) == [None]
    assert 3 not in {other for other, _ in three.near(0, 5, -1.0)}


def test_a_memory_that_was_dropped_is_found_no_more_and_its_number_can_be_given_again(
    three: Likeness,
) -> None:
    three.drop(1)
    three.drop(9_999)
    assert three.near(0, 5, 0.5) == []
    three.put(1, blob([1, 0.1]))
    assert [number for number, _ in three.near(0, 5, 0.5)] == [1]


def test_the_nearest_of_all_are_those_of_each_memory_whatever_the_size_of_a_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    likeness = Likeness(DIMENSIONS)
    for number in range(300):
        likeness.put(number, pack_vectors(rng.standard_normal((2, DIMENSIONS)).astype(np.float32)))
    likeness.drop(17)
    expected = [set(dict(likeness.near(number, 4, 0.3))) for number in range(300)]
    whole = dict(likeness.nearest(4, 0.3))
    assert [set(whole[number]) for number in range(300)] == expected
    monkeypatch.setattr(alike, "BLOCK", 7)
    assert [set(near) for _, near in likeness.nearest(4, 0.3)][:300] == expected


def test_few_memories_are_all_compared_and_none_with_itself(three: Likeness) -> None:
    near = [set(found) for number, found in three.nearest(10, -1.0) if number < 3]
    assert near == [{1, 2}, {0, 2}, {0, 1}]
    assert list(Likeness(DIMENSIONS).nearest(10, -1.0)) == []


def test_a_memory_without_a_direction_is_like_none(three: Likeness) -> None:
    three.drop(1)
    assert three.to_each(1, [0, 2]) == [None, None]
    near = three.to_each(0, [1, 2, 0, 9_999])
    assert (near[0], near[2], near[3]) == (None, 1.0, None)
    assert near[1] == dict(three.near(0, 1, -1.0))[2]
    assert three.to_each(0, []) == []
