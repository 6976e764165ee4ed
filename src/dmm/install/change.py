"""Changes of files that belong to others: shown first, backed up, written whole or not at all."""

from __future__ import annotations

import contextlib
import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import ConfigError, StorageError
from dmm.files.durable import create, make_folder, translated, write_atomic
from dmm.reading import read_regular

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 8 << 20
BACKUP = "dmm-backup"


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it is and as it shall be; None where there is none.

    A copy is kept unless all of it is ours; with the last file in it a folder goes, up to `within`.
    """

    path: Path
    before: str | None
    after: str | None
    ours: bool = False
    within: Path | None = None

    @property
    def needed(self) -> bool:
        """Whether the two differ."""
        return self.before != self.after

    def diff(self) -> str:
        """Show the change as a unified diff."""
        name = str(self.path)
        old, new = name if self.before is not None else "/dev/null", name
        lines = difflib.unified_diff(
            _lines(self.before), _lines(self.after), old, new if self.after is not None else old
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def carry_out(self, stamp: str) -> Path | None:
        """Write the file; what it held before is kept beside it, and told."""
        if read_text(self.path) != self.before:
            hint = "run the command again"
            raise StorageError("the file changed meanwhile", where=str(self.path), hint=hint)
        kept = None if self.ours else self.before
        backup = None if kept is None else self._back_up(kept, stamp)
        if self.after is None:
            with translated(self.path, "remove the file"):
                self.path.unlink()
            self._clear_folders()
        else:
            make_folder(self.path.parent)
            write_atomic(self.path, self.after.encode())
        return backup

    def _clear_folders(self) -> None:
        """Remove the folders that have become empty; any other one refuses."""
        folder = self.path.parent
        with contextlib.suppress(OSError):
            while self.within and folder != self.within and folder.is_relative_to(self.within):
                folder.rmdir()
                folder = folder.parent

    def _back_up(self, text: str, stamp: str) -> Path:
        path = backup_path(self.path, stamp)
        create(path, text.encode())
        with translated(path, "set the permissions"):
            path.chmod(self.path.stat().st_mode & 0o777)
        return path


def backup_path(path: Path, stamp: str) -> Path:
    """Name the copy that is kept of a file."""
    return path.with_name(f"{path.name}.{BACKUP}-{stamp}")


def first_copy(path: Path) -> str | None:
    """Read the oldest copy that is kept of a file."""
    copies = _copies(path)
    return read_text(copies[0]) if copies else None


def drop_copies(path: Path, text: str) -> None:
    """Remove the copies that hold nothing but what the file holds again."""
    for copy in _copies(path):
        if read_text(copy) == text:
            with translated(copy, "remove the copy"):
                copy.unlink()


def _copies(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.{BACKUP}-*"))


def read_text(path: Path) -> str | None:
    """Read a file byte for byte as text; None where there is none."""
    try:
        data, _ = read_regular(path, LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(
            f"can't read the settings file: {error.strerror}", where=str(path)
        ) from error
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ConfigError("the settings file is not UTF-8 text", where=str(path)) from None


def _lines(text: str | None) -> list[str]:
    return (text or "").splitlines(keepends=True)
