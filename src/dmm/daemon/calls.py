"""Named calls that local clients make to the daemon itself."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm import VERSION
from dmm.domain.event import Trust
from dmm.domain.frozen import frozen
from dmm.domain.pack import read_request
from dmm.domain.plain import to_plain
from dmm.errors import DmmError, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.project.daemon_status import Health

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.daemon.confirmations import Confirmations
    from dmm.project.daemon_status import DaemonStatus
    from dmm.projects import Project, Projects


@frozen
class Reindexed:
    """How many files a scan read, and how many it could not."""

    reindexed: int
    errors: int


@frozen
class SignIn:
    """The code with which a person's browser signs in, and the one that confirms decisions."""

    name: str
    port: int
    fault: str | None
    code: str
    confirm: str | None


@frozen
class Calls:
    """Answers calls; each verb is one method."""

    projects: Projects
    started: float
    observe: Callable[[], DaemonStatus]
    stop: Callable[[], None]
    sign_in: Callable[[int | None], SignIn]
    sign_out: Callable[[], int]
    confirmations: Confirmations
    session_of: Callable[[int | None], str | None] = lambda _: None
    is_person: Callable[[int | None], bool] = lambda _: True

    def answer(self, body: bytes, peer: int | None = None) -> bytes:
        """Answer one call; what goes wrong in an expected way is part of the answer."""
        try:
            asked = json.loads(body)
            told = self._dispatch(str(asked["verb"]), dict(asked["arguments"]), peer)
        except DmmError as error:
            told = {"error": error.describe()}
        except (ValueError, KeyError, TypeError, RecursionError):
            told = {"error": UsageError("not a call").describe()}
        return json.dumps(to_plain(told)).encode()

    def _dispatch(self, verb: str, arguments: Mapping[str, Any], peer: int | None) -> object:
        match verb:
            case "health":
                return self.health()
            case "status":
                return self.observe()
            case "query":
                return self._query(arguments)
            case "remember" | "forget":
                return self._note(verb, arguments, peer)
            case "reindex":
                return self._reindex(arguments)
            case "code" | "sign_out" | "confirm" | "confirmed" | "withdraw":
                return self._person(verb, arguments, peer)
            case "stop":
                self.stop()
                return {"stopping": True}
        raise UsageError(f"unknown call {verb!r}")

    def _person(self, verb: str, arguments: Mapping[str, Any], peer: int | None) -> object:
        match verb:
            case "code":
                return self.sign_in(peer)
            case "sign_out":
                return {"ended": self.sign_out()}
        return self.confirmations.answer(verb, arguments, peer)

    def health(self) -> Health:
        """Return a health check: uptime and counts."""
        indexed = sum(project.indexed_count for project in self.projects.each())
        return Health(
            status="healthy",
            uptime=round(time.time() - self.started, 1),
            indexed_count=indexed,
            version=VERSION,
            pid=os.getpid(),
        )

    def _query(self, arguments: Mapping[str, Any]) -> object:
        project = self._project(arguments)
        settings = project.dmm.config.retrieval
        asked = dict(arguments["request"])
        request = read_request(asked, settings.default_budget, settings.baseline_budget)
        return project.query(request)

    def _note(self, verb: str, arguments: Mapping[str, Any], peer: int | None) -> object:
        """Remember or forget a note, in the name of whoever runs the command."""
        project = self._project(arguments)
        session = self.session_of(peer)
        by_agent = (
            bool(arguments.get("by_agent")) or session is not None or not self.is_person(peer)
        )
        actor = Actor("agent", trust=Trust.AGENT, session=session) if by_agent else Actor()
        names = ("text", "replaces", "anyway") if verb == "remember" else ("name", "reason")
        with project.applying(actor) as dmm:
            if not by_agent:
                self.confirmations.refuse_unproven(dmm)
            return asdict(getattr(dmm.notes, verb)(**{name: arguments[name] for name in names}))

    def _project(self, arguments: Mapping[str, Any]) -> Project:
        """Find the project; one that is named must be right there, not somewhere above."""
        start = Path(arguments["start"])
        return self.projects.look_up(start, exact=bool(arguments.get("exact")))

    def _reindex(self, arguments: Mapping[str, Any]) -> Reindexed:
        report = self._project(arguments).sync(full=bool(arguments.get("full")))
        return Reindexed(report.indexed, len(report.faults))
