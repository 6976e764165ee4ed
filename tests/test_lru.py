"""What was lately made is kept by what it was made of, and never more than there is room for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dmm.lru import LruCache


def test_what_was_kept_is_found_by_all_that_it_was_made_of() -> None:
    recent = LruCache[str](3)
    assert recent.find("model", "text") is None
    assert recent.keep("vector", "model", "text") == "vector"
    assert recent.find("model", "text") == "vector"
    assert recent.find("model", "other text") is None
    assert recent.find("other model", "text") is None
    assert recent.find("modelt", "ext") is None


def test_what_was_used_longest_ago_makes_room() -> None:
    recent = LruCache[int](2)
    recent.keep(1, "one")
    recent.keep(2, "two")
    assert recent.find("one") == 1
    recent.keep(3, "three")
    assert [recent.find(name) for name in ("one", "two", "three")] == [1, None, 3]


def test_half_a_character_can_be_part_of_a_text() -> None:
    recent = LruCache[int](1)
    recent.keep(1, "\ud800")
    assert recent.find("\ud800") == 1


@given(st.lists(st.integers(0, 20)), st.integers(1, 5))
def test_exactly_the_last_ones_used_are_kept(used: list[int], most: int) -> None:
    recent = LruCache[int](most)
    for number in used:
        recent.keep(number, number)
    last = list(dict.fromkeys(reversed(used)))[:most]
    found = [number for number in range(21) if recent.find(number) == number]
    assert found == sorted(last)
