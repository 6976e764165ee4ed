"""What the daemon holds and serves, built once the socket listens."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dmm import losses
from dmm.clients.launch import CORE
from dmm.daemon.agents import Agents, find_login, is_at_terminal
from dmm.daemon.apart import do_apart
from dmm.daemon.calls import Calls, SignIn
from dmm.daemon.confirmations import Confirmations
from dmm.daemon.hook_events import HookHandler
from dmm.daemon.jobs import Chores
from dmm.daemon.malloc_pools import return_memory
from dmm.daemon.spooled import Spool
from dmm.daemon.team_exchange import TeamExchange
from dmm.embed.tokens import release_ranks
from dmm.errors import DaemonError, DmmError, UsageError
from dmm.passkeys.service import NOBODY, Asker
from dmm.project.daemon_status import DaemonStatus, HeldProject
from dmm.projects import Projects

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.daemon.incoming import Request
    from dmm.daemon.instance import Instance
    from dmm.daemon.logs import Log
    from dmm.daemon.loop import Loop
    from dmm.daemon.server import Server
    from dmm.daemon.spooled import Kept
    from dmm.daemon.watch import Watch
    from dmm.daemon.web import Web
    from dmm.projects import Project

DESCRIPTORS = 1_024
# Each of the two HTTP doors takes this part of the descriptors at most; hooks need the rest.
WEB_SHARE = 8
MODEL_IDLE = 300.0
# The token ranks take a fifth of all memory and are needed only while files are indexed.
RANKS_IDLE = 10.0
PROJECT_IDLE = 1_800.0
SPOOL_EVERY = 5.0
# What answers have freed goes back to the system; left alone, the library keeps it.
RETURN_EVERY = 20.0
QUIET = 1.0
CLOSE_WITHIN = 1.0
# A watcher that failed is begun again after a rest.
REST = 30.0


class Daemon:
    """Projects, agents, watchers and surfaces of one process."""

    def __init__(
        self,
        instance: Instance,
        log: Log,
        port: int | None,
        stop: Callable[[], None],
        descriptors: int = DESCRIPTORS,
    ) -> None:
        self._log = log
        self._instance = instance
        self._wanted = port
        self._descriptors = descriptors
        self.projects = Projects()
        self.agents = Agents()
        self.hooks = HookHandler(self.projects, self.agents, log)
        self.calls = Calls(
            self.projects,
            instance.started,
            self.observe,
            stop,
            self.sign_in,
            self.sign_out,
            Confirmations(lambda: self._web, self._is_agent, self._describe_asker),
            self.agents.session_of,
            self._may_be_person,
        )
        self._spool = Spool.of_user()
        self._spooled = 0.0
        self._returned = 0.0
        self._uncounted = 0
        self._draining = threading.Lock()
        self._loop: Loop | None = None
        self._web: Web | None = None
        self._watches: dict[Path, Watch] = {}
        self._server: Server | None = None
        self.chores = Chores(
            log,
            is_ready=self._is_indexed,
            is_serving=self._is_serving,
            after=return_memory,
            apart=do_apart,
        )
        self._team_exchange = TeamExchange(log)
        self._asked = time.monotonic()
        self._warming: threading.Thread | None = None
        self._learned = False
        self._leaving = threading.Event()
        self._faults: dict[str, str] = {}

    def open(self) -> None:
        """Open the HTTP port and load what the first question will need, in the background."""
        from dmm.daemon.loop import Loop
        from dmm.daemon.web import MOST, Limits, Web

        self._loop = loop = Loop(self._log)
        limits = Limits(most=min(MOST, self._descriptors // WEB_SHARE))
        self._web = Web(
            self._instance, self.projects, loop, self.observe, self._wanted, self._log, limits
        )
        self._web.open()
        self._warming = threading.Thread(target=self._warm, name="dmm-warm", daemon=True)
        self._warming.start()

    def _warm(self) -> None:
        self._survive(self._drain)
        self._survive(self.projects.model)

    def handle(self, request: Request) -> bytes | None:
        """Answer one request; an MCP connection is taken over."""
        match request.kind:
            case "hook":
                self._asked = time.monotonic()
                return self.hooks.attend(request.label, request.body, request.peer)
            case "lost":
                self._uncounted += 1
                return b""
            case "call":
                return self.calls.answer(request.body, request.peer)
            case "mcp":
                self._asked = time.monotonic()
                self._speak_mcp(request)
                return None
        raise UsageError("unknown kind of request")

    def _speak_mcp(self, request: Request) -> None:
        from dmm.daemon.loop import speak_mcp

        if self._loop is None:
            raise DaemonError("this process is not open yet")
        start = Path(request.body.decode("utf-8", "surrogateescape"))
        client, _, tools = request.label.partition("/")
        self._loop.serve(
            lambda: speak_mcp(
                self.projects,
                start,
                lambda: self.agents.session_of(request.peer),
                client,
                request.link,
                core=tools == CORE,
            )
        )

    def tick(self, server: Server, idle: float) -> bool:
        """Run what is due; return whether it is time to exit."""
        now = time.monotonic()
        quiet = now - max(server.last, self._asked, 0.0 if self._web is None else self._web.last)
        if now - self._spooled > SPOOL_EVERY:
            self._spooled = now
            self._begin(self._drain)
        if quiet > QUIET and not (self._learned or self._is_serving()):
            # Loaded before the first connection, but never while somebody waits for an answer.
            self._learned = True
            from dmm.daemon.loop import load

            self._begin(load, "dmm.mcp.stream")
        self._survive(self._watch)
        self._survive(self._team_exchange.follow, self.projects.each())
        self._survive(self._release, quiet)
        self._survive(self._close_idle)
        self._server = server
        followed = self._web is not None and self._web.followed
        if quiet > idle and not followed and self.is_alone(server):
            # Nothing new is begun; what is under way may end well.
            return not self.chores.busy
        self._survive(self.chores.tick, self.projects.each(), quiet)
        return False

    def _is_indexed(self, project: Project) -> bool:
        """Return whether the files of a project were looked at since it was opened."""
        watch = self._watches.get(project.root)
        return watch is not None and watch.syncs > 0

    def _is_serving(self) -> bool:
        """Return whether somebody waits for an answer right now."""
        asked = 0 if self._web is None else self._web.busy
        return bool(asked) or (self._server is not None and self._server.busy > 0)

    def _begin(self, duty: Callable[..., object], *given: object) -> None:
        """Run something long in a thread of its own."""
        threading.Thread(target=self._survive, args=(duty, *given), daemon=True).start()

    def _survive(self, duty: Callable[..., object], *given: object) -> None:
        """Run a due job; a failure is logged once and retried next time."""
        name = getattr(duty, "__name__", type(duty).__name__)
        try:
            duty(*given)
        except Exception as error:  # noqa: BLE001 - no fault of background work ends the service
            what = error.code if isinstance(error, DmmError) else type(error).__name__
            if self._faults.get(name) != what:
                self._faults[name] = what
                self._log.write_fault(f"{name} failed ({what})", error)
        else:
            self._faults.pop(name, None)

    def _release(self, quiet: float) -> None:
        """Release memory that has not been used for a while."""
        if quiet > MODEL_IDLE and self.projects.model.loaded and self.projects.release_model():
            return_memory()
        if release_ranks(RANKS_IDLE) or time.monotonic() - self._returned > RETURN_EVERY:
            self._returned = time.monotonic()
            return_memory()

    def _close_idle(self) -> None:
        for project in self.projects.close_idle(PROJECT_IDLE):
            self._unwatch(project.root)

    def is_alone(self, server: Server) -> bool:
        """Return whether the daemon is idle: no agent, no connection, no request."""
        busy = server.busy - (1 if threading.current_thread() is not threading.main_thread() else 0)
        asked = 0 if self._web is None else self._web.busy
        return not (busy > 0 or asked or self.connections or self.agents.count())

    @property
    def connections(self) -> int:
        """How many MCP clients are connected."""
        return 0 if self._loop is None else self._loop.clients

    def _drain(self) -> None:
        """Fetch kept events, one at a time: two who fetch would record the same one twice."""
        if not self._draining.acquire(blocking=False):
            return
        try:
            losses.prepare()
            if self._uncounted and losses.add(self._uncounted):
                self._uncounted = 0
            taken = self._spool.drain(self._make_up, self._log.write_fault)
        finally:
            self._draining.release()
        if taken:
            self._log.write(f"{taken} kept events recorded")

    def _make_up(self, kept: Kept) -> bool:
        return not self._leaving.is_set() and self.hooks.make_up(kept)

    def _watch(self) -> None:
        """Keep an eye on the files of every project that is open and trusted."""
        from dmm.daemon.watch import Watch

        for project in self.projects.each():
            watch = self._watches.get(project.root)
            if watch is not None and (watch.project is not project or watch.stopped):
                if watch.stopped and watch.rested < REST:
                    continue
                self._unwatch(project.root)
                watch = None
            if watch is None and project.trusted:
                self._watches[project.root] = watch = Watch(project)
                watch.start()

    def _unwatch(self, root: Path) -> None:
        watch = self._watches.pop(root, None)
        if watch is not None:
            watch.end()

    def observe(self) -> DaemonStatus:
        """Return what this process holds and what it counted."""
        health = self.calls.health()
        return DaemonStatus(
            status=health.status,
            uptime=health.uptime,
            indexed_count=health.indexed_count,
            version=health.version,
            pid=health.pid,
            port=None if self._web is None else self._web.port,
            port_fault=None if self._web is None else self._web.fault,
            model_loaded=self.projects.model.loaded,
            agents=self.agents.count(),
            connections=self.connections,
            spooled=len(self._spool.waiting()),
            dropped=losses.count() + self._uncounted,
            damaged=self._spool.damaged,
            events=dict(sorted(self.hooks.counts.items())),
            projects=tuple(self._describe(project) for project in self.projects.each()),
        )

    def _describe(self, project: Project) -> HeldProject:
        watch = self._watches.get(project.root)
        return HeldProject(
            str(project.root),
            project.trusted,
            project.indexed_count,
            project.indexing,
            None if watch is None else watch.mode,
            None if watch is None else watch.note,
            None if watch is None else watch.fault,
            self.chores.describe(project.root),
        )

    def sign_in(self, peer: int | None) -> SignIn:
        """Make the code with which a person's browser signs in; no agent is given one."""
        if self._web is None or self._web.port is None:
            raise DaemonError("there is no HTTP port", hint="see why with: dmm daemon status")
        if self.agents.session_of(peer) is not None:
            raise DaemonError("codes are for people, not for agents", hint="use a terminal")
        code, confirm = self._web.codes.make(), self._make_confirm(peer)
        return SignIn(self._web.name, self._web.port, self._web.fault, code, confirm)

    def _make_confirm(self, peer: int | None) -> str | None:
        """Make the code that confirms decisions, for a person's terminal; passkeys replace it."""
        if self._web is None or self._web.persons.keyring.read():
            return None
        return self._web.persons.codes.make() if self._is_at_own_terminal(peer) else None

    def _may_be_person(self, peer: int | None) -> bool:
        """Return whether a note may be a person's; with a passkey, only one from a terminal may."""
        enrolled = self._web is not None and self._web.persons.keyring.read()
        return not enrolled or self._is_at_own_terminal(peer)

    def _is_at_own_terminal(self, peer: int | None) -> bool:
        if peer is None or not is_at_terminal(peer):
            return False
        return not self.agents.shares_terminal(peer)

    def _describe_asker(self, peer: int | None) -> Asker:
        return NOBODY if peer is None else Asker(f"{find_login(peer)}", is_at_terminal(peer))

    def _is_agent(self, peer: int | None) -> bool:
        return self.agents.session_of(peer) is not None

    def sign_out(self) -> int:
        """End the sessions of all browsers, and tell how many there were."""
        return 0 if self._web is None else self._web.sign_out()

    def leave(self) -> None:
        """Start nothing new; requests already received are answered."""
        self._leaving.set()
        self.chores.end()
        self._team_exchange.end()
        for watch in list(self._watches.values()):
            watch.end()
        if self._web is not None:
            self._web.leave()

    def drain(self, seconds: float) -> bool:
        """Wait for the HTTP requests under way, for so long at most."""
        return self._web is None or self._web.drain(seconds)

    def close(self) -> None:
        """Close everything in dependency order."""
        self.projects.end()
        if self._warming is not None:
            self._warming.join(CLOSE_WITHIN)
        self.chores.stop()
        for watch in self._watches.values():
            watch.stop()
        if self._loop is not None:
            self._loop.stop()
        if self._web is not None:
            self._web.close()
        self.hooks.close()
        self.agents.close()
        self.projects.close()
