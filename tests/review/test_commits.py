"""Git commits of what was applied: after the write, never in its way, and none is lost."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.conftest import git

from dmm.domain.event import EventType
from dmm.domain.plain import to_plain
from dmm.domain.proposal import Edit, Judge, Operation
from dmm.files import commits
from dmm.files.lock import exclusive
from dmm.files.roots import Root
from dmm.review.application import Application, Applied, Approval
from dmm.review.commits import Committing
from dmm.review.store import ProposalStore
from dmm.rules.project_ledger import ProjectLedger

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.review.applied import AppliedWrite

OTHERS = "written; another process is committing and will include it, or the next write will"
TEXT = "---\nid: mem_2026_01_01_001\n---\n\n# A\n\n{}\n"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a memory folder in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    folder = tmp_path / "work"
    (folder / ".dmm" / "memory").mkdir(parents=True)
    git(folder, "init", "--quiet")
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")
    return folder


def subjects(folder: Path) -> list[str]:
    return git(folder, "log", "--reverse", "--format=%s").splitlines()


def hook(folder: Path, script: str) -> None:
    path = folder / ".git" / "hooks" / "pre-commit"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def make(folder: Path) -> Application:
    root = Root(folder / ".dmm")
    project_ledger = ProjectLedger(
        root.folder / "ledger.db", lambda: dt.datetime(2026, 1, 31, tzinfo=dt.UTC)
    )
    proposal_store = ProposalStore(project_ledger)
    committing = Committing(root, project_ledger, proposal_store)
    return Application(root, project_ledger, proposal_store, True, (committing.follow,))


def propose(application: Application, path: str, before: str | None, after: str | None) -> int:
    payload = {
        "operation": str(Operation.UPDATE),
        "edits": to_plain((Edit(path, before, after),)),
        "reason": "why not",
        "trust": "user",
    }
    project_ledger = application.project_ledger
    return project_ledger.record(project_ledger.draft_of(EventType.PROPOSAL_MADE, payload)).seq


def apply(
    application: Application, path: str, after: str | None, before: str | None = None
) -> Applied:
    seq = propose(application, path, before, after)
    edits = application.proposal_store.queue().proposals[seq].edits
    return application.apply(seq, Approval(Judge.PERSON, edits))


def test_each_write_is_one_commit_and_the_ledger_names_it(work: Path) -> None:
    application = make(work)
    applied = apply(application, "project/a.md", TEXT.format("One."))
    assert applied.notices == ()
    assert applied.proposal.commit == git(work, "rev-parse", "HEAD").strip()
    assert applied.proposal.uncommitted is False
    assert git(work, "log", "--format=%B").strip().splitlines() == [
        "Memory: update project/a.md",
        "",
        "why not",
        "",
        "Proposed-by: user",
        "Reviewed-by: user (person)",
        "DMM-Proposal: proposal_1",
    ]


def test_a_hook_that_runs_keeps_no_other_writer_from_writing(work: Path) -> None:
    hook(work, "[ -e go ] && exit 0; touch running; while [ ! -e go ]; do sleep 0.02; done")
    text = TEXT.format("One.")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(lambda: apply(make(work), "project/a.md", text))
        while not (work / "running").exists() and not first.done():
            pass
        second = apply(make(work), "project/b.md", text)
        (work / "go").touch()
        assert first.result().notices == ()
    assert second.notices == (OTHERS,)
    assert subjects(work) == ["Memory: update project/a.md", "Memory: update project/b.md"]
    known = make(work).proposal_store.queue().proposals.values()
    assert [(one.uncommitted, one.commit is None) for one in known] == [(False, False)] * 2


def test_what_a_slow_hook_kept_from_being_committed_is_committed_by_the_next_write(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(work, "sleep 3600")
    application = make(work)
    monkeypatch.setattr(commits, "DEADLINE", 1.0)
    applied = apply(application, "project/a.md", TEXT.format("One."))
    (notice,) = applied.notices
    assert notice.startswith("written, but not committed: ")
    assert notice.endswith(
        "git commit took longer than 1 s and was stopped (a repository hook?); the next write "
        "retries"
    )
    assert (applied.proposal.standing, applied.proposal.uncommitted) == ("applied", True)
    assert application.root.tree.text_of("project/a.md") == TEXT.format("One.")
    monkeypatch.setattr(commits, "DEADLINE", 60.0)
    hook(work, "exit 0")
    assert apply(application, "project/b.md", TEXT.format("Two.")).notices == ()
    assert subjects(work) == ["Memory: update project/b.md", "Memory: update project/a.md"]
    assert (
        application.proposal_store.queue().proposals[1].commit
        == git(work, "rev-parse", "HEAD").strip()
    )


def test_one_that_a_hook_always_refuses_is_told_and_keeps_no_other_from_it(work: Path) -> None:
    hook(work, "git diff --cached --name-only | grep -q bad.md && exit 1; exit 0")
    application = make(work)
    apply(application, "project/bad.md", TEXT.format("One."))
    (notice,) = apply(application, "project/good.md", TEXT.format("Two.")).notices
    assert notice.startswith("proposal_1 is still not committed: ")
    assert subjects(work) == ["Memory: update project/good.md"]
    git(work, "add", ".dmm/memory/project/bad.md")
    git(work, "commit", "--quiet", "--no-verify", "-m", "by hand")
    assert apply(application, "project/other.md", TEXT.format("Three.")).notices == ()
    first = application.proposal_store.queue().proposals[1]
    assert (first.uncommitted, first.commit) == (False, None)


def test_what_somebody_changed_since_is_not_committed_with_it(work: Path) -> None:
    hook(work, "exit 1")
    application = make(work)
    apply(application, "project/a.md", TEXT.format("One."))
    (application.root.tree.root / "project" / "a.md").write_text("by hand\n")
    (work / ".git" / "hooks" / "pre-commit").unlink()
    assert apply(application, "project/b.md", TEXT.format("Two.")).notices == ()
    assert subjects(work) == ["Memory: update project/b.md"]
    assert "?? .dmm/memory/project/a.md\n" in git(work, "status", "--short", "-uall")


def test_whoever_breaks_off_before_the_commit_leaves_it_to_the_next_one(work: Path) -> None:
    def interrupt(_write: AppliedWrite) -> list[str]:
        raise KeyboardInterrupt

    application = replace(make(work), subscribers=(interrupt,))
    with pytest.raises(KeyboardInterrupt):
        apply(application, "project/a.md", TEXT.format("One."))
    again = make(work)
    assert again.proposal_store.queue().proposals[1].uncommitted is True
    assert apply(again, "project/b.md", TEXT.format("Two.")).notices == ()
    assert subjects(work) == ["Memory: update project/b.md", "Memory: update project/a.md"]


def test_a_write_that_is_finished_later_is_committed_then(work: Path) -> None:
    application = make(work)
    seq = propose(application, "project/a.md", None, TEXT.format("One."))
    edits = application.proposal_store.queue().proposals[seq].edits
    application._claim(seq, Approval(Judge.PERSON, edits))
    assert make(work).recover() == ["proposal_1"]
    assert subjects(work) == ["Memory: update project/a.md"]


def test_a_lock_that_can_not_be_had_does_not_fail_the_write(work: Path) -> None:
    application = make(work)
    run = application.root.make_run()
    with exclusive(run / "commit.lock", what="a test"):
        (notice,) = apply(application, "project/a.md", TEXT.format("One.")).notices
    assert notice == OTHERS
    assert apply(application, "project/b.md", TEXT.format("Two.")).notices == ()
    assert len(subjects(work)) == 2


def test_one_that_a_hook_always_refuses_stops_no_other_that_was_left(work: Path) -> None:
    hook(work, "exit 1")
    application = make(work)
    apply(application, "project/bad.md", TEXT.format("One."))
    apply(application, "project/left.md", TEXT.format("Two."))
    hook(work, "git diff --cached --name-only | grep -q bad.md && exit 1; exit 0")
    (notice,) = apply(application, "project/good.md", TEXT.format("Three.")).notices
    assert notice.startswith("proposal_1 is still not committed: ")
    assert subjects(work) == ["Memory: update project/good.md", "Memory: update project/left.md"]


def test_what_git_ignores_is_told_once_and_not_tried_again(work: Path) -> None:
    (work / ".git" / "info" / "exclude").write_text("ephemeral/\n")
    application = make(work)
    applied = apply(application, "ephemeral/a.md", TEXT.format("One."))
    (notice,) = applied.notices
    assert notice.startswith("written, but not committed: ")
    assert notice.endswith("Git ignores it")
    assert (applied.proposal.uncommitted, applied.proposal.commit) == (False, None)
    assert apply(application, "project/b.md", TEXT.format("Two.")).notices == ()
    assert subjects(work) == ["Memory: update project/b.md"]


def test_a_merge_under_way_puts_the_commit_off_until_it_is_done(work: Path) -> None:
    application = make(work)
    apply(application, "project/a.md", TEXT.format("One."))
    (work / ".git" / "MERGE_HEAD").write_text(git(work, "rev-parse", "HEAD"))
    (notice,) = apply(application, "project/b.md", TEXT.format("Two.")).notices
    assert "a merge is in progress in this repository" in notice
    assert notice.endswith("; the next write retries")
    (work / ".git" / "MERGE_HEAD").unlink()
    assert apply(application, "project/c.md", TEXT.format("Three.")).notices == ()
    assert [one.rpartition("/")[2] for one in subjects(work)] == ["a.md", "c.md", "b.md"]


def test_the_undo_of_a_write_that_was_never_committed_leaves_nothing_to_commit(work: Path) -> None:
    hook(work, "exit 1")
    application = make(work)
    text = TEXT.format("One.")
    apply(application, "project/a.md", text)
    (work / ".git" / "hooks" / "pre-commit").unlink()
    assert apply(application, "project/a.md", None, before=text).notices == ()
    known = application.proposal_store.queue().proposals.values()
    assert [(one.uncommitted, one.commit) for one in known] == [(False, None)] * 2
    assert git(work, "rev-list", "--all") == ""
