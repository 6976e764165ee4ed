"""Conflict markers are told from text that only looks like them."""

from __future__ import annotations

import pytest

from dmm.domain.markers import find_marker, is_torn


@pytest.mark.parametrize(
    "text",
    [
        "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n",
        "a\n<<<<<<<\nleft over\n",
        "a\n>>>>>>> 1a2b3c4 (message)\n",
        "a\r\n<<<<<<< ours\r\nb\r\n",
    ],
)
def test_a_marker_is_found_on_its_line(text: str) -> None:
    assert find_marker(text) == 2
    assert is_torn(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "Heading\n=======\n",
        "Indented:\n\n    <<<<<<< HEAD\n    a\n    >>>>>>> topic\n",
        "<<<<<<<< eight\n<<<<<<no\n",
        "a <<<<<<< b\n",
        "",
    ],
)
def test_what_only_looks_like_a_marker_is_text(text: str) -> None:
    assert find_marker(text) is None
    assert not is_torn(text.encode())
