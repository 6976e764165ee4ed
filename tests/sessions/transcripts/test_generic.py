"""Transcripts in our own form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.sessions.transcripts.entry import Entry

if TYPE_CHECKING:
    from tests.sessions.transcripts.conftest import Reader

GENERIC = "generic"


def line(role: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"session": "s", "at": "2026-01-31T09:00:00Z", "role": role, "text": text} | more


def test_each_message_is_an_event_of_its_session(reader: Reader) -> None:
    lines = [
        line("user", "Where do retries live?", cwd="/srv/shop"),
        line("tool", "3 hits", tool="Grep", input={"pattern": "retry"}),
        line("tool", "no such file", tool="Read", input={"path": "x"}, failed=True),
        line("assistant", "In client.py."),
        line("system", "ignored"),
        line("user", "Hello", session="other"),
    ]
    assert reader.told(GENERIC, lines) == [
        ("SessionStarted", "import"),
        ("UserMessageReceived", "Where do retries live?"),
        ("ToolUsed", "Grep retry"),
        ("ToolFailed", "Read x"),
        ("TurnEnded", "In client.py."),
        ("SessionStarted", "import"),
        ("UserMessageReceived", "Hello"),
    ]


def test_a_name_is_put_before_the_words(reader: Reader) -> None:
    lines = [line("user", "I moved house.", name="Ana"), line("assistant", "Great!", name="Ben")]
    told = [text for _, text in reader.told(GENERIC, lines)[1:]]
    assert told == ["Ana: I moved house.", "Ben: Great!"]
    read = reader.read(GENERIC, lines)
    assert [one.event.speaker for one in read[1:] if isinstance(one, Entry)] == ["Ana", "Ben"]


def test_a_time_is_kept_in_utc_and_without_a_zone_it_is_utc(reader: Reader) -> None:
    times = ("2026-01-31T09:00:00+02:00", "2026-01-31T09:00", "2026-01-31")
    read = reader.read(GENERIC, [line("user", "x", at=at) for at in times])
    assert [one.at for one in read[1:]] == [
        "2026-01-31T07:00:00.000+00:00",
        "2026-01-31T09:00:00.000+00:00",
        "2026-01-31T00:00:00.000+00:00",
    ]


def test_a_line_that_lacks_something_is_told_with_what_it_lacks(reader: Reader) -> None:
    deep: Any = {}
    for _ in range(50):
        deep = {"in": deep}
    lines = [
        line("user", "x", session=""),
        line("user", "x", at="soon"),
        line("boss", "x"),
        line("tool", "x"),
        line("user", "x") | {"text": 7},
        line("tool", "x", tool="t", input=deep),
    ]
    assert reader.told(GENERIC, lines) == [
        (
            "line 1",
            "no session",
        ),
        (
            "line 2",
            "no valid time in `at`",
        ),
        ("line 3", "the role must be one of user, assistant, tool, system"),
        ("line 4", "a tool call without a name in `tool`"),
        ("line 5", "the text is not a string"),
        ("line 6", "nested deeper than 32 levels"),
    ]


def test_lines_are_known_again_by_their_id_or_their_number(reader: Reader) -> None:
    lines = [line("user", "a", id="m1"), line("user", "b")]
    first = [one.event.key for one in reader.read(GENERIC, lines) if hasattr(one, "event")]
    assert first == ["session_start||s", "prompt|s|m1", "prompt||s||2"]
