"""Proposals applied: files and events agree, whoever is killed, and nothing is applied twice."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import EventType, Trust
from dmm.domain.plain import to_plain
from dmm.domain.proposal import Edit, Judge, Operation, Proposal, ProposalStatus
from dmm.errors import FileExists, ReviewRefused, StaleBase
from dmm.eventlog.open_ledger import Actor
from dmm.eventlog.verify import verify
from dmm.files.roots import Root
from dmm.review.application import Application, Approval
from dmm.review.applied import AppliedWrite
from dmm.review.store import ProposalStore
from dmm.rules.project_ledger import ProjectLedger

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.review.applied import Subscriber

HEAD = (
    "---\nid: {id}\ntags: [a]\nscope: {scope}\npriority: 0.5\nconfidence: active\n"
    "status: active\n---\n\n# {title}\n\n{body}\n"
)
OLD = HEAD.format(id="mem_2026_01_01_001", scope="project", title="Old", body="As it was.")
NEW = HEAD.format(id="mem_2026_01_01_001", scope="project", title="Old", body="As it shall be.")
MOVED = HEAD.format(id="mem_2026_01_01_001", scope="global", title="Old", body="As it was.")


def make(folder: Path) -> Application:
    """Put an application together around a real ledger and a real tree."""
    root = Root(folder / ".dmm")
    project_ledger = ProjectLedger(
        root.folder / "ledger.db", lambda: dt.datetime(2026, 1, 31, tzinfo=dt.UTC)
    )
    return Application(root, project_ledger, ProposalStore(project_ledger), git_commit=False)


def write(application: Application, path: str, text: str) -> None:
    target = application.root.tree.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def propose(application: Application, *edits: Edit, operation: Operation) -> int:
    payload = {
        "operation": str(operation),
        "edits": to_plain(edits),
        "reason": "why not",
        "trust": "agent",
        "evidence": [],
        "undoes": [],
        "origin": "",
    }
    agent = Actor(name="codex", source="mcp", trust=Trust.AGENT)
    ledger = application.project_ledger.as_actor(agent)
    return ledger.record(ledger.draft_of(EventType.PROPOSAL_MADE, payload)).seq


def approve(application: Application, seq: int, judge: Judge = Judge.PERSON) -> Approval:
    return Approval(judge, found(application, seq).edits, "fine")


def types(application: Application) -> list[str]:
    return [event.type for event in application.project_ledger.reading.events()]


def found(application: Application, seq: int) -> Proposal:
    return application.proposal_store.queue().proposals[seq]


def test_an_applied_proposal_is_in_the_file_and_in_the_ledger(tmp_path: Path) -> None:
    application = make(tmp_path)
    seq = propose(application, Edit("project/a.md", None, OLD), operation=Operation.CREATE)
    applied = application.apply(seq, approve(application, seq))
    assert application.root.tree.text_of("project/a.md") == OLD
    assert applied.proposal.standing is ProposalStatus.APPLIED
    assert types(application) == [
        "ProposalMade",
        "ProposalReviewed",
        "ProposalApplying",
        "ProposalApplied",
    ]
    last = application.project_ledger.reading.event(4)
    assert last is not None
    assert last.get("trust") == "reviewed"


def test_subscribers_are_told_in_order_once_the_write_stands(tmp_path: Path) -> None:
    told: list[tuple[str, AppliedWrite, ProposalStatus]] = []

    def subscribe(name: str) -> Subscriber:
        def note(applied: AppliedWrite) -> list[str]:
            told.append((name, applied, found(application, 1).standing))
            return [name]

        return note

    application = replace(make(tmp_path), subscribers=(subscribe("one"), subscribe("two")))
    seq = propose(application, Edit("project/a.md", None, OLD), operation=Operation.CREATE)
    applied = application.apply(seq, approve(application, seq), one_of_many=True)
    assert applied.notices == ("one", "two")
    announced = AppliedWrite(("project/a.md",), seq, is_one_of_many=True)
    assert told == [(name, announced, ProposalStatus.APPLIED) for name in ("one", "two")]
    told.clear()
    seq = propose(application, Edit("project/a.md", OLD, NEW), operation=Operation.UPDATE)
    application._claim(seq, approve(application, seq))
    application.recover()
    assert [(name, write) for name, write, _ in told] == [
        (name, AppliedWrite(("project/a.md",))) for name in ("one", "two")
    ]
    last = [*application.project_ledger.reading.events()][-1]
    assert (last.type, last.source) == ("ProposalApplied", "recovery")
    assert application.project_ledger.actor == Actor()


def test_only_a_person_raises_trust(tmp_path: Path) -> None:
    application = make(tmp_path)
    seq = propose(application, Edit("ephemeral/a.md", None, OLD), operation=Operation.CREATE)
    application.apply(seq, approve(application, seq, Judge.REVIEWER))
    last = application.project_ledger.reading.event(4)
    assert last is not None
    assert last.get("trust") == "agent"


def test_nothing_is_applied_twice(tmp_path: Path) -> None:
    application = make(tmp_path)
    seq = propose(application, Edit("project/a.md", None, OLD), operation=Operation.CREATE)
    application.apply(seq, approve(application, seq))
    with pytest.raises(ReviewRefused, match="proposal_1 was applied just now"):
        application.apply(seq, approve(application, seq))
    assert types(application).count("ProposalApplying") == 1


def test_a_file_that_was_changed_since_is_not_overwritten(tmp_path: Path) -> None:
    application = make(tmp_path)
    write(application, "project/a.md", OLD)
    seq = propose(application, Edit("project/a.md", OLD, NEW), operation=Operation.UPDATE)
    write(application, "project/a.md", OLD + "By hand.\n")
    with pytest.raises(StaleBase) as refused:
        application.apply(seq, approve(application, seq))
    assert "By hand." in refused.value.view
    assert application.root.tree.text_of("project/a.md") == OLD + "By hand.\n"
    assert found(application, seq).standing is ProposalStatus.PENDING
    assert types(application) == ["ProposalMade"]


def test_what_was_approved_is_what_is_applied(tmp_path: Path) -> None:
    application = make(tmp_path)
    seq = propose(application, Edit("project/a.md", None, OLD), operation=Operation.CREATE)
    approval = Approval(Judge.REVIEWER, (Edit("project/a.md", None, NEW),))
    with pytest.raises(ReviewRefused, match="changed since you looked at it"):
        application.apply(seq, approval)
    assert types(application) == ["ProposalMade"]


def test_a_move_leaves_one_file(tmp_path: Path) -> None:
    application = make(tmp_path)
    write(application, "project/a.md", OLD)
    edits = Edit("project/a.md", OLD, None), Edit("global/a.md", None, MOVED)
    seq = propose(application, *edits, operation=Operation.PROMOTE)
    application.apply(seq, approve(application, seq))
    assert application.root.tree.text_of("project/a.md") is None
    assert application.root.tree.text_of("global/a.md") == MOVED


def test_a_write_that_fails_halfway_is_taken_back(tmp_path: Path) -> None:
    application = make(tmp_path)
    write(application, "project/a.md", OLD)
    # Some systems would take the second file for this one, which is found when it is made.
    write(application, "project/B.md", OLD)
    edits = Edit("global/a.md", None, MOVED), Edit("project/b.md", None, NEW)
    seq = propose(application, *edits, operation=Operation.MERGE)
    with pytest.raises(FileExists, match="is already there"):
        application.apply(seq, approve(application, seq))
    assert application.root.tree.text_of("global/a.md") is None
    assert types(application)[-2:] == ["ProposalApplying", "ProposalFailed"]
    assert found(application, seq).standing is ProposalStatus.PENDING


def test_an_intent_that_was_left_is_finished_by_the_next_one(tmp_path: Path) -> None:
    application = make(tmp_path)
    write(application, "project/a.md", OLD)
    seq = propose(application, Edit("project/a.md", OLD, NEW), operation=Operation.UPDATE)
    application._claim(seq, approve(application, seq))
    again = make(tmp_path)
    assert again.recover() == [f"proposal_{seq}"]
    assert again.root.tree.text_of("project/a.md") == NEW
    assert found(again, seq).standing is ProposalStatus.APPLIED
    assert again.recover() == []


def test_an_intent_is_given_up_where_somebody_wrote_in_between(tmp_path: Path) -> None:
    application = make(tmp_path)
    write(application, "project/a.md", OLD)
    edits = Edit("project/a.md", OLD, None), Edit("global/a.md", None, MOVED)
    seq = propose(application, *edits, operation=Operation.PROMOTE)
    application._claim(seq, approve(application, seq))
    write(application, "global/a.md", MOVED)
    write(application, "project/a.md", OLD + "By hand.\n")
    again = make(tmp_path)
    again.recover()
    assert again.root.tree.text_of("global/a.md") is None
    assert again.root.tree.text_of("project/a.md") == OLD + "By hand.\n"
    left = found(again, seq)
    assert left.standing is ProposalStatus.PENDING
    assert left.failure is not None


def test_another_worktree_does_not_finish_what_was_begun_here(tmp_path: Path) -> None:
    application = make(tmp_path)
    write(application, "project/a.md", OLD)
    seq = propose(application, Edit("project/a.md", OLD, NEW), operation=Operation.UPDATE)
    application._claim(seq, approve(application, seq))
    beside = Application(
        Root(tmp_path / "beside" / ".dmm"),
        application.project_ledger,
        application.proposal_store,
        git_commit=False,
    )
    assert beside.recover() == []
    assert found(application, seq).standing is ProposalStatus.APPLYING


APPLY = """
import datetime as dt, sys
from pathlib import Path
from dmm.domain.proposal import Judge
from dmm.files.roots import Root
from dmm.review.application import Application, Approval
from dmm.rules.project_ledger import ProjectLedger
from dmm.review.store import ProposalStore

root = Root(Path(sys.argv[1]) / ".dmm")
now = dt.datetime(2026, 1, 31, tzinfo=dt.UTC)
ledger = ProjectLedger(root.folder / "ledger.db", lambda: now)
application = Application(root, ledger, ProposalStore(ledger), git_commit=False)
seq = int(sys.argv[2])
edits = application.proposal_store.queue().proposals[seq].edits
application.apply(seq, Approval(Judge.PERSON, edits))
print("applied", flush=True)
"""
CALLS = (
    "pwrite64,fdatasync,fsync,link,linkat,rename,renameat,renameat2,unlink,unlinkat,write,openat"
)


def apply_killed(folder: Path, seq: int, fault: str) -> str:
    command = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={CALLS}", "-e", fault]
    done = subprocess.run(
        [*command, sys.executable, "-c", APPLY, str(folder), str(seq)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")},
    )
    return done.stdout


def steps(slow: bool) -> list[tuple[str, int]]:
    """Choose at which calls the process is killed: at all of them, or at some."""
    counts = {"pwrite64": 18, "fdatasync": 6, "fsync": 6, "rename": 3, "unlink": 4, "link": 2}
    every = [(call, number) for call, most in counts.items() for number in range(1, most + 1)]
    return every if slow else every[::4]


@pytest.mark.slow
@pytest.mark.usefixtures("traced")
def test_a_kill_at_any_step_leaves_the_old_state_or_the_new(tmp_path: Path, slow: bool) -> None:
    ends = set()
    for call, number in steps(slow):
        folder = tmp_path / f"{call}{number}"
        application = make(folder)
        write(application, "project/a.md", OLD)
        edits = Edit("project/a.md", OLD, None), Edit("global/a.md", None, MOVED)
        seq = propose(application, *edits, operation=Operation.PROMOTE)
        application.project_ledger.close()
        told = apply_killed(folder, seq, f"inject={call}:signal=KILL:when={number}")
        again = make(folder)
        again.recover()
        files = again.root.tree.text_of("project/a.md"), again.root.tree.text_of("global/a.md")
        standing = found(again, seq).standing
        assert (files, standing) in (
            ((OLD, None), ProposalStatus.PENDING),
            ((None, MOVED), ProposalStatus.APPLIED),
        ), (call, number)
        assert "applied" not in told or standing is ProposalStatus.APPLIED
        assert [stamp.path for stamp in again.root.tree.scan().faults] == []
        assert verify(again.project_ledger.log.raw()).valid
        again.project_ledger.close()
        ends.add(standing)
    assert ends == {ProposalStatus.PENDING, ProposalStatus.APPLIED}
