"""What proves a laptop to its team's server: in the state folder, readable only by the user."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dmm import endpoint
from dmm.errors import TeamError
from dmm.files.durable import translated, write_atomic
from dmm.private import make_private_folder
from dmm.reading import read_regular
from dmm.team.keys import SigningKey
from dmm.team.mark import FOLDER, WAY_OUT
from dmm.team.names import WRITER, are_names

if TYPE_CHECKING:
    from dmm.team.chain import LogName
    from dmm.team.registry import Joined

MAX_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class Credentials:
    """One laptop's membership in one project; `server_key` is the key it was invited with."""

    url: str
    team: str
    project: str
    writer: str
    role: str
    server_key: str
    token: str = field(repr=False)
    secret: str = field(repr=False)

    @classmethod
    def of(cls, url: str, joined: Joined, key: SigningKey) -> Credentials:
        """Put together what a laptop has after joining."""
        place = (joined.team, joined.project, joined.writer, joined.role)
        return cls(url, *place, joined.server_key, joined.token, key.secret)

    @property
    def log(self) -> LogName:
        """The log that the laptop joined."""
        return self.team, self.project

    @property
    def place(self) -> tuple[str, str, str]:
        """The log, and the server that holds it."""
        return self.server_key, self.team, self.project

    @property
    def key(self) -> SigningKey:
        """The key that the laptop signs with."""
        return SigningKey.read(self.secret)


def keep_credentials(home: Path, held: Credentials) -> None:
    """Write the credentials to a private file, named by the writer.

    The server chooses that name; those of another membership are never replaced.
    """
    if not are_names(held.team, held.project, held.writer):
        raise _unreadable(str(_folder(home)))
    _need_free(home, held)
    folder = _folder(home)
    with translated(folder, "make the folder"):
        make_private_folder(folder)
    write_atomic(_path(home, held.writer), json.dumps(asdict(held)).encode(), private=True)


def _need_free(home: Path, held: Credentials) -> None:
    try:
        known = read_credentials(home, held.writer)
    except TeamError:
        return
    if (known.place, known.secret) != (held.place, held.secret):
        what = f"the server names this laptop as {'/'.join(known.log)} at {known.url} does"
        hint = (
            "nothing was changed; join with a new invitation, which gets another name, and if that "
            "fails too, do not trust this server, or first leave the other team: dmm team leave"
        )
        raise TeamError("known", what, where=held.url, hint=hint)


def read_credentials(home: Path, writer: str) -> Credentials:
    """Read the credentials of a writer; TeamError where they are gone or damaged."""
    if not WRITER.fullmatch(writer):
        raise _unreadable(str(_folder(home)))
    path = _path(home, writer)
    try:
        held = Credentials(**json.loads(read_regular(path, MAX_BYTES)[0]))
        known = held.writer == writer and are_names(held.team, held.project, held.writer)
    except (OSError, ValueError, TypeError) as error:
        raise _unreadable(str(path)) from error
    if not known:
        raise _unreadable(str(path))
    return held


def need_same_key(home: Path, url: str, joined: Joined) -> None:
    """Refuse a server whose key is another than the one that this user's laptop knows it by.

    It is known by its address, and by a project that was joined.
    """
    for path in sorted(_folder(home).glob("*.json")):
        try:
            held = read_credentials(home, path.stem)
        except TeamError:
            continue
        same = held.url == url or held.log == (joined.team, joined.project)
        if same and held.server_key != joined.server_key:
            what = "the server has another key than when this laptop joined before"
            hint = "if that is right, join with an invitation, which names its key"
            raise TeamError("unsigned", what, where=url, hint=hint)


def read_others(home: Path, held: Credentials) -> list[Credentials]:
    """Read the credentials of all other projects that this laptop joined on the same server."""
    found = []
    for path in sorted(_folder(home).glob("*.json")):
        with contextlib.suppress(TeamError):
            found.append(read_credentials(home, path.stem))
    server = held.url, held.server_key
    return [one for one in found if (one.url, one.server_key) == server and one.log != held.log]


def drop_credentials(home: Path, writer: str) -> None:
    """Delete the credentials of a writer."""
    path = _path(home, writer)
    with translated(path, "delete the laptop's key"):
        path.unlink(missing_ok=True)


def _unreadable(where: str) -> TeamError:
    what = "this laptop's key for the team can't be read"
    return TeamError("unknown", what, where=where, hint=WAY_OUT)


def _folder(home: Path) -> Path:
    return Path(endpoint.state_folder(str(home))) / FOLDER


def _path(home: Path, writer: str) -> Path:
    return _folder(home) / f"{writer}.json"
