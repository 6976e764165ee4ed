"""A trial run of configured commands: as a client runs them, in a project that is not the user's.

The trial has a background process, a state and a run folder of its own; nothing of it is left.
"""

from __future__ import annotations

import contextlib
import http
import http.client
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dmm.clients.base import Answer
from dmm.clients.registry import find_client
from dmm.endpoint import ABOUT
from dmm.errors import DaemonError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.clients.base import Client, Kind

PATIENCE = 15.0
# Another process is waited for, and the system has no way to be told of it: look again, briefly.
PAUSE = 0.05
TOLD_WITHIN = 5.0
_ASK = "import sys; from dmm import endpoint; sys.exit(not endpoint.connect_and_close())"
_START = "from dmm import endpoint; endpoint.start(['--idle', '60'], again=True)"
_STOP = """
import time
from dmm import endpoint
endpoint.call("stop", {}, timeout=5.0)
deadline = time.monotonic() + 10
while endpoint.is_running() and time.monotonic() < deadline:
    time.sleep(0.02)
"""

_HTTP_WAY = "see why: dmm daemon logs; to restart it: dmm daemon stop, then dmm daemon start"

# The exit status by which a hook blocks a call, with the reason on standard error.
BLOCKED = 2
# Keys under which clients are told a decision.
_DECISIONS = ("permissionDecision", "decision", "permission")
_REFUSED = Answer("", "tool_request", "deny", "no")


@dataclass(frozen=True, slots=True)
class Trial:
    """A project to try commands in, and the environment that keeps the trial to itself."""

    project: Path
    environment: Mapping[str, str]

    @contextlib.contextmanager
    def background(self) -> Iterator[None]:
        """Run the daemon of this trial during the block."""
        self._python(_START)
        try:
            deadline = time.monotonic() + PATIENCE
            while self._python(_ASK):
                if time.monotonic() > deadline:
                    hint = "see what it says with: dmm daemon run"
                    raise DaemonError("the daemon does not start", hint=hint)
                time.sleep(PAUSE)
            yield
        finally:
            self._python(_STOP)

    def begin(self, line: str, client: str) -> str:
        """Run a hook as at the beginning of a session; give what it prints."""
        return self._hook(line, find_client(client), "session_start", {"source": "startup"})

    def request(self, line: str, client: str, command: str, number: int) -> str:
        """Run a hook as before a shell command; give what it prints."""
        known = find_client(client)
        given = {"command": command, "description": "a trial of dmm doctor"}
        asked = {
            "tool_name": known.shell_tool,
            "tool_input": given,
            "tool_use_id": f"trial_{number}",
        }
        return self._hook(line, known, "tool_request", asked, given)

    def greet(self, line: str) -> str:
        """Start a configured server and say hello to it; give the name it answers with."""
        about = {"protocolVersion": "2025-06-18", "capabilities": {}}
        about |= {"clientInfo": {"name": "dmm-doctor", "version": "1"}}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
        with self._started(line) as process:
            return _name(_first_line(process, json.dumps(hello) + "\n"))

    def ask_http(self) -> int:
        """Ask the background process of this trial over HTTP; give its port."""
        return ask_http(Path(self.environment["DMM_RUN_DIR"]), patience=TOLD_WITHIN)

    def finds(self, program: str) -> bool:
        """Return whether a program is on the PATH."""
        return shutil.which(program, path=self.environment.get("PATH", "")) is not None

    def _hook(
        self,
        line: str,
        client: Client,
        kind: Kind,
        told: Mapping[str, Any],
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> str:
        # A session that begins twice is told only once; every command has one of its own.
        name = f"dmm-doctor-{zlib.crc32(line.encode()):08x}"
        keys, event = client.keys, client.names_of(kind)[0]
        values = {keys.event[0]: event, keys.session[0]: name, "cwd": str(self.project)}
        payload = {**values, "transcript_path": "", **told}
        call = client.calls.get(event)
        if call is not None:
            inner = {key: given[argument] for key, argument in call.arguments.items()}
            payload |= {keys.inside: inner} if keys.inside else inner
        with self._started(line) as process:
            try:
                said, faults = process.communicate(json.dumps(payload), PATIENCE)
            except subprocess.TimeoutExpired:
                raise UsageError(f"it gave no answer within {PATIENCE:.0f} s") from None
        if process.returncode == BLOCKED and isinstance(client.answer(_REFUSED), str):
            return json.dumps({"deny": faults.strip()})
        if process.returncode:
            last = " ".join(faults.strip().splitlines()[-1:])
            raise UsageError(f"it exited with status {process.returncode}: {last}")
        return said

    @contextlib.contextmanager
    def _started(self, line: str) -> Iterator[subprocess.Popen[str]]:
        """Run a line as a client does; at the end nothing of it is left running."""
        process = subprocess.Popen(  # noqa: S602 - the line that the client would run, for its user
            line,
            shell=True,
            cwd=self.project,
            env=dict(self.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        try:
            yield process
        finally:
            _end(process)
            process.communicate()

    def _python(self, script: str) -> int:
        line = [sys.executable, "-c", script]
        return subprocess.run(  # noqa: S603 - this Python and a fixed script
            line, env=dict(self.environment), capture_output=True, timeout=60, check=False
        ).returncode


def ask_http(folder: Path, *, patience: float = 0.0) -> int:
    """Ask the background process of a run folder for its health over HTTP; give its port.

    One that has just begun tells its port a little later; with patience it is waited for.
    """
    port, token = _door(folder, patience)
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        link.request("GET", "/v1/health", headers={"Authorization": f"Bearer {token}"})
        status = link.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        told = f"nothing answers on port {port}: {error or type(error).__name__}"
        raise DaemonError(told, hint=_HTTP_WAY) from error
    finally:
        link.close()
    if status != http.HTTPStatus.OK:
        raise DaemonError(f"port {port} answers with status {status}", hint=_HTTP_WAY)
    return port


def _door(folder: Path, patience: float) -> tuple[int, str]:
    """Read the port and the token."""
    deadline = time.monotonic() + patience
    while True:
        try:
            about = json.loads((folder / ABOUT).read_text("utf-8"))
            return int(about["port"]), str(about["token"])
        except (OSError, ValueError, KeyError, TypeError):
            if time.monotonic() >= deadline:
                raise DaemonError("the daemon reports no port", hint=_HTTP_WAY) from None
        time.sleep(PAUSE)


def _end(process: subprocess.Popen[str]) -> None:
    """Kill the shell and its children: a hanging one would keep the pipes open."""
    if sys.platform == "win32":  # pragma: no cover - there are no groups of processes there
        process.kill()
    else:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def decision_of(answer: str) -> str | None:
    """Read the decision out of what a hook printed, in any client's form."""
    try:
        found = json.loads(answer)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    if isinstance(found.get("deny"), str):
        return "deny"
    inner = found.get("hookSpecificOutput")
    for told in (inner if isinstance(inner, dict) else {}, found):
        for key in _DECISIONS:
            if isinstance(told.get(key), str):
                return str(told[key])
    return None


def _first_line(process: subprocess.Popen[str], request: str) -> str:
    """Send a message and return one line of the answer, empty on silence."""
    said, heard = process.stdin, process.stdout
    if said is None or heard is None:
        return ""
    try:
        said.write(request)
        said.flush()
    except OSError:
        return ""
    waiting = selectors.DefaultSelector()
    waiting.register(heard, selectors.EVENT_READ)
    return heard.readline() if waiting.select(PATIENCE) else ""


def _name(line: str) -> str:
    try:
        about = json.loads(line)["result"]["serverInfo"]
        return f"{about['name']} {about['version']}"
    except (ValueError, KeyError, TypeError):
        raise UsageError("it does not answer as an MCP server") from None
