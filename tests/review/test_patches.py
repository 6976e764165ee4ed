from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.errors import UsageError
from dmm.review.patches import MOST_LINES, apply_patch, show_diff, three_way

TEXT = "one\ntwo\nthree\nfour\nfive\n"
PATCH = """\
--- a/project/a.md
+++ b/project/a.md
@@ -2,3 +2,3 @@
 two
-three
+drei
 four
"""
TEXTS = st.lists(st.sampled_from(["a", "b", "", "c d", "\r"]), max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "\n".join([*lines, ""])])
)


def test_a_patch_is_carried_out_where_its_context_is_there() -> None:
    assert apply_patch(TEXT, PATCH) == "one\ntwo\ndrei\nfour\nfive\n"


def test_a_patch_needs_no_file_header() -> None:
    assert apply_patch(TEXT, "@@ -1 +1 @@\n-one\n+eins\n") == "eins\ntwo\nthree\nfour\nfive\n"


def test_an_empty_context_line_may_have_lost_its_blank() -> None:
    assert apply_patch("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n") == "a\n\nc\n"


def test_a_file_with_windows_newlines_keeps_them() -> None:
    assert apply_patch("one\r\ntwo\r\n", "@@ -1,2 +1,3 @@\n one\n+new\n two\n") == (
        "one\r\nnew\r\ntwo\r\n"
    )


def test_several_hunks_go_to_their_places() -> None:
    patch = "@@ -1 +1,2 @@\n one\n+and a half\n@@ -5 +6 @@\n-five\n+5\n"
    assert apply_patch(TEXT, patch) == "one\nand a half\ntwo\nthree\nfour\n5\n"


@pytest.mark.parametrize(
    ("patch", "what"),
    [
        (
            "@@ -2,2 +2,2 @@\n two\n-3\n+drei\n",
            "hunk 1: line 3 is 'three', the patch wants '3'",
        ),
        (
            "@@ -1 +1 @@\n-one\n+1\n@@ -5,2 +5,1 @@\n five\n-six\n",
            "hunk 2: the file ends at line 5",
        ),
        ("@@ -1,2 +1,2 @@\n one\n", "hunk 1: it announces 2 and 2 lines and has 1 and 1"),
        ("@@ change this @@\n-one\n", "hunk 1: its first line is not like '@@ -1,3 +1,4 @@'"),
        (
            "@@ -1 +1 @@\n-one\n+1\nand so on\n",
            "hunk 1: line 4 of the patch belongs to no hunk",
        ),
        (
            "@@ -3 +3 @@\n-three\n+3\n@@ -3 +3 @@\n-three\n+3\n",
            "hunk 2: it begins before the end of the one before it",
        ),
        (
            "@@ -1,2 +1,2 @@\n one\n*two\n",
            "hunk 1: line 3 of the patch does not start with ' ', '-' or '+'",
        ),
        ("@@ -0,1 +0,1 @@\n-one\n+1\n", "hunk 1: lines are counted from 1"),
    ],
)
def test_a_patch_that_does_not_fit_names_the_hunk(patch: str, what: str) -> None:
    with pytest.raises(UsageError) as refused:
        apply_patch(TEXT, patch)
    assert str(refused.value) == f"the patch does not apply: {what}"


def test_headers_without_a_hunk_are_no_patch() -> None:
    with pytest.raises(UsageError, match="the patch has no hunk"):
        apply_patch(TEXT, "--- a/x.md\n+++ b/x.md\n")


def test_a_diff_is_shown_with_its_surrounding_lines() -> None:
    before = "".join(f"{n}\n" for n in range(1, 30))
    after = before.replace("\n15\n", "\nfifteen\n")
    assert show_diff(before, after, "project/a.md") == [
        "--- a/project/a.md",
        "+++ b/project/a.md",
        "@@ -12,7 +12,7 @@",
        " 12",
        " 13",
        " 14",
        "-15",
        "+fifteen",
        " 16",
        " 17",
        " 18",
    ]


def test_a_new_file_comes_from_nowhere_and_a_removed_one_goes_there() -> None:
    assert show_diff(None, "a\n", "project/a.md") == [
        "--- /dev/null",
        "+++ b/project/a.md",
        "@@ -0,0 +1 @@",
        "+a",
    ]
    assert show_diff("a", None, "project/a.md") == [
        "--- a/project/a.md",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-a",
        "\\ No newline at end of file",
    ]


def test_equal_texts_have_no_diff() -> None:
    assert show_diff("a\n", "a\n", "project/a.md") == []


@given(TEXTS, TEXTS)
def test_the_diff_of_two_texts_leads_from_one_to_the_other(before: str, after: str) -> None:
    diff = show_diff(before, after, "project/a.md")
    bare = before.replace("\r", ""), after.replace("\r", "")
    again = show_diff(*bare, "project/a.md")
    assert not again or apply_patch(bare[0], "\n".join(again) + "\n") == bare[1]
    assert bool(diff) == (before != after)


@given(TEXTS, TEXTS, TEXTS)
def test_a_three_way_view_holds_every_line_of_the_three_texts(
    base: str, current: str, proposed: str
) -> None:
    told = three_way(base, current, proposed)
    if not any(line.endswith("unchanged lines)") for line in told):
        held = {line[6:] for line in told}
        for text in (base, current, proposed):
            assert held.issuperset(text.removesuffix("\n").split("\n") if text else [])


def test_a_text_far_longer_than_a_memory_is_shown_as_replaced() -> None:
    before = "a\n" * (MOST_LINES + 1)
    after = "b\n" + before
    diff = show_diff(before, after, "project/a.md")
    assert diff[2] == f"@@ -1,{MOST_LINES + 1} +1,{MOST_LINES + 2} @@"
    assert apply_patch(before, "\n".join(diff) + "\n") == after
    assert three_way(before, after, before)[:2] == ["was  -a"] * 2


def test_a_three_way_view_tells_who_changed_what() -> None:
    base = "".join(f"{n}\n" for n in range(1, 16))
    current = base.replace("2\n", "two\n", 1)
    proposed = base.replace("\n14\n", "\nfourteen\n")
    assert three_way(base, current, proposed) == [
        "      1",
        "was  -2",
        "file +two",
        "      3",
        "      4",
        "      5",
        "      (5 unchanged lines)",
        "      11",
        "      12",
        "      13",
        "was  -14",
        "new  +fourteen",
        "      15",
    ]


def test_a_three_way_view_shows_both_where_both_changed_the_same_lines() -> None:
    assert three_way("a\nb\nc\n", "a\nB\nc\n", "a\nc\n") == [
        "      a",
        "both changed these lines:",
        "was  -b",
        "file +B",
        "new: removed",
        "      c",
    ]
    assert three_way("a\nb\n", "a\nx\n", "a\nx\n") == ["      a", "was  -b", "both +x"]
