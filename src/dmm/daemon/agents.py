"""Track the agents that use this process, by their process ids."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

SHELLS = frozenset(("sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "timeout", "env"))
DEEPEST = 12
# An agent that was not heard of for this long does not keep the process alive.
FORGOTTEN = 12 * 3600.0


@dataclass(slots=True)
class _Agent:
    """One process of an agent, and the session it is in."""

    descriptor: int | None
    session: str | None = None
    heard: float = field(default_factory=time.monotonic)


class Agents:
    """Which agents live, and in which session each of them is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._agents: dict[int, _Agent] = {}

    def meet(self, peer: int | None, session: str) -> None:
        """Hear of a session through a process that the agent started."""
        agent = None if peer is None else find_agent(peer)
        if agent is None:
            return
        with self._lock:
            known = self._agents.get(agent)
            if known is None:
                known = self._agents[agent] = _Agent(_watch(agent))
            known.session = session
            known.heard = time.monotonic()

    def session_of(self, peer: int | None) -> str | None:
        """Return the session of the agent that started a process."""
        if peer is None:
            return None
        with self._lock:
            for pid in ancestors(peer):
                if pid in self._agents:
                    return self._agents[pid].session
        return None

    def count(self) -> int:
        """Count the agents that live; those that are gone are forgotten."""
        with self._lock:
            for pid in [pid for pid, one in self._agents.items() if not _lives(pid, one)]:
                gone = self._agents.pop(pid)
                if gone.descriptor is not None:
                    os.close(gone.descriptor)
            return len(self._agents)

    def close(self) -> None:
        """Drop all agents."""
        with self._lock:
            for one in self._agents.values():
                if one.descriptor is not None:
                    os.close(one.descriptor)
            self._agents.clear()

    def shares_terminal(self, peer: int | None) -> bool:
        """Return whether a process sits at the terminal of an agent, as one that it left behind."""
        terminal = None if peer is None else find_terminal(peer)
        with self._lock:
            return terminal is not None and terminal in map(find_terminal, self._agents)


def find_terminal(pid: int) -> int | None:
    """Return the terminal of a process by its number; None where it has none."""
    return _stat(pid)[4] or None


def find_login(pid: int) -> int:
    """Return the session of processes that one belongs to: each terminal has its own."""
    return _stat(pid)[3]


def is_at_terminal(pid: int) -> bool:
    """Return whether a process runs in the foreground of a terminal.

    Only Linux tells; elsewhere the word of whoever asks has to do.
    """
    if sys.platform != "linux":
        return True
    group, terminal, foreground = (_stat(pid)[place] for place in (2, 4, 5))
    return terminal != 0 and group == foreground


def find_agent(peer: int) -> int | None:
    """Find the process that started a hook: its nearest ancestor that is not a shell."""
    for pid in ancestors(peer)[1:]:
        if _name(pid) not in SHELLS:
            return pid
    return None


def ancestors(pid: int) -> list[int]:
    """List a process and those above it, below the first process of the system."""
    found: list[int] = []
    while pid > 1 and len(found) < DEEPEST:
        found.append(pid)
        pid = _parent(pid)
    return found


def _parent(pid: int) -> int:
    return _stat(pid)[1]


def _stat(pid: int) -> tuple[int, ...]:
    """Read the first numbers about a process: parent at 1, group, session, terminal, its group."""
    try:
        about = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return (0,) * 6
    # The name is in brackets and may itself hold brackets and blanks; a letter follows it.
    return (0, *map(int, about.rpartition(")")[2].split()[1:6]))


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _watch(pid: int) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _lives(pid: int, agent: _Agent) -> bool:
    if time.monotonic() - agent.heard > FORGOTTEN:
        return False
    if sys.platform != "win32" and agent.descriptor is not None:
        watched = select.poll()
        watched.register(agent.descriptor, select.POLLIN)
        return not watched.poll(0)
    return Path(f"/proc/{pid}").exists()
