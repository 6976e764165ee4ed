"""Who is at the other end of a connection, and whose memory it may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.errors import RootNotFound
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dmm.projects import Project, Projects

SOURCE = "mcp"


@dataclass(frozen=True, slots=True)
class Caller:
    """One client: its name, its session, the folder that it works in, and its tools."""

    projects: Projects
    start: Path | None
    client: str
    session: Callable[[], str | None]
    core: bool = False

    def project(self) -> Project:
        """Return the project; it is looked for at each call, as it may be made or trusted later."""
        if self.start is None:
            hint = "send the project's folder in the X-DMM-Root header, or as ?root="
            raise RootNotFound("no project is named", hint=hint)
        return self.projects.find(self.start)

    @property
    def actor(self) -> Actor:
        """What an agent says is its own inference, in the session that its hooks record too."""
        return Actor(name=self.client, source=SOURCE, trust=Trust.AGENT, session=self.session())
