"""Model calls over HTTP: JSON, one deadline, a bounded answer."""

from __future__ import annotations

import contextlib
import datetime as dt
import email.utils
import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dmm.errors import ConfigError, ModelFailed
from dmm.models.port import malformed, quote_remark

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST_ANSWER = 2 * 1024 * 1024
PIECE = 64 * 1024
_OK, _REDIRECTS, _KEY_REFUSED, _TOO_MANY = 200, range(300, 400), (401, 403), 429
_SERVER_FAULTS = range(500, 600)
# A server that is busy is asked again after these seconds, or after those that it names.
PAUSES = (0.5, 1.5)
LONGEST_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where a model is served: https anywhere, plain http on this machine alone."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return _is_loopback(self.host)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def read_address(url: str, *, where: str = "model.base_url") -> Address:
    """Read the address that a configuration names; ConfigError where it may not be used."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ConfigError("not a usable address", where=where, hint=_EXAMPLE) from error
    odd = parts.username is not None or parts.query or parts.fragment or not url.isascii()
    if not host or odd or not url.isprintable() or " " in url:
        raise ConfigError("not a usable address", where=where, hint=_EXAMPLE)
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        what = "must begin with https://, or with http:// for a server on this machine"
        raise ConfigError(what, where=where, hint=_EXAMPLE)
    secure = parts.scheme == "https"
    return Address(secure, host, port or (443 if secure else 80), parts.path.rstrip("/"))


_EXAMPLE = "write it like https://HOST/PATH or http://127.0.0.1:PORT/PATH"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent; `secret` is the key within the headers, which no message may repeat."""

    address: Address
    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any] = field(repr=False)
    secret: str = field(default="", repr=False)


def post(request: Request, deadline: float) -> object:
    """Send a request and read the JSON object of its answer, all within `deadline` seconds.

    A server that is busy or broken for the moment is asked again, as often as `PAUSES` has it.
    """
    end = time.monotonic() + deadline
    exchange = _ask(request, deadline, deadline)
    for usual in PAUSES:
        pause, left = exchange.pause(usual), end - time.monotonic()
        # If a retry would come too late, the present fault is reported.
        if pause is None or pause > left / 2:
            break
        # As long as the server asks for, within the deadline.
        time.sleep(pause)
        exchange = _ask(request, deadline, left - pause)
    return _read_object(request, exchange)


def _ask(request: Request, deadline: float, left: float) -> _Exchange:
    """Send a request once, within the seconds that are left of the deadline."""
    exchange = _Exchange(request, deadline, left)
    # A thread of its own: neither a slow name server nor an answer byte by byte can hold the
    # caller beyond the deadline.
    threading.Thread(target=exchange.run, name="dmm-model", daemon=True).start()
    if not exchange.done.wait(left):
        exchange.break_off()
        raise _late(request, deadline)
    if exchange.failure is not None:
        raise exchange.failure
    return exchange


def _late(request: Request, deadline: float) -> ModelFailed:
    hint = "try again, or raise model.timeout_ms"
    what = f"no answer within {deadline:g} s"
    return ModelFailed("late", what, where=str(request.address), hint=hint)


class _SecureConnection(http.client.HTTPSConnection):
    """A TLS connection whose socket can be shut from outside while it still shakes hands."""

    def __init__(self, host: str, port: int, *, timeout: float) -> None:
        self._own = ssl.create_default_context()
        super().__init__(host, port, timeout=timeout, context=self._own)

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        self.sock = self._own.wrap_socket(
            self.sock, server_hostname=self.host, do_handshake_on_connect=False
        )
        self.sock.do_handshake()


class _Exchange:
    """A request on its way, in a thread; what it leaves behind is read when `done` is set."""

    def __init__(self, request: Request, deadline: float, left: float) -> None:
        self.done = threading.Event()
        self.failure: ModelFailed | None = None
        self.status = 0
        self.data = b""
        self._wait = ""
        self._request = request
        self._deadline = deadline
        self._given_up = False
        where = request.address
        kind = _SecureConnection if where.secure else http.client.HTTPConnection
        self._connection = kind(where.host, where.port, timeout=left)

    def pause(self, usual: float) -> float | None:
        """Return how long to wait before it is tried again; None where that would not help."""
        if self.status != _TOO_MANY and self.status not in _SERVER_FAULTS:
            return None
        wanted = _seconds(self._wait)
        if wanted is None:
            return usual
        return wanted if wanted <= LONGEST_PAUSE else None

    def run(self) -> None:
        """Run the exchange."""
        try:
            self._go()
        except TimeoutError:
            self.failure = _late(self._request, self._deadline)
        except ssl.SSLError as error:
            self.failure = self._unreachable(f"no secure connection: {error.reason or error}")
        except (http.client.HTTPException, ValueError) as error:
            self.failure = self._malformed(f"not a proper HTTP answer: {type(error).__name__}")
        except OSError as error:
            self.failure = self._unreachable(f"not reachable: {error.strerror or error}")
        finally:
            self._connection.close()
            self.done.set()

    def break_off(self) -> None:
        """Shut the connection, so that whatever waits for it goes on and ends."""
        self._given_up = True
        held = self._connection.sock
        if held is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(held, socket.SHUT_RDWR)

    def _go(self) -> None:
        request = self._request
        body = json.dumps(request.body).encode()
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "dmm",
            **request.headers,
        }
        path = request.address.path + request.path
        self._connection.connect()
        if self._given_up:
            return
        self._connection.request("POST", path, body=body, headers=headers)
        with self._connection.getresponse() as answer:
            if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
                self.failure = self._malformed("the answer is encoded, which was not asked for")
                return
            self.status = answer.status
            self._wait = answer.headers.get("Retry-After", "").strip()
            self._read(answer)

    def _read(self, answer: http.client.HTTPResponse) -> None:
        pieces, size = [], 0
        while piece := answer.read1(PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > LARGEST_ANSWER:
                self.failure = self._malformed(f"the answer is larger than {LARGEST_ANSWER} bytes")
                return
        # What is left of an announced length, where the connection ended before.
        if answer.length:
            self.failure = self._malformed("the answer was cut off")
        self.data = b"".join(pieces)

    def _malformed(self, what: str) -> ModelFailed:
        return malformed(what, str(self._request.address))

    def _unreachable(self, what: str) -> ModelFailed:
        hint = "check model.base_url and the network"
        return ModelFailed("unreachable", what, where=str(self._request.address), hint=hint)


def _seconds(told: str) -> float | None:
    """Read how long a server wants to be left alone: seconds, or a date."""
    if told.isascii() and told.isdecimal():
        return float(told)
    try:
        until = email.utils.parsedate_to_datetime(told)
    except (ValueError, OverflowError):
        return None
    # A date without a zone is one of Greenwich, as all dates of HTTP are.
    until = until if until.tzinfo else until.replace(tzinfo=dt.UTC)
    return max(0.0, (until - dt.datetime.now(dt.UTC)).total_seconds())


def _read_object(request: Request, exchange: _Exchange) -> object:
    if exchange.status != _OK:
        raise _refusal(request, exchange.status, exchange.data)
    try:
        found = json.loads(exchange.data)
    except (ValueError, RecursionError) as error:
        raise malformed("the answer is not JSON", str(request.address)) from error
    if not isinstance(found, dict):
        raise malformed("the answer is not a JSON object", str(request.address))
    return found


def _refusal(request: Request, status: int, data: bytes) -> ModelFailed:
    where = str(request.address)
    if status in _REDIRECTS:
        return malformed(f"HTTP {status}: it redirects, which is not followed", where)
    if status in _KEY_REFUSED:
        # The answer is not quoted: some repeat a part of the key.
        hint = "check the key in the variable named by model.api_key_env"
        return ModelFailed("refused", f"HTTP {status}: the key is refused", where=where, hint=hint)
    remark = quote_remark(_error_message(data), request.secret)
    what = f"HTTP {status}" + (f": {remark}" if remark else "")
    if status == _TOO_MANY or status in _SERVER_FAULTS:
        return ModelFailed("refused", what, where=where, hint="try again later")
    return ModelFailed("refused", what, where=where, hint="check model.name and model.base_url")


def _error_message(data: bytes) -> object:
    """Find the message of an error, which providers tell in one of two forms."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    error = found.get("error") if isinstance(found, dict) else None
    return error.get("message") if isinstance(error, dict) else error
