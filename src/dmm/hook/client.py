"""One event of an agent, handed to the background process; never in the agent's way.

Whatever happens the exit status is 0 and nothing is printed but the answer: a hook that fails must
not stop the work. What nobody takes is redacted and kept for later.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself loads enum, for 4 ms
import os
import sys
import time

from dmm import endpoint
from dmm.hook import spool

LARGEST = 16 << 20
# Seconds for everything, below what agents give a hook.
LONGEST = 4.8
UNKEPT = b"u"
MEMORY = "/.dmm/memory"

# Seconds to wait for an answer, and for a process that has to be started first.
USUAL = (2.0, 0.0)
WAITS = {
    b"SessionStart": (4.0, 2.5),
    b"sessionStart": (4.0, 2.5),
    b"PreToolUse": (3.0, 2.5),
    b"preToolUse": (3.0, 2.5),
    b"BeforeTool": (3.0, 2.5),
    b"UserPromptSubmit": (2.0, 0.0),
    b"SessionEnd": (1.0, 0.0),
}


USE = b"""usage: dmm-hook --client NAME < payload.json
An agent runs this at each event; dmm install sets it up, dmm doctor tries it.
"""


def main() -> None:
    """Read the payload, hand it over, print the answer; whatever takes too long is left."""
    if "--help" in sys.argv or "-h" in sys.argv:
        os.write(1, USE)
        os._exit(0)
    try:
        if hasattr(_signal, "setitimer"):
            _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
            _signal.setitimer(_signal.ITIMER_REAL, LONGEST)
        answer = attend(sys.argv[1:], sys.stdin.buffer.read(LARGEST))
        os.write(1, answer)
    except Exception:  # noqa: BLE001, S110 - the agent's work goes on whatever is wrong here
        pass
    # Nothing is left to flush, and leaving at once saves a third of the time.
    os._exit(0)


def attend(arguments: list[str], payload: bytes) -> bytes:
    """Give the answer to one event, or nothing."""
    root = find_root(payload)
    if root is None or not payload.strip():
        return b""
    client = endpoint.name_client(arguments, "unknown")
    # Named once, so that an event that is delivered and kept too is recorded once.
    name = f"{time.time_ns()}-{os.getpid()}\n".encode()
    body = name + os.fsencode(root) + b"\n" + payload
    timeout, patience = WAITS.get(name_event(payload), USUAL)
    answer = endpoint.ask_or_start("hook", client, body, timeout=timeout, patience=patience)
    if answer is None or answer[:1] == UNKEPT:
        spool.keep(client, body)
    return b"" if answer is None else answer[1:]


def name_event(payload: bytes) -> bytes:
    """Read the name of the event out of the payload, without reading all of it."""
    at = payload.find(b'"hook_event_name"')
    return payload[at:].split(b'"', 4)[3] if at >= 0 and payload.count(b'"', at) > 3 else b""


def find_root(payload: bytes) -> str | None:
    """Find the .dmm folder that the event belongs to; without one there is nothing to do."""
    named = os.environ.get("DMM_ROOT")
    if named:
        named = os.path.abspath(named)
        folder = named if os.path.basename(named) == ".dmm" else os.path.join(named, ".dmm")
        return folder if os.path.isdir(folder) else None
    # The project that the agent was started in comes first: a folder it goes to may bring its own.
    for start in (os.environ.get("CLAUDE_PROJECT_DIR"), _told(payload), _here()):
        found = _above(start) if start else None
        if found:
            return found
    return None


def _here() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _told(payload: bytes) -> str | None:
    """Read the working directory out of the payload where it is written plainly."""
    at = payload.find(b'"cwd"')
    if at < 0:
        return None
    parts = payload[at + 5 : at + 4096].split(b'"', 2)
    value = parts[1] if len(parts) > 2 else b""
    return os.fsdecode(value) if value[:1] == b"/" and b"\\" not in value else None


def _above(start: str) -> str | None:
    home = os.path.realpath(os.path.expanduser("~"))
    first = folder = os.path.realpath(start)
    while True:
        # The user's own folder overlays every project; it is a project only for work in it.
        if os.path.isdir(folder + MEMORY) and (folder != home or first == home):
            return os.path.join(folder, ".dmm")
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
