"""A model that says what a test wrote down: Anthropic Messages and OpenAI Responses, on loopback.

A script is a list of turns. A turn is a text, or a list of calls; a call is a pair of a pattern
for the tool's name and its input. Which turn comes next is read off the conversation in the
request, so a client may ask again as often as it likes.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Call = tuple[str, Mapping[str, object]]
Turn = str | Sequence[Call]
Event = tuple[str, dict[str, Any]]

TITLE = "A short title"
SUMMARY = "<analysis>short</analysis><summary>What was said, in one sentence.</summary>"
FINISHED = "The script is at its end."
_CALL_ID = re.compile(r"call_(\d+)_\d+$")


@dataclass(frozen=True, slots=True)
class Request:
    """One request of the client to the model."""

    path: str
    body: dict[str, Any]

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the client offers, also those in a namespace."""
        return [name for name, _ in _offered(self.body)]

    @property
    def text(self) -> str:
        """All texts of the request, one after another."""
        return "\n".join(_texts(self.body))


@dataclass(frozen=True, slots=True)
class Script:
    """What the model will say, and all that it was asked."""

    turns: Sequence[Turn]
    requests: list[Request] = field(default_factory=list)

    def next_turn(self, done: int) -> Turn:
        """Tell the turn after so many."""
        return self.turns[done] if done < len(self.turns) else FINISHED


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)


def _offered(body: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """List the tools of a request, each with what the answer must repeat of it."""
    found = [
        *(body.get("tools") or ()),
        *(tool for item in _items(body) for tool in item.get("tools") or ()),
    ]
    for tool in found:
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", ()):
                yield inner["name"], {"type": inner.get("type"), "namespace": tool.get("name")}
        else:
            yield tool.get("name") or tool.get("type", ""), {"type": tool.get("type")}


def _items(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = body.get("input")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _turns_done(call_ids: Sequence[str], texts: int) -> int:
    found = (_CALL_ID.search(one) for one in call_ids)
    return len({match[1] for match in found if match}) + texts


def _chosen(calls: Sequence[Call], body: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    offered = list(_offered(body))
    for pattern, given in calls:
        hits = [one for one in offered if re.search(pattern, one[0])]
        name, kind = hits[0] if hits else (pattern, {})
        yield name, kind, given


# Anthropic Messages


def _messages_turn(script: Script, body: Mapping[str, Any]) -> tuple[int, Turn]:
    if not body.get("tools"):
        return 0, TITLE
    if "detailed summary of the conversation" in "\n".join(_texts(body["messages"][-2:])):
        return 0, SUMMARY
    blocks = [
        block if isinstance(block, dict) else {"type": "text"}
        for message in body["messages"]
        if message["role"] == "assistant"
        for block in (message["content"] if isinstance(message["content"], list) else ["text"])
    ]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    texts = sum(block["type"] == "text" for block in blocks)
    done = _turns_done(calls, texts)
    return done, script.next_turn(done)


def _blocks(step: int, turn: Turn, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    if isinstance(turn, str):
        return [{"type": "text", "text": turn}]
    return [
        {"type": "tool_use", "id": f"call_{step}_{n}", "name": name, "input": given}
        for n, (name, _, given) in enumerate(_chosen(turn, body))
    ]


def _message(script: Script, body: Mapping[str, Any]) -> dict[str, Any]:
    step, turn = _messages_turn(script, body)
    return {
        "id": f"msg_{len(script.requests)}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": _blocks(step, turn, body),
        "stop_reason": "end_turn" if isinstance(turn, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }


def _message_events(message: dict[str, Any]) -> Iterator[Event]:
    empty: dict[str, Any] = {"content": [], "stop_reason": None}
    yield "message_start", {"message": message | empty}
    for index, block in enumerate(message["content"]):
        start: dict[str, Any] = {"text": ""} if block["type"] == "text" else {"input": {}}
        if block["type"] == "text":
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {"index": index, "content_block": block | start}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": end, "usage": {"output_tokens": 10}}
    yield "message_stop", {}


# OpenAI Responses


def _responses_turn(script: Script, body: Mapping[str, Any]) -> tuple[int, Turn]:
    if not body.get("tools"):
        return 0, TITLE
    items = _items(body)
    calls = [str(item.get("call_id", "")) for item in items]
    texts = sum(item.get("role") == "assistant" for item in items)
    done = _turns_done(calls, texts)
    return done, script.next_turn(done)


def _output(step: int, turn: Turn, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if isinstance(turn, str):
        said = [{"type": "output_text", "text": turn, "annotations": []}]
        yield {"type": "message", "id": f"msg_{step}", "role": "assistant", "content": said}
        return
    for n, (name, kind, given) in enumerate(_chosen(turn, body)):
        item = {"call_id": f"call_{step}_{n}", "id": f"item_{step}_{n}"}
        match kind.get("type"):
            case "custom":
                yield item | {"type": "custom_tool_call", "name": name, "input": given["input"]}
            case "tool_search":
                searched = {"type": "tool_search_call", "execution": "client"}
                yield item | searched | {"arguments": given}
            case _:
                place = {"namespace": kind["namespace"]} if kind.get("namespace") else {}
                called = {"type": "function_call", "name": name, "arguments": json.dumps(given)}
                yield item | called | place


def _response_events(script: Script, body: Mapping[str, Any]) -> Iterator[Event]:
    step, turn = _responses_turn(script, body)
    items = [item | {"status": "completed"} for item in _output(step, turn, body)]
    response = {"id": f"resp_{len(script.requests)}", "object": "response", "created_at": 0}
    response |= {"model": body.get("model")}
    yield "response.created", {"response": response | {"status": "in_progress", "output": []}}
    for index, item in enumerate(items):
        yield "response.output_item.added", {"output_index": index, "item": item}
        yield "response.output_item.done", {"output_index": index, "item": item}
    usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
    done = {"status": "completed", "output": items, "usage": usage}
    yield "response.completed", {"response": response | done}


class _Answers(BaseHTTPRequestHandler):
    """Answers the requests of one client."""

    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""

    def do_HEAD(self) -> None:
        self._send({})

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(data) if data else {}
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send({"input_tokens": len(data) // 4})
            return
        self.script.requests.append(Request(path, body))
        if path.endswith("/messages"):
            message = _message(self.script, body)
            if body.get("stream"):
                self._stream(_message_events(message))
            else:
                self._send(message)
        elif path.endswith("/responses"):
            self._stream(_response_events(self.script, body))
        else:
            self.send_error(404)

    def _send(self, told: Mapping[str, Any]) -> None:
        data = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: Iterator[Event]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, told in events:
            line = json.dumps({"type": name} | told)
            self.wfile.write(f"event: {name}\ndata: {line}\n\n".encode())


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in the middle is none of the test's business."""


@dataclass(slots=True)
class ScriptedModel:
    """Serves one script until it is closed."""

    script: Script
    _server: _Server = field(init=False)

    def __post_init__(self) -> None:
        answers = type("Answers", (_Answers,), {"script": self.script})
        self._server = _Server(("127.0.0.1", 0), answers)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        """Where the client finds the model."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
