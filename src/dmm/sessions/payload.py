"""Parse hook payloads of all clients into one form."""

from __future__ import annotations

import hashlib
import json
import math
import re
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dmm.clients.registry import all_clients, find_client
from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.redaction.identity import keep_identity
from dmm.sessions.outputs import as_text, exit_status_of, is_unfinished

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.clients.base import Client

LARGEST = 16 * 1024 * 1024
DEEPEST = 32
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
    call_id: str | None = None
    source: str = ""
    reason: str = ""
    agent: str | None = None
    speaker: str = ""
    turn: str | None = None
    milliseconds: int | None = None
    exit_status: int | None = None
    unfinished: bool = False


def parse_payload(client: str, data: bytes) -> HookEvent:
    """Read what a hook was given; it comes from a process that is not trusted."""
    return _Reading(find_client(client), _read(data)).event()


def name_request(client: str, data: bytes) -> str | None:
    """Name the tool request that a payload says it is, without reading it as a whole."""
    known = find_client(client)
    keys = "|".join(map(re.escape, known.keys.event))
    found = re.findall(rf'"(?:{keys})"\s*:\s*"(\w{{1,40}})"'.encode(), data)
    names = (name.decode("ascii", "replace") for name in found)
    return next((one for one in names if _KINDS.get(one.lower()) is HookKind.TOOL_REQUEST), None)


def _read(data: bytes) -> dict[str, Any]:
    if len(data) > LARGEST:
        raise UsageError(f"the hook's payload is larger than {LARGEST // 1024 // 1024} MiB")
    try:
        values = json.loads(data.decode("utf-8"), parse_constant=lambda _: None)
    except UnicodeDecodeError as error:
        raise UsageError("the hook's payload is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise UsageError("the hook's payload is not JSON") from error
    if not isinstance(values, dict):
        raise UsageError("the hook's payload is not a JSON object")
    return {key: plain(value, 1) for key, value in values.items()}


def plain(value: Any, depth: int) -> Any:
    """Copy plain data, without what canonical JSON or UTF-8 can't hold."""
    if depth > DEEPEST:
        raise UsageError(f"the hook's payload is nested deeper than {DEEPEST} levels")
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {plain(key, depth): plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one, depth + 1) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


class _Reading:
    """Reads the values of one payload, by any of the names that clients give them."""

    def __init__(self, client: Client, values: dict[str, Any]) -> None:
        self.client = client
        self.keys = client.keys
        inner = values.get(client.keys.inside) if client.keys.inside else None
        self.values = {**values, **inner} if isinstance(inner, dict) else values
        self._identities: dict[tuple[str, ...], str] = {}
        self.name = self._text(*self.keys.event, limit=LONGEST_NAME)
        self.kind = _KINDS.get(self.name.lower(), HookKind.OTHER)

    def event(self) -> HookEvent:
        session = self._identity(*self.keys.session)
        if not self.name or not session:
            missing = (self.keys.session if self.name else self.keys.event)[0]
            raise UsageError(f"the hook's payload has no {missing}")
        prompt = self._prompt()
        if prompt.lstrip().startswith(_NOTICE):
            self.kind = HookKind.OTHER
        if self.kind is HookKind.OTHER:
            return HookEvent(
                self.client.name, self.kind, self.name, session, self._folder(),
                self._key(session, "", "", {}, ""), turn=self._turn(),
            )  # fmt: skip
        tool, given = self._call()
        output = self._output()
        return HookEvent(
            client=self.client.name,
            kind=self.kind,
            event=self.name,
            session=session,
            cwd=self._folder(),
            key=self._key(session, prompt, tool, given, output),
            unique=self._is_unique(),
            prompt=prompt,
            tool=tool,
            input=given,
            output=output,
            call_id=self._call_id(),
            source=self._text("source", "trigger", limit=LONGEST_NAME),
            reason=self._text("reason", "status", limit=LONGEST_NAME),
            agent=self._identity(*self.keys.agent) or None,
            turn=self._turn(),
            milliseconds=self._milliseconds(),
            exit_status=self._exit_status(),
            unfinished=self._done and is_unfinished(self._given()),
        )

    def _text(self, *names: str, limit: int = LARGEST) -> str:
        for name in names:
            value = self.values.get(name)
            if value is None:
                continue
            if not isinstance(value, str):
                raise UsageError(f"{name} in the hook's payload is not text")
            if len(value) > limit:
                raise UsageError(f"{name} in the hook's payload is longer than {limit} characters")
            return value
        return ""

    def _identity(self, *names: str) -> str:
        if names not in self._identities:
            self._identities[names] = keep_identity(self._text(*names, limit=LONGEST_NAME))
        return self._identities[names]

    def _folder(self) -> str:
        roots = self.values.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else None
        folder = self._text("cwd", limit=LONGEST_PATH)
        return folder or (first if isinstance(first, str) else "")

    def _prompt(self) -> str:
        if self.kind is not HookKind.PROMPT:
            return ""
        prompt = self._text(*self.keys.prompt)
        if self.client.context_marks is not None:
            start, end = self.client.context_marks
            while prompt.startswith(start) and end in prompt:
                prompt = prompt.partition(end)[2].lstrip()
        return prompt

    def _call(self) -> tuple[str, dict[str, object]]:
        if self.kind not in TOOL_KINDS:
            return "", {}
        own = _CALLS.get(self.name.lower())
        if own is not None and own.server:
            parts = (self._text(key, limit=LONGEST_NAME) for key in (own.server, own.name))
            return "__".join(("mcp", *parts)), self._input(own.within)
        if own is not None:
            told = own.arguments.items()
            return own.tool, {to: self.values[key] for key, to in told if key in self.values}
        tool = self._text("tool_name", "toolName", limit=LONGEST_NAME)
        if not tool:
            raise UsageError("the hook's payload has no tool_name")
        foreign = re.fullmatch(self.client.mcp_name, tool) if self.client.mcp_name else None
        if foreign is not None:
            tool = "__".join(("mcp", *foreign.groups()))
        return tool, self._input("tool_input", "toolArgs")

    def _input(self, *names: str) -> dict[str, object]:
        given = next((self.values[name] for name in names if name in self.values), None)
        if given is None:
            return {}
        if isinstance(given, str):
            inner = _parsed(given)
            return inner if inner is not None else {"input": given}
        if not isinstance(given, dict):
            raise UsageError("tool_input in the hook's payload is not an object")
        return given

    @property
    def _done(self) -> bool:
        return self.kind in (HookKind.TOOL_DONE, HookKind.TOOL_FAILED)

    def _given(self) -> Any:
        for path in self.keys.output:
            name, _, inner = path.partition(".")
            if name in self.values:
                value = self.values[name]
                return value.get(inner) if inner and isinstance(value, dict) else value
        return None

    def _exit_status(self) -> int | None:
        """Read how a command ended: as the client says, or by the kind of event it sends."""
        if not self._done:
            return None
        given, failed = self._given(), self.kind is HookKind.TOOL_FAILED
        told = exit_status_of({"exit_code": self.values.get("exit_code")}, failed=failed)
        told = exit_status_of(given, failed=failed) if told is None else told
        if told is None and self.client.exit_line:
            found = re.search(self.client.exit_line, as_text(given))
            told = None if found is None else int(found[1])
        if told is not None or failed or not self.client.tells_failures:
            return told
        ended = isinstance(given, dict) and "stdout" in given and not is_unfinished(given)
        # A status that the client takes for no failure is told in words beside the output.
        return 0 if ended and not given.get("returnCodeInterpretation") else None

    def _output(self) -> str:
        if self._done:
            given = self._given()
            if isinstance(given, dict) and (given.get("isError") or given.get("error")):
                self.kind = HookKind.TOOL_FAILED
            return as_text(given)
        if self.kind in (HookKind.COMPACT_DONE, HookKind.TURN_END, HookKind.SUBAGENT_END):
            return self._text(*self.keys.message)
        return ""

    def _call_id(self) -> str | None:
        return self._identity(*self.keys.call) or None

    def _turn(self) -> str | None:
        return self._identity(*self.keys.turn) or None

    def _milliseconds(self) -> int | None:
        value = self.values.get("duration_ms", self.values.get("duration"))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return int(value) if 0 <= value < 1e12 else None

    def _is_unique(self) -> bool:
        """Return whether the key can't come again: a call, a prompt or a moment names it."""
        if self.kind in TOOL_KINDS:
            return self._call_id() is not None or self._moment() is not None
        return self.kind is HookKind.PROMPT and bool(self._turn() or self._moment())

    def _moment(self) -> str | int | None:
        value = self.values.get("timestamp")
        return value if isinstance(value, (str, int)) and not isinstance(value, bool) else None

    def _key(
        self, session: str, prompt: str, tool: str, given: Mapping[str, object], output: str
    ) -> str:
        """Name this delivery by what every hook that reports it must agree on."""
        parts: list[object] = [session, str(self.kind)]
        if self.kind is HookKind.OTHER:
            parts = [session, self.name, self.values]
        elif self.kind in TOOL_KINDS and (call := self._call_id()):
            parts.append(call)
        else:
            told = [self._text(name) for name in ("source", "trigger", "reason")]
            parts += [self._turn(), self._identity("agent_id"), prompt, tool, given, output, *told]
            if self._turn() is None:
                parts.append(self._moment())
        plain = json.dumps(parts, sort_keys=True).encode("ascii")
        return hashlib.sha256(plain).hexdigest()[:32]


def _parsed(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return plain(value, 1) if isinstance(value, dict) else None
