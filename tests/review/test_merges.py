from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.review.making import file_text, propose

from dmm.domain.event import Trust
from dmm.domain.proposal import Edit, Operation
from dmm.files import markdown
from dmm.review.merges import (
    Rebased,
    choose_winner,
    draft_union,
    merge_edits,
    merge_operation,
    rebase,
    rebase_proposal,
)

BASE = "one\ntwo\nthree\nfour\nfive\n"
LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map("\n".join)

MINE = """\
# Refunds go through the ledger

Write a refund entry, never pay at once.

## Why

A retry paid twice.
"""
THEIRS = """\
# How refunds are paid

Write a refund entry, never pay at once.

## Why

A retry  paid twice.

## Testing

Use the fixture settled_order.
"""


def test_changes_that_do_not_touch_are_carried_over() -> None:
    current, proposed = BASE.replace("one", "1"), BASE.replace("four", "4")
    assert rebase(BASE, current, proposed) == Rebased("1\ntwo\nthree\n4\nfive\n")


def test_the_same_change_twice_is_one() -> None:
    changed = BASE.replace("three", "3")
    assert rebase(BASE, changed, changed) == Rebased(changed)


def test_changes_that_touch_are_shown_and_not_guessed() -> None:
    result = rebase(BASE, BASE.replace("two", "2"), BASE.replace("three", "3"))
    assert result.text is None
    assert result.view == (
        "      one",
        "both changed these lines:",
        "was  -two",
        "was  -three",
        "file +2",
        "file +three",
        "new  +two",
        "new  +3",
        "      four",
        "      five",
    )


def test_a_newline_at_the_end_is_merged_like_any_line() -> None:
    assert rebase("a\nb\nc", "A\nb\nc", "a\nb\nc\n").text == "A\nb\nc\n"


@given(LINES, LINES)
def test_a_change_of_one_side_alone_is_that_change(base: str, other: str) -> None:
    assert rebase(base, base, other).text == other
    assert rebase(base, other, base).text == other


@given(LINES, LINES, LINES)
def test_the_order_of_two_changes_makes_no_difference(base: str, one: str, two: str) -> None:
    assert rebase(base, one, two).text == rebase(base, two, one).text


def test_the_second_proposal_for_a_file_is_set_upon_the_first() -> None:
    second = propose(BASE.replace("five", "5"), "project/a.md", before=BASE)
    current = BASE.replace("one", "1")
    moved = rebase_proposal(second, "project/a.md", current)
    assert not isinstance(moved, Rebased)
    assert moved.edits == (Edit("project/a.md", current, current.replace("five", "5")),)
    assert rebase_proposal(second, "project/a.md", BASE) is second


def test_two_new_files_at_one_place_are_both_shown() -> None:
    second = propose("a\nmine\n", "project/a.md")
    shown = rebase_proposal(second, "project/a.md", "a\ntheirs\n")
    assert isinstance(shown, Rebased)
    assert shown.text is None
    assert shown.view == (
        "both changed these lines:",
        "file +a",
        "file +theirs",
        "new  +a",
        "new  +mine",
    )


def test_a_file_that_is_gone_is_not_made_anew_by_a_change() -> None:
    second = propose("b\n", "project/a.md", before="a\n")
    shown = rebase_proposal(second, "project/a.md", None)
    assert isinstance(shown, Rebased)
    assert shown.view == ("both changed these lines:", "was  -a", "file: removed", "new  +b")


def test_the_better_trusted_of_two_leads_else_the_earlier() -> None:
    agent, later = propose(seq=3), propose(seq=5)
    user = propose(seq=9, trust=Trust.USER)
    assert choose_winner(later, agent) == (agent, later)
    assert choose_winner(agent, user) == (user, agent)


def test_a_union_says_once_what_both_say() -> None:
    mine = markdown.parse("project/a.md", file_text(MINE, tags="[refund, Ledger]")).memory
    theirs = markdown.parse(
        "project/b.md",
        file_text(
            THEIRS, id="mem_2026_06_01_002", tags="[ledger, test]", related="[mem_2026_06_01_001]"
        ),
    ).memory
    union = markdown.parse("project/a.md", draft_union(mine, theirs)).memory
    assert union.id == mine.id
    assert union.tags == ("refund", "Ledger", "test")
    assert union.related == ()
    assert union.body == MINE.strip() + (
        "\n\n## From How refunds are paid\n\n## Testing\n\nUse the fixture settled_order."
    )


def test_a_union_with_nothing_new_changes_nothing_of_the_text() -> None:
    mine = markdown.parse("project/a.md", file_text(THEIRS)).memory
    theirs = markdown.parse("project/b.md", file_text(MINE)).memory
    assert markdown.parse("project/a.md", draft_union(mine, theirs)).memory == mine


def test_a_merge_of_two_files_deprecates_the_other_in_place() -> None:
    losing = file_text(THEIRS, id="mem_2026_06_01_002")
    edits = merge_edits(
        Edit("project/a.md", file_text(MINE), file_text(MINE)),
        Edit("project/b.md", losing, losing),
    )
    assert merge_operation(edits) is Operation.MERGE
    gone = markdown.parse("project/b.md", edits[1].after or "").memory
    assert not gone.in_force
    assert gone.body == THEIRS.strip()


def test_of_two_proposed_files_one_is_left() -> None:
    edits = merge_edits(
        Edit("project/a.md", None, file_text(MINE)), Edit("project/b.md", None, file_text(THEIRS))
    )
    assert [edit.path for edit in edits] == ["project/a.md"]
    assert merge_operation(edits) is Operation.CREATE
