"""Rules hold whatever happens to the process, the ledger or the folder of a session."""

from __future__ import annotations

import json
import os
import shutil
import signal
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import git

from dmm.eventlog.place import find_ledger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Opener, Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event

pytestmark = pytest.mark.slow

RULE = "Never run terraform destroy."
FORBIDDEN = "terraform destroy -auto-approve"


@pytest.fixture
def ruled(lived_in: Project, open_project: Opener) -> Project:
    dmm = open_project(lived_in)
    dmm.ledger.add_constraint(RULE)
    dmm.close()
    return lived_in


def decide(machine: Machine, payload: dict[str, Any], *, within: Path) -> str:
    done = machine.run_hook(json.dumps(payload), within=within)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout) if done.stdout else {}
    return str(told.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))


def test_a_killed_process_lets_nothing_through(
    machine: Machine,
    ruled: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
    wait: Callable[..., Any],
) -> None:
    machine.hook(session.start())
    for number in range(5):
        for pid in machine.pids():
            os.kill(pid, signal.SIGKILL)
        assert decide(machine, session.bash(FORBIDDEN, number), within=ruled.folder) == "deny"
        assert decide(machine, session.bash("make", 100 + number), within=ruled.folder) == "allow"

    machine.start()

    def recorded() -> list[str]:
        asked = [one for one in ledger(ruled) if one.type == "ToolRequested"]
        return [one.get("verdict", {}).get("status") for one in asked]

    wait(lambda: sorted(map(str, recorded())) == ["allow"] * 5 + ["deny"] * 5, "all are recorded")


def test_a_removed_worktree_leaves_its_session_under_the_rules_of_its_repository(
    machine: Machine, ruled: Project, session: Session, ledger: Callable[..., list[Event]]
) -> None:
    git(ruled.folder, "init", "-q")
    git(ruled.folder, "add", ".")
    git(ruled.folder, "commit", "-q", "-m", "all")
    ruled.trust(machine.home)
    beside = ruled.folder.parent / "beside"
    git(ruled.folder, "worktree", "add", "-q", str(beside))
    there = type(session)(beside, "in the worktree")
    assert machine.hook(there.start()) is not None
    assert decide(machine, there.bash(FORBIDDEN, 1), within=beside) == "deny"
    # At once: the process may just be writing to its index there.
    shutil.rmtree(beside.rename(beside.with_name("removed")), ignore_errors=True)
    assert decide(machine, there.bash(FORBIDDEN, 2), within=machine.home) == "deny"
    assert decide(machine, there.bash("make", 3), within=machine.home) == "allow"
    machine.dmm("daemon", "stop")
    assert decide(machine, there.bash(FORBIDDEN, 4), within=machine.home) == "deny"
    machine.start()
    assert decide(machine, there.bash(FORBIDDEN, 5), within=machine.home) == "deny"
    asked = [one for one in ledger(ruled) if one.type == "ToolRequested"]
    assert {"terraform destroy -auto-approve", "make"} <= {one.get("text") for one in asked}


def test_a_branch_that_tracks_a_ledger_and_settings_takes_nothing_away(
    machine: Machine, ruled: Project, session: Session, ledger: Callable[..., list[Event]]
) -> None:
    git(ruled.folder, "init", "-q", "-b", "main")
    git(ruled.folder, "add", ".")
    git(ruled.folder, "commit", "-q", "-m", "all")
    ruled.trust(machine.home)
    assert decide(machine, session.bash(FORBIDDEN, 1), within=ruled.folder) == "deny"
    before = [one.id for one in ledger(ruled)]
    git(ruled.folder, "checkout", "-q", "-b", "hostile")
    (ruled.dmm / "ledger.db").write_bytes(b"not yours any more")
    (ruled.dmm / "daemon.config.json").write_text('{"governance": {"auto_apply": true}}')
    git(ruled.folder, "add", "-f", ".dmm/ledger.db", ".dmm/daemon.config.json")
    git(ruled.folder, "commit", "-q", "-m", "hostile")
    assert decide(machine, session.bash(FORBIDDEN, 2), within=ruled.folder) == "deny"
    git(ruled.folder, "checkout", "-q", "main")
    assert decide(machine, session.bash(FORBIDDEN, 3), within=ruled.folder) == "deny"
    git(ruled.folder, "clean", "-qfdx")
    assert decide(machine, session.bash(FORBIDDEN, 4), within=ruled.folder) == "deny"
    after = [one.id for one in ledger(ruled)]
    assert after[: len(before)] == before


def test_a_ledger_that_can_not_be_read_takes_no_rule_away(
    machine: Machine, ruled: Project, session: Session, wait: Callable[..., Any]
) -> None:
    machine.start()
    assert decide(machine, session.bash(FORBIDDEN, 1), within=ruled.folder) == "deny"
    wait(lambda: machine.ask("status")["spooled"] == 0, "the call is recorded")
    machine.dmm("daemon", "stop")
    path = find_ledger(ruled.dmm)
    path.write_bytes(b"no database at all" * 300)
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    machine.start()
    assert decide(machine, session.bash(FORBIDDEN, 2), within=ruled.folder) == "deny"
    assert decide(machine, session.bash("make", 3), within=ruled.folder) == "allow"
    counts = machine.ask("status")["events"]
    assert counts["by rules on file: deny"] == 1
    assert machine.ask("status")["spooled"] == 2


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"version": 1, "projects": [{"folder": 1}]}'])
def test_a_damaged_record_of_trusted_projects_takes_no_rule_away(
    machine: Machine, ruled: Project, session: Session, wait: Callable[..., Any], damage: str
) -> None:
    record, within = machine.state / "trust.json", ruled.folder
    machine.hook(session.start())
    assert decide(machine, session.bash(FORBIDDEN, 1), within=within) == "deny"
    record.write_text(damage)
    another = type(session)(within, "after the damage")
    told = (machine.hook(another.start()) or {})["systemMessage"]
    assert "the record of trusted projects is damaged" in told
    assert "rules are still checked" in told
    for number, one in enumerate((session, another)):
        assert decide(machine, one.bash(FORBIDDEN, 2 + number), within=within) == "deny"
        assert decide(machine, one.bash("make", 12 + number), within=within) == "allow"
    for pid in machine.pids():
        os.kill(pid, signal.SIGKILL)
    assert decide(machine, session.bash(FORBIDDEN, 20), within=within) == "deny"
    assert machine.dmm("query", "passwords", within=within).returncode == 0
    shown = machine.dmm("status", within=within).stdout
    assert "the record of trusted projects is damaged" in " ".join(shown.split())
    # The way out that doctor names.
    record.rename(record.with_suffix(".damaged"))
    done = machine.dmm("trust", "--yes", "--with-ledger", within=within)
    assert done.returncode == 0, done.stderr
    assert decide(machine, session.bash(FORBIDDEN, 30), within=within) == "deny"
    assert machine.dmm("ledger", "verify", within=within).returncode == 0
    wait(lambda: machine.ask("status")["spooled"] == 0, "what was kept is recorded")


def test_a_process_that_is_stopped_but_holds_its_socket_is_not_waited_for(
    machine: Machine, ruled: Project, session: Session
) -> None:
    pid = machine.start()
    os.kill(pid, signal.SIGSTOP)
    try:
        assert decide(machine, session.bash(FORBIDDEN, 1), within=ruled.folder) == "deny"
        assert decide(machine, session.bash("make", 2), within=ruled.folder) == "allow"
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_session_of_a_project_that_was_renamed_is_under_the_rules_of_where_it_is_now(
    machine: Machine, ruled: Project, session: Session
) -> None:
    machine.hook(session.start())
    assert decide(machine, session.bash(FORBIDDEN, 1), within=ruled.folder) == "deny"
    now = ruled.folder.rename(ruled.folder.with_name("renamed"))
    assert machine.dmm("trust", "--with-ledger", "--yes", within=now).returncode == 0
    assert machine.dmm("ledger", "constraint", "--deactivate", "1", within=now).returncode == 0
    there = type(session)(now, session.name)
    assert decide(machine, there.bash(FORBIDDEN, 2), within=now) == "allow"
    log = machine.dmm("ledger", "log", within=now).stdout
    assert log.count("terraform destroy") >= 2
