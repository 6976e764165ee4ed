"""Send one client event to the daemon and print the answer.

Nothing is printed but the answer. The exit status is 0 whatever happens, or 2 where that is how a
client is told to block a call: a hook that fails must not stop the work. A tool call that nobody
answers in time is judged here, by the rules on file. The answer is given before anything is kept:
no full disk may swallow a deny.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself loads enum, for 4 ms
import gc
import os
import sys
import time

from dmm import endpoint
from dmm.clients.base import BLOCKING
from dmm.clients.registry import peek_client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dmm.clients.base import Client

LARGEST = 16 << 20
# Seconds for everything, below what agents give a hook; a call is worth waiting for.
LONGEST = 4.8
LONGEST_START = 9.0
LONGEST_CALL = 50.0
UNKEPT = b"u"
MEMORY = "/.dmm/memory"

# Seconds to wait for an answer, and for a process that has to be started first.
USUAL = (2.0, 0.0)
WAITS = {"session_start": (6.0, 6.0), "prompt": (3.0, 1.5), "session_end": (1.0, 0.0)}
# A tool call: after the first wait it is judged here; the second is for what can't be judged here.
CALL_WAIT = 1.5
CALL_PATIENCE = 2.5
# The exit status that blocks a call where a client reads no answer.
BLOCKED = 2


USE = b"""usage: dmm-hook --client NAME < payload.json
An agent runs this at each event; dmm install sets it up, dmm doctor tries it.
"""

# The answer to print, the event where nobody has kept it yet, and how a call was ruled on here.
Attended = tuple[bytes, bytes, str]


def main() -> None:
    """Read the payload, hand it over, print the answer; whatever takes too long is left."""
    if "--help" in sys.argv or "-h" in sys.argv:
        os.write(1, USE)
        os._exit(0)
    # Too short a life to look for cycles in what was just loaded.
    gc.disable()
    status = 0
    try:
        status = run(sys.argv[1:], sys.stdin.buffer.read(LARGEST))
    except Exception:  # noqa: BLE001, S110 - the agent's work goes on whatever is wrong here
        pass
    # Nothing is left to flush, and leaving at once saves a third of the time.
    os._exit(status)


def run(arguments: list[str], payload: bytes) -> int:
    """Answer one event, then keep it if nobody else did; return the exit status."""
    name = endpoint.name_client(arguments, "unknown")
    client = peek_client(name)
    limit(longest(client, payload))
    answer, unkept, ruled = attend(name, payload)
    status = say(answer)
    if unkept:
        # The client has its answer; it need not wait for a disk.
        limit(LONGEST, status)
        keep(name, unkept, ruled)
    return status


def say(answer: bytes) -> int:
    """Print the answer for the client and return its exit status."""
    if answer[:1] == BLOCKING:
        os.write(2, answer[1:])
        return BLOCKED
    if answer:
        os.write(1, answer)
    return 0


def keep(client: str, event: bytes, ruled: str) -> None:
    """Keep an event; whatever fails here, the answer stands."""
    try:
        from dmm.hook import spool

        spool.keep(client, event, ruled)
    except Exception:  # noqa: BLE001 - the agent's work goes on whatever is wrong here
        return


def longest(client: Client, payload: bytes) -> float:
    """Return how long an event may take; a session that begins without memory goes on without."""
    if may_be_call(client, payload):
        return LONGEST_CALL
    return LONGEST_START if kind_of(client, payload) == "session_start" else LONGEST


def limit(seconds: float, status: int = 0) -> None:
    """Exit this process after a time limit, whatever it is doing."""
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, lambda *_: os._exit(status))
        _signal.setitimer(_signal.ITIMER_REAL, seconds)


def attend(name: str, payload: bytes) -> Attended:
    """Return the answer to one event, and the event itself where nobody has kept it."""
    client = peek_client(name)
    root = find_root(payload) or recall_root(client, payload)
    if root is None:
        return attend_missing(name, client, payload), b"", ""
    if not payload.strip():
        return b"", b"", ""
    # Named once, so that an event that is delivered and kept too is recorded once.
    delivery = f"{time.time_ns()}-{os.getpid()}\n".encode()
    # The path stands on one line: NUL, which is in no path, is a line break in it.
    body = delivery + os.fsencode(root).replace(b"\n", b"\0") + b"\n" + payload
    if may_be_call(client, payload):
        return judge(name, body, root, payload)
    kind = kind_of(client, payload)
    timeout, patience = WAITS.get(kind, USUAL)
    if kind == "prompt" and endpoint.has_failed():
        patience = 0.0
    answer = endpoint.ask_or_start("hook", name, body, timeout=timeout, patience=patience)
    if answer is None and kind == "session_start":
        from dmm.hook.alone import tell_silence

        return tell_silence(name, payload, root), body, ""
    return settle(answer, body)


def attend_missing(name: str, client: Client, payload: bytes) -> bytes:
    """Answer where the .dmm folder of the repository is not checked out.

    A session that starts there is told so; a call is under the constraints of the ledger, which
    belongs to the repository and to no branch.
    """
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or _told(payload) or _here()
    starts = kind_of(client, payload) == "session_start"
    if not folder or not (starts or may_be_call(client, payload)):
        return b""
    from dmm import rulefile

    found = rulefile.RuleFiles().find_missing(folder)
    if found is None:
        return b""
    from dmm.hook import alone

    return (alone.tell_missing if starts else alone.judge_missing)(name, payload, *found)


def settle(answer: bytes | None, body: bytes) -> Attended:
    """Parse an answer: what to print, and whether the event must still be spooled."""
    if answer is None:
        return b"", body, ""
    return answer[1:], body if answer[:1] == UNKEPT else b"", ""


def judge(client: str, body: bytes, root: str, payload: bytes) -> Attended:
    """Judge a tool call: in the daemon, or here by the compiled rules.

    Here nobody knows what was done before the call. Where that decides, and where there are no
    rules that can be read, the process gets more time to answer.
    """
    answer = endpoint.ask("hook", client, body, timeout=CALL_WAIT)
    if answer is None:
        from dmm.hook.alone import judge_alone

        begin()
        alone = judge_alone(client, payload, root)
        if alone.certain:
            return alone.answer, body, alone.ruled
        answer = endpoint.ask_or_start(
            "hook", client, body, timeout=CALL_PATIENCE, patience=CALL_PATIENCE
        )
        if answer is None:
            return alone.answer, body, alone.ruled
    return settle(answer, body)


def begin() -> None:
    """Start the background process for the next event; this one does not wait for it."""
    try:
        endpoint.start()
    except OSError:
        return


def may_be_call(client: Client, payload: bytes) -> bool:
    """Return whether the event may be a tool call; where in the payload its name stands is open.

    A client that runs the hooks of another may write the first letter of a name small.
    """
    names = client.names_of("tool_request")
    names += [name[:1].lower() + name[1:] for name in names]
    return any(f'"{name}"'.encode() in payload for name in names)


def kind_of(client: Client, payload: bytes) -> str:
    """Return the kind of the event, without reading all of the payload."""
    name = (read_text(payload, client.keys.event[0]) or b"").decode("ascii", "replace")
    known = client.known_events
    return known.get(name) or known.get(name[:1].upper() + name[1:]) or ""


def recall_root(client: Client, payload: bytes) -> str | None:
    """Find the project that the session began in, where the folder of the event has none."""
    session = read_text(payload, client.keys.session[0])
    if not session:
        return None
    from dmm import rulefile

    return rulefile.RuleFiles().recall(os.fsdecode(session))


def read_text(payload: bytes, key: str) -> bytes | None:
    """Read a text that is written plainly, without reading all of the payload."""
    name = f'"{key}"'.encode()
    at = payload.find(name)
    if at < 0:
        return None
    parts = payload[at + len(name) : at + 4096].split(b'"', 2)
    plain = len(parts) > 2 and parts[0].strip() == b":" and b"\\" not in parts[1]
    return parts[1] if plain else None


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
    value = read_text(payload, "cwd")
    return os.fsdecode(value) if value and value[:1] == b"/" else None


def _above(start: str) -> str | None:
    home = os.path.realpath(endpoint.home_folder())
    first = folder = os.path.realpath(start)
    while True:
        # The user's own folder overlays every project; it is a project only for work in it. A link
        # may have come with the repository, and leads to the memory of another project.
        found = os.path.join(folder, ".dmm")
        own = os.path.isdir(folder + MEMORY) and not os.path.islink(found)
        if own and (folder != home or first == home):
            return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
