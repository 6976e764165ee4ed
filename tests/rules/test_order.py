"""Order rules: a step counts as done when its recorded outcome shows that it passed."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.ledger.service import Ledger
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.form import compile_fields
from dmm.rules.guard import Guard
from dmm.rules.needs import Need
from dmm.rules.project_ledger import ProjectLedger
from dmm.rules.stored import call_from_dict, call_to_dict
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.rules.callbook import Ruling

CLAUDE, CODEX = "claude-code", "codex"
NUMBERS = itertools.count(1)


@pytest.fixture
def project_ledger(tmp_path: Path) -> Iterator[ProjectLedger]:
    made = ProjectLedger(tmp_path / "ledger.db", lambda: dt.datetime(2026, 11, 1, tzinfo=dt.UTC))
    yield made
    made.close()


def report(project_ledger: ProjectLedger, client: str, **values: Any) -> None:
    """Record what a client's hook reports, as the daemon does."""
    payload = {
        "session_id": "5d0c2f3e-77aa-4c1b-9a51-0f6a2d1f7c11",
        "cwd": "/home/dev/shop",
        "hook_event_name": "PostToolUse",
        "tool_use_id": f"call_{next(NUMBERS)}",
        "permission_mode": "default",
        **values,
    }
    delivery = deliver(parse_payload(client, json.dumps(payload).encode()))
    assert delivery.told is not None
    ledger = project_ledger.as_actor(delivery.actor)
    ledger.record(ledger.draft(delivery.told))


def ran(project_ledger: ProjectLedger, client: str, command: str, output: str, **more: Any) -> None:
    """Record a command that the client does not call a failure."""
    response: Any = output
    if client == CLAUDE:
        response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, **more}
    report(
        project_ledger, client, tool_name="Bash", tool_input={"command": command},
        tool_response=response,
    )  # fmt: skip


def failed(project_ledger: ProjectLedger, command: str, error: str) -> None:
    report(
        project_ledger, CLAUDE, hook_event_name="PostToolUseFailure", tool_name="Bash",
        tool_input={"command": command}, error=error, is_interrupt=False,
    )  # fmt: skip


def wrote(project_ledger: ProjectLedger, client: str, path: str) -> None:
    """Record a change of a file by the client's own tool."""
    if client == CODEX:
        patch = f"*** Begin Patch\n*** Add File: {path}\n+x = 1\n*** End Patch\n"
        told = f"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\nA {path}\n"
        report(
            project_ledger, client, tool_name="apply_patch", tool_input={"command": patch},
            tool_response=told,
        )  # fmt: skip
        return
    full = f"/home/dev/shop/{path}"
    report(
        project_ledger,
        client,
        tool_name="Write",
        tool_input={"file_path": full, "content": "x = 1\n"},
        tool_response={"type": "create", "filePath": full, "structuredPatch": []},
    )  # fmt: skip


def commit(project_ledger: ProjectLedger, command: str = "git commit -m x") -> Ruling:
    return Guard(project_ledger).rule(ToolCall("Bash", {"command": command}, "/home/dev/shop"))


@pytest.fixture
def ruled(project_ledger: ProjectLedger) -> ProjectLedger:
    Ledger(project_ledger).add_constraint("run the tests before committing")
    assert commit(project_ledger).denied
    return project_ledger


@pytest.mark.parametrize("client", [CLAUDE, CODEX])
@pytest.mark.parametrize(
    ("command", "output", "level"),
    [
        ("pytest -q", "8 passed in 0.31s", "allow"),
        ("pytest -q | tail -3", "1 failed, 7 passed in 0.31s", "deny"),
        ("pytest -q | tail -3", "8 passed in 0.31s", "allow"),
        ("pytest -q | tail -3", "", "deny"),
        ("pytest -q || true", "1 failed in 0.31s", "deny"),
        ("pytest -q || true", "", "deny"),
        ("pytest -q; echo done", "done", "deny"),
        ("pytest -q &", "[1] 4021", "deny"),
        ("pytest -q > log; grep passed log", "", "deny"),
        ("pytest -q > log; tail -1 log", "8 passed in 0.31s", "allow"),
        ("set -o pipefail; pytest -q | tee log", "", "allow"),
        ("set -e\npytest -q\necho done", "done", "allow"),
        ("bash -lc 'pytest -q | tail -3'", "", "deny"),
        ("bash -lc 'cd app && pytest -q'", "", "allow"),
        ("cd app && npm test", "> shop@1.0.0 test\n> run-all", "allow"),
    ],
)
def test_a_hidden_status_counts_only_with_a_printed_success(
    ruled: ProjectLedger, client: str, command: str, output: str, level: str
) -> None:
    ran(ruled, client, command, output)
    assert commit(ruled).level == level


def test_a_failure_is_not_a_pass(ruled: ProjectLedger) -> None:
    failed(ruled, "pytest -q", "Exit code 1\n1 failed, 7 passed in 0.31s")
    ruling = commit(ruled)
    assert ruling.denied
    assert "the tests: no run shows that it passed" in ruling.reason


def test_a_client_that_tells_no_status_is_believed_by_what_was_printed(
    ruled: ProjectLedger,
) -> None:
    ran(ruled, CODEX, "pytest -q", "1 failed, 7 passed in 0.31s\n")
    assert commit(ruled).denied
    ran(ruled, CODEX, "pytest -q", "ImportError while loading conftest\n")
    assert commit(ruled).denied
    ran(ruled, CODEX, "make test", "ran everything\n")
    assert commit(ruled).level == "allow"


@pytest.mark.parametrize(
    ("header", "level"),
    [
        ("Exit code: 0\nWall time: 2 seconds\nOutput:\n", "allow"),
        ("Exit code: 1\nWall time: 2 seconds\nOutput:\n", "deny"),
        ("Wall time: 2.1 seconds\nProcess exited with code 0\nOutput:\n", "allow"),
        ("Wall time: 2.1 seconds\nProcess exited with code 2\nOutput:\n", "deny"),
        ("Wall time: 2.1 seconds\nProcess running with session ID 7\nOutput:\n", "deny"),
    ],
)
def test_the_status_that_codex_writes_before_an_output_is_read(
    ruled: ProjectLedger, header: str, level: str
) -> None:
    ran(ruled, CODEX, "make test", f"{header}ran everything\n")
    assert commit(ruled).level == level


def test_a_command_in_the_background_has_not_passed(ruled: ProjectLedger) -> None:
    ran(ruled, CLAUDE, "pytest -q", "", backgroundTaskId="b1")
    assert commit(ruled).denied
    report(
        ruled, CLAUDE, tool_name="Bash",
        tool_input={"command": "pytest -q", "run_in_background": True},
        tool_response={"stdout": "", "stderr": "", "interrupted": False},
    )  # fmt: skip
    assert commit(ruled).denied


def test_the_outcome_is_read_from_the_whole_output(ruled: ProjectLedger) -> None:
    middle = "log line\n" * 900 + "FAILED tests/test_cart.py::test_total\n" + "log line\n" * 900
    ran(ruled, CLAUDE, "pytest -q | cat", f"{middle}8 passed\n")
    assert commit(ruled).denied


@pytest.mark.parametrize(
    ("command", "level"),
    [
        ("npm test && git commit -m x", "allow"),
        ("npm test; git commit -m x", "deny"),
        ("npm test | tail && git commit -m x", "deny"),
        ("npm test || git commit -m x", "deny"),
    ],
)
def test_in_one_call_the_step_has_to_succeed(
    ruled: ProjectLedger, command: str, level: str
) -> None:
    assert commit(ruled, command).level == level


def test_without_since_a_commit_uses_the_tests_up(ruled: ProjectLedger) -> None:
    ran(ruled, CLAUDE, "pytest -q", "8 passed in 0.31s")
    ran(ruled, CLAUDE, "git commit -m x", "[topic 1a2b3c4] x")
    assert commit(ruled).denied


class Since:
    """A rule file with `since`, asked about a commit."""

    def __init__(self, project_ledger: ProjectLedger, **more: object) -> None:
        require = {"command": {"run": "tests"}, "since": ["src/**", "!src/docs/**"], **more}
        fields = {"before": {"command": "git commit"}, "require": require}
        compiled = compile_fields(fields, "Run the tests before a commit", stem="tested").call
        assert compiled is not None
        self.rule = call_from_dict(json.loads(json.dumps(call_to_dict(compiled))))
        assert self.rule == compiled
        self.project_ledger = project_ledger

    def ask(self, command: str = "git commit -m x") -> Ruling:
        book = CallBook([CallEntry(1, "Run the tests before a commit", self.rule)])
        done = Guard(self.project_ledger).done_before(self.project_ledger.state())
        return book.rule(ToolCall("Bash", {"command": command}, "/home/dev/shop"), done)


@pytest.mark.parametrize("client", [CLAUDE, CODEX])
def test_with_since_a_pass_holds_until_a_file_changes(
    project_ledger: ProjectLedger, client: str
) -> None:
    rule = Since(project_ledger)
    assert rule.ask().denied
    wrote(project_ledger, client, "src/cart.py")
    ran(project_ledger, client, "pytest -q", "8 passed in 0.31s")
    assert rule.ask().level == "allow"
    ran(project_ledger, client, "git commit -m x", "[topic 1a2b3c4] x")
    wrote(project_ledger, client, "README.md")
    wrote(project_ledger, client, "src/docs/cart.md")
    assert rule.ask().level == "allow"
    wrote(project_ledger, client, "src/cart.py")
    ruling = rule.ask()
    assert ruling.denied
    assert "changed after the last run" in ruling.reason
    ran(project_ledger, client, "pytest -q", "8 passed in 0.31s")
    assert rule.ask().level == "allow"


@pytest.mark.parametrize(
    ("command", "level"),
    [
        ("sed -i s/a/b/ src/cart.py", "deny"),
        ("echo x > src/new.py", "deny"),
        ("cat src/cart.py", "allow"),
        ("rm notes.txt", "allow"),
        ("pytest -q && sed -i s/a/b/ src/cart.py", "deny"),
        ("sed -i s/a/b/ src/cart.py && pytest -q", "allow"),
    ],
)
def test_a_shell_command_can_be_the_change(
    project_ledger: ProjectLedger, command: str, level: str
) -> None:
    ran(project_ledger, CLAUDE, "pytest -q", "8 passed in 0.31s")
    ran(project_ledger, CLAUDE, command, "")
    assert Since(project_ledger).ask().level == level


@pytest.mark.parametrize(
    ("command", "level"),
    [
        ("sed -i s/a/b/ src/cart.py && git commit -am x", "deny"),
        ("sed -i s/a/b/ src/cart.py && pytest -q && git commit -am x", "allow"),
        ("pytest -q && sed -i s/a/b/ src/cart.py && git commit -am x", "deny"),
        ("git commit -am x && sed -i s/a/b/ src/cart.py", "allow"),
    ],
)
def test_a_change_in_the_same_call_counts(
    project_ledger: ProjectLedger, command: str, level: str
) -> None:
    ran(project_ledger, CLAUDE, "pytest -q", "8 passed in 0.31s")
    assert Since(project_ledger).ask(command).level == level


def test_an_edit_that_failed_changes_nothing(project_ledger: ProjectLedger) -> None:
    ran(project_ledger, CLAUDE, "pytest -q", "8 passed in 0.31s")
    report(
        project_ledger, CLAUDE, hook_event_name="PostToolUseFailure", tool_name="Edit",
        tool_input={"file_path": "src/cart.py", "old_string": "a", "new_string": "b"},
        error="String to replace not found in file.",
    )  # fmt: skip
    assert Since(project_ledger).ask().level == "allow"


def test_a_step_that_only_has_to_run_may_fail(project_ledger: ProjectLedger) -> None:
    rule = Since(project_ledger, passed=False)
    failed(project_ledger, "pytest -q", "Exit code 1\n1 failed in 0.31s")
    assert rule.ask().level == "allow"
    assert Since(project_ledger).ask().denied


def test_without_history_a_rule_asks(project_ledger: ProjectLedger) -> None:
    book = CallBook([CallEntry(1, "Run the tests before a commit", Since(project_ledger).rule)])
    ruling = book.rule(ToolCall("Bash", {"command": "git commit -m x"}), None)
    assert ruling.level == "ask"
    assert ruling.findings[0].history_unknown


def test_a_need_from_before_is_read_with_its_defaults(project_ledger: ProjectLedger) -> None:
    stored: Any = call_to_dict(Since(project_ledger).rule)
    stored["needs"] = [{"text": "the tests", "words": [], "patterns": []}]
    assert call_from_dict(stored).needs == (Need("the tests", (), (), True),)


def test_a_need_that_only_words_could_meet_is_compiled_again(project_ledger: ProjectLedger) -> None:
    stored: Any = call_to_dict(Since(project_ledger).rule)
    stored["needs"] = [{"text": "the plan", "words": ["plan"], "patterns": []}]
    with pytest.raises(ValueError, match="met by words"):
        call_from_dict(stored)
