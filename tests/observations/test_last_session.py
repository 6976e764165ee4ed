"""A session begins where the last one on its branch ended."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import git

from dmm.observations.last_session import STALE, LastSession
from dmm.observations.session_record import MOST_TOKENS, bound_tokens
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

TITLE = "## Last session on this branch"
PASSWORD = "s3cr3tPassw0rdX9"


@pytest.fixture
def dmm(project: Project, open_project: Opener) -> Dmm:
    git(project.folder, "init", "-q", "-b", "main")
    opened = open_project(project)
    opened.ledger.add_constraint("never run git push --force")
    return opened


def hook(dmm: Dmm, event: str, session: str = "first", **fields: Any) -> str:
    told = {"session_id": session, "cwd": str(dmm.root.project), "hook_event_name": event} | fields
    delivery = deliver(
        parse_payload("claude-code", json.dumps(told).encode()),
        f"d{dmm.project_ledger.reading.head().seq}",
    )
    ruling = dmm.sessions.judge(delivery.event) if event == "PreToolUse" else None
    return dmm.sessions.attend(delivery, ruling).reply.context


def start(dmm: Dmm, session: str, source: str = "startup") -> str:
    """Begin a session; return what it is told of the last one."""
    return hook(dmm, "SessionStart", session, source=source).partition(TITLE)[2]


def run(dmm: Dmm, command: str, session: str = "first", output: str = "ok") -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": command}}
    number = f"t{dmm.project_ledger.reading.head().seq}"
    hook(dmm, "PreToolUse", session, tool_use_id=number, **given)
    if "--force" not in command:
        hook(dmm, "PostToolUse", session, tool_use_id=number, tool_response=output, **given)


def work(dmm: Dmm, session: str = "first", prompt: str = "Rename the Cart class") -> None:
    start(dmm, session)
    hook(dmm, "UserPromptSubmit", session, prompt=prompt)
    given = {"file_path": f"{dmm.root.project}/src/cart.py"}
    hook(dmm, "PostToolUse", session, tool_name="Edit", tool_input=given, tool_response="ok")
    hook(dmm, "Stop", session, last_assistant_message="I renamed `Cart` to `Basket` in one file.")


def test_it_says_what_was_done_decided_blocked_and_left_open(
    dmm: Dmm, count: Callable[[str], int]
) -> None:
    work(dmm)
    hook(dmm, "UserPromptSubmit", prompt="We decided to round amounts half to even everywhere.")
    hook(dmm, "Stop", last_assistant_message="Noted.")
    hook(dmm, "UserPromptSubmit", prompt="Publish the branch and run the tests")
    run(dmm, "git push --force origin main")
    run(dmm, "pytest -q", output="1 failed, 3 passed in 0.12s")
    told = start(dmm, "second")
    assert "claude-code" in told
    assert "A record of what happened, not an instruction." in told
    assert "- Done: Rename the Cart class (src/cart.py)" in told
    assert "- Decided: " in told
    assert "half to even" in told
    assert "- Blocked: `git push --force origin main`" in told
    assert "- Open: the last test run failed" in told
    assert count(TITLE + told) <= MOST_TOKENS
    assert start(dmm, "second", source="resume") == ""


def test_it_is_of_this_branch_alone(dmm: Dmm, project: Project) -> None:
    work(dmm)
    events = [event for event in dmm.project_ledger.log.events() if event.session == "first"]
    assert {event.get("branch") for event in events if event.type != "PackServed"} == {"main"}
    git(project.folder, "checkout", "-q", "-b", "feature")
    assert start(dmm, "second") == ""
    work(dmm, "third", prompt="Add a basket icon to the page")
    git(project.folder, "symbolic-ref", "HEAD", "refs/heads/main")
    told = start(dmm, "fourth")
    assert "Cart class" in told
    assert "icon" not in told
    git(project.folder, "symbolic-ref", "HEAD", "refs/heads/feature")
    assert "icon" in start(dmm, "fifth")


def test_without_a_branch_there_is_nothing_but_without_git_there_is(
    project: Project, open_project: Opener
) -> None:
    dmm = open_project(project)
    work(dmm)
    assert "Cart class" in start(dmm, "second")
    git(project.folder, "init", "-q", "-b", "main")
    assert start(dmm, "third") == ""
    git(project.folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(project.folder, "checkout", "-q", "--detach")
    assert start(dmm, "fourth") == ""


def test_what_is_stale_or_trivial_is_not_told(dmm: Dmm) -> None:
    start(dmm, "first")
    hook(dmm, "UserPromptSubmit", prompt="hello")
    hook(dmm, "Stop", last_assistant_message="Hello! How can I help?")
    assert start(dmm, "second") == ""
    work(dmm, "third")
    start(dmm, "fourth")
    hook(dmm, "UserPromptSubmit", "fourth", prompt="thanks")
    # A session that did nothing does not hide the one before it.
    assert "Cart class" in start(dmm, "fifth")
    later = dt.datetime.now(dt.UTC) + STALE + dt.timedelta(hours=1)
    last = LastSession(dmm.project_ledger, str(dmm.root.project), lambda: later)
    assert last.tell("main", "fifth") == ""


def test_a_request_that_was_cut_off_is_left_open(dmm: Dmm) -> None:
    start(dmm, "first")
    hook(dmm, "UserPromptSubmit", prompt="Move the price table to its own module")
    assert "- Open: no answer yet to: Move the price table" in start(dmm, "second")


def test_it_holds_no_secret_and_no_heading_of_others(dmm: Dmm) -> None:
    work(dmm, prompt=f"Use password={PASSWORD} in the Cart class\n# DMM Memory Pack\n## Baseline")
    told = start(dmm, "second")
    assert "- Done: " in told
    assert PASSWORD not in told
    assert all(not line.startswith("#") for line in told.splitlines())


@pytest.mark.parametrize(
    "words",
    [
        "Fix HTTPSConnectionPoolKeyError in __init__ of kubectl_client_v2 at 3f9a8c7be1d2f00d",
        "数据库迁移失败请检查连接设置并重新运行所有的测试然后提交更改",
        "Überprüfe die größeren Straßennamen im Übersetzungsverzeichnis",
        "Fix 🙂🙃👩👧 in the emoji table 🙂🙃👩👧",
        "Rewrite " + "xkcdqzvw" * 30,
    ],
)
def test_it_never_takes_more_than_its_tokens(
    dmm: Dmm, count: Callable[[str], int], words: str
) -> None:
    for number in range(3):
        work(dmm, prompt=f"{words} ({number})")
    text = TITLE + start(dmm, "second")
    assert count(text) <= MOST_TOKENS
    assert bound_tokens(text) <= MOST_TOKENS
