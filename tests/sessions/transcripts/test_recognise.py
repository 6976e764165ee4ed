"""Files are known by their first lines, and no file can stop a reader."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.sessions.events import describe_event
from dmm.sessions.payload import LARGEST
from dmm.sessions.transcripts.entry import Entry, Fault, Head
from dmm.sessions.transcripts.lines import Line, read_lines
from dmm.sessions.transcripts.recognise import READERS, read_transcript, recognise


def head_of(*lines: object) -> Head | None:
    return recognise(io.BytesIO("\n".join(json.dumps(one) for one in lines).encode()))


def test_a_transcript_of_claude_code_tells_its_folder_a_few_lines_in() -> None:
    lines = (
        {"type": "mode", "mode": "normal", "sessionId": "s"},
        {"type": "user", "sessionId": "s", "cwd": "/srv/shop", "isSidechain": False},
    )
    assert head_of(*lines) == Head("claude-code", "s", "/srv/shop")


@pytest.mark.parametrize("kind", ["summary", "file-history-snapshot"])
def test_many_lines_before_the_first_record_do_not_hide_the_client(kind: str) -> None:
    record = {"type": "user", "sessionId": "s", "cwd": "/srv/shop", "message": {}}
    assert head_of(*[{"type": kind}] * 45, record) == Head("claude-code")
    assert head_of(*[{"type": kind}] * 30, record) == Head("claude-code", "s", "/srv/shop")
    queued = {"type": "queue-operation", "sessionId": "s"}
    assert head_of(*[queued] * 45, record) == Head("claude-code", "s")


def test_the_folder_is_that_of_the_first_record_that_names_one() -> None:
    first = {"type": "user", "sessionId": "s", "message": {}, "isSidechain": True}
    later = {"type": "user", "sessionId": "t", "message": {}, "cwd": "/srv/shop"}
    assert head_of(first, later) == Head("claude-code", "s", "/srv/shop", helper=True)


def test_the_file_of_a_helper_is_known_as_one() -> None:
    claude = {"type": "user", "sessionId": "s", "cwd": "/w", "isSidechain": True, "agentId": "a"}
    assert head_of(claude) == Head("claude-code", "s", "/w", helper=True)
    told = {"id": "h", "session_id": "s", "cwd": "/w", "thread_source": "subagent"}
    codex = {"type": "session_meta", "payload": told}
    assert head_of(codex) == Head("codex", "s", "/w", helper=True)


def test_other_files_are_told_by_their_fields() -> None:
    assert head_of({"session": "s", "role": "user", "at": "x", "text": "y"}) == Head("generic")
    old = {"id": "s", "timestamp": "2025-08-01T10:00:00Z", "instructions": None}
    assert head_of(old) == Head("codex", "s")
    assert head_of({"event": "start"}, [1], "text") is None


def test_a_line_that_is_too_long_is_passed_over() -> None:
    data = b'{"a":"' + b"x" * (LARGEST + 100_000) + b'"}\n{"b": 1}\n'
    read = list(read_lines(io.BytesIO(data)))
    assert read[0] == Fault(1, "longer than 16 MiB")
    assert read[1] == Line(2, {"b": 1})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
NAMES = (
    "type message payload content role sessionId session uuid input id timestamp at name call_id"
    " output arguments tool text cwd action"
)
WORDS = (
    "user assistant tool tool_use tool_result response_item session_meta s 2026-11-15T10:36:01Z"
    " function_call function_call_output local_shell_call message compacted"
)
names, words = st.sampled_from(NAMES.split()), st.sampled_from(WORDS.split())
records = st.recursive(
    words | values,
    lambda inner: st.dictionaries(names, inner, max_size=8) | st.lists(inner, max_size=3),
    max_leaves=25,
)


@pytest.mark.parametrize("client", READERS)
@given(st.lists(st.binary(max_size=60) | records.map(lambda one: json.dumps(one).encode())))
def test_no_file_stops_a_reader(client: str, lines: list[bytes]) -> None:
    data = b"\n".join(lines)
    recognise(io.BytesIO(data))
    for one in read_transcript(client, io.BytesIO(data)):
        assert isinstance(one, Entry | Fault)
        if isinstance(one, Entry):
            assert describe_event(one.event) is not None
