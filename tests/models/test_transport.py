"""Requests over HTTP: addresses, refusals, and servers that are slow, endless or odd."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from dmm.errors import ConfigError, ModelFailed
from dmm.models import transport
from dmm.models.transport import Address, read_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.models.conftest import AnthropicRig, OpenAIRig
    from tests.models.scripted import Server

    Web = AnthropicRig | OpenAIRig
    Respond = Callable[..., bytes]

PROPER = "write it like https://HOST/PATH or http://127.0.0.1:PORT/PATH"


def refusal(web: Web, deadline: float = 30.0) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        web.model.complete("system", "user", max_tokens=5, deadline=deadline)
    return caught.value


def join_calls() -> None:
    for thread in threading.enumerate():
        if thread.name == "dmm-model":
            thread.join(10)
            assert not thread.is_alive()


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://api.example.com", Address(True, "api.example.com", 443, "")),
        ("https://api.example.com:8443/v1/", Address(True, "api.example.com", 8443, "/v1")),
        ("http://127.0.0.1:11434/v1", Address(False, "127.0.0.1", 11434, "/v1")),
        ("http://localhost/v1", Address(False, "localhost", 80, "/v1")),
        ("http://[::1]:9/x", Address(False, "::1", 9, "/x")),
    ],
)
def test_addresses_that_may_be_used(url: str, address: Address) -> None:
    assert read_address(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "", "example.com", "ftp://example.com", "https://", "https://user:pw@example.com",
        "https://example.com?key=1", "https://example.com/#a", "https://example.com:99999",
        "https://exa mple.com", "https://example.com/\r\nX: y", "https://[::1", "https://\u2024.com",
        "file:///etc/passwd",
    ],
)  # fmt: skip
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_address(url)
    assert (caught.value.where, caught.value.hint) == ("model.base_url", PROPER)


@pytest.mark.parametrize(
    "url",
    ["http://example.com", "http://10.0.0.1/v1", "http://127.0.0.1.example.com", "http://0.0.0.0"],
)
def test_a_key_never_crosses_the_network_in_plain(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_address(url)
    assert caught.value.what == (
        "must begin with https://, or with http:// for a server on this machine"
    )


@pytest.mark.parametrize(
    ("status", "told", "hint"),
    [
        (
            "401 Unauthorized",
            "HTTP 401: the key is refused",
            "check the key in the variable named by model.api_key_env",
        ),
        (
            "403 Forbidden",
            "HTTP 403: the key is refused",
            "check the key in the variable named by model.api_key_env",
        ),
        ("404 Not Found", "HTTP 404: sk-n...789", "check model.name and model.base_url"),
        ("429 Too Many Requests", "HTTP 429: sk-n...789", "try again later"),
        ("500 Internal Server Error", "HTTP 500: sk-n...789", "try again later"),
        ("529 Overloaded", "HTTP 529: sk-n...789", "try again later"),
    ],
)
def test_refusals_say_what_to_do(web: Web, status: str, told: str, hint: str) -> None:
    web.server.say({"error": {"message": "sk-n...789"}}, status, Retry_After="0")
    error = refusal(web)
    assert (error.fault, error.what, error.hint) == ("refused", told, hint)
    assert error.where == f"127.0.0.1:{web.server.port}"
    assert len(web.server.asked) == (3 if hint == "try again later" else 1)


@pytest.mark.parametrize("status", ["429 Too Many Requests", "500 Oops", "503 Busy", "529 Busy"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_server_that_is_busy_for_a_moment_is_asked_again(
    web: Web, respond: Respond, status: str, times: int
) -> None:
    web.say("yes")
    answer = web.server.pieces
    busy = respond(b"{}", status, Retry_After="0")
    web.server.pieces = lambda asked: (
        answer(asked) if len(web.server.asked) > times else iter([busy])
    )
    found = web.model.complete("system", "user", max_tokens=5, deadline=30)
    assert (found.text, found.input_tokens, found.output_tokens) == ("yes", 11, 7)
    first, *others = web.server.asked
    assert [one.body for one in others] == [first.body] * times


@pytest.mark.parametrize(
    "wait",
    [
        *("", "soon", "-1", "1e3", "Mon, 99 Nov 2026 10:00:00 GMT"),
        f"Mon, 01 Nov {'9' * 20} 10:00:00 GMT",
        f"Mon, 01 Nov 2026 {'9' * 20}:00:00 GMT",
        f"Mon, 01 Nov 2026 10:00:00 +{'9' * 20}",
    ],
)
def test_without_a_word_of_the_server_the_pauses_are_the_usual_ones(
    web: Web, monkeypatch: pytest.MonkeyPatch, wait: str
) -> None:
    monkeypatch.setattr(transport, "PAUSES", (0.05, 0.1))
    web.server.say({}, "503 Busy", Retry_After=wait)
    began = time.monotonic()
    assert refusal(web).what == "HTTP 503"
    assert time.monotonic() - began >= 0.15
    assert len(web.server.asked) == 3


@pytest.mark.parametrize("wait", ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
def test_a_server_may_name_a_time_of_day(web: Web, wait: str) -> None:
    web.server.say({}, "429 Too Many Requests", Retry_After=wait)
    assert refusal(web).what == "HTTP 429"
    assert len(web.server.asked) == 3


@pytest.mark.parametrize(
    ("wait", "deadline"),
    [("11", 60.0), ("9" * 4_000, 60.0), ("Fri, 31 Dec 2999 23:59:59 GMT", 60.0), ("2", 3.0)],
)
def test_a_server_that_wants_to_be_left_alone_for_long_is(
    web: Web, wait: str, deadline: float
) -> None:
    web.server.say({}, "429 Too Many Requests", Retry_After=wait)
    error = refusal(web, deadline)
    assert (error.fault, error.hint) == ("refused", "try again later")
    assert len(web.server.asked) == 1


def test_a_second_try_has_only_what_is_left_of_the_deadline(web: Web, respond: Respond) -> None:
    web.stall()
    stalled = web.server.pieces
    busy = respond(b"{}", "503 Busy", Retry_After="0")
    web.server.pieces = lambda asked: stalled(asked) if len(web.server.asked) > 1 else iter([busy])
    error = refusal(web, deadline=0.5)
    assert (error.fault, error.what) == ("late", "no answer within 0.5 s")
    assert len(web.server.asked) == 2
    join_calls()


@pytest.mark.parametrize(
    "body", [b"<html>Bad gateway</html>", b'"down"', b'{"error": 3}', b'{"error": {}}', b""]
)
def test_a_refusal_without_a_message_is_told_by_its_number(web: Web, body: bytes) -> None:
    web.server.say(body, "502 Bad Gateway", Retry_After="0")
    assert refusal(web).what == "HTTP 502"


def test_a_refusal_may_be_told_in_a_bare_text(web: Web) -> None:
    web.server.say({"error": "model not loaded"}, "503 Service Unavailable", Retry_After="0")
    assert refusal(web).what == "HTTP 503: model not loaded"


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_not_followed(web: Web, status: str) -> None:
    web.server.say({}, status, Location=f"{web.server.url}/elsewhere")
    error = refusal(web)
    assert error.fault == "malformed"
    assert error.what == f"HTTP {status[:3]}: it redirects, which is not followed"
    assert len(web.server.asked) == 1


def test_an_answer_that_ends_before_its_announced_length_is_malformed(
    web: Web, respond: Respond
) -> None:
    web.server.pieces = lambda _: [respond(b"{}", Content_Length="20")]
    error = refusal(web)
    assert (error.fault, error.what) == ("malformed", "the answer was cut off")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 two OK\r\n\r\n",
    ],
    ids=["nothing", "ssh", "bad chunk", "cut chunk", "many headers", "long header", "status"],
)
def test_what_is_not_http_is_no_answer(web: Web, data: bytes) -> None:
    web.server.pieces = lambda _: [data]
    assert refusal(web).fault in ("malformed", "unreachable")


def test_an_encoded_answer_is_not_unpacked(web: Web, respond: Respond) -> None:
    web.server.pieces = lambda _: [respond(b"\x1f\x8b", Content_Encoding="gzip")]
    assert refusal(web).what == "the answer is encoded, which was not asked for"


def test_headers_that_trickle_end_at_the_deadline_and_so_does_the_connection(web: Web) -> None:
    web.server.pause = 0.02
    web.server.pieces = lambda _: iter([b"HTTP/1.1 200 OK\r\n", *[b"X"] * 10_000])
    assert refusal(web, deadline=0.3).fault == "late"
    assert web.server.hung_up.wait(10)


def test_nothing_is_left_of_a_call_that_was_late(web: Web) -> None:
    web.stall()
    assert refusal(web, deadline=0.2).fault == "late"
    join_calls()


def test_a_server_that_hides_behind_endless_continues_is_late(web: Web) -> None:
    web.server.pause = 0.01
    web.server.pieces = lambda _: iter([b"HTTP/1.1 100 Continue\r\n\r\n"] * 10_000)
    assert refusal(web, deadline=0.3).fault == "late"


def test_a_server_without_tls_gets_no_key(server: Server) -> None:
    from dmm.models.anthropic import AnthropicModel

    model = AnthropicModel(Address(True, "127.0.0.1", server.port, ""), "m", "sk-key")
    with pytest.raises(ModelFailed) as caught:
        model.complete("system", "user", max_tokens=5, deadline=10)
    assert caught.value.fault == "unreachable"
    assert server.asked == []


def test_a_handshake_that_never_ends_is_late_and_broken_off() -> None:
    from dmm.models.openai import OpenAIModel

    # Nobody takes the connection; the system makes it all the same.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = Address(True, "127.0.0.1", silent.getsockname()[1], "")
        with pytest.raises(ModelFailed) as caught:
            OpenAIModel(where, "m", "sk-key").complete("a", "b", max_tokens=5, deadline=0.3)
        assert caught.value.fault == "late"
        join_calls()


def test_a_name_that_leads_nowhere_is_unreachable() -> None:
    from dmm.models.openai import OpenAIModel

    model = OpenAIModel(Address(True, "no-such-host.invalid", 443, "/v1"), "m", "sk-key")
    with pytest.raises(ModelFailed) as caught:
        model.complete("system", "user", max_tokens=5, deadline=30)
    assert caught.value.fault in ("late", "unreachable")
    assert caught.value.where == "no-such-host.invalid:443"


def test_headers_and_paths_are_those_of_the_providers(
    anthropic: AnthropicRig, respond: Respond
) -> None:
    anthropic.say("yes")
    anthropic.model.complete("system", "user", max_tokens=5, deadline=30)
    (asked,) = anthropic.server.asked
    assert asked.line == "POST /v1/messages HTTP/1.1"
    assert asked.headers["x-api-key"] == "sk-not-a-key-0123456789"
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in asked.headers
    assert set(asked.body) == {"model", "max_tokens", "system", "messages"}


def test_the_key_of_an_openai_endpoint_is_a_bearer(openai: OpenAIRig) -> None:
    openai.say("yes")
    openai.model.complete("system", "user", max_tokens=5, deadline=30)
    (asked,) = openai.server.asked
    assert asked.line == "POST /v1/chat/completions HTTP/1.1"
    assert asked.headers["authorization"] == "Bearer sk-not-a-key-0123456789"
    assert asked.headers["host"] == f"127.0.0.1:{openai.server.port}"
    assert set(asked.body) == {"model", "max_tokens", "messages", "stream"}


def test_a_message_without_text_is_an_empty_answer(openai: OpenAIRig) -> None:
    message = {"role": "assistant", "content": None, "refusal": "I can't."}
    openai.server.say({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert openai.model.complete("system", "user", max_tokens=5, deadline=30).text == ""


def test_counts_that_make_no_sense_are_not_believed(anthropic: AnthropicRig) -> None:
    usage = {"input_tokens": -5, "output_tokens": True}
    anthropic.server.say({"type": "message", "content": [7, {"type": "text"}], "usage": usage})
    found = anthropic.model.complete("sys", "user", max_tokens=5, deadline=30)
    assert (found.text, found.input_tokens, found.output_tokens) == ("", 3, 0)
    assert found.estimated
