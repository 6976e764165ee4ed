"""Branches and worktrees keep apart: memory of another branch reaches no session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conftest import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import MemoryText, Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event

pytestmark = pytest.mark.slow

TASK = "which port does the quokka telemetry collector listen on"
ANSWER = "4747"


@pytest.fixture
def forked(lived_in: Project, home: Path, memory_text: MemoryText) -> Path:
    """A worktree on a branch that has a memory of its own; returns its folder."""
    git(lived_in.folder, "init", "-q", "-b", "main")
    git(lived_in.folder, "add", ".")
    git(lived_in.folder, "commit", "-q", "-m", "all")
    lived_in.trust(home)
    beside = lived_in.folder.parent / "beside"
    git(lived_in.folder, "worktree", "add", "-q", "-b", "quokka", str(beside))
    text = f"The quokka telemetry collector listens on port {ANSWER}."
    place = beside / ".dmm/memory/project/quokka_port.md"
    place.write_text(memory_text("Port of the quokka telemetry collector", text))
    git(beside, "add", ".")
    git(beside, "commit", "-q", "-m", "memory of the branch")
    return beside


def asked(machine: Machine, session: Session, number: int) -> str:
    """Prompt as a user does; return what the agent is given with it."""
    told = machine.hook(session.prompt(TASK, number)) or {}
    return str(told.get("hookSpecificOutput", {}).get("additionalContext", ""))


def test_a_memory_of_another_branch_reaches_no_session(
    machine: Machine, lived_in: Project, forked: Path, session: Session
) -> None:
    # A query waits for the index of a new worktree; a prompt has no time to.
    for folder, has in ((forked, True), (lived_in.folder, False)):
        told = machine.dmm("query", TASK, within=folder)
        assert (ANSWER in told.stdout) is has
    there = type(session)(forked, "in the worktree")
    for one in (there, session):
        machine.hook(one.start())
    assert ANSWER in asked(machine, there, 1)
    assert ANSWER not in asked(machine, session, 1)


def test_after_a_checkout_the_memory_of_the_branch_before_is_gone_at_once(
    machine: Machine, lived_in: Project, forked: Path, session: Session
) -> None:
    git(forked, "checkout", "-q", "--detach")
    git(lived_in.folder, "checkout", "-q", "quokka")
    machine.dmm("query", TASK, within=lived_in.folder)
    machine.hook(session.start())
    assert ANSWER in asked(machine, session, 1)
    git(lived_in.folder, "checkout", "-q", "main")
    # Another session, for this one has had the memory.
    after = type(session)(lived_in.folder, "on main")
    machine.hook(after.start())
    assert ANSWER not in asked(machine, after, 2)
    assert ANSWER not in machine.dmm("query", TASK, within=lived_in.folder).stdout


def test_the_ledger_that_worktrees_share_knows_the_branch_of_each_event(
    machine: Machine,
    lived_in: Project,
    forked: Path,
    session: Session,
    ledger: Callable[..., list[Event]],
) -> None:
    there = type(session)(forked, "in the worktree")
    for one in (there, session):
        machine.hook(one.start())
        asked(machine, one, 1)
        machine.dmm("ledger", "fact", "port", one.folder.name, within=one.folder)
        machine.dmm("remember", f"Ports of {one.folder.name} are odd.", within=one.folder)
    events = ledger(lived_in)
    assert {event.branch for event in events if event.session == there.name} == {"quokka"}
    assert {event.branch for event in events} == {"main", "quokka"}
    facts = [(one.get("value"), one.branch) for one in events if one.type == "FactAdded"]
    assert facts == [("beside", "quokka"), (lived_in.folder.name, "main")]
    shown = machine.dmm("ledger", "log", "--type", "FactAdded", within=forked).stdout
    assert "FactAdded [quokka] Fact: port = beside" in shown
    assert f"FactAdded [main] Fact: port = {lived_in.folder.name}" in shown
