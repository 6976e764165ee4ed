"""Transcripts in DMM's own format: one message per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.sessions.transcripts.entry import Fault, read_time
from dmm.sessions.transcripts.lines import Values, read_lines, take
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
        values = take(line.values.data)
        fault = "nested too deeply" if values is None else _fault(values)
        if values is None or fault:
            yield Fault(line.number, fault)
            continue
        session = values.text("session")
        telling = tellings.setdefault(session, Telling(CLIENT, session))
        telling.cwd = values.path("cwd") or telling.cwd
        yield from _tell(telling, line.number, values)


def _fault(values: Values) -> str:
    if not values.name("session"):
        return "no session"
    if read_time(values.get("at")) is None:
        return "no valid time in `at`"
    if values.get("role") not in ROLES:
        return f"the role must be one of {', '.join(ROLES)}"
    if values.get("role") == "tool" and not values.name("tool"):
        return "a tool call without a name in `tool`"
    valid = "text" not in values or isinstance(values.get("text"), str)
    return "" if valid else "the text is not a string"


def _tell(telling: Telling, line: int, values: Values) -> Iterator[Read]:
    at, text = read_time(values.get("at")) or "", values.text("text")
    call = values.name("id")
    own = call and f"{telling.session}|{call}"
    name = values.name("name")
    spoken = f"{name}: {text}" if name else text
    match values.get("role"):
        case "user" if text.strip():
            yield from telling.prompt(line, at, own, spoken, name)
        case "assistant" if text.strip():
            telling.say(line, at, own, spoken, "", name)
            yield from telling.end_turn()
        case "tool":
            telling.call(call, values.text("tool"), values.part("input").data)
            failed = values.get("failed") is True
            yield from telling.result(line, at, own, call, text, failed=failed)
