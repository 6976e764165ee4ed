"""Transcripts of Claude Code, in the shapes that the real client writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.sessions.transcripts.entry import Entry

if TYPE_CHECKING:
    from tests.sessions.transcripts.conftest import Reader

CLAUDE = "claude-code"
SESSION = "5b30c41d-26e2-4487-b8ce-ea1f91392cf3"
START = ("SessionStarted", "import")


def record(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    """Write a record as the client does; the fields that nobody reads are a few of many."""
    role = {"role": kind, "content": content}
    if kind == "assistant":
        role |= {"id": f"msg_{number}", "model": "claude-opus", "stop_reason": "end_turn"}
    base = {
        "parentUuid": None,
        "isSidechain": False,
        "type": kind,
        "message": role,
        "uuid": f"uuid-{number}",
        "timestamp": f"2026-11-15T10:36:{number:02}.654Z",
        "userType": "external",
        "cwd": "/srv/shop",
        "sessionId": SESSION,
        "version": "2.1.325",
        "gitBranch": "main",
    }
    return base | more


def said(number: int, text: str, **more: Any) -> dict[str, Any]:
    return record(number, "assistant", [{"type": "text", "text": text}], **more)


def called(number: int, call: str, tool: str, **given: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call, "name": tool, "input": given}
    return record(number, "assistant", [block])


def gave(number: int, call: str, content: Any, **more: Any) -> dict[str, Any]:
    block = {"tool_use_id": call, "type": "tool_result", "content": content} | more
    return record(number, "user", [block], toolUseResult={"stdout": "much", "stderr": ""})


def test_a_session_is_told_as_its_hooks_would_have_told_it(reader: Reader) -> None:
    lines = [
        {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION},
        record(1, "user", "make the file", promptId="turn-1"),
        {"type": "attachment", "attachment": {"type": "date"}, "sessionId": SESSION},
        said(2, "I will make it."),
        called(3, "call_1", "Bash", command="echo made > made.txt", description="Make"),
        gave(4, "call_1", "made", is_error=False),
        said(5, "All done."),
        {"type": "last-prompt", "lastPrompt": "make the file", "sessionId": SESSION},
    ]
    assert reader.payloads(CLAUDE, lines) == [
        {"client": "claude-code", "cwd": "/srv/shop", "source": "import"},
        {"text": "make the file", "turn": "turn-1"},
        {
            "tool": "Bash",
            "input": {"command": "echo made > made.txt", "description": "Make"},
            "cwd": "/srv/shop",
            "text": "echo made > made.txt",
            "call": "call_1",
            "output": "made",
            "turn": "turn-1",
        },
        {"text": "All done.", "turn": "turn-1"},
    ]


def test_every_entry_has_the_time_of_its_line_in_the_form_of_the_ledger(reader: Reader) -> None:
    lines = [record(1, "user", "hello"), said(7, "Hello.")]
    read = reader.read(CLAUDE, lines)
    assert [(one.line, one.at) for one in read] == [
        (1, "2026-11-15T10:36:01.654+00:00"),
        (1, "2026-11-15T10:36:01.654+00:00"),
        (2, "2026-11-15T10:36:07.654+00:00"),
    ]


def test_a_failed_call_is_told_with_its_error(reader: Reader) -> None:
    lines = [called(1, "c", "Bash", command="exit 3"), gave(2, "c", "Exit code 3", is_error=True)]
    assert reader.told(CLAUDE, lines) == [START, ("ToolFailed", "exit 3")]
    assert reader.payloads(CLAUDE, lines)[1]["error"] == "Exit code 3"


def test_parallel_calls_find_their_results(reader: Reader) -> None:
    lines = [
        called(1, "a", "Read", file_path="a.py"),
        called(1, "b", "Read", file_path="b.py"),
        gave(2, "b", [{"type": "text", "text": "of b"}]),
        gave(3, "a", "of a"),
    ]
    told = [
        (one["input"]["file_path"], one["output"]) for one in reader.payloads(CLAUDE, lines)[1:]
    ]
    assert told == [("b.py", "of b"), ("a.py", "of a")]


def test_a_message_in_several_records_is_one_answer(reader: Reader) -> None:
    parts = [said(2, "First part."), said(3, "Second part.")]
    parts[1]["message"]["id"] = parts[0]["message"]["id"]
    told = reader.told(CLAUDE, [record(1, "user", "tell"), *parts])
    assert told[-1] == ("TurnEnded", "First part.\n\nSecond part.")


def test_a_turn_ends_with_the_next_prompt(reader: Reader) -> None:
    lines = [
        record(1, "user", "one", promptId="p1"),
        said(2, "Answer one."),
        record(3, "user", "two", promptId="p2"),
        said(4, "Answer two."),
    ]
    told = [(one.get("text"), one.get("turn")) for one in reader.payloads(CLAUDE, lines)[1:]]
    assert told == [("one", "p1"), ("Answer one.", "p1"), ("two", "p2"), ("Answer two.", "p2")]


def test_a_turn_that_still_runs_has_no_end_yet(reader: Reader) -> None:
    lines = [record(1, "user", "go"), said(2, "I look."), called(3, "c", "Bash", command="ls")]
    assert reader.told(CLAUDE, lines) == [START, ("UserMessageReceived", "go")]


def test_what_the_client_says_in_the_users_name_is_left_out(reader: Reader) -> None:
    caveat = "<local-command-caveat>The command below was run directly</local-command-caveat>"
    clear = (
        "<command-name>/clear</command-name>\n"
        "            <command-message>clear</command-message>\n"
        "            <command-args></command-args>"
    )
    lines = [
        record(1, "user", caveat, isMeta=True),
        record(2, "user", clear),
        record(3, "user", "<local-command-stdout>done</local-command-stdout>"),
        record(4, "user", "## Context Usage", isMeta=True),
        record(5, "user", "<bash-stdout>hi</bash-stdout><bash-stderr></bash-stderr>"),
        record(6, "user", "<task-notification>\n<task-id>a</task-id>", origin={"kind": "task"}),
        record(7, "user", "<system-reminder>\nToday is Sunday.\n</system-reminder>"),
        record(8, "user", [{"type": "text", "text": "[Request interrupted by user]"}]),
        said(9, "API Error", isApiErrorMessage=True),
    ]
    assert reader.told(CLAUDE, lines) == []


def test_what_the_user_typed_is_found_in_what_the_client_made_of_it(reader: Reader) -> None:
    command = "<command-message>fix is running</command-message>\n<command-name>/fix</command-name>"
    lines = [
        record(1, "user", f"{command}\n<command-args>issue 12</command-args>"),
        record(2, "user", "Body of the command.", isMeta=True),
        record(3, "user", "<bash-input>git status</bash-input>"),
        record(4, "user", "<system-reminder>x</system-reminder>\nnow the tests"),
        record(5, "user", [{"type": "image", "source": {}}, {"type": "text", "text": "see this"}]),
    ]
    told = [text for kind, text in reader.told(CLAUDE, lines) if kind == "UserMessageReceived"]
    assert told == ["/fix issue 12", "! git status", "now the tests", "see this"]


def test_a_notice_of_a_helper_begins_another_turn(reader: Reader) -> None:
    notice = {"promptSource": "system", "origin": {"kind": "task-notification"}}
    lines = [
        record(1, "user", "go"),
        said(2, "All done."),
        record(3, "user", "A task is finished.", **notice),
        said(4, "The helper is done too."),
    ]
    assert reader.told(CLAUDE, lines)[2:] == [
        ("TurnEnded", "All done."),
        ("TurnEnded", "The helper is done too."),
    ]


def test_a_summary_is_told_as_a_compaction(reader: Reader) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "sessionId": SESSION}
    lines = [
        {"type": "summary", "summary": "A title", "leafUuid": "x"},
        record(1, "user", "one"),
        boundary | {"compactMetadata": {"trigger": "auto", "preTokens": 315}},
        record(2, "user", "This session is being continued. We did one.", isCompactSummary=True),
    ]
    assert reader.payloads(CLAUDE, lines)[2:] == [
        {
            "stage": "after",
            "trigger": "auto",
            "text": "This session is being continued. We did one.",
        }
    ]


def test_a_helper_is_named_and_its_task_is_not_the_users(reader: Reader) -> None:
    helper = {"isSidechain": True, "agentId": "a5b26360"}
    lines = [
        record(1, "user", "look around", **helper),
        called(2, "c", "Bash", command="ls") | helper,
        gave(3, "c", "a.py") | helper,
        said(4, "I saw a.py.", **helper),
    ]
    assert reader.told(CLAUDE, lines) == [("ToolUsed", "ls"), ("SubagentEnded", "I saw a.py.")]
    assert {one["agent"] for one in reader.payloads(CLAUDE, lines)} == {"a5b26360"}


def test_a_helper_of_an_old_version_does_not_mix_with_the_session(reader: Reader) -> None:
    aside = {"isSidechain": True}
    lines = [
        record(1, "user", "go"),
        said(2, "Aside.", **aside),
        said(3, "In the open."),
    ]
    told = reader.told(CLAUDE, lines)
    assert told[2:] == [("TurnEnded", "In the open."), ("SubagentEnded", "Aside.")]


def test_faulty_lines_are_told_and_the_rest_is_read(reader: Reader) -> None:
    lines: list[dict[str, Any] | bytes] = [
        b'{"type": "user", "message":',
        b"\xff\xfe",
        b"[1, 2]",
        record(1, "user", "hello") | {"timestamp": "yesterday"},
        record(1, "user", "hello") | {"sessionId": 7},
        record(1, "user", "hello") | {"message": "hello"},
        b"",
        gave(2, "unknown", "x"),
        record(3, "user", "hello"),
    ]
    assert reader.told(CLAUDE, lines) == [
        ("line 1", "not JSON"),
        ("line 2", "not UTF-8"),
        ("line 3", "not a JSON object"),
        (
            "line 4",
            "no timestamp",
        ),
        (
            "line 5",
            "no sessionId",
        ),
        (
            "line 6",
            "no message",
        ),
        ("line 8", "a result without its call"),
        START,
        ("UserMessageReceived", "hello"),
    ]


def test_a_key_comes_from_the_record_so_a_copied_history_has_the_same_keys(reader: Reader) -> None:
    lines = [record(1, "user", "hello"), called(2, "c", "Bash", command="ls"), gave(3, "c", "")]
    copied = [one | {"sessionId": "another"} for one in lines]
    keys, again = (
        [one.event.key for one in reader.read(CLAUDE, given) if isinstance(one, Entry)]
        for given in (lines, copied)
    )
    assert keys[1:] == again[1:] == ["prompt|uuid-1", "tool_done|uuid-3|c"]
    assert keys[0] != again[0]


def test_what_utf8_can_not_hold_is_replaced(reader: Reader) -> None:
    line = b'{"type":"user","message":{"content":"a \\ud800 b"},"uuid":"u",'
    line += b'"timestamp":"2026-11-15T10:36:01Z","sessionId":"s","cwd":"/x"}'
    assert reader.told(CLAUDE, [line])[1] == ("UserMessageReceived", "a ? b")


def nest(levels: int) -> Any:
    deep: Any = {}
    for _ in range(levels):
        deep = {"in": deep}
    return deep


def test_how_deep_a_part_is_that_nobody_reads_does_not_matter(reader: Reader) -> None:
    lines = [
        called(1, "call_1", "Bash", command="ls"),
        gave(2, "call_1", "a.py") | {"toolUseResult": nest(200)},
    ]
    assert reader.told(CLAUDE, lines) == [START, ("ToolUsed", "ls")]


def test_what_is_nested_too_deep_to_be_recorded_is_told_as_such(reader: Reader) -> None:
    lines = [record(1, "user", "go"), called(2, "call_1", "Bash", command="ls", more=nest(40))]
    assert reader.told(CLAUDE, lines)[2:] == [("line 2", "nested deeper than 32 levels")]


def test_half_a_character_and_endless_numbers_are_replaced(reader: Reader) -> None:
    line = b'{"type":"user","message":{"content":"go \\ud800 \\ud83d\\ude00"},"uuid":"u","n":1e999,'
    line += b'"timestamp":"2026-11-15T10:36:01Z","sessionId":"s","cwd":"/srv"}'
    assert reader.told(CLAUDE, [line]) == [START, ("UserMessageReceived", "go ? \N{GRINNING FACE}")]
