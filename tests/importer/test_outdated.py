"""What an earlier import brought is named where its instruction file says something else now."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from tests.cli.conftest import typed

from dmm.files import markdown
from dmm.importer.outdated import Corrected, find_changed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

__all__ = ["typed"]

GUIDE = """# Shop

## Orders

The order service keeps its state in PostgreSQL, one schema for each tenant of the shop.

## Payments

Payments go through the provider's hosted page, and the webhook confirms them within a minute.

## Search

The search index is built every night from the catalogue, and takes about forty minutes.

## Mail

Mails are sent by the worker, in batches of five hundred, with a pause of ten seconds.

## Rules

- Never commit to main.
- Do not edit `generated/`.
"""
SEARCH = "The search index is built every night from the catalogue, and takes about forty minutes."


@pytest.fixture
def guide(project: Project) -> Path:
    file = project.folder / "CLAUDE.md"
    file.write_text(GUIDE)
    return file


@pytest.fixture
def dmm(project: Project, open_project: Opener, guide: Path) -> Dmm:
    opened = open_project(project)
    opened.importer.apply(opened.importer.plan([guide]))
    return opened


def outdated(dmm: Dmm, guide: Path) -> list[tuple[str, str, bool]]:
    found = dmm.importer.plan([guide]).outdated
    return [(one.memory or one.rule, one.line, bool(one.new)) for one in found]


def path_of(dmm: Dmm, words: str) -> str:
    (found,) = (one for one in dmm.root.tree.scan().stamps if words in read(dmm, one.path))
    return found.path


def read(dmm: Dmm, path: str) -> str:
    return (dmm.root.folder / "memory" / path).read_text()


def test_nothing_is_outdated_right_after_an_import_or_where_a_section_grew(
    dmm: Dmm, guide: Path
) -> None:
    assert outdated(dmm, guide) == []
    guide.write_text(GUIDE.replace("## Mail", "It runs on one machine of its own.\n\n## Mail"))
    assert outdated(dmm, guide) == []


def test_an_instruction_of_which_only_the_binding_sentences_are_kept_is_not_outdated(
    dmm: Dmm, guide: Path, project: Project
) -> None:
    first, between, last = (
        "Never store totals.",
        "It was so in May.",
        "Do not set state in effects.",
    )
    guide.write_text(f"{GUIDE}- {first} {between} {last}\n")
    dmm.importer.apply(dmm.importer.plan([guide]))
    kept, path = f"{first} {last}", path_of(dmm, first)
    file = project.memory / path
    file.write_text(file.read_text().replace(f"{first} {between} {last}", kept))
    assert kept in read(dmm, path)
    assert outdated(dmm, guide) == []


def test_a_text_that_changed_names_the_memory_that_stays_and_where_the_new_one_goes(
    dmm: Dmm, guide: Path
) -> None:
    changed = SEARCH.replace("every night", "every Sunday")
    guide.write_text(GUIDE.replace(SEARCH, changed))
    assert outdated(dmm, guide) == [(path_of(dmm, "every night"), SEARCH, True)]


def test_what_is_there_already_is_counted_once(dmm: Dmm, guide: Path) -> None:
    guide.write_text("# Shop\n\nThis is the shop.\n\n- Never guess a price.\n- Always ask first.\n")
    first = dmm.importer.plan([guide])
    assert first.plan.baseline_tokens > 0
    dmm.importer.apply(first)
    again = dmm.importer.plan([guide])
    assert (again.plan.memories, again.plan.baseline_tokens) == ((), 0)
    assert again.baseline_held == first.baseline_held + first.plan.baseline_tokens


def correct(dmm: Dmm) -> str:
    path = path_of(dmm, "every night")
    corrected = read(dmm, path).replace("forty", "fifty")
    (dmm.root.folder / "memory" / path).write_text(corrected)
    return path


def test_the_old_text_of_a_memory_that_was_corrected_by_hand_is_not_written_again(
    dmm: Dmm, guide: Path, typed: Typed
) -> None:
    path = correct(dmm)
    found = dmm.importer.plan([guide])
    assert (found.plan.memories, found.outdated) == ((), ())
    assert found.corrected == (Corrected("CLAUDE.md", SEARCH, path),)
    told = typed("import", within=guide.parent).out
    assert f"kept     {path}: changed since it was imported; CLAUDE.md" in told
    moved = path.replace(".md", "_time.md")
    memory = dmm.root.folder / "memory"
    (memory / path).rename(memory / moved)
    assert [one.memory for one in dmm.importer.plan([guide]).corrected] == [moved]


def test_a_text_that_changed_after_a_correction_by_hand_is_written_beside_it(
    dmm: Dmm, guide: Path
) -> None:
    path = correct(dmm)
    guide.write_text(GUIDE.replace("forty", "sixty"))
    (new,) = dmm.importer.plan([guide]).plan.memories
    assert "sixty" in new.memory.body
    assert outdated(dmm, guide) == [(path, SEARCH.replace("forty", "fifty"), True)]
    assert dmm.importer.plan([guide]).corrected == ()


def test_a_memory_with_the_id_of_another_one_was_not_imported(dmm: Dmm, guide: Path) -> None:
    # Each branch counts its ids for itself, and the ledger is common to all of them.
    one, other, *_ = (edit for edit in dmm.importer.imported() if "project/" in edit.path)
    was = markdown.parse(one.path, one.after or "").memory
    stranger = dataclasses.replace(markdown.parse(other.path, other.after or "").memory, id=was.id)
    assert find_changed([stranger], [was]) == {}
    assert find_changed([was], [was, dataclasses.replace(was, body="another branch")]) == {}
    corrected = dataclasses.replace(was, body="corrected")
    assert find_changed([corrected], [was]) == {was.id: was.body}


def test_without_a_ledger_a_corrected_memory_is_named_beside_the_old_text(
    dmm: Dmm, guide: Path
) -> None:
    path = correct(dmm)
    importer = dataclasses.replace(dmm.importer, imported=lambda: ())
    (told,) = importer.plan([guide]).outdated
    assert (told.memory, bool(told.new)) == (path, True)


def test_a_section_and_a_rule_that_are_gone_are_named_until_they_are_taken_out(
    dmm: Dmm, guide: Path
) -> None:
    guide.write_text(GUIDE.replace(SEARCH, "").replace("- Never commit to main.\n", ""))
    path = path_of(dmm, "every night")
    assert outdated(dmm, guide) == [
        (path, SEARCH, False),
        ("never-commit-to-main", "Never commit to main.", False),
    ]
    dmm.rules.disable("never-commit-to-main")
    dmm.notes.forget(path)
    assert outdated(dmm, guide) == []


def test_a_file_that_was_shortened_to_a_pointer_makes_nothing_outdated(
    dmm: Dmm, guide: Path
) -> None:
    guide.write_text("# Shop\n\nRead .dmm/BOOT.md.\n")
    assert outdated(dmm, guide) == []


def test_what_two_files_say_is_outdated_where_neither_says_it(
    dmm: Dmm, guide: Path, project: Project
) -> None:
    other = project.folder / "AGENTS.md"
    both = "- Deploy from the release branch, after the nightly tests have passed on it.\n"
    guide.write_text(f"{GUIDE}\n## Deploy\n\n{both}")
    other.write_text(f"# Shop\n\n## Deploy\n\n{both}\n## Team\n\nThe team has two people.\n")
    dmm.importer.apply(dmm.importer.plan([guide, other]))
    path = path_of(dmm, "release branch")
    assert "CLAUDE.md:" in read(dmm, path)
    assert "AGENTS.md:" in read(dmm, path)
    guide.write_text(GUIDE)
    assert dmm.importer.plan([guide, other]).outdated == ()
    assert dmm.importer.plan([guide]).outdated == ()
