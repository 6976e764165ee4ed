"""Transcripts in DMM's own format: one message per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from dmm.sessions.transcripts.entry import Fault, Head
from dmm.sessions.transcripts.lines import (
    Flag,
    Folder,
    Foreign,
    Moment,
    Name,
    Object,
    RequiredName,
)
from dmm.sessions.transcripts.telling import Mark, Reading, Telling

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.sessions.transcripts.entry import Read
    from dmm.sessions.transcripts.lines import Line

CLIENT = "generic"
_FAULTS = {
    "no at": "no valid time in `at`",
    "no role": "the role must be one of user, assistant, tool, system",
    "no text": "the text is not a string",
}


class _Message(Foreign):
    session: RequiredName
    at: Moment
    role: Literal["user", "assistant", "tool", "system"]
    text: str = ""
    tool: Name = ""
    id: Name = ""
    name: Name = ""
    cwd: Folder = ""
    input: Object = Field(default={})
    failed: Flag = False


class GenericReading(Reading):
    """A file of messages; it may hold many sessions."""

    @staticmethod
    def head(values: Mapping[str, Any]) -> Head | None:
        """Return a head if the line is in this format."""
        return Head(CLIENT) if {"role", "session"} <= values.keys() else None

    def read(self, line: Line) -> Iterator[Read]:
        """Read one message."""
        message = _Message.read(line)
        if isinstance(message, Fault):
            yield Fault(line.number, _FAULTS.get(message.reason, message.reason))
        elif message.role == "tool" and not message.tool:
            yield Fault(line.number, "a tool call without a name in `tool`")
        else:
            telling = self.find(CLIENT, message.session, cwd=message.cwd)
            yield from _tell(telling, line.number, message)


def _tell(telling: Telling, line: int, message: _Message) -> Iterator[Read]:
    own = message.id and f"{telling.session}|{message.id}"
    mark, text = Mark(line, message.at, own), message.text
    spoken = f"{message.name}: {text}" if message.name else text
    match message.role:
        case "user" if text.strip():
            yield from telling.prompt(mark, spoken, message.name)
        case "assistant" if text.strip():
            telling.say(mark, spoken, speaker=message.name)
            yield from telling.end_turn()
        case "tool":
            telling.call(message.id, message.tool, message.input)
            yield from telling.result(mark, message.id, text, failed=message.failed)
