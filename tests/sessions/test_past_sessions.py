"""Earlier sessions in the ledger: once, with their own times, without secrets, never doubled."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.errors import NotTrusted, UsageError
from dmm.sessions import past_sessions as module
from dmm.sessions.archives import name_folder
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.sessions.past_sessions import Imported

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def record(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    base = {
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"uuid-{number}",
        "timestamp": f"2026-01-05T10:00:{number:02}Z",
        "sessionId": "s1",
        "isSidechain": False,
    }
    return base | more


def talk(cwd: Path, session: str = "s1", first: int = 0) -> list[dict[str, Any]]:
    """A session of one prompt, one call and an answer."""
    call = {"type": "tool_use", "id": f"c{first}", "name": "Bash", "input": {"command": "make"}}
    gave = {"type": "tool_result", "tool_use_id": f"c{first}", "content": "ok"}
    lines = [
        record(first + 1, "user", "build it"),
        record(first + 2, "assistant", [call]),
        record(first + 4, "user", [gave]),
        record(first + 6, "assistant", [{"type": "text", "text": "Built."}]),
    ]
    return [one | {"cwd": str(cwd), "sessionId": session} for one in lines]


def write(path: Path, lines: Sequence[dict[str, Any]], more: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(json.dumps(one) + "\n" for one in lines).encode() + more)
    return path


def counts(told: Imported) -> tuple[int, int, int, int]:
    return told.count("messages"), told.count("tools"), told.count("events"), told.count("known")


def kinds(dmm: Dmm) -> list[str]:
    return [event.type for event in dmm.project_ledger.reading.events()]


@pytest.fixture
def dmm(project: Project, open_project: Opener, monkeypatch: pytest.MonkeyPatch) -> Dmm:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return open_project(project)


def test_a_session_is_recorded_with_its_times_and_names(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", talk(project.folder))
    told = dmm.transcripts.record(dmm.transcripts.find([path]))
    assert counts(told) == (2, 1, 5, 0)
    events = list(dmm.project_ledger.log.events())
    assert [(one.type, one.at[11:19], one.trust) for one in events] == [
        ("SessionStarted", "10:00:01", "agent"),
        ("UserMessageReceived", "10:00:01", "agent"),
        ("ToolUsed", "10:00:04", "tool"),
        ("TurnEnded", "10:00:06", "agent"),
        ("SessionEnded", "10:00:06", "agent"),
    ]
    assert {(one.actor, one.source, one.session) for one in events} == {
        ("claude-code", "import", "s1")
    }


def test_a_second_import_adds_nothing(dmm: Dmm, project: Project, tmp_path: Path) -> None:
    found = dmm.transcripts.find([write(tmp_path / "t.jsonl", talk(project.folder))])
    dmm.transcripts.record(found)
    head = dmm.project_ledger.log.head()
    again = dmm.transcripts.record(found)
    assert (counts(again), [one.state for one in again.sessions]) == ((0, 0, 0, 5), ["known"])
    assert dmm.project_ledger.log.head() == head


def test_a_session_that_went_on_gets_what_is_new(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    lines = talk(project.folder) + talk(project.folder, first=10)
    path = write(tmp_path / "t.jsonl", lines[:4])
    dmm.transcripts.record(dmm.transcripts.find([path]))
    write(path, lines)
    told = dmm.transcripts.record(dmm.transcripts.find([path]))
    assert counts(told) == (2, 1, 4, 4)
    assert kinds(dmm)[5:] == ["UserMessageReceived", "ToolUsed", "TurnEnded", "SessionEnded"]


def test_a_session_that_may_still_run_has_no_end(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    now = dt.datetime.now(dt.UTC).isoformat()
    lines = [one | {"timestamp": now} for one in talk(project.folder)]
    dmm.transcripts.record(dmm.transcripts.find([write(tmp_path / "t.jsonl", lines)]))
    assert kinds(dmm)[-1] == "TurnEnded"


def test_a_session_that_hooks_recorded_is_left_to_them(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    said = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": "/", "prompt": "go"}
    event = parse_payload("claude-code", json.dumps(said).encode())
    dmm.sessions.attend(deliver(event))
    lines = [*talk(project.folder), *talk(project.folder, "s2", first=20)]
    told = dmm.transcripts.record(dmm.transcripts.find([write(tmp_path / "t.jsonl", lines)]))
    assert [(one.session, one.state) for one in told.sessions] == [
        ("s1", "captured"),
        ("s2", "new"),
    ]
    assert kinds(dmm).count("UserMessageReceived") == 2


def test_secrets_reach_no_file(dmm: Dmm, project: Project, tmp_path: Path) -> None:
    lines = talk(project.folder)
    lines[0]["message"]["content"] = f"use {SECRET} <private>my diary</private>"
    lines[2]["message"]["content"][0]["content"] = f"token: {SECRET}"
    told = dmm.transcripts.record(dmm.transcripts.find([write(tmp_path / "t.jsonl", lines)]))
    assert sum(told.redacted.values()) == 3
    dmm.project_ledger.close()
    for path in (one for one in project.dmm.rglob("*") if one.is_file()):
        data = path.read_bytes()
        assert SECRET.encode() not in data
        assert b"my diary" not in data


def test_a_plan_counts_the_same_and_records_nothing(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    found = dmm.transcripts.find([write(tmp_path / "t.jsonl", talk(project.folder))])
    planned = dmm.transcripts.plan(found)
    assert not dmm.project_ledger.exists
    assert planned.sessions == dmm.transcripts.record(found).sessions


def test_only_sessions_that_began_on_the_day_or_later(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", talk(project.folder))
    found = dmm.transcripts.find([path])
    older = dmm.transcripts.record(found, dt.date(2026, 1, 6))
    assert [one.state for one in older.sessions] == ["older"]
    assert dmm.transcripts.record(found, dt.date(2026, 1, 5)).count("events") == 5


def test_skipped_lines_are_told_with_their_numbers(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", talk(project.folder), b'{"type": "user", "mess')
    told = dmm.transcripts.record(dmm.transcripts.find([path]))
    assert [(one.line, one.reason) for one in told.skipped] == [(5, "not JSON")]
    assert (told.skipped_lines, told.count("events")) == (1, 5)


def test_many_events_go_in_batches_and_an_interruption_keeps_what_is_in(
    dmm: Dmm, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 3)
    path = write(tmp_path / "t.jsonl", talk(project.folder))
    second = write(tmp_path / "u.jsonl", talk(project.folder, "s2", first=20))
    found = dmm.transcripts.find([path, second])

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dmm.transcripts.record(found, advance=stop)
    assert len(kinds(dmm)) == 3
    assert counts(dmm.transcripts.record(found)) == (3, 1, 7, 3)
    assert len(kinds(dmm)) == 10


def test_the_helpers_of_a_session_are_told_in_the_order_of_time(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    call = {"type": "tool_use", "id": "h", "name": "Read", "input": {"file_path": "a.py"}}
    gave = {"type": "tool_result", "tool_use_id": "h", "content": "x"}
    aside = {"isSidechain": True, "agentId": "a1", "cwd": str(project.folder)}
    helper = [
        record(30, "user", "look", **aside, timestamp="2026-01-05T10:00:02Z"),
        record(31, "assistant", [call], **aside, timestamp="2026-01-05T10:00:02Z"),
        record(32, "user", [gave], **aside, timestamp="2026-01-05T10:00:03Z"),
    ]
    write(tmp_path / "all" / "s1.jsonl", talk(project.folder))
    write(tmp_path / "all" / "s1" / "subagents" / "agent-a1.jsonl", helper)
    found = dmm.transcripts.find([tmp_path / "all"])
    assert [(one.path.name, len(one.helpers)) for one in found] == [("s1.jsonl", 1)]
    dmm.transcripts.record(found)
    told = [(one.type, one.get("agent")) for one in dmm.project_ledger.log.events()]
    assert told[2:4] == [("ToolUsed", "a1"), ("ToolUsed", None)]


def test_a_project_that_is_not_trusted_is_refused(
    project: Project, open_project: Opener, tmp_path: Path
) -> None:
    dmm = open_project(project, trusted=False)
    found = dmm.transcripts.find([write(tmp_path / "t.jsonl", talk(project.folder))])
    with pytest.raises(NotTrusted):
        dmm.transcripts.record(found)


def test_a_session_whose_name_is_a_secret_is_left_out(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", talk(project.folder, SECRET))
    told = dmm.transcripts.record(dmm.transcripts.find([path]))
    assert [(one.session, one.state) for one in told.sessions] == [
        ("[redacted:github-token]", "secret")
    ]
    assert kinds(dmm) == []


def test_what_was_looked_up_long_ago_satisfies_no_verification(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    dmm.ledger.add_constraint("verify accessibility before booking")
    lines = talk(project.folder)
    lines[1]["message"]["content"][0]["input"]["command"] = "read the accessibility page"
    dmm.transcripts.record(dmm.transcripts.find([write(tmp_path / "t.jsonl", lines)]))
    assert dmm.ledger.record_decision("Book Hotel A", "fine").status == "BLOCKED"


def test_tests_that_ran_long_ago_let_no_call_through(
    dmm: Dmm, project: Project, tmp_path: Path
) -> None:
    dmm.ledger.add_constraint("Run `make test` before `git push`.")
    lines = talk(project.folder)
    lines[1]["message"]["content"][0]["input"]["command"] = "make test"
    dmm.transcripts.record(dmm.transcripts.find([write(tmp_path / "t.jsonl", lines)]))
    call = {"tool_name": "Bash", "tool_input": {"command": "git push"}, "cwd": str(project.folder)}
    asked = {"hook_event_name": "PreToolUse", "session_id": "s9", "tool_use_id": "c"} | call
    event = parse_payload("claude-code", json.dumps(asked).encode())
    assert dmm.sessions.judge(event).level == "deny"


def test_the_transcripts_of_a_project_are_found_where_clients_keep_them(
    dmm: Dmm, project: Project, home: Path
) -> None:
    claude, codex = home / ".claude" / "projects", home / ".codex" / "sessions" / "2026" / "01"
    slug = name_folder(project.folder)
    write(claude / slug / "s1.jsonl", talk(project.folder))
    write(claude / f"{slug}-api" / "s2.jsonl", talk(project.folder / "api", "s2"))
    write(claude / f"{slug}-old" / "s3.jsonl", talk(project.folder.with_name("work-old"), "s3"))
    for name, cwd in (("ours", project.folder), ("theirs", home)):
        meta = {"type": "session_meta", "payload": {"id": name, "cwd": str(cwd)}}
        write(codex / f"rollout-{name}.jsonl", [meta])
    found = [one.path.name for one in dmm.transcripts.find()]
    assert found == ["s1.jsonl", "s2.jsonl", "rollout-ours.jsonl"]
    assert [one.path.name for one in dmm.transcripts.find(client="codex")] == ["rollout-ours.jsonl"]


def test_a_project_within_the_project_keeps_its_own_sessions(
    dmm: Dmm, project: Project, home: Path
) -> None:
    inner = project.folder / "inner"
    (inner / ".dmm").mkdir(parents=True)
    slug = name_folder(inner)
    write(home / ".claude" / "projects" / slug / "s1.jsonl", talk(inner / "src"))
    assert dmm.transcripts.find() == []


def test_a_path_that_leads_nowhere_or_to_something_else_is_refused(
    dmm: Dmm, tmp_path: Path
) -> None:
    other = write(tmp_path / "other.jsonl", [{"event": "x"}])
    with pytest.raises(UsageError, match="no such file"):
        dmm.transcripts.find([tmp_path / "gone.jsonl"])
    with pytest.raises(UsageError, match="not a known transcript format"):
        dmm.transcripts.find([other])
    with pytest.raises(UsageError, match="unknown client 'gemini'"):
        dmm.transcripts.find([other], "gemini")
    assert dmm.transcripts.find([tmp_path]) == []
    told = dmm.transcripts.record(dmm.transcripts.find([other], "generic"))
    assert [one.reason for one in told.skipped] == [
        "no session",
    ]
