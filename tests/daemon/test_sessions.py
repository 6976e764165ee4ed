"""What an agent's hooks are told and what is recorded of them, through real processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import EventType, Trust

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Opener, Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event

RULE = "Never run terraform destroy."
QUESTION = "How do we store the passwords of customers, and how is a login throttled?"


@pytest.fixture
def ruled(lived_in: Project, open_project: Opener) -> Project:
    """The sample project with a launch contract and one rule that forbids a command."""
    (lived_in.dmm / "BOOT.md").write_text("# DMM: read this first\n\nAsk for packs.\n")
    dmm = open_project(lived_in)
    dmm.ledger.add_constraint(RULE)
    dmm.close()
    return lived_in


def context(told: dict[str, Any] | None) -> str:
    assert told is not None
    return str(told["hookSpecificOutput"]["additionalContext"])


@pytest.mark.slow
def test_a_session_begins_with_contract_rules_and_baseline(
    machine: Machine, ruled: Project, session: Session, count: Callable[[str], int]
) -> None:
    first = machine.run_hook(json.dumps(session.start()), within=ruled.folder)
    text = context(machine.hook(type(session)(ruled.folder, "another").start()))
    for part in ("read this first", RULE, "Hard constraints", "engineer of Lantern"):
        assert part in text
    assert len(text) <= 9_500
    assert count(text) <= 2_400
    machine.dmm("daemon", "stop")
    third = type(session)(ruled.folder, "a third")
    again = machine.run_hook(json.dumps(third.start()), within=ruled.folder)
    assert again.stdout == first.stdout
    assert again.stdout.count("additionalContext") == 1


def test_a_baseline_without_end_stays_within_what_agents_take(
    machine: Machine,
    lived_in: Project,
    session: Session,
    memory_text: Callable[..., str],
    count: Callable[[str], int],
) -> None:
    machine.start()
    for number in range(40):
        text = memory_text(
            f"Rule {number}",
            "Never do it. " * 40,
            scope="baseline",
            id=f"mem_2026_01_31_{number:03d}",
        )
        lived_in.write(f"baseline/rule_{number:02d}.md", text)
    lived_in.trust(machine.home)
    text = context(machine.hook(session.start()))
    assert len(text) <= 9_500
    assert count(text) <= 2_400
    assert "Baseline left out for lack of space:  " in text


@pytest.mark.slow
def test_a_resumed_session_is_not_told_again_but_one_that_forgot_is(
    machine: Machine, ruled: Project, session: Session
) -> None:
    first = context(machine.hook(session.start()))
    assert machine.hook(session.start("resume")) is None
    machine.dmm("daemon", "stop")
    assert machine.hook(session.start("resume")) is None
    assert context(machine.hook(session.start("compact"))) == first
    assert context(machine.hook(session.start("clear"))) == first


def warm(machine: Machine, session: Session, wait: Callable[..., Any]) -> None:
    """Begin a session and wait until what its prompts need is loaded."""
    machine.hook(session.start())
    wait(
        lambda: (told := machine.ask("status"))["model_loaded"] and told["projects"][0]["indexed"],
        "",
    )


@pytest.mark.slow
def test_a_prompt_gets_its_pack_once(
    machine: Machine,
    ruled: Project,
    session: Session,
    count: Callable[[str], int],
    wait: Callable[..., Any],
) -> None:
    warm(machine, session, wait)
    text = context(machine.hook(session.prompt(QUESTION, 1)))
    assert text.startswith("# From project memory (DMM)")
    assert "project/auth/login_throttle.md" in text
    assert len(text) <= 9_500
    assert count(text) <= 1_500
    again = machine.hook(session.prompt(QUESTION, 2))
    assert again is None or "project/auth/login_throttle.md" not in context(again)
    machine.dmm("daemon", "stop")
    other = type(session)(ruled.folder, "another")
    warm(machine, other, wait)
    later = machine.hook(session.prompt(QUESTION, 3))
    assert later is None or "project/auth/login_throttle.md" not in context(later)
    assert "project/auth/login_throttle.md" in context(machine.hook(other.prompt(QUESTION, 4)))


@pytest.mark.slow
def test_what_was_compacted_away_is_given_again(
    machine: Machine, ruled: Project, session: Session, wait: Callable[..., Any]
) -> None:
    warm(machine, session, wait)
    assert "login_throttle.md" in context(machine.hook(session.prompt(QUESTION, 1)))
    machine.hook(session.payload("PreCompact", trigger="manual"))
    machine.hook(session.payload("PostCompact", trigger="manual", compact_summary="short"))
    machine.dmm("daemon", "stop")
    warm(machine, type(session)(ruled.folder, "another"), wait)
    assert "login_throttle.md" in context(machine.hook(session.prompt(QUESTION, 2)))


def test_a_prompt_that_asks_nothing_gets_nothing(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    prompts = ("thanks, continue", "ok", "   ", "yes please, go on", "👍")
    for number, prompt in enumerate(prompts):
        assert machine.hook(session.prompt(prompt, number)) is None, prompt


def test_a_forbidden_command_is_denied_with_the_rule_and_others_run(
    machine: Machine,
    ruled: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
) -> None:
    machine.start()
    machine.hook(session.start())
    (rule,) = (one for one in ledger(ruled) if one.type == EventType.CONSTRAINT_ADDED)
    denied = machine.hook(session.bash("cd infra && terraform destroy -auto-approve", 1))
    assert denied is not None
    said = denied["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    recorded = next(one for one in ledger(ruled) if one.type == EventType.TOOL_REQUESTED)
    assert f'DMM constraint {rule.seq}: "{RULE.rstrip(".")}"' in said["permissionDecisionReason"]
    assert f"dmm rules explain {recorded.seq}" in said["permissionDecisionReason"]
    assert recorded.get("verdict")["status"] == "deny"
    assert recorded.get("verdict")["seq"] == rule.seq
    for number, command in enumerate(("terraform plan", "ls -l", "git status"), 2):
        assert machine.hook(session.bash(command, number)) is None
    explained = machine.dmm("ledger", "explain", str(recorded.seq), within=ruled.folder)
    assert explained.returncode == 0, explained.stderr


def test_the_second_hook_that_tells_the_same_call_is_denied_too(
    machine: Machine, ruled: Project, session: Session
) -> None:
    machine.start()
    for _ in range(2):
        denied = machine.hook(session.bash("terraform destroy", 1))
        assert denied is not None
        assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.slow
def test_a_command_is_denied_also_when_the_process_must_be_started_for_it(
    machine: Machine, ruled: Project, session: Session, wait: Callable[..., Any]
) -> None:
    denied = machine.hook(session.bash("terraform destroy", 1))
    assert denied is not None
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"
    (pid,) = machine.pids()
    os.kill(pid, signal.SIGKILL)
    wait(lambda: not machine.pids(), "it is dead")
    again = machine.hook(session.bash("terraform destroy", 2))
    assert again is not None
    assert again["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_whole_session_is_recorded_in_its_order(
    machine: Machine,
    ruled: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
    wait: Callable[..., Any],
) -> None:
    before = len(ledger(ruled))
    warm(machine, session, wait)
    machine.hook(session.prompt(QUESTION))
    machine.hook(session.bash("make test", 1))
    machine.hook(session.bash("make test", 1, "PostToolUse"))
    failed = session.bash("make x", 2) | {"hook_event_name": "PostToolUseFailure", "error": "no"}
    machine.hook(session.bash("make x", 2))
    machine.hook(failed)
    machine.hook(session.payload("PreCompact", trigger="auto"))
    machine.hook(session.payload("PostCompact", trigger="auto", compact_summary="short"))
    machine.hook(session.payload("SubagentStop", agent_id="a1", last_assistant_message="done"))
    machine.hook(session.payload("Stop", last_assistant_message="all done"))
    machine.hook(session.payload("SessionEnd", reason="exit"))
    events = ledger(ruled)[before:]
    assert [event.type for event in events] == [
        EventType.SESSION_STARTED,
        EventType.PACK_SERVED,
        EventType.USER_MESSAGE_RECEIVED,
        EventType.PACK_SERVED,
        EventType.TOOL_REQUESTED,
        EventType.TOOL_USED,
        EventType.TOOL_REQUESTED,
        EventType.TOOL_FAILED,
        EventType.CONTEXT_COMPACTED,
        EventType.CONTEXT_COMPACTED,
        EventType.SUBAGENT_ENDED,
        EventType.TURN_ENDED,
        EventType.SESSION_ENDED,
    ]
    assert {event.session for event in events} == {session.name}
    assert {(event.actor, event.source) for event in events} == {("claude-code", "hook")}
    said = events[2]
    assert (said.get("text"), said.trust) == (QUESTION, Trust.USER)
    asked, used = events[4], events[5]
    assert used.caused_by == asked.seq
    assert used.trust == Trust.TOOL
    assert events[3].get("retrieved")[0]["path"].startswith("project/auth/")


def test_a_clone_that_nobody_trusts_gets_one_line_and_leaves_no_trace(
    machine: Machine, shop: Project, session: Session, ledger: Callable[..., list[Event]]
) -> None:
    session = type(session)(make_clone(shop))
    clone = type(shop)(session.folder)
    before = snapshot(clone.folder)
    told = machine.hook(session.start())
    text = context(told)
    assert text.startswith("This repository contains a DMM memory that is not trusted")
    assert len(text.splitlines()) == 1
    assert told is not None
    assert told["systemMessage"] == text  # the person is told as well as the agent
    assert "Lantern" not in text
    assert machine.hook(session.prompt(QUESTION)) is None
    assert machine.hook(session.bash("terraform destroy")) is None
    assert machine.hook(session.payload("Stop")) is None
    status = machine.ask("status")
    assert status["events"]["not trusted"] == 4
    assert status["agents"] == 0
    assert status["projects"] == []
    assert ledger(clone) == []
    assert snapshot(clone.folder) == before
    assert not list((machine.state / "spool").glob("*.event"))


def make_clone(project: Project) -> Path:
    """Copy a project as a clone brings it: without what is never in Git."""
    folder = project.folder.parent / "clone"
    left_out = shutil.ignore_patterns("index", "packs", "ledger*")
    shutil.copytree(project.folder, folder, ignore=left_out)
    return folder


def snapshot(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_project_without_memory_is_left_alone(
    machine: Machine, session: Session, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    own = type(session)(bare)
    for payload in (own.start(), own.prompt(QUESTION), own.bash("ls"), own.payload("Stop")):
        assert machine.hook(payload) is None
    assert machine.pids() == []
    assert not machine.run.exists()
    made = [path.name for path in machine.state.iterdir() if path.is_dir()]
    assert made == ["consents"]  # of the project that is trusted here
    assert list(bare.iterdir()) == []


def test_the_hooks_of_other_clients_are_served_in_their_own_form(
    machine: Machine, ruled: Project, session: Session
) -> None:
    machine.start()
    call = session.bash("terraform destroy", 1)
    codex = machine.hook(call, client="codex")
    assert codex is not None
    assert codex["hookSpecificOutput"]["permissionDecision"] == "deny"
    asked = call | {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}
    gemini = machine.hook(asked | {"session_id": "g"}, client="gemini")
    assert gemini is not None
    assert gemini["decision"] == "deny"
    assert machine.hook(session.start(), client="nobody") is None


def test_a_payload_that_is_none_is_counted_and_answered_with_nothing(
    machine: Machine, lived_in: Project
) -> None:
    machine.start()
    for text in ("{}", "[]", '{"hook_event_name": 7}', "\x00", '{"a": ' * 5000):
        done = machine.run_hook(text, within=lived_in.folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert machine.ask("status")["events"] == {"refused: usage": 5}


def test_a_call_that_can_not_be_read_is_asked_about_where_rules_are_in_force(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    machine.start()
    call = session.bash("git status")
    call["tool_input"]["deep"] = json.loads("[" * 40 + "]" * 40)
    assert machine.hook(call) is None
    machine.dmm("ledger", "constraint", "never run terraform destroy", within=lived_in.folder)
    told = machine.hook(call)
    assert told is not None
    assert told["hookSpecificOutput"]["permissionDecision"] == "ask"


@pytest.mark.parametrize("rest", ["[" * 40 + "]" * 40, "[" * 5000 + "]" * 5000, "9" * 5000])
def test_arguments_in_a_text_that_can_not_be_read_pass_no_rule(
    machine: Machine, ruled: Project, session: Session, rest: str
) -> None:
    machine.start()
    text = f'{{"command": "terraform destroy", "x": {rest}}}'
    call = {**session.bash("ls"), "tool_input": text}
    asked = machine.hook(call)
    assert asked is not None
    assert asked["hookSpecificOutput"]["permissionDecision"] == "ask"
    denied = machine.hook(call, client="codex")
    assert denied is not None
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_session_keeps_to_the_project_it_began_in(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    machine.start()
    machine.dmm("ledger", "constraint", "never run terraform destroy", within=lived_in.folder)
    machine.hook(session.start())
    nested = lived_in.folder / "vendor"
    (nested / ".dmm" / "memory").mkdir(parents=True)
    for folder in (lived_in.folder, nested):
        told = machine.hook(session.bash("terraform destroy") | {"cwd": str(folder)})
        assert told is not None, folder
        assert told["hookSpecificOutput"]["permissionDecision"] == "deny"
    elsewhere = session.bash("terraform destroy", 7) | {"session_id": "another"}
    assert machine.hook(elsewhere | {"cwd": str(nested)}) is not None


def test_the_user_is_told_of_memory_below_that_is_passed_over(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    machine.start()
    nested = lived_in.folder / "packages" / "app"
    (nested / ".dmm" / "memory").mkdir(parents=True)
    told = machine.hook(type(session)(nested).start())
    assert told is not None
    assert told["systemMessage"].startswith("DMM: the memory of this folder is not trusted")
    other = type(session)(lived_in.folder, "another").start()
    assert "systemMessage" not in (machine.hook(other) or {})


def test_a_project_that_is_renamed_under_a_session_lifts_no_rule(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    machine.start()
    machine.dmm("ledger", "constraint", "never run terraform destroy", within=lived_in.folder)
    machine.hook(session.start())
    moved = type(session)(lived_in.folder.rename(lived_in.folder.with_name("renamed")))
    told = machine.hook(moved.bash("terraform destroy"))
    assert told is not None
    assert told["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.hook(moved.bash("ls", 2)) is None


def test_a_line_break_in_the_path_of_a_project_lifts_no_rule(
    machine: Machine, lived_in: Project, session: Session, home: Path
) -> None:
    folder = lived_in.folder.rename(lived_in.folder.with_name("two\nlines"))
    type(lived_in)(folder).trust(home)
    odd = type(session)(folder)
    machine.start()
    machine.dmm("ledger", "constraint", "never run terraform destroy", within=folder)
    machine.hook(odd.start())
    for number in (1, 2):
        told = machine.hook(odd.bash("terraform destroy", number))
        assert told is not None
        assert told["hookSpecificOutput"]["permissionDecision"] == "deny"
        machine.dmm("daemon", "stop")


def test_a_wrong_setting_lifts_no_rule_and_is_told(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    machine.start()
    machine.dmm("ledger", "constraint", "never run terraform destroy", within=lived_in.folder)
    (lived_in.dmm / "daemon.config.json").write_text('{"bogus": 1}')
    lived_in.trust(machine.home)
    begun = machine.hook(session.start())
    assert begun is not None
    told = begun["hookSpecificOutput"]["additionalContext"]
    assert "Card numbers never reach our server" in told
    assert "bogus: unknown key" in told
    denied = machine.hook(session.bash("terraform destroy"))
    assert denied is not None
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.dmm("query", "x", within=lived_in.folder).returncode == 4


def test_a_call_that_a_person_allows_passes_a_client_that_can_not_ask(
    machine: Machine, lived_in: Project, session: Session, wait: Callable[..., Any]
) -> None:
    machine.start()
    added = ("rules", "add", "never push to main", "--level", "ask")
    assert machine.dmm(*added, within=lived_in.folder).returncode == 0

    numbers = count()

    def push() -> str:
        call = session.bash("git push origin main") | {"tool_use_id": f"t{next(numbers)}"}
        told = machine.hook(call, client="codex")
        return "" if told is None else str(told["hookSpecificOutput"]["permissionDecisionReason"])

    def refused() -> list[str]:
        # On a busy machine the hook judges alone, and has no event to name.
        return re.findall(r"`dmm (rules allow \d+)`", push())

    way = wait(refused, "the call is asked about")[0]
    assert machine.dmm(*way.split(), "--yes", within=lived_in.folder).returncode == 0
    wait(lambda: not push(), "the call passes")
    assert push()
