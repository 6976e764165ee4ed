"""What the daemon reports about itself."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - read_value reads the hints at run time
from typing import TypeVar

from dmm import endpoint
from dmm.domain.frozen import frozen
from dmm.domain.plain import read_value

T = TypeVar("T")


@frozen(kw_only=True)
class Health:
    """A process that answers; one of another version may say less."""

    status: str = ""
    uptime: float = -1.0
    indexed_count: int = -1
    version: str
    pid: int


@frozen
class ChoresDone:
    """When each chore of a project was last done, and what went wrong since."""

    last: Mapping[str, str]
    faults: Mapping[str, str]


@frozen
class HeldProject:
    """A project that the daemon holds; `indexing` are the steps done and all steps."""

    root: str
    trusted: bool
    indexed: int
    indexing: tuple[int, int] | None
    watcher: str | None
    note: str | None
    fault: str | None
    chores: ChoresDone


@frozen(kw_only=True)
class DaemonStatus(Health):
    """What the process holds and what it counted."""

    port: int | None
    port_fault: str | None
    model_loaded: bool
    agents: int
    connections: int
    spooled: int
    dropped: int
    damaged: int
    events: Mapping[str, int]
    projects: tuple[HeldProject, ...]


def ask_health(timeout: float) -> Health | None:
    """Ask the daemon whether it is well; None where none answers."""
    return _ask(Health, "health", timeout)


def ask_status(timeout: float) -> DaemonStatus | None:
    """Ask the daemon what it holds; None where none answers."""
    return _ask(DaemonStatus, "status", timeout)


def _ask(kind: type[T], verb: str, timeout: float) -> T | None:
    told = endpoint.call(verb, {}, timeout=timeout)
    return None if told is None else read_value(kind, told)
