"""The folder of a server: its key, and the address of its database."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dmm import endpoint
from dmm.errors import ConfigError, UsageError
from dmm.files.durable import translated, write_atomic
from dmm.private import make_private_folder
from dmm.reading import read_regular
from dmm.team.database import SCHEMA_VERSION
from dmm.team.keys import SigningKey
from dmm.team.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.team.database import Database

FILE = "server.json"
DATABASE = "server.db"
MAX_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Setup:
    """A server as it was set up; without an address its database is a file in the folder."""

    folder: Path
    key: SigningKey
    database: str = ""

    def open_database(self) -> Database:
        """Open the database."""
        if self.database:
            from dmm.team.postgres import PostgresDatabase

            return PostgresDatabase(self.database)
        from dmm.team.sqlite import SqliteDatabase

        return SqliteDatabase(self.folder / DATABASE)

    @contextlib.contextmanager
    def registry(self) -> Iterator[Registry]:
        """Open the database for a block."""
        database = self.open_database()
        try:
            database.need_ready()
            yield Registry(database, self.key)
        finally:
            database.close()


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
    opened = setup.open_database()
    try:
        opened.migrate(version)
        yield opened
    finally:
        opened.close()
    told = {"key": setup.key.secret, "database": setup.database}
    write_atomic(setup.folder / FILE, json.dumps(told).encode(), private=True)


def read_setup(folder: Path) -> Setup:
    """Read a server's settings."""
    path = folder / FILE
    try:
        told = json.loads(read_regular(path, MAX_BYTES)[0])
        return Setup(folder, SigningKey.read(told["key"]), str(told["database"]))
    except FileNotFoundError:
        raise UsageError(
            "no server is set up here", where=str(folder), hint="dmm server init"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError("the server's settings can't be read", where=str(path)) from error
