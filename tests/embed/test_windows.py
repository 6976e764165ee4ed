"""Windows cover the whole body, fit the model, and repeat the header."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.embed.windows import (
    HEADER_PIECES,
    OVERLAP_PIECES,
    WINDOW_PIECES,
    cut_windows,
    window_scheme,
)
from dmm.embed.wordpiece import CLS, SEP

if TYPE_CHECKING:
    from collections.abc import Sequence


def body_slices(windows: list[list[int]], header: Sequence[int]) -> list[list[int]]:
    """Take off the marks and the header."""
    head = [CLS, *header[:HEADER_PIECES]]
    assert all(window[: len(head)] == head and window[-1] == SEP for window in windows)
    return [window[len(head) : -1] for window in windows]


def test_a_short_body_is_one_window() -> None:
    assert cut_windows([7, 8], [1, 2, 3], size=16, overlap=2) == [[CLS, 7, 8, 1, 2, 3, SEP]]


def test_an_empty_body_is_one_window_with_the_header() -> None:
    assert cut_windows([7], [], size=16, overlap=2) == [[CLS, 7, SEP]]
    assert cut_windows([], [], size=16, overlap=2) == [[CLS, SEP]]


def test_slices_are_equally_long_and_neighbours_share_the_overlap() -> None:
    slices = body_slices(cut_windows([7], range(20), size=13, overlap=2), [7])
    assert slices == [list(range(8)), list(range(6, 14)), list(range(12, 20))]


def test_a_long_header_is_cut_so_that_the_body_has_room() -> None:
    header = list(range(1000, 1100))
    (window,) = cut_windows(header, [1, 2, 3])
    assert window == [CLS, *header[:HEADER_PIECES], 1, 2, 3, SEP]


@pytest.mark.parametrize(("size", "overlap"), [(257, 2), (4, 1), (10, 7), (10, -1)])
def test_impossible_sizes_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match=f"windows of {size} pieces with overlap {overlap}"):
        cut_windows([7, 8], [1, 2, 3], size=size, overlap=overlap)


def test_the_scheme_names_every_constant() -> None:
    assert window_scheme == f"w{WINDOW_PIECES}-{OVERLAP_PIECES}-{HEADER_PIECES}"


@given(
    header=st.integers(0, 80),
    body=st.integers(0, 3000),
    size=st.integers(100, 256),
    overlap=st.integers(0, 48),
)
def test_windows_cover_every_piece_in_order_and_none_is_too_long(
    header: int, body: int, size: int, overlap: int
) -> None:
    head = list(range(10_000, 10_000 + header))
    windows = cut_windows(head, range(body), size=size, overlap=overlap)
    slices = body_slices(windows, head)
    assert all(len(window) <= size for window in windows)
    assert sorted({piece for part in slices for piece in part}) == list(range(body))
    for before, after in pairwise(slices):
        assert len(set(before) & set(after)) == overlap
        assert abs(len(before) - len(after)) <= 1
