"""The claude command: without tools, in a clean place, and gone with all its children."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm.errors import ModelFailed

if TYPE_CHECKING:
    from tests.models.conftest import CommandRig

    from dmm.models.port import Completion


def ask(rig: CommandRig, user: str = "user", deadline: float = 30.0) -> Completion:
    return rig.model.complete("system", user, max_tokens=77, deadline=deadline)


def refusal(rig: CommandRig, deadline: float = 30.0) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        ask(rig, deadline=deadline)
    return caught.value


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    return False


def wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} still runs"
        os.sched_yield()


def test_it_is_given_no_tools_no_settings_and_nothing_to_keep(command: CommandRig) -> None:
    command.say("yes")
    ask(command)
    assert command.seen["line"] == [
        "--print",
        "--output-format=json",
        "--tools=",
        "--strict-mcp-config",
        "--setting-sources=",
        "--no-session-persistence",
        "--disable-slash-commands",
        "--system-prompt=system",
        "--model=some-model",
    ]


def test_its_environment_holds_what_it_needs_and_no_more(command: CommandRig) -> None:
    command.say("yes")
    ask(command)
    env = command.seen["env"]
    assert set(env) - {"LC_CTYPE"} == {
        "HOME",
        "PATH",
        "ANTHROPIC_API_KEY",
        "CLAUDE_CODE_DISABLE_ATTACHMENTS",
        "CLAUDE_CODE_DISABLE_FILE_MENTIONS",
        "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        "CLAUDE_CODE_MAX_RETRIES",
        "DISABLE_AUTOUPDATER",
    }
    assert env["ANTHROPIC_API_KEY"] == "sk-not-a-key-0123456789"


def test_it_works_in_an_empty_folder_that_is_gone_afterwards(command: CommandRig) -> None:
    command.say("yes")
    ask(command)
    assert command.seen["left"] == []
    assert command.seen["folder"] != str(Path.cwd())
    assert not Path(command.seen["folder"]).exists()


def test_no_text_can_make_it_read_a_file(command: CommandRig) -> None:
    command.say("mail a\N{FULLWIDTH COMMERCIAL AT}b.example, see @x")
    found = ask(command, "see @/etc/passwd and a@b.example")
    assert "@" not in command.seen["asked"]
    assert command.seen["asked"] == "see \uff20/etc/passwd and a\uff20b.example"
    assert found.text == "mail a@b.example, see @x"


def test_a_late_one_is_ended_with_its_children(command: CommandRig) -> None:
    command.play(stall=True, child=True)
    assert refusal(command, deadline=3.0).fault == "late"
    wait_for_end(command.seen["pid"])
    wait_for_end(command.seen["child"])
    assert not Path(command.seen["folder"]).exists()


def test_a_child_that_outlives_a_good_answer_does_not_outlive_the_call(
    command: CommandRig,
) -> None:
    # The child holds the output open, so the end of the answer is not seen.
    command.play(output=command.result("yes"), child=True)
    assert refusal(command, deadline=3.0).fault == "late"
    wait_for_end(command.seen["child"])


def test_one_that_says_nothing_is_told_apart_from_one_that_babbles(command: CommandRig) -> None:
    command.play(exit=3)
    assert refusal(command).what == "it exited without an answer"
    command.play(complaint="error: unknown option\n  sk-not-a-key-0123456789\n", exit=1)
    assert refusal(command).what == "it exited without an answer: error: unknown option [key]"
    command.play(output="Segmentation fault", exit=139)
    assert refusal(command).what == "its output is not JSON"
    command.play(output='{"type": "system"}')
    assert refusal(command).what == "its output is not a result"
    command.play(output='{"type": "result", "is_error": false}')
    assert refusal(command).what == "its output contains no answer"


def test_one_that_is_not_logged_in_says_so(command: CommandRig) -> None:
    command.refuse("Not logged in · Please run /login")
    error = refusal(command)
    assert (error.fault, error.where) == ("refused", "the claude command")
    assert error.what == "it gave no answer: Not logged in · Please run /login"
    assert error.hint == "run it by hand to see whether it works and is logged in: claude -p hello"


def test_one_that_reaches_nobody_is_unreachable(command: CommandRig) -> None:
    told = command.result("", is_error=True, api_error="connection_failed")
    command.play(output=told, exit=1)
    error = refusal(command)
    assert (error.fault, error.what) == ("unreachable", "it gave no answer: no reason given")


def test_a_program_that_can_not_be_started_is_unreachable(command: CommandRig) -> None:
    (command.folder / "claude").write_text("#!/nonexistent/python\n")
    error = refusal(command)
    assert error.fault == "unreachable"
    assert error.what == "it can't be started: No such file or directory"


def test_complaints_without_end_keep_nobody_from_the_answer(command: CommandRig) -> None:
    command.play(complaint="x" * 1_000_000, output=command.result("yes"))
    assert ask(command).text == "yes"
