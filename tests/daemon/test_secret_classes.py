"""Secrets of every class go through real hooks, a real background process, an import of earlier
sessions, commands and the spool; then the raw bytes of every file are looked through for them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.redaction.channels import CHANNELS
from tests.redaction.secret_cases import Maker, make_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event

CASES = make_cases(2)
AT_ONCE = 12
MADE = Maker(11)
TOKENS = {
    name: prefix + MADE.some(36)
    for name, prefix in {
        "session": "ghp_", "call": "npm_", "agent": "glpat-", "turn": "sk_live_",
        "tool": "github_pat_", "source": "dckr_pat_", "reason": "sk-proj-",
    }.items()
}  # fmt: skip
SEED = MADE.words(12)


def payloads(session: Session) -> Iterator[dict[str, Any]]:
    """Tell each secret in a prompt, in what a tool is given and in what it gives back."""
    yield session.start()
    for number, at in enumerate(range(0, len(CASES), AT_ONCE)):
        texts = [case.text for case in CASES[at : at + AT_ONCE]]
        yield session.prompt("\n\n".join(texts), number)
        given = {"steps": [{"run": text} for text in texts], "argv": ["sh", "-c", texts[0]]}
        call = {"tool_name": "mcp__runner__run", "tool_use_id": f"toolu_{number}"}
        yield session.payload("PreToolUse", tool_input=given, **call)
        told = [{"type": "text", "text": CHANNELS["json in text"](text)} for text in texts]
        yield session.payload("PostToolUse", tool_input=given, tool_response=told, **call)
    yield session.payload("Stop", last_assistant_message=CASES[0].text)
    yield session.payload("SessionEnd", reason="clear")


def files_under(*folders: Path) -> dict[Path, bytes]:
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files}


def leaks(machine: Machine, project: Project) -> list[tuple[str, str]]:
    """Find the parts of secrets that stand in any file, as they are or as JSON writes them."""
    files = files_under(project.dmm, machine.state, machine.run)
    held = b"\n".join(files.values())
    parts = [(case.name, part) for case in CASES for part in case.parts] + list(TOKENS.items())
    return [
        (name, part)
        for name, part in [*parts, ("seed", SEED)]
        if part.encode() in held or json.dumps(part)[1:-1].encode() in held
    ]


def transcript(folder: Path) -> Path:
    path = folder / "talk.jsonl"
    lines = [
        {"session": "old", "at": f"2026-01-05T10:{number // 60:02}:{number % 60:02}Z",
         "role": "user" if number % 2 else "assistant", "text": case.text}
        for number, case in enumerate(CASES)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_no_class_reaches_the_disk_while_it_runs(
    machine: Machine,
    lived_in: Project,
    session: Session,
    tmp_path: Path,
    ledger: Callable[..., list[Event]],
) -> None:
    for payload in payloads(session):
        machine.hook(payload)
    for words in (("query",), ("search",), ("ask",)):
        machine.dmm(*words, f"my seed phrase is {SEED}", within=lived_in.folder)
    done = machine.dmm(
        "import-sessions", str(transcript(tmp_path)), "--client", "generic", within=lived_in.folder
    )
    assert done.returncode == 0, done.stderr
    assert leaks(machine, lived_in) == []
    machine.dmm("daemon", "stop")
    assert leaks(machine, lived_in) == []
    events = ledger(lived_in)
    assert len([one for one in events if one.source == "hook"]) > 3 * len(CASES) / AT_ONCE
    assert len([one for one in events if one.session == "old"]) > len(CASES)


def test_no_class_reaches_the_disk_while_it_is_down_or_later(
    machine: Machine, lived_in: Project, session: Session, wait: Callable[..., Any]
) -> None:
    (machine.run / "dmm.sock").mkdir(parents=True)
    machine.run.chmod(0o700)
    # Attempts that were all used up, so that no hook waits for a process to come.
    (machine.run / "attempts").write_bytes(b"...")
    for payload in payloads(session):
        machine.hook(payload)
    assert len(list((machine.state / "spool").glob("*.event"))) > 3 * len(CASES) / AT_ONCE
    assert leaks(machine, lived_in) == []
    (machine.run / "dmm.sock").rmdir()
    machine.start()
    wait(lambda: machine.ask("status")["spooled"] == 0, "all are fetched")
    assert leaks(machine, lived_in) == []


def named(session: Session) -> list[dict[str, Any]]:
    """The events of a session whose names all hold a secret."""
    names = {
        "session_id": f"run-{TOKENS['session']}", "agent_id": TOKENS["agent"],
        "prompt_id": TOKENS["turn"],
    }  # fmt: skip
    call = {
        "tool_name": f"mcp__x__{TOKENS['tool']}", "tool_use_id": TOKENS["call"],
        "tool_input": {"command": "make"},
    }  # fmt: skip
    return [
        session.payload("SessionStart", source=TOKENS["source"]) | names,
        session.payload("PreToolUse", **call) | names,
        session.payload("PostToolUse", tool_response="ok", **call) | names,
        session.payload("SessionEnd", reason=TOKENS["reason"]) | names,
    ]


@pytest.mark.parametrize("spooled", [False, True])
def test_names_that_hold_a_secret_are_recorded_without_it_and_still_name_the_same(
    spooled: bool,
    machine: Machine,
    lived_in: Project,
    session: Session,
    wait: Callable[..., Any],
    ledger: Callable[..., list[Event]],
) -> None:
    if spooled:
        (machine.run / "dmm.sock").mkdir(parents=True)
        machine.run.chmod(0o700)
        (machine.run / "attempts").write_bytes(b"...")
    for payload in named(session):
        machine.hook(payload)
    assert leaks(machine, lived_in) == []
    if spooled:
        (machine.run / "dmm.sock").rmdir()
        machine.start()
        wait(lambda: machine.ask("status")["spooled"] == 0, "all are fetched")
    machine.dmm("daemon", "stop")
    assert leaks(machine, lived_in) == []
    start, asked, used, end = [one for one in ledger(lived_in) if one.source == "hook"][-4:]
    assert {one.session for one in (start, asked, used, end)} == {start.session}
    assert re.fullmatch(r"run-\[redacted:github-token\]#[0-9a-f]{4}", start.session or "")
    assert used.caused_by == asked.seq
    assert asked.get("call") == used.get("call")
    assert asked.get("tool") == "mcp__x__[redacted:github-token]"
    assert end.get("reason") == "[redacted:openai-key]"
