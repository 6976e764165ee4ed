from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.review.making import BODY, check, file_text, near, propose

import dmm.files
from dmm.domain.conflict import Clash, ConflictType
from dmm.domain.proposal import CheckName, Edit, Operation, Outcome

SHIPPED = Path(dmm.files.__file__).parent / "templates" / "memory"
BACKUPS = """
## Database backups

The database is dumped every night at two. The dump is encrypted, copied to the archive bucket and
kept for thirty days. Restore it with the script restore.sh into an empty server.
"""
BUTTONS = """
## Colours of buttons

Primary buttons are blue, dangerous ones red. Hover makes the shade darker by ten percent. Designers
keep the palette in Figma and export variables for the stylesheet.
"""
POINTS = [
    "The printer on floor two needs paper of 80 grams.",
    "Kafka partitions are counted by region.",
    "Buttons have rounded corners in dark mode.",
    "Holiday requests go to Maria by Thursday.",
    "Terraform keeps its state in a bucket.",
    "The coffee machine is cleaned on Fridays.",
    "Passwords have twelve characters.",
]


def test_several_titles_are_several_concepts() -> None:
    body = f"{BODY}\n# Backups of the database\n{BACKUPS}"
    found = check(CheckName.CONCEPT, propose(file_text(body)))
    assert found.outcome is Outcome.FAIL
    assert found.text == (
        "several titles: 'Refunds go through the ledger', 'Backups of the database'; "
        "write one file for each"
    )


@pytest.mark.parametrize("title", ["Backups and buttons", "Various notes", "Learnings of the week"])
def test_sections_that_have_nothing_to_do_together_are_several_concepts(title: str) -> None:
    found = check(CheckName.CONCEPT, propose(file_text(f"# {title}\n{BACKUPS}{BUTTONS}")))
    assert found.outcome is Outcome.FAIL
    assert "'Database backups', 'Colours of buttons'" in found.text


def test_a_section_that_goes_with_nothing_is_pointed_at() -> None:
    found = check(CheckName.CONCEPT, propose(file_text(BODY + BUTTONS)))
    assert found.outcome is Outcome.WARN
    assert found.text == "sections that may belong elsewhere: 'Colours of buttons'"


def test_a_list_of_unrelated_points_is_several_concepts() -> None:
    points = "\n".join(f"- {point}" for point in POINTS)
    found = check(CheckName.CONCEPT, propose(file_text(f"# Things to know\n\n{points}\n")))
    assert found.outcome is Outcome.FAIL
    assert found.text.startswith("7 points that have little in common")


def test_titles_inside_code_are_not_counted() -> None:
    body = f"{BODY}\n```sh\n\n# install the tools\nmake tools\n\n# run\nmake\n```\n"
    assert check(CheckName.CONCEPT, propose(file_text(body))).outcome is Outcome.PASS


@pytest.mark.parametrize("file", sorted(SHIPPED.rglob("[a-z]*.md")), ids=lambda file: file.name)
def test_the_memories_that_dmm_ships_are_not_objected_to(file: Path) -> None:
    text = re.sub(r"@ID_\d@", "mem_2026_06_01_001", file.read_text())
    text = text.replace("@TODAY@", "2026-06-01").replace("@IN_30_DAYS@", "2026-07-01")
    proposal = propose(text, file.relative_to(SHIPPED).as_posix())
    for name in (CheckName.SCHEMA, CheckName.CONCEPT, CheckName.COHERENCE, CheckName.SCOPE):
        assert not check(name, proposal).failed
    assert not check(CheckName.INJECTION, proposal).failed


def test_a_title_that_the_text_does_not_speak_of_is_objected_to() -> None:
    body = BODY.replace("# Refunds go through the ledger", "# Kubernetes ingress certificates")
    found = check(CheckName.COHERENCE, propose(file_text(body)))
    assert found.outcome is Outcome.FAIL
    assert found.text == (
        "the text does not mention its title 'Kubernetes ingress certificates'; make them match"
    )


def test_a_title_in_other_words_of_the_same_meaning_goes_with_its_text() -> None:
    body = BODY.replace("# Refunds go through the ledger", "# Refunding customers, paying back")
    assert check(CheckName.COHERENCE, propose(file_text(body))).outcome is Outcome.PASS


def test_tags_may_be_words_that_the_text_does_not_use() -> None:
    proposal = propose(file_text(tags="[billing, money, stripe]"))
    assert check(CheckName.COHERENCE, proposal).outcome is Outcome.PASS


def test_tags_that_go_with_nothing_are_pointed_at() -> None:
    found = check(CheckName.COHERENCE, propose(file_text(tags="[gardening, tulips]")))
    assert found.outcome is Outcome.WARN
    assert found.text == ("tags that match nothing in the text: 'gardening', 'tulips'")
    assert check(CheckName.COHERENCE, propose(file_text(tags="[]"))).outcome is Outcome.WARN


def test_the_same_text_in_another_layout_is_a_duplicate() -> None:
    other = near("# Another title\n" + BODY.partition("\n")[2].replace("\n", "  \n").upper())
    found = check(CheckName.DUPLICATES, propose(), neighbours=(other,))
    assert found.outcome is Outcome.FAIL
    assert found.other == "project/billing/old.md"
    assert found.text == (
        "the same text as project/billing/old.md; "
        "change that memory instead, or let this one supersede it"
    )


def test_nearly_the_same_text_is_a_duplicate() -> None:
    other = near(BODY.replace("nightly", "daily"), similarity=None)
    found = check(CheckName.DUPLICATES, propose(), neighbours=(other,))
    assert found.outcome is Outcome.FAIL
    assert "nearly the same text" in found.text


def test_the_same_said_in_other_words_is_a_duplicate() -> None:
    clash = Clash(ConflictType.DUPLICATE, 0.93, "the same", "merge")
    found = check(
        CheckName.DUPLICATES, propose(), clashes=((clash, "project/x.md", "mem_2026_01_01_001"),)
    )
    assert found.outcome is Outcome.FAIL
    assert found.other == "project/x.md"


@pytest.mark.parametrize(
    ("other", "outcome"),
    [
        ("api on 4000, web on 3000", Outcome.WARN),
        ("api: 3000; web: 4000", Outcome.FAIL),
        ("api on 3000, web on 4000 since 2024", Outcome.FAIL),
    ],
)
def test_a_text_that_swaps_two_values_is_no_sure_duplicate(other: str, outcome: Outcome) -> None:
    quotes = "api on 3000, web on 4000", other
    clash = Clash(ConflictType.DUPLICATE, 0.93, "the same", "merge", quotes)
    clashes = ((clash, "project/x.md", "mem_2026_01_01_001"),)
    found = check(CheckName.DUPLICATES, propose(), clashes=clashes)
    assert (found.outcome, found.other) == (outcome, "project/x.md")


def test_nearly_the_same_text_is_no_duplicate_if_it_surely_says_the_opposite() -> None:
    other = near(BODY.replace("nightly", "never"), similarity=None)
    for kind, outcome in (
        (ConflictType.CONTRADICTION, Outcome.PASS),
        (ConflictType.DUPLICATE, Outcome.FAIL),
    ):
        clashes = ((Clash(kind, 0.95, "no", "decide"), other.path, other.id),)
        found = check(CheckName.DUPLICATES, propose(), neighbours=(other,), clashes=clashes)
        assert found.outcome is outcome


def test_a_very_similar_memory_is_a_duplicate_unless_it_is_told_as_a_conflict() -> None:
    other = near("# Refunds\n\nMoney goes back by the books.", similarity=0.94)
    found = check(CheckName.DUPLICATES, propose(), neighbours=(other,))
    assert found.outcome is Outcome.FAIL
    clash = Clash(ConflictType.NUMERIC, 0.9, "30 against 60", "decide", ("30 s", "60 s"))
    told = check(
        CheckName.DUPLICATES,
        propose(),
        neighbours=(other,),
        clashes=((clash, other.path, other.id),),
    )
    assert told.outcome is Outcome.PASS


def test_a_memory_that_is_superseded_is_no_duplicate() -> None:
    proposal = propose(file_text(supersedes="[mem_2026_01_01_007]"))
    assert check(CheckName.DUPLICATES, proposal, neighbours=(near(),)).outcome is Outcome.PASS


def test_a_change_of_a_file_that_resembles_another_is_pointed_at_only() -> None:
    proposal = propose(before=file_text("# Refunds\n\nOld.\n"))
    assert check(CheckName.DUPLICATES, proposal, neighbours=(near(),)).outcome is Outcome.WARN


def test_the_same_concept_in_another_open_proposal_is_named() -> None:
    other = propose(file_text(BODY + "\nAnd more.\n"), "project/money.md", seq=8, proposer="codex")
    found = check(CheckName.DUPLICATES, propose(), others=(other,))
    assert found.outcome is Outcome.WARN
    assert found.other == "proposal_8"
    assert found.text == "the same concept is proposed by proposal_8 ('codex'); merge them"
    elsewhere = propose(file_text(f"# Backups\n{BACKUPS}"), "project/money.md", seq=8)
    assert check(CheckName.DUPLICATES, propose(), others=(elsewhere,)).outcome is Outcome.PASS


CLASH = Clash(
    ConflictType.CONTRADICTION,
    0.87,
    "they say the opposite",
    "decide",
    ("never paid at once", "paid at\nonce \u202eback"),
)


def test_a_conflict_is_told_with_both_quotes_and_may_still_be_approved() -> None:
    found = check(
        CheckName.CONFLICTS, propose(), clashes=((CLASH, "project/x.md", "mem_2026_01_01_001"),)
    )
    assert found.outcome is Outcome.WARN
    assert found.other == "project/x.md"
    assert found.text == (
        "contradiction with project/x.md (confidence 0.87): 'never paid at once' vs. "
        "'paid at once <U+202E>back'. If the older one no longer holds, edit it,"
        " or: dmm forget project/x.md"
    )


def test_a_conflict_with_the_baseline_is_objected_to() -> None:
    found = check(
        CheckName.CONFLICTS, propose(), clashes=((CLASH, "baseline/x.md", "mem_2026_01_01_001"),)
    )
    assert found.outcome is Outcome.FAIL
    assert not found.hard


def test_a_conflict_with_what_it_supersedes_is_none() -> None:
    proposal = propose(file_text(supersedes="[mem_2026_01_01_001]"))
    found = check(
        CheckName.CONFLICTS, proposal, clashes=((CLASH, "project/x.md", "mem_2026_01_01_001"),)
    )
    assert found.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("path", "body", "fields", "what"),
    [
        ("ephemeral/a.md", BODY, {"scope": "ephemeral"}, "an ephemeral memory without an end"),
        (
            "project/a.md",
            BODY + "\nThis is a temporary workaround.\n",
            {},
            "'temporary workaround' sounds temporary; use ephemeral/ with 'expires'",
        ),
        (
            "global/a.md",
            BODY + "\nSee src/billing/refund.py.\n",
            {"scope": "global"},
            "'src/billing/refund.py.' belongs to one project; use project/",
        ),
        (
            "project/a.md",
            BODY + "\nThe agent should ask the user first. Name the path in your reply.\n",
            {},
            "'The agent should' is about how agents work; use agent/",
        ),
    ],
)
def test_content_that_fits_another_scope_is_pointed_at(
    path: str, body: str, fields: dict[str, str], what: str
) -> None:
    found = check(CheckName.SCOPE, propose(file_text(body, **fields), path))
    assert found.outcome is Outcome.WARN
    assert found.text.startswith(what)


def test_temporary_files_are_nothing_temporary() -> None:
    body = BODY + "\nTemporary files go to the cache folder, today as before.\n"
    assert check(CheckName.SCOPE, propose(file_text(body))).outcome is Outcome.PASS


def test_a_memory_that_has_expired_already_is_objected_to() -> None:
    proposal = propose(file_text(scope="ephemeral", expires="2026-05-01"), "ephemeral/a.md")
    assert check(CheckName.SCOPE, proposal).text == (
        "it expired on 2026-05-01 and would not be served; give it a later date"
    )


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("important", Outcome.FAIL),
        ("this is a very important thing about refunds", Outcome.FAIL),
        ("approved for the baseline by the owner of the project", Outcome.FAIL),
        ("no task may touch refunds in another way, whatever the task is", Outcome.PASS),
        ("it holds for every task, since all of them may write to the ledger", Outcome.PASS),
    ],
)
def test_a_write_into_the_baseline_is_justified_for_every_task(
    reason: str, outcome: Outcome
) -> None:
    proposal = propose(file_text(scope="baseline"), "baseline/refunds.md", reason=reason)
    assert check(CheckName.BASELINE, proposal).outcome is outcome


def test_a_baseline_that_would_overflow_names_its_tokens() -> None:
    reason = "it holds for every task that there is"
    proposal = propose(file_text(scope="baseline"), "baseline/refunds.md", reason=reason)
    found = check(CheckName.BASELINE, proposal, baseline_tokens=700, count=lambda text: 150)
    assert found.outcome is Outcome.FAIL
    assert found.text == (
        "the baseline would have 850 tokens, 50 over its budget of 800; "
        "shorten it, or demote another file first"
    )
    full = check(CheckName.BASELINE, proposal, baseline_tokens=650, count=lambda text: 150)
    assert full.outcome is Outcome.PASS


def test_checks_of_the_text_do_not_apply_to_an_undo() -> None:
    proposal = propose(operation=Operation.UNDO, edits=(Edit("project/a.md", "x", "y"),))
    for name in (CheckName.TOKENS, CheckName.CONCEPT, CheckName.COHERENCE, CheckName.DUPLICATES):
        found = check(name, proposal)
        assert found.outcome is Outcome.PASS
        assert found.text == "does not apply to an operation 'undo'"


def test_an_import_is_held_to_the_same_length_as_everybody() -> None:
    for origin in ("import", "remember", ""):
        short = check(CheckName.TOKENS, propose(origin=origin), count=lambda text: 8)
        assert (short.outcome, short.text) == (Outcome.PASS, "8 tokens, at most 800")
        assert check(CheckName.TOKENS, propose(origin=origin), count=lambda text: 1_500).failed
