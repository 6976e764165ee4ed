"""What the background process holds and serves, put together once the socket listens."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm.daemon.agents import Agents
from dmm.daemon.attendance import Attendance
from dmm.daemon.calls import Calls
from dmm.daemon.spooled import Spool
from dmm.errors import DaemonError, DmmError, UsageError
from dmm.projects import Projects

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.daemon.instance import Instance
    from dmm.daemon.logs import Log
    from dmm.daemon.loop import Loop
    from dmm.daemon.server import Request, Server
    from dmm.daemon.watch import Watch
    from dmm.daemon.web import Web
    from dmm.projects import Project

MODEL_IDLE = 300.0
PROJECT_IDLE = 1_800.0
SPOOL_EVERY = 5.0


class House:
    """Projects, agents, watchers and surfaces of one process."""

    def __init__(
        self, instance: Instance, log: Log, port: int | None, stop: Callable[[], None]
    ) -> None:
        self._log = log
        self._instance = instance
        self._wanted = port
        self.projects = Projects()
        self.agents = Agents()
        self.attendance = Attendance(self.projects, self.agents, log)
        self.calls = Calls(self.projects, instance.started, self.observe, stop)
        self._spool = Spool.of_user()
        self._spooled = 0.0
        self._draining = threading.Lock()
        self._loop: Loop | None = None
        self._web: Web | None = None
        self._watches: dict[Path, Watch] = {}
        self._asked = time.monotonic()
        self._warming: threading.Thread | None = None

    def open(self) -> None:
        """Open the HTTP port and load what the first question will need, in the background."""
        from dmm.daemon.loop import Loop
        from dmm.daemon.web import Web

        self._loop = loop = Loop(self._log)
        self._web = Web(self._instance, self.projects, loop, self._report, self._wanted, self._log)
        self._web.open()
        self._warming = threading.Thread(target=self._warm, name="dmm-warm", daemon=True)
        self._warming.start()

    def _warm(self) -> None:
        self._drain()
        try:
            self.projects.model()
        except DmmError as error:
            # Every answer says so too; here it is only told early.
            self._log.write(f"the model can't be loaded: {error.code}")
        import dmm.mcp.stream  # noqa: F401 - loaded now, so that the first connection is quick

    def handle(self, request: Request) -> bytes | None:
        """Answer one request; an MCP connection is taken over."""
        match request.kind:
            case "hook":
                self._asked = time.monotonic()
                return self.attendance.attend(request.label, request.body, request.peer)
            case "call":
                return self.calls.answer(request.body)
            case "mcp":
                self._asked = time.monotonic()
                self._speak_mcp(request)
                return None
        raise UsageError("there is no such kind of request")

    def _speak_mcp(self, request: Request) -> None:
        from dmm.daemon.loop import speak_mcp

        if self._loop is None:
            raise DaemonError("this process is not open yet")
        start = Path(request.body.decode("utf-8", "surrogateescape"))
        self._loop.begin(
            lambda: speak_mcp(
                self.projects,
                start,
                lambda: self.agents.session_of(request.peer),
                request.label,
                request.link,
            )
        )

    def tick(self, server: Server, idle: float) -> bool:
        """Do what is due; say whether it is time to leave."""
        now = time.monotonic()
        if now - self._spooled > SPOOL_EVERY:
            self._drain()
        self._watch()
        quiet = now - max(server.last, self._asked)
        if quiet > MODEL_IDLE and self.projects.model.loaded:
            self.projects.release_model()
        for project in self.projects.close_idle(PROJECT_IDLE):
            self._unwatch(project.root)
        return quiet > idle and self.is_alone(server)

    def is_alone(self, server: Server) -> bool:
        """Say whether nobody needs this process: no agent, no connection, no request."""
        busy = server.busy - (1 if threading.current_thread() is not threading.main_thread() else 0)
        return not (busy > 0 or self.connections or self.agents.count())

    @property
    def connections(self) -> int:
        """How many MCP clients are connected."""
        if self._loop is None or self._web is None:
            return 0
        return max(0, self._loop.running - self._web.running)

    def _drain(self) -> None:
        """Fetch kept events, one at a time: two who fetch would record the same one twice."""
        self._spooled = time.monotonic()
        if not self._draining.acquire(blocking=False):
            return
        try:
            taken = self._spool.drain(self.attendance.make_up)
        finally:
            self._draining.release()
        if taken:
            self._log.write(f"{taken} kept events recorded")

    def _watch(self) -> None:
        """Keep an eye on the files of every project that is open and trusted."""
        from dmm.daemon.watch import Watch

        for project in self.projects.each():
            watch = self._watches.get(project.root)
            if watch is not None and watch.project is not project:
                self._unwatch(project.root)
                watch = None
            if watch is None and project.trusted:
                self._watches[project.root] = watch = Watch(project)
                watch.start()

    def _unwatch(self, root: Path) -> None:
        watch = self._watches.pop(root, None)
        if watch is not None:
            watch.stop()

    def _report(self) -> dict[str, Any]:
        return self.calls.health() | self.observe()

    def observe(self) -> dict[str, Any]:
        """Tell what this process holds and what it counted."""
        return {
            "port": None if self._web is None else self._web.port,
            "port_fault": None if self._web is None else self._web.fault,
            "model_loaded": self.projects.model.loaded,
            "agents": self.agents.count(),
            "connections": self.connections,
            "spooled": len(self._spool.waiting()),
            "dropped": self._spool.dropped,
            "events": dict(sorted(self.attendance.counts.items())),
            "projects": [self._describe(project) for project in self.projects.each()],
        }

    def _describe(self, project: Project) -> dict[str, Any]:
        watch = self._watches.get(project.root)
        return {
            "root": str(project.root),
            "trusted": project.trusted,
            "indexed": project.indexed_count,
            "watcher": None if watch is None else watch.mode,
            "fault": None if watch is None else watch.fault,
        }

    def close(self) -> None:
        """Let everything go, in the order in which one needs the other."""
        if self._warming is not None:
            self._warming.join(5.0)
        for root in list(self._watches):
            self._unwatch(root)
        if self._loop is not None:
            self._loop.stop()
        if self._web is not None:
            self._web.close()
        self.attendance.close()
        self.agents.close()
        self.projects.close()
