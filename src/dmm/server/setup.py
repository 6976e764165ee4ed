"""The folder of a server: its key, and the address of its database."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dmm import endpoint
from dmm.domain.plain import Malformed, read_value, to_plain
from dmm.errors import ConfigError, UsageError
from dmm.files.durable import translated, write_atomic
from dmm.private import make_private_folder
from dmm.reading import read_regular
from dmm.server.trial import EMBEDDED, Cluster
from dmm.team.database import SCHEMA_VERSION
from dmm.team.keys import SigningKey
from dmm.team.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.team.database import Database
    from dmm.team.identity import People, Trusted

FILE = "server.json"
DATABASE = "server.db"
MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Setup:
    """A server as it was set up; without an address its database is a file in the folder."""

    folder: Path
    key: SigningKey
    database: str = ""
    # The issuer as plain data: its library is loaded only where it is used.
    oidc: Mapping[str, object] | None = None

    def people(self) -> People | None:
        """Return who may sign in; None where no issuer is trusted."""
        if self.oidc is None:
            return None
        from dmm.team.identity import People, Trusted

        try:
            return People(read_value(Trusted, self.oidc))
        except Malformed as error:
            where = str(self.folder / FILE)
            raise ConfigError("the trusted issuer can't be read", where=where) from error

    def save(self) -> None:
        """Write the settings."""
        told = {"key": self.key.secret, "database": self.database}
        more = {} if self.oidc is None else {"oidc": self.oidc}
        data = json.dumps(told | more).encode()
        if len(data) > MAX_BYTES:
            what = f"the server's settings would be larger than {MAX_BYTES:,} bytes"
            raise UsageError(what, hint="grant by fewer values")
        write_atomic(self.folder / FILE, data, private=True)

    def open_database(self) -> Database:
        """Open the database."""
        if self.database:
            from dmm.team.postgres import PostgresDatabase

            embedded = self.database == EMBEDDED
            return PostgresDatabase(Cluster(self.folder).address() if embedded else self.database)
        from dmm.team.sqlite import SqliteDatabase

        return SqliteDatabase(self.folder / DATABASE)

    @contextlib.contextmanager
    def registry(self) -> Iterator[Registry]:
        """Open the database for a block."""
        with contextlib.closing(self.open_database()) as database:
            database.need_ready()
            yield Registry(database, self.key)


def default_folder() -> Path:
    """Return where a server is set up unless a folder is named."""
    return Path(endpoint.state_folder()) / "server"


def set_up(folder: Path, database: str) -> Setup:
    """Make a new server: its key, its settings and its tables."""
    path = folder / FILE
    if path.exists():
        raise UsageError(
            "a server is set up here already", where=str(folder), hint="dmm server run"
        )
    setup = Setup(folder, SigningKey.make(), database)
    with keep_setup(setup):
        return setup


@contextlib.contextmanager
def keep_setup(setup: Setup, version: int = SCHEMA_VERSION) -> Iterator[Database]:
    """Make the folder and the tables, and the settings after a block that may fill them."""
    with translated(setup.folder, "make the folder"):
        make_private_folder(setup.folder)
    with contextlib.closing(setup.open_database()) as opened:
        _need_empty(opened, version)
        opened.migrate(version)
        yield opened
    setup.save()


def _need_empty(database: Database, version: int) -> None:
    """Refuse a database that is in use, or whose tables would have to go back."""
    found = database.version()
    hint = "name an empty one: --folder, --database"
    if found and database.teams():
        raise UsageError("the database already holds projects", hint=hint)
    if found > version:
        raise UsageError("the database has tables of a later version", hint=hint)


@contextlib.contextmanager
def on_trial(folder: Path) -> Iterator[Setup]:
    """Run a PostgreSQL of the folder's own for a block, with a server that is set up on it."""
    there = (folder / FILE).exists()
    if there and read_setup(folder).database != EMBEDDED:
        hint = "dmm server run without --trial, or another --folder"
        raise UsageError("the server here has another database", where=str(folder), hint=hint)
    with translated(folder, "make the folder"):
        make_private_folder(folder)
    with Cluster(folder).running():
        setup = read_setup(folder) if there else set_up(folder, EMBEDDED)
        with contextlib.closing(setup.open_database()) as database:
            database.migrate()
        yield setup


def trust_issuer(setup: Setup, trusted: Trusted | None) -> Setup:
    """Let people sign in by an issuer that answers, or nobody."""
    if trusted is not None:
        from dmm.team.issuer import find_metadata

        find_metadata(trusted.issuer)
    changed = replace(setup, oidc=None if trusted is None else to_plain(trusted))
    changed.save()
    return changed


def read_setup(folder: Path) -> Setup:
    """Read a server's settings."""
    path = folder / FILE
    try:
        told = json.loads(read_regular(path, MAX_BYTES)[0])
        key, oidc = SigningKey.read(told["key"]), told.get("oidc")
        return Setup(folder, key, str(told["database"]), oidc if isinstance(oidc, dict) else None)
    except FileNotFoundError:
        raise UsageError(
            "no server is set up here", where=str(folder), hint="dmm server init"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError("the server's settings can't be read", where=str(path)) from error
