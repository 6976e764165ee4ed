"""Evidence in the order of how near it is to a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.ask.evidence import make_code
from dmm.ask.nearness import order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.ask.evidence import Evidence

QUESTION = "How many wrong letters are forgiven?"


def liken(_: str, others: Sequence[str]) -> list[float]:
    """Find nothing alike but what speaks of typing."""
    return [0.6 if "typing" in one.casefold() else 0.3 for one in others]


def code(path: str, score: float) -> Evidence:
    return make_code(path, (1, 2), "", "x", symbol="run", score=score, kind="source", remark="")


def test_code_is_as_near_as_what_was_said_when_it_was_changed() -> None:
    found = [code("search/words.rs", 0.5), code("search/distance.rs", 0.4)]
    changes = {"search/distance.rs": ["Forgive mistakes in typing", "Update dependencies"]}
    plain = order(QUESTION, found, liken, {})
    told = order(QUESTION, found, liken, {}, changes=changes)
    assert [one.path for one in plain] == ["search/words.rs", "search/distance.rs"]
    assert [one.path for one in told] == ["search/distance.rs", "search/words.rs"]
    # What others said of a change proves nothing of the code itself.
    assert {one.alike for one in told} == {0.3}


def test_code_is_nearer_where_its_whole_file_is_about_what_is_asked() -> None:
    found = [code("search/words.rs", 0.5), code("search/typos.rs", 0.4)]
    told = order(QUESTION, found, liken, {}, files={"search/typos.rs": 0.5, "search/words.rs": 0.2})
    assert [one.path for one in told] == ["search/typos.rs", "search/words.rs"]
