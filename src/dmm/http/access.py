"""Which project a request is for, and on whose behalf."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust
from dmm.errors import PathRefused, RootNotFound, UsageError
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.requests import Request

    from dmm.bootstrap import Dmm
    from dmm.http.sign_ins import Codes, Sessions
    from dmm.http.streams import Streams
    from dmm.http.work import Jobs
    from dmm.passkeys.service import Persons
    from dmm.projects import Project, Projects

LONGEST_PATH = 4096
SOURCE = "http"
HINT = "send its folder as the header X-DMM-Root, an absolute path"
_NAME = re.compile(r"[\w.:-]{1,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Access:
    """All that the routes have at hand; `count_fixed` tells what every session pays."""

    projects: Projects
    health: Callable[[], Mapping[str, Any]]
    codes: Codes
    sessions: Sessions
    port: Callable[[], int]
    streams: Streams
    jobs: Jobs
    persons: Persons
    count_fixed: Callable[[Dmm], Iterable[tuple[str, int]]] | None = None

    def project(self, named: Iterable[str | None]) -> Project:
        """Find the project that is named, or the only one that is open."""
        paths = {one for one in named if one is not None}
        if len(paths) > 1:
            raise UsageError("the request names two projects", hint="name it in one place")
        if paths:
            return self._find(_absolute(paths.pop()))
        trusted = [one for one in self.projects.each() if one.trusted]
        if len(trusted) != 1:
            raise UsageError(f"{len(trusted)} projects are open: name one", hint=HINT)
        return self._find(trusted[0].root.parent)

    def _find(self, path: Path) -> Project:
        return self.projects.find(_resolve(path))


def _resolve(path: Path) -> Path:
    try:
        return path.resolve(strict=True)
    except (FileNotFoundError, NotADirectoryError):
        raise RootNotFound("there is no such folder", where=str(path), hint=HINT) from None
    except (OSError, RuntimeError):
        # A loop of links, a name too long, a folder that others closed.
        raise PathRefused("this folder can't be read", where=str(path)) from None


def _absolute(text: str) -> Path:
    path = Path(text)
    if len(text) > LONGEST_PATH or "\0" in text or ".." in path.parts or not path.is_absolute():
        raise PathRefused("the project must be an absolute path without '..'", hint=HINT)
    return path


def decode_header(value: str | None) -> str | None:
    """Read a header's bytes as UTF-8, as paths are written."""
    try:
        return None if value is None else value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise PathRefused("the path is not UTF-8", hint=HINT) from None


# Who speaks through a browser in which no person has confirmed anything.
BROWSER = Actor(name="browser", source=SOURCE, trust=Trust.AGENT)


def actor_for(request: Request) -> Actor:
    """Return the actor of a request; only a person has a browser session."""
    if request.scope.get("dmm.caller") == "session":
        return Actor(name="user", source=SOURCE, trust=Trust.USER)
    client, session = (_name(request.headers.get(f"x-dmm-{one}")) for one in ("client", "session"))
    return Actor(name=client or "agent", source=SOURCE, trust=Trust.AGENT, session=session)


def _name(value: str | None) -> str | None:
    if value is None or _NAME.fullmatch(value):
        return value
    raise UsageError("a client or session name has up to 128 letters, digits and . : _ -")
