"""What an agent's hooks are told and what is recorded of them, through real processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
from typing import TYPE_CHECKING, Any

import pytest
from tests.daemon.conftest import RULE, context

from dmm.domain.event import EventType, Trust

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event

QUESTION = "How do we store the passwords of customers, and how is a login throttled?"


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


def test_a_payload_that_is_none_is_counted_and_answered_with_nothing(
    machine: Machine, lived_in: Project
) -> None:
    machine.start()
    for text in ("{}", "[]", '{"hook_event_name": 7}', "\x00", '{"a": ' * 5000):
        done = machine.run_hook(text, within=lived_in.folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert machine.ask("status")["events"] == {"refused: usage": 5}


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
