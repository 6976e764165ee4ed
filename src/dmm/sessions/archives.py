"""Find a project's client transcripts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.clients.registry import all_clients
from dmm.errors import UsageError
from dmm.files.roots import NAME
from dmm.sessions.transcripts.claude import CLIENT as CLAUDE
from dmm.sessions.transcripts.entry import Head
from dmm.sessions.transcripts.recognise import READERS, recognise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.clients.place import Place

SUFFIX = ".jsonl"
# A longer name is cut by the client, which puts a checksum behind it.
LONGEST_SLUG = 200


@dataclass(frozen=True, slots=True)
class Transcript:
    """The file of a session, and the files of the helpers it sent."""

    path: Path
    head: Head
    helpers: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Archives:
    """Finds transcripts."""

    project: Path
    place: Place

    @property
    def places(self) -> dict[str, tuple[Path, ...]]:
        """The folders in which each client keeps the transcripts of all its projects."""
        known = {client.name: client.transcripts for client in all_clients()}
        return {name: folders(self.place) for name, folders in known.items() if folders}

    def find(self, paths: Sequence[Path] = (), client: str | None = None) -> list[Transcript]:
        """Find the named transcripts, or all of this project; the oldest names come first."""
        if client is not None and client not in READERS:
            raise UsageError(f"unknown client {client!r}", hint=f"one of {', '.join(READERS)}")
        if paths:
            return _joined([one for path in paths for one in _named(path, client)])
        known = _recognised(self._candidates(), client)
        return [one for one in _joined(known) if self._is_ours(one.head)]

    def _candidates(self) -> Iterator[Path]:
        slugs = {CLAUDE: name_folder(self.project)[:LONGEST_SLUG]}
        for name, folders in self.places.items():
            for inner in chain.from_iterable(map(_inside, folders)):
                if inner.name.startswith(slugs.get(name, "")):
                    yield from _files(inner)

    def _is_ours(self, head: Head) -> bool:
        """Return whether a session ran in this project, not in one nested in it."""
        cwd = Path(head.cwd)
        around = (cwd.resolve(), *cwd.resolve().parents) if cwd.is_absolute() else ()
        projects = (one for one in around if one == self.project or (one / NAME).is_dir())
        return next(projects, None) == self.project


def name_folder(project: Path) -> str:
    """Name the folder in which Claude Code keeps the sessions of a project."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(project))


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        # A client that was never used here.
        return []


def _files(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder] if folder.suffix == SUFFIX else []
    return sorted(path for path in folder.rglob(f"*{SUFFIX}") if path.is_file())


def _named(given: Path, client: str | None) -> list[tuple[Path, Head]]:
    if given.is_dir():
        return _recognised(_files(given), client)
    if not given.is_file():
        raise UsageError("no such file", where=str(given))
    found = _recognised([given], client)
    if found:
        return found
    if client is None:
        hint = "name its client: --client claude-code, codex or generic"
        raise UsageError("not a known transcript format", where=str(given), hint=hint)
    return [(given, Head(client))]


def _recognised(paths: Iterable[Path], client: str | None) -> list[tuple[Path, Head]]:
    found = ((path, _look(path)) for path in paths)
    return [(path, head) for path, head in found if head and client in (None, head.client)]


def _look(path: Path) -> Head | None:
    try:
        with path.open("rb") as stream:
            return recognise(stream)
    except OSError:
        return None


def _joined(found: Sequence[tuple[Path, Head]]) -> list[Transcript]:
    """Assign the files of subagents to their session, if it is known."""
    mains = {
        (head.client, head.session): path
        for path, head in reversed(found)
        if not head.helper and head.session
    }
    helpers: dict[Path, list[Path]] = {}
    alone = []
    for path, head in dict(found).items():
        main = mains.get((head.client, head.session)) if head.helper else None
        if main is None:
            alone.append((path, head))
        else:
            helpers.setdefault(main, []).append(path)
    return [Transcript(path, head, tuple(helpers.get(path, ()))) for path, head in alone]
