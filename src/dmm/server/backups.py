"""Backups of a server: one file that holds its key and its database, and a new server from it."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import UsageError
from dmm.files.durable import claim, sync_directory, translated
from dmm.server.setup import FILE, Setup, keep_setup
from dmm.team.backup import Backup, restore, write_lines
from dmm.team.database import SCHEMA_VERSION, need_current
from dmm.team.stored import now

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from dmm.team.backup import Proved
    from dmm.team.chain import LogName

PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class Kept:
    """What a backup holds: how many projects, how many events."""

    projects: int
    events: int


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file, read anew each time."""

    path: Path

    def __iter__(self) -> Iterator[str]:
        with self.path.open(encoding="utf-8", newline="\n") as file:
            yield from file


def make_backup(setup: Setup, path: Path) -> Kept:
    """Write a backup to a new file and prove it by reading it; the server may run meanwhile."""
    if path.exists():
        raise UsageError("the file already exists", where=str(path), hint="name another one")
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    with setup.registry() as registry, translated(path, "write the backup"):
        at = now().isoformat(timespec="seconds")
        try:
            _write(temporary, write_lines(registry.database, setup.key, at))
            proved = Backup(Lines(temporary)).prove({})
            claim(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_directory(path.parent)
    return _count(proved)


def restore_backup(
    path: Path, folder: Path, database: str, cuts: Mapping[LogName, int]
) -> tuple[Setup, Kept]:
    """Make a new server from a backup; one that is there is never overwritten."""
    if (folder / FILE).exists():
        hint = "name another folder: --folder"
        raise UsageError("a server is set up here already", where=str(folder), hint=hint)
    backup = Backup(Lines(path))
    with translated(path, "read the backup"):
        proved = backup.prove(cuts)
        if proved.version > SCHEMA_VERSION:
            need_current(proved.version, str(path))
        setup = Setup(folder, proved.key, database)
        with keep_setup(setup, proved.version) as opened:
            restore(opened, backup, proved, cuts)
            opened.migrate()
    return setup, _count(proved)


def _write(path: Path, lines: Iterable[str]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(path, flags, PRIVATE), "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - by its descriptor
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def _count(proved: Proved) -> Kept:
    return Kept(len(proved.trails), sum(one.head.seq for one in proved.trails.values()))
