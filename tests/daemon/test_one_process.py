"""What the hooks of many projects are told by one background process."""

from __future__ import annotations

import json
import re
import secrets
from itertools import count as from_zero
from typing import TYPE_CHECKING

import pytest
from tests.daemon.conftest import RULE, Machine, Session, context

from dmm.domain.event import EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from tests.conftest import Project

    from dmm.domain.event import Event


@pytest.fixture(scope="module")
def machine(
    new_machine: Callable[[Path], Machine], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """One process for all tests here; each has a project and a session of its own."""
    found = new_machine(tmp_path_factory.mktemp("machine"))
    found.start()
    yield found
    found.clean_up()


@pytest.fixture
def home(machine: Machine) -> Path:
    return machine.home


@pytest.fixture
def session(lived_in: Project) -> Session:
    return Session(lived_in.folder, secrets.token_hex(8))


def test_a_baseline_without_end_stays_within_what_agents_take(
    machine: Machine,
    lived_in: Project,
    session: Session,
    memory_text: Callable[..., str],
    count: Callable[[str], int],
) -> None:
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


def test_a_forbidden_command_is_denied_with_the_rule_and_others_run(
    machine: Machine,
    ruled: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
) -> None:
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
    for _ in range(2):
        denied = machine.hook(session.bash("terraform destroy", 1))
        assert denied is not None
        assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_hooks_of_other_clients_are_served_in_their_own_form(
    machine: Machine, ruled: Project, session: Session
) -> None:
    call = session.bash("terraform destroy", 1)
    codex = machine.hook(call, client="codex")
    assert codex is not None
    assert codex["hookSpecificOutput"]["permissionDecision"] == "deny"
    asked = call | {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}
    gemini = machine.hook(asked | {"session_id": f"{session.name}-gemini"}, client="gemini")
    assert gemini is not None
    assert gemini["decision"] == "deny"
    assert machine.hook(session.start(), client="nobody") is None


def test_a_call_that_can_not_be_read_is_asked_about_where_rules_are_in_force(
    machine: Machine, lived_in: Project, session: Session
) -> None:
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
    machine.dmm("ledger", "constraint", "never run terraform destroy", within=lived_in.folder)
    machine.hook(session.start())
    nested = lived_in.folder / "vendor"
    (nested / ".dmm" / "memory").mkdir(parents=True)
    for folder in (lived_in.folder, nested):
        told = machine.hook(session.bash("terraform destroy") | {"cwd": str(folder)})
        assert told is not None, folder
        assert told["hookSpecificOutput"]["permissionDecision"] == "deny"
    elsewhere = session.bash("terraform destroy", 7) | {"session_id": f"{session.name}-other"}
    assert machine.hook(elsewhere | {"cwd": str(nested)}) is not None


def test_the_user_is_told_of_memory_below_that_is_passed_over(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    nested = lived_in.folder / "packages" / "app"
    (nested / ".dmm" / "memory").mkdir(parents=True)
    told = machine.hook(type(session)(nested, session.name).start())
    assert told is not None
    assert told["systemMessage"].startswith("DMM: the memory of this folder is not trusted")
    other = type(session)(lived_in.folder, f"{session.name}-other").start()
    assert "systemMessage" not in (machine.hook(other) or {})


def test_a_project_that_is_renamed_under_a_session_lifts_no_rule(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    machine.dmm("ledger", "constraint", "never run terraform destroy", within=lived_in.folder)
    machine.hook(session.start())
    folder = lived_in.folder.rename(lived_in.folder.with_name("renamed"))
    moved = type(session)(folder, session.name)
    told = machine.hook(moved.bash("terraform destroy"))
    assert told is not None
    assert told["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.hook(moved.bash("ls", 2)) is None


def test_a_wrong_setting_lifts_no_rule_and_is_told(
    machine: Machine, lived_in: Project, session: Session
) -> None:
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
    added = ("rules", "add", "never push to main", "--level", "ask")
    assert machine.dmm(*added, within=lived_in.folder).returncode == 0

    numbers = from_zero()

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
