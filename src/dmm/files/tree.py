"""The memory folder: the only place that resolves relative paths, safely."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.frozen import frozen
from dmm.domain.memory import DEPRECATED_DIRECTORY, Scope
from dmm.domain.text import neutralise
from dmm.errors import FileExists, MemoryFileError, PathRefused
from dmm.files import durable, markdown

if TYPE_CHECKING:
    from collections.abc import Collection

SUFFIX = ".md"
DESCRIPTOR = "_dir.md"
MAX_FILE_BYTES = 256 * 1024
MAX_NAME_BYTES = 200
MAX_PATH_LENGTH = 500
MAX_DEPTH = 32
TOP_DIRECTORIES = (*(scope.value for scope in Scope), DEPRECATED_DIRECTORY)

_DEVICES = {"con", "prn", "aux", "nul", *(f"{n}{i}" for n in ("com", "lpt") for i in range(1, 10))}
# Nearly every path, known in one look; whatever is not like this is looked at part by part.
_NAME = rf"[A-Za-z0-9_-]{{1,{MAX_NAME_BYTES - len(SUFFIX)}}}"
_ORDINARY = re.compile(
    rf"(?:{'|'.join(TOP_DIRECTORIES)})"
    rf"(?:/(?!(?i:{'|'.join(sorted(_DEVICES))})[./]){_NAME})+{re.escape(SUFFIX)}"
)
# A link is not followed, and a pipe is not waited for.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_PLACE = "use a path like project/topic/name.md, relative to the memory folder"
_LINK = "a symbolic link; links are not followed"


# A scan makes one for every file; tuples are made twice as quickly.
class Stamp(NamedTuple):
    """What the file system says of a file; equal stamps mean unchanged content."""

    path: str
    size: int
    mtime_ns: int
    inode: int


@frozen
class Scan:
    """One look over the tree: memory files, directory descriptors, and what was refused."""

    stamps: tuple[Stamp, ...]
    descriptors: tuple[Stamp, ...]
    faults: tuple[MemoryFileError, ...]


@frozen
class MemoryTree:
    """All memory files below one folder, or below some of its top directories."""

    root: Path
    tops: tuple[str, ...] = TOP_DIRECTORIES

    def scan(self) -> Scan:
        """List every memory file, in path order; links are never followed."""
        return self.scan_top("")

    def scan_top(self, top: str) -> Scan:
        """List the memory files below one top directory only."""
        found = _Found([], [], [])
        if self.root.is_symlink() or (self.root / top).is_symlink():
            found.refuse(top or ".", _LINK, hint="replace it with the folder itself")
        elif (self.root / top).is_dir():
            self._walk(top, found)
        return Scan(
            tuple(sorted(found.stamps)),
            tuple(sorted(found.descriptors)),
            tuple(sorted(found.faults, key=lambda fault: fault.path)),
        )

    def _walk(self, directory: str, found: _Found) -> None:
        try:
            with os.scandir(self.root / directory) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            found.refuse(directory or ".", f"unreadable folder: {error.strerror}")
            return
        foreign = {*TOP_DIRECTORIES} - {*self.tops}
        for entry in ordered:
            path = f"{directory}/{entry.name}" if directory else entry.name
            if not entry.name.startswith(".") and path not in foreign:
                self._look(path, entry, found)

    def _look(self, path: str, entry: os.DirEntry[str], found: _Found) -> None:
        if entry.is_symlink():
            if entry.name.endswith(SUFFIX) or _leads_to_folder(entry):
                found.refuse(path, _LINK, hint="replace it with the file itself")
        elif not entry.is_dir(follow_symlinks=False):
            if entry.name.endswith(SUFFIX):
                _note(path, entry, found)
        elif path.count("/") < MAX_DEPTH:
            self._walk(path, found)
        else:
            found.refuse(path, "folders nested too deeply", hint="use fewer folders")

    def resolve(self, path: str) -> Path:
        """Turn a relative path into a file below the root, or refuse it."""
        refusal = why_refused(path)
        if refusal:
            raise PathRefused(refusal, where=repr(path), hint=_PLACE)
        if self.root.is_symlink():
            raise PathRefused("the memory folder is a symbolic link", where=str(self.root))
        target = self.root
        for part in PurePosixPath(path).parts:
            target = target / part
            with durable.translated(target, "look at the path"):
                is_link = target.is_symlink()
            if is_link:
                raise PathRefused("the path contains a symbolic link", where=repr(path))
        return target

    def read(self, path: str) -> bytes:
        """Read a file of ordinary size without following a link."""
        target = self.resolve(path)
        try:
            descriptor = os.open(target, _READ)
            with os.fdopen(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    raise MemoryFileError(path, "io", "not a regular file")
                data = file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise MemoryFileError(path, "io", f"unreadable: {error.strerror or error}") from error
        if len(data) > MAX_FILE_BYTES:
            what = f"larger than {MAX_FILE_BYTES // 1024} KiB; a memory is one small concept"
            raise MemoryFileError(path, "content", what, hint="split it (dmm import FILE)")
        return data

    def holds(self, path: str) -> bool:
        """Whether there is a file at a path; what lies in another tree is taken to be there."""
        return ":" in path or (self.root / path).is_file()

    def glance(self, path: str) -> bytes:
        """Read a file that a scan has found, only to look for words in it; what fails is empty.

        Nothing of this is ever served, so it does without the checks that cost more than the read.
        """
        try:
            descriptor = os.open(f"{self.root}/{path}", _READ)
        except OSError:
            return b""
        try:
            return os.read(descriptor, MAX_FILE_BYTES)
        except OSError:
            return b""
        finally:
            os.close(descriptor)

    def load(self, path: str) -> markdown.Document:
        """Read and parse one memory file."""
        return markdown.parse(path, markdown.decode(path, self.read(path)))

    def create(self, path: str, text: str) -> Path:
        """Write a new file; an existing one, also in other letter case, is never touched."""
        target = self.resolve(path)
        self._refuse_twin(path)
        durable.make_folder(target.parent)
        durable.create(target, text.encode())
        return target

    def _refuse_twin(self, path: str) -> None:
        """Refuse a name that some file systems consider equal to an existing one."""
        folder, parts = self.root, PurePosixPath(path).parts
        for part in parts:
            with durable.translated(folder, "list the folder"):
                names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
            alike = {name for name in names if _fold(name) == _fold(part)}
            alike -= {part} if part is not parts[-1] else set()
            if alike:
                raise FileExists(f"'{min(alike)}' is already there", where=path)
            folder = folder / part

    def remove(self, path: str) -> None:
        """Delete a file durably."""
        target = self.resolve(path)
        with durable.translated(target, "remove the file"):
            target.unlink(missing_ok=True)
            durable.sync_directory(target.parent)

    def missing_folders(self, path: str) -> list[str]:
        """Name the folders that a new file needs made, without that of its scope."""
        self.resolve(path)
        folders = [folder for folder in PurePosixPath(path).parents if len(folder.parts) > 1]
        return [str(folder) for folder in folders if not (self.root / folder).exists()]

    def clear_folders(self, path: str, made: Collection[str]) -> None:
        """Remove the folders of a file that is gone, as far as they are empty and were `made`."""
        self.resolve(path)
        for folder in PurePosixPath(path).parents:
            if len(folder.parts) < 2 or str(folder) not in made:
                return
            try:
                (self.root / folder).rmdir()
            except OSError:
                # Somebody uses it: it stays.
                return

    def text_of(self, path: str) -> str | None:
        """Read the text of a file exactly as it stands; None where there is no file."""
        target = self.resolve(path)
        with durable.translated(target, "look at the file"):
            if not os.path.lexists(target):
                return None
        return markdown.decode(path, self.read(path))

    def replace(self, path: str, text: str) -> Path:
        """Write new content into an existing file."""
        target = self.resolve(path)
        durable.write_atomic(target, text.encode())
        return target


@frozen
class _Found:
    stamps: list[Stamp]
    descriptors: list[Stamp]
    faults: list[MemoryFileError]

    def refuse(self, path: str, what: str, *, hint: str | None = None) -> None:
        shown = neutralise(path.encode("utf-8", "backslashreplace").decode())
        self.faults.append(MemoryFileError(shown.replace("\n", " "), "io", what, hint=hint))


def _note(path: str, entry: os.DirEntry[str], found: _Found) -> None:
    refusal = why_refused(path)
    if refusal:
        found.refuse(path, refusal, hint=_PLACE)
        return
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # deleted since the folder was listed
        return
    except OSError as error:
        found.refuse(path, f"unreadable: {error.strerror}")
        return
    stamp = Stamp(path, status.st_size, status.st_mtime_ns, status.st_ino)
    (found.descriptors if entry.name == DESCRIPTOR else found.stamps).append(stamp)


def _leads_to_folder(link: os.DirEntry[str]) -> bool:
    try:
        return link.is_dir()
    except OSError:  # links in a circle, or into a place that may not be looked at
        return True


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def why_refused(path: str) -> str | None:
    """Return why a path may not be used."""
    if len(path) <= MAX_PATH_LENGTH and _ORDINARY.fullmatch(path):
        return None
    return _find_refusal(path)


@lru_cache(maxsize=1 << 15)
def _find_refusal(path: str) -> str | None:
    """Check every part of a path; cached, as every scan asks again."""
    parts = PurePosixPath(path).parts
    if not parts or "\0" in path or "\\" in path:
        return "not a relative path with slashes"
    if path.startswith("/") or ":" in parts[0]:
        return "an absolute path"
    if any(part.startswith(".") for part in parts):
        return "it leads outside the memory folder or is hidden"
    if path.endswith("/") or path in TOP_DIRECTORIES:
        return "it names a folder, not a file"
    if len(parts) < 2 or parts[0] not in TOP_DIRECTORIES:
        return f"its first folder must be one of {', '.join(TOP_DIRECTORIES)}"
    if not parts[-1].endswith(SUFFIX):
        return f"not a {SUFFIX} file"
    if len(path) > MAX_PATH_LENGTH:
        return "a path that is too long"
    return next((refusal for part in parts if (refusal := _refusal_of_name(part))), None)


def _refusal_of_name(name: str) -> str | None:
    if name.partition(".")[0].casefold() in _DEVICES or name != name.strip() or name[-1] == ".":
        return "a name that some systems reserve"
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return "a name that is not UTF-8 text"
    if neutralise(name) != name or "\n" in name or "\t" in name:
        return "a name with invisible characters"
    return "a name that is too long" if size > MAX_NAME_BYTES else None
