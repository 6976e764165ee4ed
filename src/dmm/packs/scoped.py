"""Scoped memories: found by the files they are about, as the globs of their `paths` say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dmm.index.snapshot import Place
from dmm.rules.commands.braces import expand_braces
from dmm.rules.commands.globs import matches_path
from dmm.rules.commands.values import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dmm.domain.memory import Origin
    from dmm.index.rows import ScopedRow
    from dmm.index.service import Indexes

EVERYWHERE = "/**"
_PATH = re.compile(r"(?<![\w@+./-])[\w@+-]*[./][\w@+./-]*\w/?")
_WILD = re.compile(r"[/*?]+")
# A name that is no ordinary word: dagster_dev, ai-chat, x402.
_NAME = re.compile(r"(?<![\w./@+-])(?=\S*[_\d-])[a-zA-Z][\w-]*\w(?![\w./-]*/)")


class Glob(NamedTuple):
    """One glob of a memory; `excludes` takes files out, `pieces` occur in every path it matches."""

    pattern: str
    excludes: bool
    pieces: tuple[str, ...]

    def occurs_in(self, text: str) -> bool:
        """Whether a text could name a file that it matches; many are asked about each call."""
        for piece in self.pieces:  # noqa: SIM110 - twice as fast as all()
            if piece not in text:
                return False
        return True


class Scoped(NamedTuple):
    """A memory with the files it is about; `digest` names the content that is served."""

    place: Place
    digest: str
    globs: tuple[Glob, ...]

    def covers(self, path: str) -> bool:
        """Whether the memory is about a file: the last glob that matches decides."""
        found = False
        for glob in self.globs:
            if found is glob.excludes and glob.occurs_in(path):
                found ^= matches_path(path, glob.pattern)
        return found

    @property
    def folders(self) -> frozenset[str]:
        """The names of the folders that its globs end in."""
        return frozenset(
            glob.pattern.removesuffix(EVERYWHERE).rpartition("/")[2]
            for glob in self.globs
            if glob.pattern.endswith(EVERYWHERE)
        )

    def may_cover(self, text: str) -> bool:
        """Whether a text that names files could name one of these; cheaper than to read it."""
        for glob in self.globs:  # noqa: SIM110 - twice as fast as any()
            if not glob.excludes and glob.occurs_in(text):
                return True
        return False


def read_globs(globs: Iterable[str]) -> tuple[Glob, ...]:
    """Read globs as Git reads those of a .gitignore; braces list alternatives, as in a shell."""
    return tuple(
        _read_glob(one.text, excludes=glob.startswith("!"))
        for glob in globs
        for one in expand_braces(Word(glob.removeprefix("!"), 0, len(glob)))
    )


def _read_glob(text: str, *, excludes: bool) -> Glob:
    bare = text.removeprefix("./").strip("/")
    pattern = bare
    if "/" in bare or text.startswith("/"):
        # A glob with a slash begins at the top, and what it matches counts with all inside.
        pattern = bare.removesuffix(EVERYWHERE) + EVERYWHERE
    return Glob(pattern, excludes, tuple(filter(None, _WILD.split(bare))))


def find_paths(text: str) -> list[str]:
    """Return what a text names that may be a file or a folder: words with a slash or a dot."""
    return [one.removeprefix("./").strip("/") for one in _PATH.findall(text)]


def find_names(text: str) -> list[str]:
    """Return what a text names that may be a package: words that are no ordinary ones."""
    return _NAME.findall(text)


@dataclass(frozen=True, slots=True)
class Aim:
    """The scoped memories that are about what a task names, and those about other places."""

    about: frozenset[Place] = frozenset()
    elsewhere: frozenset[Place] = frozenset()


@dataclass(slots=True)
class ScopedMemories:
    """The scoped memories of a project, read again only when an index has changed."""

    indexes: Indexes | None = None
    _generations: tuple[int, ...] = ()
    _held: tuple[Scoped, ...] = ()

    def all(self) -> tuple[Scoped, ...]:
        """Return all that may be given, the most important first."""
        if self.indexes is None:
            return ()
        stores = [(one.origin, self.indexes.store(one.origin)) for one in self.indexes.shelves]
        known = [(origin, store) for origin, store in stores if store is not None]
        generations = tuple(store.generation() for _, store in known)
        if generations != self._generations:
            self._held = _ordered((origin, store.scoped_rows()) for origin, store in known)
            self._generations = generations
        return self._held

    def aim(self, text: str, exists: Callable[[str], bool]) -> Aim:
        """Sort memories by the files and packages that a task names; without such names, none.

        `exists` says whether a path is there: what looks like one may be any word with a dot.
        """
        paths, names = find_paths(text), set(find_names(text))
        if not paths and not names:
            return Aim()
        held = self.all()
        about = {one for one in held if any(map(one.covers, paths)) or one.folders & names}
        if not about and not any(map(exists, paths)):
            return Aim()
        places = frozenset(one.place for one in about)
        return Aim(places, frozenset(one.place for one in held) - places)


def _ordered(trees: Iterable[tuple[Origin, Sequence[ScopedRow]]]) -> tuple[Scoped, ...]:
    """Order memories by priority; one of a later tree gives way to the same id in an earlier."""
    first: dict[str, tuple[float, Scoped]] = {}
    for origin, rows in trees:
        own = {
            row.id: (
                -row.priority,
                Scoped(
                    Place(origin, row.path, row.id, row.title), row.digest, read_globs(row.globs)
                ),
            )
            for row in rows
        }
        first = own | first
    return tuple(
        one for _, one in sorted(first.values(), key=lambda two: (two[0], two[1].place.path))
    )
