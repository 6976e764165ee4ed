"""Parse hook payloads of all clients into one form."""

from __future__ import annotations

import hashlib
import json
import re
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from dmm.clients.registry import all_clients, find_client
from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.redaction.identity import keep_identity
from dmm.sessions.objects import read_arguments, read_object
from dmm.sessions.outputs import as_text, ended_well, exit_status_of, is_unfinished

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.clients.base import Client

LARGEST = 16 * 1024 * 1024
LONGEST_NAME = 512
LONGEST_PATH = 4096


class HookKind(StrEnum):
    """What a hook reports, whatever the client calls it."""

    SESSION_START = "session_start"
    PROMPT = "prompt"
    TOOL_REQUEST = "tool_request"
    TOOL_DONE = "tool_done"
    TOOL_FAILED = "tool_failed"
    COMPACT_START = "compact_start"
    COMPACT_DONE = "compact_done"
    TURN_END = "turn_end"
    SUBAGENT_END = "subagent_end"
    SESSION_END = "session_end"
    OTHER = "other"


TOOL_KINDS = (HookKind.TOOL_REQUEST, HookKind.TOOL_DONE, HookKind.TOOL_FAILED)
_NOTICE = "<task-notification>"
# A client may run the hooks of another, in whatever case it writes the names of events.
_KINDS = {
    name.lower(): HookKind(kind)
    for client in all_clients()
    for name, kind in client.known_events.items()
}
_CALLS = {name.lower(): call for one in all_clients() for name, call in one.calls.items()}


class HookEvent(Value):
    """One delivery of a hook. `key` is the same for the same delivery through two configured
    hooks; it can't come again later where `unique` says so. `event` is the client's name for it.
    `exit_status` is that of a command, where the client tells it; `unfinished` says that the tool
    did not wait for its end.
    """

    client: str
    kind: HookKind
    event: str
    session: str
    cwd: str
    key: str
    unique: bool = False
    prompt: str = ""
    tool: str = ""
    input: Mapping[str, object] = MappingProxyType({})
    output: str = ""
    call_id: str = ""
    source: str = ""
    reason: str = ""
    agent: str = ""
    speaker: str = ""
    turn: str = ""
    milliseconds: int | None = None
    exit_status: int | None = None
    unfinished: bool = False


def parse_payload(client: str, data: bytes) -> HookEvent:
    """Parse the payload of a hook, which comes from an untrusted process."""
    if len(data) > LARGEST:
        raise UsageError(f"the hook's payload is larger than {LARGEST // 1024 // 1024} MiB")
    try:
        values = read_object(data)
    except UsageError as error:
        raise UsageError(f"the hook's payload is {error.what}") from error
    return _Reading(find_client(client), values).event()


def name_request(client: str, data: bytes) -> str | None:
    """Return the id of a payload's tool request, without a full parse."""
    known = find_client(client)
    keys = "|".join(map(re.escape, known.keys.event))
    found = re.findall(rf'"(?:{keys})"\s*:\s*"(\w{{1,40}})"'.encode(), data)
    names = (name.decode("ascii", "replace") for name in found)
    return next((one for one in names if _KINDS.get(one.lower()) is HookKind.TOOL_REQUEST), None)


class _Told(Value):
    """The fields that only events of one kind have, which may also reveal the kind."""

    kind: HookKind
    prompt: str = ""
    tool: str = ""
    input: Mapping[str, object] = MappingProxyType({})
    output: str = ""
    exit_status: int | None = None
    unfinished: bool = False


class _Reading:
    """Reads the values of one payload under any of the names that clients use."""

    def __init__(self, client: Client, values: dict[str, object]) -> None:
        self.client = client
        self.keys = client.keys
        # No client names a field so; a client without an inner object has this name for it.
        values.pop("", None)
        inner = values.get(client.keys.inside)
        self.values = {**values, **inner} if isinstance(inner, dict) else values
        self._identities: dict[tuple[str, ...], str] = {}
        self.name = self._text(*self.keys.event, limit=LONGEST_NAME)
        self.kind = _KINDS.get(self.name.lower(), HookKind.OTHER)

    def event(self) -> HookEvent:
        session = self._identity(*self.keys.session)
        if not self.name or not session:
            missing = (self.keys.session if self.name else self.keys.event)[0]
            raise UsageError(f"the hook's payload has no {missing}")
        told = self._read_kind()
        if told.kind is HookKind.OTHER:
            key = _digest([session, self.name, self.values])
            return HookEvent(
                self.client.name, told.kind, self.name, session, self._folder(), key, turn=self.turn
            )
        return HookEvent(
            client=self.client.name,
            kind=told.kind,
            event=self.name,
            session=session,
            cwd=self._folder(),
            key=self._key(session, told),
            unique=self._is_unique(told.kind),
            prompt=told.prompt,
            tool=told.tool,
            input=told.input,
            output=told.output,
            call_id=self.call,
            source=self._text("source", "trigger", limit=LONGEST_NAME),
            reason=self._text("reason", "status", limit=LONGEST_NAME),
            agent=self._identity(*self.keys.agent),
            turn=self.turn,
            milliseconds=self._milliseconds(),
            exit_status=told.exit_status,
            unfinished=told.unfinished,
        )

    @property
    def turn(self) -> str:
        return self._identity(*self.keys.turn)

    @property
    def call(self) -> str:
        return self._identity(*self.keys.call)

    def _read_kind(self) -> _Told:
        """Read the fields that only events of one kind have."""
        match self.kind:
            case HookKind.PROMPT:
                prompt = self._prompt()
                notice = prompt.lstrip().startswith(_NOTICE)
                return _Told(HookKind.OTHER) if notice else _Told(self.kind, prompt=prompt)
            case HookKind.TOOL_REQUEST:
                return self._call()
            case HookKind.TOOL_DONE | HookKind.TOOL_FAILED:
                return self._answer(self._call())
            case HookKind.COMPACT_DONE | HookKind.TURN_END | HookKind.SUBAGENT_END:
                return _Told(self.kind, output=self._text(*self.keys.message))
        return _Told(self.kind)

    def _text(self, *names: str, limit: int = LARGEST) -> str:
        given = ((name, self.values.get(name)) for name in names)
        name, value = next((one for one in given if one[1] is not None), ("", ""))
        if not isinstance(value, str):
            raise UsageError(f"{name} in the hook's payload is not text")
        if len(value) > limit:
            raise UsageError(f"{name} in the hook's payload is longer than {limit} characters")
        return value

    def _identity(self, *names: str) -> str:
        if names not in self._identities:
            self._identities[names] = keep_identity(self._text(*names, limit=LONGEST_NAME))
        return self._identities[names]

    def _folder(self) -> str:
        folder = self._text("cwd", limit=LONGEST_PATH)
        match self.values:
            case {"workspace_roots": [str(first), *_]} if not folder:
                return first
        return folder

    def _prompt(self) -> str:
        prompt = self._text(*self.keys.prompt)
        if self.client.context_marks is not None:
            start, end = self.client.context_marks
            while prompt.startswith(start) and end in prompt:
                prompt = prompt.partition(end)[2].lstrip()
        return prompt

    def _call(self) -> _Told:
        own = _CALLS.get(self.name.lower())
        if own is None:
            given = self._input("tool_input", "toolArgs")
            return _Told(self.kind, tool=self._tool(), input=given)
        if own.server:
            parts = (self._text(key, limit=LONGEST_NAME) for key in (own.server, own.name))
            return _Told(self.kind, tool="__".join(("mcp", *parts)), input=self._input(own.within))
        told = own.arguments.items()
        given = {to: self.values[key] for key, to in told if key in self.values}
        return _Told(self.kind, tool=own.tool, input=given)

    def _tool(self) -> str:
        tool = self._text("tool_name", "toolName", limit=LONGEST_NAME)
        if not tool:
            raise UsageError("the hook's payload has no tool_name")
        foreign = re.fullmatch(self.client.mcp_name, tool)
        return tool if foreign is None else "__".join(("mcp", *foreign.groups()))

    def _input(self, *names: str) -> dict[str, object]:
        match next((self.values[name] for name in names if name in self.values), None):
            case None:
                return {}
            case dict() as given:
                return given
            case str() as given:
                return _read_arguments(given)
        raise UsageError("tool_input in the hook's payload is not an object")

    def _answer(self, call: _Told) -> _Told:
        """Read the result of a call."""
        given = self._given()
        failed = self.kind is HookKind.TOOL_FAILED
        match given:
            case dict() if given.get("isError") or given.get("error"):
                failed = True
        return call.changed(
            kind=HookKind.TOOL_FAILED if failed else HookKind.TOOL_DONE,
            output=as_text(given),
            exit_status=self._exit_status(given, failed=failed),
            unfinished=is_unfinished(given),
        )

    def _given(self) -> object:
        paths = (path.partition(".") for path in self.keys.output)
        name, _, inner = next((path for path in paths if path[0] in self.values), ("", "", ""))
        match self.values.get(name):
            case dict() as value if inner:
                return value.get(inner)
            case value:
                return value

    def _exit_status(self, given: object, *, failed: bool) -> int | None:
        """Return how a command ended: the client's status, or by the kind of event."""
        line = re.search(self.client.exit_line, as_text(given)) if self.client.exit_line else None
        stated = (
            exit_status_of({"exit_code": self.values.get("exit_code")}, failed=failed),
            exit_status_of(given, failed=failed),
            None if line is None else int(line[1]),
            0 if self.client.tells_failures and not failed and ended_well(given) else None,
        )
        return next((status for status in stated if status is not None), None)

    def _milliseconds(self) -> int | None:
        match self.values.get("duration_ms", self.values.get("duration")):
            case bool():
                return None
            case int() | float() as value if 0 <= value < 1e12:
                return int(value)
        return None

    def _is_unique(self, kind: HookKind) -> bool:
        """Return whether the key is unique: made of a call, a prompt or a time."""
        names = {**dict.fromkeys(TOOL_KINDS, self.call), HookKind.PROMPT: self.turn}
        return kind in names and bool(names[kind] or self._moment())

    def _moment(self) -> object:
        value = self.values.get("timestamp")
        return value if type(value) in (str, int) else None

    def _key(self, session: str, told: _Told) -> str:
        """Return a key for this delivery that is the same for every hook that reports it."""
        parts: list[object] = [session, str(told.kind)]
        if told.kind in TOOL_KINDS and self.call:
            return _digest([*parts, self.call])
        why = [self._text(name) for name in ("source", "trigger", "reason")]
        parts += [self.turn or None, self._identity("agent_id"), told.prompt, told.tool]
        moment = [] if self.turn else [self._moment()]
        return _digest([*parts, dict(told.input), told.output, *why, *moment])


def _read_arguments(text: str) -> dict[str, object]:
    try:
        return read_arguments(text)
    except UsageError as error:
        raise UsageError(f"tool_input in the hook's payload is {error.what}") from error


def _digest(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()[:32]
