"""Memories and rules merged by the real Git, with DMM as its merge driver and without."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.conftest import git

from dmm.domain.event import EventType
from dmm.domain.markers import find_marker
from dmm.errors import StorageError
from dmm.files.markdown import parse
from dmm.files.rules import parse_rule
from dmm.merge.driver import LINES, register
from dmm.merge.notes import find_notes
from dmm.merge.service import resolve

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import MemoryText, Opener, Project

PROGRAM = Path(sys.executable).with_name("dmm")
RULE = "---\nid: no-push\nlevel: {}\nmatch:\n  - command: git push\n{}---\n# Never push\n"


@pytest.fixture
def work(
    project: Project, memory_text: MemoryText, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Project:
    """A repository with two branches that changed the same memory and the same rule."""
    # Git runs the driver, which opens the project in the name of this user.
    monkeypatch.setenv("HOME", str(home))
    git(project.folder, "init", "-q")
    (project.dmm / ".gitattributes").write_text("".join(f"{line}\n" for line in LINES))
    write(
        project,
        memory_text("Retry", "Three times.\n\nEnd.", usage_count="1"),
        RULE.format("warn", ""),
    )
    commit(project, "base")
    git(project.folder, "checkout", "-qb", "topic")
    ask = RULE.format("ask", "  - command: git fetch\n")
    write(project, memory_text("Retry", "Five times.\n\nEnd.", usage_count="3", tags="[net]"), ask)
    commit(project, "topic")
    git(project.folder, "checkout", "-q", "master")
    deny = RULE.format("deny", "  - command: git pull\n")
    write(project, memory_text("Retry", "Ten times.\n\nEnd.\n\nMore.", usage_count="2"), deny)
    commit(project, "master")
    return project


def write(project: Project, memory: str, rule: str) -> None:
    project.write("project/retry.md", memory)
    (project.dmm / "rules").mkdir(exist_ok=True)
    (project.dmm / "rules" / "no-push.md").write_text(rule)


def commit(project: Project, message: str) -> None:
    git(project.folder, "add", "-A")
    git(project.folder, "commit", "-qm", message)


def texts(project: Project) -> tuple[str, str]:
    files = (project.memory / "project/retry.md", project.dmm / "rules/no-push.md")
    return files[0].read_text(), files[1].read_text()


def assert_merged(project: Project) -> None:
    memory, rule = texts(project)
    assert find_marker(memory + rule) is None
    found = parse("project/retry.md", memory).memory
    assert (found.usage_count, found.tags) == (4, ("net",))
    assert "More." in found.body
    assert set(find_notes(memory)[0].versions) == {"Five times.", "Ten times."}
    fields = parse_rule("rules/no-push.md", rule).fields
    assert fields["level"] == "deny"
    assert len(fields["match"]) == 3


@pytest.mark.parametrize(
    "words",
    [
        ("merge", "topic"),
        pytest.param(("rebase", "topic"), marks=pytest.mark.slow),
        pytest.param(("cherry-pick", "topic"), marks=pytest.mark.slow),
    ],
)
def test_git_merges_with_the_driver(work: Project, words: tuple[str, ...]) -> None:
    register(work.dmm, PROGRAM, remove=False, dry=False)
    git(work.folder, *words, *(("--no-edit",) if words[0] == "merge" else ()))
    assert_merged(work)
    assert git(work.folder, "status", "--porcelain") == ""


def test_the_driver_records_what_it_kept_in_both_versions(
    work: Project, open_project: Opener
) -> None:
    dmm = open_project(work)
    register(work.dmm, PROGRAM, remove=False, dry=False)
    git(work.folder, "merge", "--no-edit", "topic")
    (event,) = dmm.project_ledger.log.events_of([EventType.FILES_MERGED], 0, 100)
    assert (event.branch, event.get("kept")) == ("master", ["memory/project/retry.md"])
    dmm.memories.reindex()
    dmm.conflicts.scan()
    (found,) = dmm.conflicts.list().conflicts
    assert found.type == "unmerged"


def test_the_command_names_what_the_driver_left_undecided(
    work: Project, typed: Typed, open_project: Opener
) -> None:
    dmm = open_project(work)
    register(work.dmm, PROGRAM, remove=False, dry=False)
    git(work.folder, "merge", "--no-edit", "topic")
    for _ in range(2):
        told = typed("merge", within=work.folder)
        assert told.status == 0
        assert "Undecided since an earlier merge:\nboth kept  memory/project/retry.md" in told.out
        assert "keep one version and delete the 'dmm merge' comments" in told.out
        (found,) = dmm.conflicts.list().conflicts
        assert found.type == "unmerged"
    assert len([*dmm.project_ledger.log.events_of([EventType.FILES_MERGED], 0, 100)]) == 1


def conflict(work: Project) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        git(work.folder, "merge", "-q", "topic")


def test_a_clone_without_dmm_merges_as_git_always_does(work: Project) -> None:
    register(work.dmm, Path("/nonexistent/dmm"), remove=False, dry=False)
    conflict(work)
    assert all("<<<<<<< ours" in text for text in texts(work))
    git(work.folder, "merge", "--abort")
    git(work.folder, "config", "--remove-section", "merge.dmm")
    conflict(work)
    assert all("<<<<<<< HEAD" in text for text in texts(work))


def test_dmm_merge_resolves_what_git_left(work: Project) -> None:
    conflict(work)
    assert {one.result for one in resolve(work.dmm, dry=True).outcomes} == {"both kept", "merged"}
    assert all(find_marker(text) for text in texts(work))
    report = resolve(work.dmm)
    assert [one.path for one in report.kept] == ["memory/project/retry.md"]
    assert report.left == []
    assert_merged(work)
    assert resolve(work.dmm).outcomes == ()


def test_what_a_person_resolved_by_hand_before_stays(work: Project) -> None:
    conflict(work)
    file = work.memory / "project/retry.md"
    text = file.read_text()
    file.write_text(text.replace("End.", "The end, by hand."))
    resolve(work.dmm)
    assert "The end, by hand." in file.read_text()


def test_markers_that_were_committed_are_resolved_without_a_base(work: Project) -> None:
    conflict(work)
    commit(work, "with markers")
    resolve(work.dmm)
    memory, rule = texts(work)
    assert find_marker(memory + rule) is None
    assert set(find_notes(memory)[0].versions) >= {"Five times."}


def test_a_file_that_one_branch_removed_is_left_to_a_person(work: Project) -> None:
    git(work.folder, "checkout", "-q", "topic")
    git(work.folder, "rm", "-q", ".dmm/memory/project/retry.md")
    commit(work, "removed")
    git(work.folder, "checkout", "-q", "master")
    conflict(work)
    (left,) = resolve(work.dmm).left
    assert left.path == "memory/project/retry.md"
    assert "git rm" in (left.hint or "")


def test_settings_in_conflict_are_left_with_their_line(work: Project) -> None:
    (work.dmm / "daemon.config.json").write_text("{\n<<<<<<< a\n=======\n>>>>>>> b\n}\n")
    (left,) = resolve(work.dmm).left
    assert (left.path, left.line) == ("daemon.config.json", 2)


def test_the_command_records_what_is_undecided(
    work: Project, typed: Typed, open_project: Opener
) -> None:
    conflict(work)
    dmm = open_project(work)
    told = typed("merge", within=work.folder)
    assert told.status == 0
    assert "both kept  memory/project/retry.md" in told.out
    assert "merged     rules/no-push.md" in told.out
    (found,) = dmm.conflicts.list().conflicts
    assert found.type == "unmerged"
    assert set(found.quotes) == {"Five times.", "Ten times."}
    (event,) = dmm.project_ledger.log.events_of([EventType.FILES_MERGED], 0, 100)
    assert (event.branch, event.get("left")) == ("master", None)
    assert event.get("merged") == ["rules/no-push.md"]
    assert event.get("kept") == ["memory/project/retry.md"]
    shown = typed("ledger", "log", "--type", "filesmerged", within=work.folder).out
    assert "FilesMerged merged: rules/no-push.md; both versions" in shown
    told = typed("validate", "--json", within=work.folder)
    undecided = [one for one in json.loads(told.out)["findings"] if one["check"] == "undecided"]
    assert [(one["path"], one["line"]) for one in undecided] == [("project/retry.md", 13)]
    # Once a person has chosen, the conflict is gone.
    file = work.memory / "project/retry.md"
    kept = [line for line in file.read_text().split("\n") if "dmm merge" not in line]
    file.write_text("\n".join(line for line in kept if "Ten" not in line))
    dmm.memories.reindex()
    assert dmm.conflicts.check(["project/retry.md"]) == ()
    assert dmm.conflicts.list().conflicts == ()


def test_nothing_to_merge_is_said(project: Project, typed: Typed) -> None:
    told = typed("merge", within=project.folder)
    assert (told.status, told.out) == (0, "No merge conflicts.\n")


def test_the_driver_is_registered_once_and_removed_exactly(project: Project) -> None:
    git(project.folder, "init", "-q")
    attributes = project.dmm / ".gitattributes"
    attributes.write_text("*.bin binary\n")
    settings = project.folder / ".git" / "config"
    before = settings.read_text()

    def results(*, remove: bool = False, dry: bool = False) -> list[str]:
        steps = register(project.dmm, PROGRAM, remove=remove, dry=dry)
        return [step.result for step in steps]

    assert results(dry=True) == ["installed", "installed"]
    assert (attributes.read_text(), settings.read_text()) == ("*.bin binary\n", before)
    assert results() == ["installed", "installed"]
    assert results() == ["unchanged", "unchanged"]
    assert set(LINES) < set(attributes.read_text().splitlines())
    assert results(remove=True) == ["removed", "removed"]
    assert (attributes.read_text(), settings.read_text()) == ("*.bin binary\n", before)
    assert results(remove=True) == ["absent", "absent"]


def test_a_folder_without_git_is_refused(project: Project) -> None:
    with pytest.raises(StorageError, match="not in a Git repository"):
        register(project.dmm, PROGRAM, remove=False, dry=False)


def test_install_git_says_what_it_did(project: Project, typed: Typed) -> None:
    git(project.folder, "init", "-q")
    told = typed("install", "--git", within=project.folder)
    assert told.status == 0
    assert "Git, merge driver: installed" in told.out
    assert max(map(len, told.out.splitlines()[-2:])) <= 80
    assert "removed" in typed("install", "--git", "--uninstall", within=project.folder).out
    assert not (project.dmm / ".gitattributes").exists()
