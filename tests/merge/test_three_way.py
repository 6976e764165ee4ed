"""A merge loses nothing, depends on no order and leaves valid files."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.domain.markers import find_marker
from dmm.errors import MemoryFileError
from dmm.files.markdown import parse
from dmm.files.rules import parse_rule
from dmm.merge.notes import find_notes
from dmm.merge.three_way import merge_texts

PATH = "project/retry.md"
FRONT = {
    "id": "mem_2026_01_31_001",
    "tags": "[http, retry]",
    "scope": "project",
    "priority": "0.5",
    "confidence": "active",
    "status": "active",
}


def memory(*paragraphs: str, **fields: str) -> str:
    front = "".join(f"{name}: {value}\n" for name, value in (FRONT | fields).items())
    return f"---\n{front}---\n\n" + "\n\n".join(["# Retry policy", *paragraphs]) + "\n"


def merge(base: str, one: str, other: str) -> str:
    merged = merge_texts(PATH, base, one, other)
    assert merged == merge_texts(PATH, base, other, one)
    assert find_marker(merged) is None
    return merged


def test_changes_in_different_paragraphs_go_together() -> None:
    base = memory("One.", "Two.", "Three.")
    merged = merge(
        base, memory("One!", "Two.", "Three."), memory("One.", "Two!", "Three.", "Four.")
    )
    assert merged == memory("One!", "Two!", "Three.", "Four.")


def test_paragraphs_added_at_one_place_are_both_kept_without_a_note() -> None:
    merged = merge(memory("One."), memory("One.", "Cats."), memory("One.", "Ants."))
    assert merged == memory("One.", "Ants.", "Cats.")


def test_items_added_to_one_list_are_both_kept() -> None:
    base, one, other = (memory(f"- a\n- b{more}") for more in ("", "\n- c", "\n- d"))
    assert "- a\n- b\n- c\n- d" in merge(base, one, other)


def test_a_paragraph_that_both_changed_is_kept_in_both_versions_with_a_note() -> None:
    base, one, other = (memory(f"Retry {n} times.", "End.") for n in ("three", "five", "ten"))
    merged = merge(base, one, other)
    (note,) = find_notes(merged)
    assert set(note.versions) == {"Retry five times.", "Retry ten times."}
    assert merged.split("\n")[note.line - 1].startswith("<!-- dmm merge:")
    assert parse(PATH, merged).memory.title == "Retry policy"
    assert "three" not in merged


def test_a_choice_that_the_other_branch_has_made_meanwhile_is_no_choice_any_more() -> None:
    base, one, other = (memory(f"Retry {n} times.", "End.") for n in ("three", "five", "ten"))
    undecided = merge(base, one, other)
    assert merge(other, undecided, one) == one


def test_indented_code_that_is_no_choice_any_more_stays_indented() -> None:
    base, one, other = (memory("Run:", f"    make {n}") for n in ("all", "dist", "docs"))
    assert merge(other, merge(base, one, other), one) == one
    flat = memory("Run:", "make dist")
    assert len(find_notes(merge(base, one, flat))) == 1


def test_a_paragraph_that_one_removed_and_the_other_changed_stays_with_a_note() -> None:
    merged = merge(
        memory("One.", "Two.", "Three."), memory("One.", "Three."), memory("One.", "2.", "Three.")
    )
    (note,) = find_notes(merged)
    assert note.versions == ("2.",)


def test_a_paragraph_that_one_removed_is_gone() -> None:
    base = memory("One.", "Two.", "Three.")
    assert merge(base, memory("One.", "Three."), memory("One.", "Two.", "3.")) == memory(
        "One.", "3."
    )


def test_code_is_never_cut() -> None:
    code = "```sh\nmake\n\nmake test\n```"
    merged = merge(
        memory(code), memory("Before.", code), memory(code.replace("make test", "make check"))
    )
    assert "```sh\nmake\n\nmake check\n```" in merged
    assert "Before." in merged


def test_fields_follow_their_rules() -> None:
    base = memory("One.", usage_count="3", created="2026-01-31")
    one = memory(
        "One.",
        usage_count="5",
        created="2026-01-30",
        last_used="2026-02-01",
        priority="0.7",
        tags="[http, retry, net]",
        confidence="stable",
        expires="2026-05-01",
    )
    other = memory(
        "One.",
        usage_count="4",
        created="2026-01-29",
        last_used="2026-02-03",
        priority="0.6",
        tags="[backoff, http]",
        confidence="experimental",
        status="deprecated",
        expires="2026-06-01",
    )
    found = parse(PATH, merge(base, one, other)).memory
    assert found.usage_count == 6
    assert found.tags == ("backoff", "http", "net")
    assert (str(found.created), str(found.last_used)) == ("2026-01-29", "2026-02-03")
    assert (found.priority, found.confidence, found.status) == (0.7, "experimental", "deprecated")
    assert str(found.expires) == "2026-06-01"


def test_uses_counted_on_two_branches_add_up_from_nothing() -> None:
    merged = merge(memory("One."), memory("One.", usage_count="2"), memory("One.", usage_count="5"))
    assert parse(PATH, merged).memory.usage_count == 7


def test_a_field_without_a_rule_keeps_the_other_version_as_a_comment() -> None:
    merged = merge(
        memory("One.", owner="ann"), memory("One.", owner="ben"), memory("One.", owner="cy")
    )
    (note,) = find_notes(merged)
    assert {"owner: ben", "owner: cy"} == {*note.versions, "owner: ben"}
    assert "ben" in merged
    assert parse(PATH, merged)


def test_a_field_that_one_side_changed_keeps_its_comment() -> None:
    base = memory("One.", priority="0.5")
    one = memory("One.", priority="0.9  # agreed in March")
    assert "0.9  # agreed in March" in merge(base, one, memory("One.", status="deprecated"))


RULE = """---
id: no-push
level: {level}
match:
  - command: git push
{match}examples:
  block:
    - git push origin main
{block}---
# Never push
"""


def test_a_rule_takes_the_stricter_level_and_all_matches_and_examples() -> None:
    base = RULE.format(level="warn", match="", block="")
    one = RULE.format(level="ask", match="  - command: git fetch\n", block="    - git push\n")
    other = RULE.format(
        level="deny", match="  - command: {program: hub}\n", block="    - git push -f\n"
    )
    merged = merge_texts("rules/a.md", base, one, other)
    assert merged == merge_texts("rules/a.md", base, other, one)
    fields = parse_rule("rules/a.md", merged).fields
    assert fields["level"] == "deny"
    assert len(fields["match"]) == 3
    assert set(fields["examples"]["block"]) == {"git push origin main", "git push", "git push -f"}


def test_two_files_made_at_one_path_are_both_kept() -> None:
    merged = merge("", memory("Use tabs."), memory("Use spaces.", id="mem_2026_02_01_001"))
    (note,) = find_notes(merged)
    assert set(note.versions) == {"Use tabs.", "Use spaces."}
    assert parse(PATH, merged).memory.id == "mem_2026_01_31_001"


def test_markers_that_somebody_committed_are_merged_too() -> None:
    torn = memory("<<<<<<< HEAD\nUse tabs.\n=======\nUse spaces.\n>>>>>>> topic", "End.")
    merged = merge(memory("End."), torn, memory("End.", "More."))
    assert {"Use tabs.", "Use spaces."} == set(find_notes(merged)[0].versions)
    assert "More." in merged


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (memory("One."), "# Retry policy\n", "front matter"),
        (memory("One.", tags="[a"), memory("Two."), "YAML"),
        (memory("<<<<<<< HEAD\nA\n"), memory("Two."), "merge conflict"),
    ],
)
def test_what_is_not_mechanical_is_refused(one: str, other: str, what: str) -> None:
    with pytest.raises(MemoryFileError, match=what):
        merge_texts(PATH, "", one, other)


LINES = [
    "Alpha.",
    "Beta.",
    "- one\n- two",
    "- one\n- three",
    "```\na\n\nb\n```",
    "Gamma\nDelta",
    "=======\nX",
]
PARAGRAPHS = st.lists(st.sampled_from(LINES), max_size=6)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "tags": st.sampled_from(["[http]", "[http, retry]", "[retry, net]", "[]"]),
        "priority": st.sampled_from(["0.1", "0.5", "0.9"]),
        "status": st.sampled_from(["active", "deprecated"]),
        "usage_count": st.integers(0, 9).map(str),
        "last_used": st.sampled_from(["2026-01-01", "2026-02-01"]),
        "aliases": st.sampled_from(["[a, b]", "[b, c]"]),
        "owner": st.sampled_from(["ann", "ben", "cy"]),
    },
)
TEXTS = st.builds(lambda paragraphs, fields: memory(*paragraphs, **fields), PARAGRAPHS, FIELDS)


def lines_of(text: str) -> set[str]:
    """The lines of a body; lines of the front matter follow the rules of their fields."""
    return {line for line in text.split("---\n", 2)[2].split("\n") if line.strip()}


@settings(max_examples=many(300))
@given(st.just("") | TEXTS, TEXTS, TEXTS)
def test_no_line_is_lost_no_marker_left_and_no_order_matters(
    base: str, one: str, other: str
) -> None:
    merged = merge(base, one, other)
    before = lines_of(base) if base else set()
    told = lines_of(merged)
    assert (lines_of(one) | lines_of(other)) - before <= told
    assert before & lines_of(one) & lines_of(other) <= told
    notes = {line for line in told if line.startswith("<!-- dmm merge: ")}
    assert told - notes <= lines_of(one) | lines_of(other)
    parse(PATH, merged)


@settings(max_examples=many(100))
@given(TEXTS, TEXTS)
def test_a_side_that_changed_nothing_leaves_the_other_as_it_is(base: str, one: str) -> None:
    assert merge(base, one, base) == one
    assert merge(base, one, one) == one
