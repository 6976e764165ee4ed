"""What a pack is: its entries, and the account of tokens and exclusions."""

from __future__ import annotations

import datetime as dt

from dmm.domain.memory import Origin, Scope
from dmm.domain.pack import (
    Baseline,
    Candidate,
    Pack,
    PackEntry,
    Reason,
    Receipt,
    entry_heading,
    label_line,
    shown_path,
)


def entry(path: str, tokens: int, heading: int) -> PackEntry:
    return PackEntry(
        id="mem_2026_01_31_001",
        path=path,
        title="A title",
        content="text",
        token_count=tokens,
        heading_tokens=heading,
        source="retrieved",
        scope=Scope.PROJECT,
    )


def candidate(path: str, reason: Reason) -> Candidate:
    return Candidate(path, "A title", ("words",), {"bm25": 0.5}, 0.5, 10, reason)


PACK = Pack(
    query="how do we retry",
    day=dt.date(2026, 1, 31),
    budget=2000,
    baseline_budget=800,
    baseline_entries=(entry("baseline/a.md", 10, 2),),
    retrieved_entries=(entry("project/b.md", 20, 3), entry("project/c.md", 30, 4)),
    receipt=Receipt(
        candidates=(
            candidate("project/b.md", Reason.INCLUDED),
            candidate("project/d.md", Reason.BUDGET),
            candidate("project/e.md", Reason.FLOOR),
            candidate("project/f.md", Reason.DUPLICATE),
            candidate("project/g.md", Reason.LIMIT),
        )
    ),
)


def test_a_pack_counts_its_tokens_by_part() -> None:
    assert (PACK.baseline_tokens, PACK.retrieved_tokens, PACK.total_tokens) == (10, 50, 60)
    assert PACK.heading_tokens == 9
    assert Baseline(PACK.retrieved_entries).tokens == 50


def test_a_pack_lists_what_is_in_it_and_what_was_left_out_although_relevant() -> None:
    assert PACK.included_paths == ("baseline/a.md", "project/b.md", "project/c.md")
    assert PACK.excluded_paths == ("project/d.md", "project/f.md")
    assert [c.included for c in PACK.receipt.candidates] == [True, False, False, False, False]


def test_headings_and_labels_are_lines_of_markdown() -> None:
    assert entry_heading("project/b.md", "0.83") == "#### [project/b.md] (relevance: 0.83)\n"
    assert entry_heading("baseline/a.md", "1.00", 3) == "### [baseline/a.md] (relevance: 1.00)\n"
    assert label_line("cites code that changed") == "> cites code that changed\n"


def test_the_users_own_memories_are_marked_in_their_path() -> None:
    assert shown_path("global/a.md", Origin.PROJECT) == "global/a.md"
    assert shown_path("global/a.md", Origin.USER) == "user:global/a.md"
