"""Events of agents as they arrive: parsed, attended to by the project's sessions, answered."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dmm.capture.payload import HookKind, parse_payload
from dmm.capture.reply import Reply, write_reply
from dmm.errors import DmmError, NotTrusted, StorageError
from dmm.service.sessions import voice_of, write_supplement

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future, ThreadPoolExecutor

    from dmm.capture.payload import HookEvent
    from dmm.daemon.agents import Agents
    from dmm.daemon.logs import Log
    from dmm.projects import Project, Projects

T = TypeVar("T")
AT_ONCE = 4
UNTRUSTED = (
    "This repository brings a DMM memory that is not trusted on this machine, so nothing of it is"
    " shown and no rule of it is enforced. Its user can look at it and accept it in a terminal:"
    " dmm trust"
)


@dataclass(slots=True)
class Attendance:
    """Attends to the events of all agents; counts what could not be done in time."""

    projects: Projects
    agents: Agents
    log: Log
    counts: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pool: ThreadPoolExecutor | None = None

    def attend(self, client: str, body: bytes, peer: int | None) -> bytes:
        """Answer one event with what the hook prints; nothing is printed where nothing is right."""
        try:
            event, project = self._receive(client, body)
            if project is None:
                told = event.kind is HookKind.SESSION_START
                return write_reply(event, Reply(context=UNTRUSTED if told else ""))
            self.agents.meet(peer, event.session)
            return write_reply(event, self._answer(project, event))
        except DmmError as error:
            # The agent's work goes on; what could not be taken is counted and shown.
            self._count(f"failed: {error.code}")
            self.log.write(f"an event of {client} could not be taken: {error.code}")
            return b""

    def make_up(self, client: str, body: bytes, moment: float) -> bool:
        """Record an event that nobody could take when it happened; say whether it is settled."""
        try:
            event, project = self._receive(client, body)
            if project is not None:
                with project.speak(voice_of(event)) as dmm:
                    dmm.sessions.make_up(event, moment)
        except StorageError as error:
            self.log.write(f"a kept event has to wait: {error.code}")
            return False
        except DmmError as error:
            self._count(f"refused: {error.code}")
        return True

    def _receive(self, client: str, body: bytes) -> tuple[HookEvent, Project | None]:
        """Read an event and find its project; one that is not trusted takes part in nothing."""
        root, _, payload = body.partition(b"\n")
        event = parse_payload(client, payload)
        self._count(event.kind.value)
        try:
            return event, self.projects.find(Path(os.fsdecode(root)))
        except NotTrusted:
            self._count("not trusted")
            return event, None

    def _answer(self, project: Project, event: HookEvent) -> Reply:
        with project.speak(voice_of(event)) as dmm:
            reply = dmm.sessions.attend(event)
            known = dmm.sessions.known(event.session)
        if event.kind is HookKind.SESSION_START:
            # A prompt will follow, and has to be answered in a moment.
            self._begin(project.warm)
        return self._supply(project, event, known) if event.kind is HookKind.PROMPT else reply

    def _supply(self, project: Project, event: HookEvent, known: frozenset[str]) -> Reply:
        """Find what the prompt needs, in time or not at all."""
        deadline = project.dmm.config.hooks.prompt_deadline_ms / 1000
        begun = time.monotonic()
        found = self._begin(project.supplement, event, known)
        try:
            entries = found.result(max(0.0, deadline - (time.monotonic() - begun)))
        except TimeoutError:
            found.cancel()
            self._count("late prompts")
            return Reply()
        if entries:
            with project.speak(voice_of(event)) as dmm:
                dmm.sessions.give(event, entries)
        return Reply(context=write_supplement(entries))

    def _begin(self, work: Callable[..., T], *given: object) -> Future[T]:
        """Have something done by another thread; they are made when the first is needed."""
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="dmm-prompt")
            return self._pool.submit(work, *given)

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def close(self) -> None:
        """Let go of the threads."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
