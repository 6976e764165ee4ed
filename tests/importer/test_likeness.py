"""Nearly equal sets of words are found, however few of all pairs are looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dmm.importer.likeness import Alike, Rarity

sets = st.frozensets(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), max_size=14)


@given(st.lists(sets, max_size=12), sets, st.sampled_from([0.5, 0.7, 0.85, 1.0]))
def test_no_set_that_overlaps_enough_is_missed(
    held: list[frozenset[str]], asked: frozenset[str], overlap: float
) -> None:
    alike: Alike[frozenset[str]] = Alike(Rarity.of([*held, asked]), overlap)
    for number, words in enumerate(held):
        alike.put(number, words, words)
    found = alike.find(asked)
    assert [number for number, _ in found] == sorted(number for number, _ in found)
    near = {
        number
        for number, words in enumerate(held)
        if words == asked or (words and len(words & asked) / len(words | asked) >= overlap)
    }
    assert near <= {number for number, _ in found}


def test_sets_without_a_rare_word_in_common_are_not_even_looked_at() -> None:
    rules = [frozenset({"use", "the", f"tool{n}", f"part{n}"}) for n in range(100)]
    alike: Alike[int] = Alike(Rarity.of(rules), 0.85)
    for number, words in enumerate(rules):
        alike.put(number, number, words)
    assert [number for number, _ in alike.find(rules[7])] == [7]
    assert alike.find(frozenset({"use", "the"})) == []


def test_a_thing_may_be_entered_again_under_other_words() -> None:
    alike: Alike[str] = Alike(Rarity(), 0.85)
    alike.put(0, "rule", frozenset({"a"}))
    alike.put(0, "rule", frozenset({"b"}))
    assert alike.find(frozenset({"a"})) == alike.find(frozenset({"b"})) == [(0, "rule")]
