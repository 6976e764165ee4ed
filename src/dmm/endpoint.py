"""Where the daemon listens, and how to reach it; light to import.

A request is one line, `DMM1 <version> <kind> <label> <length>`, and a body; the reply is all that
comes back until the connection ends. Only modules that cost nothing to load are used here.
"""

from __future__ import annotations

import _socket
import os
import sys
import time
from itertools import pairwise

MAGIC = "DMM1"
SOCKET = "dmm.sock"
LOCK = "daemon.lock"
ABOUT = "daemon.json"
TRIES = "attempts"
# A Unix socket's path must fit into a field of about 100 bytes.
LONGEST_SOCKET = 100
LONGEST_REPLY = 64 << 20
# Where the socket is if its own path is too long; the rest of the name is drawn.
SHORT = f"/tmp/dmm-{os.getuid() if hasattr(os, 'getuid') else 0}-"  # noqa: S108 - checked
# Another process is waited for, and the system has no way to be told of it: look again, briefly.
PAUSE = 0.005
LIVES_WITHIN = 2.0
LONG = 10.0
# Starts that fail again and again are given up for a while.
ATTEMPTS = 3
ATTEMPTS_WITHIN = 30.0
FAILED_WITHIN = 600.0
# A process that was just started needs a moment before it can be seen.
BETWEEN_ATTEMPTS = 0.5
SECRETS = ("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL")

# Python has neither Unix sockets nor forks on Windows; there everything runs without the process.
POSSIBLE = hasattr(_socket, "AF_UNIX") and hasattr(os, "fork")
# Where a link can not be refused there is nobody else to lay one.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)

# The module `typing` would cost every hook more than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def version() -> str:
    """Return the version of this program and when it was built, which both ends compare."""
    import dmm

    try:
        built = int(os.stat(dmm.__file__).st_mtime)
    except (OSError, TypeError):
        built = 0
    return f"{dmm.VERSION}.{built}"


def home_folder() -> str:
    """Return the user's home; an empty HOME is none."""
    if sys.platform == "win32" or os.environ.get("HOME") != "":
        return os.path.expanduser("~")
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return os.sep


def state_folder(home: str | None = None) -> str:
    """Return where the user's lasting state is kept: spool, logs and what is trusted."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(home or home_folder(), ".local", "state")
    return os.environ.get("DMM_STATE_DIR") or os.path.join(base, "dmm")


def run_folder(*, make: bool = False) -> str:
    """Return where the sockets of the running process are; whoever starts it may choose a name."""
    named = os.environ.get("DMM_RUN_DIR")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if not named:
        named = os.path.join(runtime, "dmm") if runtime else os.path.join(state_folder(), "run")
    if len(os.fsencode(os.path.join(named, SOCKET))) < LONGEST_SOCKET:
        return named
    return _short_folder(named, make=make)


def _short_folder(folder: str, *, make: bool) -> str:
    """Stand in for a folder whose path is too long for a socket; only its owner may enter it.

    Everybody may make folders where it is made. So its name can't be guessed, and one that somebody
    else has taken is given up; the state folder keeps it.
    """
    import zlib

    mark = f"{zlib.crc32(os.fsencode(folder)):08x}"
    kept = os.path.join(state_folder(), f"run-{mark}")
    try:
        known = _read_name(kept)
        if known and (_is_own(known) or not os.path.lexists(known)):
            return known
        if make:
            return _choose_name(kept, known)
    except OSError:
        # Nothing can be kept here, so the name has to follow from what is known.
        return SHORT + mark
    return SHORT + mark


def _read_name(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_LINK)
    except FileNotFoundError:
        return ""
    try:
        name = os.read(descriptor, LONGEST_SOCKET).decode("ascii", "replace")
    finally:
        os.close(descriptor)
    return name if name.startswith(SHORT) and name[len(SHORT) :].isalnum() else ""


def _choose_name(path: str, instead_of: str) -> str:
    make_private(os.path.dirname(path))
    part = f"{path}.{os.getpid()}"
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK, 0o600)
    try:
        os.write(descriptor, f"{SHORT}{os.urandom(8).hex()}".encode())
    finally:
        os.close(descriptor)
    if instead_of:
        os.replace(part, path)
    else:
        try:
            os.link(part, path)
        except FileExistsError:
            # Somebody else has chosen meanwhile.
            pass
        os.unlink(part)
    name = _read_name(path)
    if not name:
        raise OSError(path)
    return name


def make_private(folder: str) -> None:
    """Make a folder that only this user may enter; one that others own or enter is refused."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    if sys.platform != "win32" and (found.st_uid != os.getuid() or found.st_mode & 0o40000 == 0):
        raise PermissionError(1, "not a folder of this user", folder)
    if found.st_mode & 0o077:
        os.chmod(folder, 0o700)


def write_private(path: str, data: bytes) -> None:
    """Write a new file that only this user may read; it is on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_own(folder: str) -> bool:
    """Return whether nobody else could have put a socket there to listen to this user."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    own = sys.platform != "win32" and found.st_uid == os.getuid()
    return own and found.st_mode & 0o170022 == 0o40000


def connect(timeout: float) -> _socket.socket | None:
    """Open a connection to the background process, or None where nobody listens."""
    if sys.platform == "win32" or not POSSIBLE:
        return None
    folder = run_folder()
    if not _is_own(folder):
        return None
    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    link.settimeout(timeout)
    try:
        link.connect(os.path.join(folder, SOCKET))
    except OSError:
        link.close()
        return None
    return link


def name_client(arguments: list[str], otherwise: str, named: str = "--client") -> str:
    """Return what an option names, such as the client; plain letters, so that it fits in a line."""
    for option, value in pairwise(arguments):
        if option == named and value.replace("-", "").isalnum():
            return value
    return otherwise


def header(kind: str, label: str, length: int) -> bytes:
    """Write the first line of a request."""
    return f"{MAGIC} {version()} {kind} {label} {length}\n".encode()


def ask(kind: str, label: str, body: bytes, *, timeout: float) -> bytes | None:
    """Send one request and take the whole reply; None where none comes in time."""
    deadline = time.monotonic() + timeout
    link = connect(min(timeout, LONG))
    if link is None:
        return None
    try:
        link.sendall(header(kind, label, len(body)) + body)
        return _receive(link, deadline, patient=timeout > LONG)
    except OSError:
        return None
    finally:
        link.close()


def _receive(link: _socket.socket, deadline: float, *, patient: bool) -> bytes | None:
    """Take a reply; one that may take minutes only while the process lives, for it may hang."""
    look = time.monotonic() + LIVES_WITHIN if patient else deadline
    parts: list[bytes] = []
    size = 0
    while True:
        now = time.monotonic()
        if now >= deadline or size > LONGEST_REPLY:
            return None
        if now >= look:
            if call("health", {}, timeout=LIVES_WITHIN) is None:
                return None
            look = time.monotonic() + LONG
        link.settimeout(max(PAUSE, min(look, deadline) - time.monotonic()))
        try:
            part = link.recv(1 << 16)
        except TimeoutError:
            continue
        if not part:
            break
        parts.append(part)
        size += len(part)
    # A process that dies closes the connection too; every reply begins with a mark.
    reply = b"".join(parts)
    return reply[1:] if reply[:1] == b"+" else None


def call(verb: str, arguments: dict[str, Any], *, timeout: float) -> dict[str, Any] | None:
    """Ask the background process to do something; None where nobody answers."""
    import json

    body = json.dumps({"verb": verb, "arguments": arguments}).encode()
    reply = ask("call", verb, body, timeout=timeout)
    try:
        told = None if reply is None else json.loads(reply)
    except ValueError:
        # A process that dies while it answers leaves half an answer, which is none.
        return None
    return told if isinstance(told, dict) else None


def is_running() -> bool:
    """Return whether a background process lives or is being started: somebody holds the lock."""
    if sys.platform == "win32":  # pragma: no cover - the daemon runs on POSIX systems only
        return False
    import fcntl

    try:
        descriptor = os.open(os.path.join(run_folder(), LOCK), os.O_RDWR | NO_LINK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def start(options: list[str] | None = None, *, again: bool = False) -> bool:
    """Start the background process, unless one runs or starting has failed again and again."""
    if not POSSIBLE or is_running():
        return False
    folder = run_folder(make=True)
    make_private(folder)
    if not again and not _may_try(os.path.join(folder, TRIES)):
        return False
    _spawn([sys.executable, "-m", "dmm.daemon", *(options or [])], environment())
    return True


def _may_try(path: str) -> bool:
    """Count the attempts of the last moments; the process that comes up clears them."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | os.O_APPEND, 0o600)
    try:
        found = os.fstat(descriptor)
        age = time.time() - found.st_mtime
        if not 0 <= age <= ATTEMPTS_WITHIN:
            # Long ago, or at a time that is in the future: a clock was set back.
            os.ftruncate(descriptor, 0)
        elif found.st_size >= ATTEMPTS or (found.st_size and age < BETWEEN_ATTEMPTS):
            return False
        os.write(descriptor, b".")
    finally:
        os.close(descriptor)
    return True


def _given_up() -> bool:
    """Return whether starting failed too often to wait for it again."""
    try:
        found = os.stat(os.path.join(run_folder(), TRIES))
    except OSError:
        return False
    recent = 0 <= time.time() - found.st_mtime <= ATTEMPTS_WITHIN
    return recent and found.st_size >= ATTEMPTS and not is_running()


def has_failed() -> bool:
    """Return whether the last attempt to start the process, of the last minutes, has failed."""
    try:
        found = os.stat(os.path.join(run_folder(), TRIES))
    except OSError:
        return False
    # One that was just started may be about to listen.
    failed = LIVES_WITHIN <= time.time() - found.st_mtime <= FAILED_WITHIN
    return failed and found.st_size > 0 and not is_running()


def environment() -> dict[str, str]:
    """Return the environment of the daemon, without that of the agent that started it."""
    from dmm.clients.registry import all_clients

    # What begins with PYTHON would let a project put modules of its own in place of ours.
    foreign = ("PYTHON", *(name for client in all_clients() for name in client.variables))
    kept = {}
    for name, value in os.environ.items():
        upper = name.upper()
        if not upper.startswith(foreign) and not any(word in upper for word in SECRETS):
            kept[name] = value
    return kept


def _spawn(line: list[str], own: dict[str, str]) -> None:
    """Run a program that outlives this process and holds nothing of it: two forks, no terminal."""
    if sys.platform == "win32":  # pragma: no cover - nobody gets here without `POSSIBLE`
        return
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.closerange(3, 1024)
        os.chdir("/")
        os.execve(line[0], line, own)
    finally:
        os._exit(127)


def ask_or_start(
    kind: str, label: str, body: bytes, *, timeout: float, patience: float
) -> bytes | None:
    """Ask; where nobody listens, start the process and, with patience, wait for it."""
    deadline = time.monotonic() + patience
    reply = ask(kind, label, body, timeout=timeout)
    if reply is not None or time.monotonic() > deadline + timeout:
        return reply
    if connect_and_close():
        return None
    while True:
        try:
            # A process that is just leaving holds the lock a little longer: try again meanwhile.
            waiting = start() or not _given_up()
        except OSError:
            return None
        if not waiting or time.monotonic() >= deadline:
            return None
        time.sleep(PAUSE)
        if connect_and_close():
            return ask(kind, label, body, timeout=timeout)


def connect_and_close() -> bool:
    """Return whether anyone listens."""
    link = connect(1.0)
    if link is not None:
        link.close()
    return link is not None
