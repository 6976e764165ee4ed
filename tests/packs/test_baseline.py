"""The baseline's order, its entries, and the alarm when it grows too large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.memory import Scope
from dmm.domain.pack import Baseline, PackEntry
from dmm.packs.baseline import compile_entry, order, overflow, overflow_notice
from dmm.packs.render import render_entry

if TYPE_CHECKING:
    from collections.abc import Callable


def entry(path: str, tokens: int) -> PackEntry:
    return PackEntry(
        id="",
        path=path,
        title=path,
        content="x",
        token_count=tokens,
        heading_tokens=5,
        source="baseline",
        scope=Scope.BASELINE,
    )


def test_the_two_first_files_keep_their_place_in_any_folder() -> None:
    paths = ["baseline/z.md", "baseline/a/hard_constraints.md", "baseline/b/identity.md"]
    paths += ["baseline/b/c.md", "baseline/a/c.md", "baseline/hard_constraints.md"]
    assert order(paths) == [
        "baseline/b/identity.md",
        "baseline/a/hard_constraints.md",
        "baseline/hard_constraints.md",
        "baseline/a/c.md",
        "baseline/b/c.md",
        "baseline/z.md",
    ]


def test_an_entry_counts_its_heading_and_labels(count: Callable[[str], int]) -> None:
    made = compile_entry(
        "baseline/a.md", "A", "\n# A\n\nText.\u202e\n\n", labels=("two\nlines",), count=count
    )
    assert made.content == "# A\n\nText.<U+202E>"
    assert render_entry(made) == (
        "### [baseline/a.md] (relevance: baseline)\n> two lines\n# A\n\nText.<U+202E>\n\n"
    )
    assert count(render_entry(made)) == made.token_count + made.heading_tokens


def test_within_its_budget_the_baseline_is_silent() -> None:
    assert overflow_notice(Baseline((entry("a", 40), entry("b", 60))), 100) is None
    assert overflow_notice(Baseline(()), 0) is None


def test_the_largest_files_are_named_to_be_moved() -> None:
    baseline = Baseline((entry("a", 50), entry("b", 60), entry("c", 10)))
    assert overflow_notice(baseline, 60) == (
        "the baseline has 120 tokens, its budget is 60; move to global/ or project/: b (60)"
    )


@given(st.lists(st.integers(0, 500), max_size=12), st.integers(0, 2000))
def test_moving_what_is_named_and_nothing_less_brings_it_into_its_budget(
    sizes: list[int], budget: int
) -> None:
    entries = [entry(f"{number}", size) for number, size in enumerate(sizes)]
    moved = overflow(entries, budget)
    kept = sum(sizes) - sum(one.token_count for one in moved)
    assert kept <= budget
    if moved:
        assert kept + moved[-1].token_count > budget
    assert [one.token_count for one in moved] == sorted(sizes, reverse=True)[: len(moved)]
