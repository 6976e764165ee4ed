"""Transcripts in DMM's own format: one message per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.sessions.payload import LONGEST_NAME, LONGEST_PATH
from dmm.sessions.transcripts.entry import Fault, read_time
from dmm.sessions.transcripts.lines import read_lines, short, take
from dmm.sessions.transcripts.telling import Telling

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from dmm.sessions.transcripts.entry import Read

CLIENT = "generic"
ROLES = ("user", "assistant", "tool", "system")


def read_generic(stream: BinaryIO) -> Iterator[Read]:
    """Read a file of messages, entry by entry; it may hold many sessions."""
    tellings: dict[str, Telling] = {}
    for line in read_lines(stream):
        if isinstance(line, Fault):
            yield line
            continue
        values = take(line.values)
        fault = "nested too deeply" if values is None else _fault(values)
        if values is None or fault:
            yield Fault(line.number, fault)
            continue
        session = values["session"]
        telling = tellings.setdefault(session, Telling(CLIENT, session))
        telling.cwd = short(values.get("cwd"), LONGEST_PATH) or telling.cwd
        yield from _tell(telling, line.number, values)


def _fault(values: dict[str, Any]) -> str:
    if not short(values.get("session"), LONGEST_NAME):
        return "no session"
    if read_time(values.get("at")) is None:
        return "no valid time in `at`"
    if values.get("role") not in ROLES:
        return f"the role must be one of {', '.join(ROLES)}"
    if values["role"] == "tool" and not short(values.get("tool"), LONGEST_NAME):
        return "a tool call without a name in `tool`"
    return "" if isinstance(values.get("text", ""), str) else "the text is not a string"


def _tell(telling: Telling, line: int, values: dict[str, Any]) -> Iterator[Read]:
    at, text = read_time(values["at"]) or "", values.get("text", "")
    call = short(values.get("id"), LONGEST_NAME)
    own = call and f"{telling.session}|{call}"
    name = short(values.get("name"), LONGEST_NAME)
    spoken = f"{name}: {text}" if name else text
    match values["role"]:
        case "user" if text.strip():
            yield from telling.prompt(line, at, own, spoken, name)
        case "assistant" if text.strip():
            telling.say(line, at, own, spoken, "", name)
            yield from telling.end_turn()
        case "tool":
            given = values.get("input")
            telling.call(call, values["tool"], given if isinstance(given, dict) else {})
            failed = values.get("failed") is True
            yield from telling.result(line, at, own, call, text, failed=failed)
