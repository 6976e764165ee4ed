"""The daemon process: claim the lock, listen, load, serve, exit when idle."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from dmm import VERSION, endpoint
from dmm.daemon.descriptors import raise_limit
from dmm.daemon.instance import STEADY, Instance, claim
from dmm.daemon.logs import Log
from dmm.daemon.malloc_pools import bound_pools
from dmm.daemon.server import MOST, Limits, Server

if TYPE_CHECKING:
    from dmm.daemon.app import Daemon
    from dmm.daemon.incoming import Request

IDLE = 600.0
# Connections that wait on the Unix socket take this part of the descriptors at most.
SOCKET_SHARE = 4
DRAIN = 5.0
TICK = 0.5
# Whoever started this process waits for its first answer: what is not needed for it comes later.
GRACE = 0.3
OPEN_WITHIN = 6.0
CLOSE_WITHIN = 3.0
# One that leaves needs both times, and a moment.
LEAVING = DRAIN + CLOSE_WITHIN + 1.0


@dataclass(frozen=True, slots=True)
class Options:
    """How the process was asked to run."""

    idle: float = IDLE
    port: int | None = STEADY
    foreground: bool = False


def read_options(arguments: list[str]) -> Options:
    """Read the few options; the environment gives the idle time to those who start it for us."""
    named = dict(pairwise(arguments))
    idle = named.get("--idle", os.environ.get("DMM_IDLE", ""))
    port = named.get("--port")
    return Options(
        idle=float(idle) if idle.replace(".", "", 1).isdigit() else IDLE,
        port=STEADY if port is None else int(port) if port.isdigit() else None,
        foreground="--foreground" in arguments,
    )


def main(arguments: list[str]) -> int:
    """Run until asked to stop or idle for long; where another runs already, that is enough."""
    # Nothing here multiplies matrices; numpy's library would hold a thread per CPU for it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    options = read_options(arguments)
    instance = claim(Path(endpoint.run_folder(make=True)), patience=LEAVING)
    if instance is None:
        return 0
    bound_pools()
    return Process(instance, options).run()


class Process:
    """The running daemon; the parts that take time to load come after the socket listens."""

    def __init__(self, instance: Instance, options: Options) -> None:
        self._instance = instance
        self._options = options
        self._log = Log(echo=options.foreground)
        self._ended = threading.Event()
        self._asked = threading.Event()
        self._opened = threading.Event()
        self._daemon: Daemon | None = None
        self._loading = threading.Lock()
        self._version = endpoint.version()
        self._descriptors = raise_limit()
        most = min(MOST, self._descriptors // SOCKET_SHARE)
        self._server = Server(instance.listener, self._handle, self._log, Limits(most=most))

    def run(self) -> int:
        """Serve until the end, and leave nothing behind."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._ended.set())
        if sys.platform != "win32":
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self._server.start()
        self._instance.tell(None)
        self._log.write(f"started, version {VERSION}, process {os.getpid()}")
        try:
            daemon = self._load()
            self._asked.wait(GRACE)
            daemon.open()
            self._opened.set()
        except Exception as error:
            self._log.write_fault("it failed to start", error)
            raise
        self._instance.settle()
        while not self._ended.wait(TICK):
            if daemon.tick(self._server, self._options.idle):
                break
        self._leave(daemon)
        return 0

    def _leave(self, daemon: Daemon) -> None:
        self._instance.leave()
        deadline = time.monotonic() + DRAIN
        daemon.leave()
        done = self._server.drain(DRAIN)
        done = daemon.drain(max(0.0, deadline - time.monotonic())) and done
        closing = threading.Thread(target=self._close, args=(daemon,), daemon=True)
        closing.start()
        closing.join(CLOSE_WITHIN)
        self._log.write("stopped" if done else "stopped with unfinished requests")
        self._log.close()
        self._instance.release()
        if threading.active_count() > 1:
            # Threads that still run hold nothing that a kill would lose. If the interpreter ended
            # one inside a C++ library, the process would abort.
            os._exit(0)

    def _close(self, daemon: Daemon) -> None:
        try:
            daemon.close()
        except Exception as error:  # noqa: BLE001 - it ends all the same
            self._log.write_fault("not everything could be closed", error)

    def _load(self) -> Daemon:
        """Load the parts that answer; whoever needs them first waits for them."""
        with self._loading:
            if self._daemon is None:
                from dmm.daemon.app import Daemon

                port = self._options.port
                self._daemon = Daemon(
                    self._instance, self._log, port, self._ended.set, self._descriptors
                )
            return self._daemon

    def _handle(self, request: Request) -> bytes | None:
        daemon = self._load()
        if request.kind != "hook":
            self._asked.set()
            self._opened.wait(OPEN_WITHIN)
        # Looked at before the answer: whoever asks becomes one whom this process serves.
        newer = _parts(request.version) > _parts(self._version)
        leaving = newer and request.kind != "mcp" and daemon.is_alone(self._server)
        reply = daemon.handle(request)
        self._asked.set()
        if leaving:
            self._log.write("a newer version asks; leaving")
            self._ended.set()
        return reply


def _parts(version: str) -> tuple[int, ...]:
    """Read the numbers of a version and, last, when it was built."""
    return tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:4])
