"""One event of an agent, handed to the background process; never in the agent's way.

Whatever happens the exit status is 0 and nothing is printed but the answer: a hook that fails must
not stop the work. What nobody takes is redacted and kept for later.
"""

from __future__ import annotations

import os
import sys

from dmm import endpoint
from dmm.hook import spool

LARGEST = 16 << 20
MEMORY = "/.dmm/memory"

# Seconds to wait for an answer, and for a process that has to be started first.
USUAL = (2.0, 0.0)
WAITS = {
    b"SessionStart": (4.0, 3.0),
    b"sessionStart": (4.0, 3.0),
    b"PreToolUse": (3.0, 2.5),
    b"preToolUse": (3.0, 2.5),
    b"BeforeTool": (3.0, 2.5),
    b"UserPromptSubmit": (2.0, 0.0),
    b"SessionEnd": (1.0, 0.0),
}


def main() -> None:
    """Read the payload, hand it over, print the answer."""
    try:
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
    body = os.fsencode(root) + b"\n" + payload
    timeout, patience = WAITS.get(name_event(payload), USUAL)
    answer = endpoint.ask_or_start("hook", client, body, timeout=timeout, patience=patience)
    if answer is None:
        spool.keep(client, body)
        return b""
    return answer


def name_event(payload: bytes) -> bytes:
    """Read the name of the event out of the payload, without reading all of it."""
    at = payload.find(b'"hook_event_name"')
    return payload[at:].split(b'"', 4)[3] if at >= 0 and payload.count(b'"', at) > 3 else b""


def find_root(payload: bytes) -> str | None:
    """Find the .dmm folder that the event belongs to; without one there is nothing to do."""
    named = os.environ.get("DMM_ROOT")
    if named:
        folder = named if os.path.basename(named) == ".dmm" else os.path.join(named, ".dmm")
        return folder if os.path.isdir(folder) else None
    for start in (_told(payload), os.environ.get("CLAUDE_PROJECT_DIR"), _here()):
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
