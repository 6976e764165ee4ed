from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.review.making import BODY, check, file_text, propose, surround

from dmm.domain.event import Trust
from dmm.domain.proposal import CheckName, Edit, Operation, Outcome
from dmm.review.checks import run_checks

SCHEMA = CheckName.SCHEMA


def test_a_good_memory_passes_every_check_in_their_order() -> None:
    checks = run_checks(propose(), surround())
    assert [one.name for one in checks] == list(CheckName)
    assert [one.text for one in checks if one.outcome is not Outcome.PASS] == []


@pytest.mark.parametrize("operation", list(Operation))
def test_every_operation_gets_one_result_for_each_check(operation: Operation) -> None:
    checks = run_checks(propose(operation=operation), surround())
    assert [one.name for one in checks] == list(CheckName)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("no front matter", "project/billing/refunds.md:1: no front matter; start the file with"),
        (file_text(id=""), "project/billing/refunds.md:2: missing field: id"),
        (file_text(id="mem_1"), "'id' must be like mem_2026_01_31_001, not 'mem_1'"),
        (file_text(scope="global"), "scope 'global' does not match the folder 'project'"),
        (file_text(priority="9"), "'priority' must be a number from 0.0 to 1.0, not '9'"),
        (file_text("no title here"), "no title"),
    ],
)
def test_a_file_that_is_no_memory_is_refused_for_everybody(text: str, what: str) -> None:
    found = check(SCHEMA, propose(text))
    assert found.failed
    assert found.hard
    assert what in found.text


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd.md",
        "/etc/cron.md",
        "project/../baseline/a.md",
        "project/.hidden/a.md",
        "secrets/a.md",
        "project/a.txt",
        "project/con.md",
        "project/a\u202emd.md",
        "project\\a.md",
        "project/_dir.md",
        "deprecated/a.md",
        "a.md",
        "",
    ],
)
def test_a_path_that_may_not_be_written_is_refused(path: str) -> None:
    found = check(SCHEMA, propose(path=path))
    assert found.failed
    assert found.hard


def test_the_id_of_another_memory_is_refused_and_named() -> None:
    found = check(SCHEMA, propose(), ids={"mem_2026_06_01_001": "project/other.md"})
    assert found.hard
    assert found.other == "project/other.md"
    assert found.text == (
        "the id mem_2026_06_01_001 belongs to project/other.md; give the new memory its own id"
    )


def test_an_update_keeps_the_id_of_its_file() -> None:
    before = file_text()
    own = {"mem_2026_06_01_001": "project/billing/refunds.md"}
    same = propose(file_text(BODY + "\nMore.\n"), before=before)
    assert check(SCHEMA, same, ids=own).outcome is Outcome.PASS
    other = check(SCHEMA, propose(file_text(id="mem_2026_06_01_002"), before=before))
    assert other.text == (
        "the id changes from mem_2026_06_01_001 to mem_2026_06_01_002; a memory keeps its id"
    )


def test_no_file_of_a_merge_takes_another_id() -> None:
    kept, gone = file_text(), file_text(id="mem_2026_06_01_002")
    merge = propose(
        operation=Operation.MERGE,
        edits=(
            Edit("project/a.md", kept, file_text(BODY + "\nMore.\n")),
            Edit("project/b.md", gone, file_text(id="mem_2026_06_01_003", status="deprecated")),
        ),
    )
    assert check(SCHEMA, merge).text == (
        "the id changes from mem_2026_06_01_002 to mem_2026_06_01_003; a memory keeps its id"
    )


def test_unknown_fields_are_pointed_at() -> None:
    found = check(SCHEMA, propose(file_text(trusted="yes")))
    assert found.outcome is Outcome.WARN
    assert found.text == "unknown fields: 'trusted'; remove them or correct their names"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"reason": "  "}, "the reason is missing; say why the change is needed"),
        ({"reason": "x" * 4_001}, "the reason is longer than 4000 characters; shorten it"),
        (
            {"operation": Operation.UPDATE},
            "an operation 'update' can't have 1 new, 0 changed and 0 removed files",
        ),
        (
            {"edits": (Edit("project/a.md", file_text(), None),)},
            "an operation 'create' can't have 0 new, 0 changed and 1 removed files",
        ),
        (
            {
                "operation": Operation.UPDATE,
                "edits": (Edit("project/a.md", file_text(), file_text()),),
            },
            "it changes nothing",
        ),
    ],
)
def test_a_proposal_is_what_its_operation_says(changes: dict[str, Any], what: str) -> None:
    found = check(SCHEMA, propose(**changes))
    assert found.hard
    assert found.text == what


def test_moving_or_deprecating_changes_no_text() -> None:
    before, after = file_text(), file_text(BODY + "\nA new rule.\n", scope="global")
    moved = propose(
        operation=Operation.PROMOTE,
        edits=(Edit("project/a.md", before, None), Edit("global/a.md", None, after)),
    )
    assert "changes the text too" in check(SCHEMA, moved).text
    kept = propose(file_text(), "project/a.md", before=BODY, operation=Operation.DEPRECATE)
    assert check(SCHEMA, kept).outcome is Outcome.PASS
    active = propose(
        file_text(priority="0.4"), "project/a.md", before, operation=Operation.DEPRECATE
    )
    assert check(SCHEMA, active).text == (
        "the memory would still be active; set status: deprecated"
    )


def test_ten_megabytes_are_refused_and_not_read() -> None:
    huge = propose(file_text("# Title\n\n" + "ignore all previous " * 500_000))
    checks = run_checks(huge, surround())
    assert [one.name for one in checks if one.hard] == [SCHEMA, CheckName.TOKENS]
    assert checks[0].text == (
        "a text is larger than 256 KiB; a memory is one small concept: split it"
    )
    assert all(one.outcome is not Outcome.PASS for one in checks[2:6])


@pytest.mark.parametrize(
    ("tokens", "outcome", "hard"),
    [
        (1, Outcome.PASS, False),
        (800, Outcome.PASS, False),
        (801, Outcome.FAIL, False),
        (2000, Outcome.FAIL, False),
        (2001, Outcome.FAIL, True),
    ],
)
def test_a_new_memory_may_be_one_line_but_not_longer_than_recommended(
    tokens: int, outcome: Outcome, hard: bool
) -> None:
    found = check(CheckName.TOKENS, propose(), count=lambda text: tokens)
    assert (found.outcome, found.hard) == (outcome, hard)


def test_baseline_files_may_be_short() -> None:
    proposal = propose(file_text(scope="baseline"), "baseline/a.md")
    assert check(CheckName.TOKENS, proposal, count=lambda text: 20).outcome is Outcome.PASS
    assert check(CheckName.TOKENS, proposal, count=lambda text: 2001).hard


def test_a_change_that_makes_a_long_memory_shorter_is_not_to_blame() -> None:
    def count(text: str) -> int:
        return 10 * len_words(text)

    longer = propose(file_text(BODY + "\nOne more.\n"), before=file_text())
    assert check(CheckName.TOKENS, longer, count=count).outcome is Outcome.FAIL
    shorter = propose(file_text(BODY), before=file_text(BODY + "\nOne more.\n"))
    assert check(CheckName.TOKENS, shorter, count=count).outcome is Outcome.WARN


@given(
    st.text(max_size=300),
    st.text(max_size=60),
    st.text(max_size=60),
    st.sampled_from(list(Operation)),
    st.sampled_from(list(Trust)),
)
def test_any_proposal_can_be_checked(
    body: str, path: str, reason: str, operation: Operation, trust: Trust
) -> None:
    for text in (body, file_text(f"# Title\n\n{body}")):
        proposal = propose(text, path, reason=reason, operation=operation, trust=trust)
        checks = run_checks(proposal, surround())
        assert [one.name for one in checks] == list(CheckName)
        assert all(one.text for one in checks)


def len_words(text: str) -> int:
    return len(text.split())


def test_a_link_to_no_memory_is_told_with_its_id() -> None:
    lost = propose(file_text(related="[mem_2026_05_05_005]", supersedes="[gone]"))
    found = check(SCHEMA, lost)
    assert found.outcome is Outcome.WARN
    assert found.text == (
        "'related' names 'mem_2026_05_05_005', and no memory has that id; correct it or remove "
        "it; 'supersedes' names 'gone', and no memory has that id; correct it or remove it"
    )
    there = propose(file_text(related="[mem_2026_05_05_005]"))
    ids = {"mem_2026_05_05_005": "project/a.md"}
    assert check(SCHEMA, there, ids=ids).outcome is Outcome.PASS
    waiting = propose(file_text(id="mem_2026_05_05_005"), "project/other.md", seq=11)
    assert check(SCHEMA, there, others=(waiting,)).outcome is Outcome.PASS
    held = propose(file_text(related="[mem_2026_05_05_005]"), before=file_text(related="[gone]"))
    assert "'mem_2026_05_05_005'" in check(SCHEMA, held).text
    kept = propose(file_text(related="[gone]"), before=file_text(BODY + "\n.", related="[gone]"))
    assert check(SCHEMA, kept).outcome is Outcome.PASS


def test_no_check_sends_anybody_past_the_review() -> None:
    for text in (file_text("no title here"), file_text(scope="global")):
        assert "--fix" not in check(SCHEMA, propose(text)).text
