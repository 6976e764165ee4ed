"""Rule files hold in a real daemon and in a hook alone: commands, paths and content."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Opener, Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event

RULES = {
    "terraform": (
        "match:\n  command: terraform destroy\n",
        "Never run terraform destroy",
    ),
    "generated": (
        'match:\n  path: "generated/**"\nunless:\n  path: "generated/README.md"\n',
        "Do not edit generated files",
    ),
    "no-console-log": (
        'match:\n  content: {pattern: "console.log($$$)"}\n  path: "src/**"\n',
        "No console.log in src",
    ),
}
FORBIDDEN = "terraform destroy -auto-approve"


def write_rule(dmm: Path, name: str, level: str = "deny") -> None:
    fields, title = RULES[name]
    folder = dmm / "rules"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text(f"---\nlevel: {level}\n{fields}---\n# {title}\n")


@pytest.fixture
def ruled(lived_in: Project, home: Path) -> Project:
    for name in RULES:
        write_rule(lived_in.dmm, name)
    lived_in.trust(home)
    return lived_in


def git(folder: Path, *words: str) -> None:
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    line = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    subprocess.run(line, cwd=folder, env=os.environ | own, check=True, capture_output=True)


def answer(machine: Machine, payload: dict[str, Any], *, within: Path) -> tuple[str, str]:
    done = machine.run_hook(json.dumps(payload), within=within)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout) if done.stdout else {}
    said = told.get("hookSpecificOutput", {})
    return str(said.get("permissionDecision", "allow")), said.get("permissionDecisionReason", "")


def writing(session: Session, path: str, text: str, number: int) -> dict[str, Any]:
    given = {"file_path": f"{session.folder}/{path}", "content": text}
    return session.bash("", number) | {"tool_name": "Write", "tool_input": given}


def decide_all(machine: Machine, session: Session, within: Path, first: int = 1) -> list[str]:
    """Make three calls that rules forbid and three that they allow."""
    calls = (
        session.bash(FORBIDDEN, first),
        writing(session, "generated/api.ts", "x", first + 1),
        writing(session, "src/a.ts", "console.log(1)\n", first + 2),
        session.bash("terraform plan", first + 3),
        writing(session, "generated/README.md", "x", first + 4),
        writing(session, "test/a.ts", "console.log(1)\n", first + 5),
    )
    return [answer(machine, one, within=within)[0] for one in calls]


EXPECTED = ["deny"] * 3 + ["allow"] * 3


def test_commands_paths_and_content_are_held_with_and_without_the_daemon(
    machine: Machine, ruled: Project, session: Session, ledger: Callable[..., list[Event]]
) -> None:
    machine.hook(session.start())
    assert decide_all(machine, session, ruled.folder) == EXPECTED
    decision, reason = answer(machine, session.bash(FORBIDDEN, 20), within=ruled.folder)
    assert decision == "deny"
    assert reason.startswith('DMM rule terraform: "Never run terraform destroy"')
    added = [one for one in ledger(ruled) if one.type == "ConstraintAdded"]
    assert {one.get("rule")["id"] for one in added} == set(RULES)
    assert {one.trust for one in added} == {"reviewed"}
    for pid in machine.pids():
        os.kill(pid, signal.SIGKILL)
    assert decide_all(machine, session, ruled.folder, 30) == EXPECTED


def test_a_rule_that_the_user_agrees_to_holds_at_once_also_without_the_daemon(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    machine.hook(session.start())
    write_rule(lived_in.dmm, "terraform")
    assert answer(machine, session.bash(FORBIDDEN, 1), within=lived_in.folder)[0] == "allow"
    done = machine.dmm("trust", "--yes", within=lived_in.folder)
    assert done.returncode == 0
    assert "enforced: Never run terraform destroy  (rules/terraform.md)" in done.stdout
    assert "the command terraform destroy" in done.stdout
    assert answer(machine, session.bash(FORBIDDEN, 2), within=lived_in.folder)[0] == "deny"
    write_rule(lived_in.dmm, "terraform", "ask")
    assert answer(machine, session.bash(FORBIDDEN, 3), within=lived_in.folder)[0] == "deny"
    machine.dmm("daemon", "stop")
    machine.dmm("trust", "--yes", within=lived_in.folder)
    assert answer(machine, session.bash(FORBIDDEN, 4), within=lived_in.folder)[0] == "ask"


def test_a_removed_worktree_and_a_folder_that_is_gone_take_no_rule_away(
    machine: Machine, ruled: Project, session: Session, home: Path
) -> None:
    git(ruled.folder, "init", "-q")
    git(ruled.folder, "add", ".")
    git(ruled.folder, "commit", "-q", "-m", "all")
    ruled.trust(home)
    beside = ruled.folder.parent / "beside"
    git(ruled.folder, "worktree", "add", "-q", str(beside))
    there = type(session)(beside, "in the worktree")
    machine.hook(there.start())
    assert answer(machine, there.bash(FORBIDDEN, 1), within=beside)[0] == "deny"
    shutil.rmtree(beside.rename(beside.with_name("removed")), ignore_errors=True)
    assert answer(machine, there.bash(FORBIDDEN, 2), within=home)[0] == "deny"
    assert answer(machine, there.bash("make", 3), within=home)[0] == "allow"
    # The files go, as a checkout of another branch takes them away; nobody agreed to that.
    shutil.rmtree(ruled.dmm / "rules")
    assert answer(machine, session.bash(FORBIDDEN, 4), within=ruled.folder)[0] == "deny"
    machine.dmm("daemon", "stop")
    assert answer(machine, session.bash(FORBIDDEN, 5), within=ruled.folder)[0] == "deny"


def test_worktrees_on_other_branches_are_under_their_own_files(
    machine: Machine, ruled: Project, session: Session, home: Path
) -> None:
    git(ruled.folder, "init", "-q", "-b", "main")
    git(ruled.folder, "add", ".")
    git(ruled.folder, "commit", "-q", "-m", "all")
    beside = ruled.folder.parent / "beside"
    git(ruled.folder, "worktree", "add", "-q", "-b", "other", str(beside))
    ruled.trust(home)
    write_rule(beside / ".dmm", "terraform", "ask")
    for folder in (ruled.folder, beside):
        assert machine.dmm("trust", "--yes", within=folder).returncode == 0
    there = type(session)(beside, "in the worktree")
    for number in (1, 2):
        call = there.bash(FORBIDDEN, number)
        assert answer(machine, call, within=beside)[0] == "ask"
        here = session.bash(FORBIDDEN, number)
        assert answer(machine, here, within=ruled.folder)[0] == "deny"
        machine.dmm("daemon", "stop")


def test_a_session_begins_with_what_binds_and_the_user_is_told_of_a_broken_file(
    machine: Machine, ruled: Project, session: Session, home: Path
) -> None:
    (ruled.dmm / "rules" / "broken.md").write_text("---\nmach: x\n---\n# Broken\n")
    ruled.trust(home)
    told = machine.hook(session.start())
    assert told is not None
    context = told["hookSpecificOutput"]["additionalContext"]
    assert "- [terraform] enforced: Never run terraform destroy" in context
    assert "checked on your tool calls and decisions" not in context
    assert "a rule file is broken: rules/broken.md:2" in told["systemMessage"]
    assert decide_all(machine, session, ruled.folder) == EXPECTED


def test_a_ledger_that_can_not_be_read_leaves_the_files_in_force(
    machine: Machine, ruled: Project, session: Session, open_project: Opener
) -> None:
    from dmm.eventlog.place import find_ledger

    machine.hook(session.start())
    assert answer(machine, session.bash(FORBIDDEN, 1), within=ruled.folder)[0] == "deny"
    machine.dmm("daemon", "stop")
    path = find_ledger(ruled.dmm)
    path.write_bytes(b"no database at all" * 300)
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    machine.start()
    assert decide_all(machine, session, ruled.folder, 10) == EXPECTED
