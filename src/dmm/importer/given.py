"""Read the files and lines that a person names for an import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.hidden import find_hidden
from dmm.errors import UsageError
from dmm.importer.sources import SKIPPED, Source, SourceRef

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from dmm.domain.memory import Memory
    from dmm.importer.documents import Skipped
    from dmm.importer.plan import Kept

SUFFIXES = (".md", ".mdc")


@dataclass(frozen=True, slots=True)
class Hidden:
    """The codes of the invisible characters of one line, which are left out."""

    source: SourceRef
    codes: tuple[str, ...]


def expand(given: Path) -> Iterator[Path]:
    """List the instruction files of a folder, or the file itself."""
    if not given.is_dir():
        if not given.exists():
            raise UsageError("no such file", where=str(given), hint="without names: dmm import")
        yield given
        return
    found = sorted(
        path
        for path in given.rglob("*")
        if path.suffix in SUFFIXES
        and not SKIPPED & set(path.relative_to(given).parts)
        and path.is_file()
    )
    if not found:
        raise UsageError("no .md or .mdc files in this folder", where=str(given))
    yield from found


def each_once(paths: Iterable[Path]) -> list[Path]:
    """Drop files that are listed twice, also by a link."""
    return list({path.resolve(): path for path in reversed(list(paths))}.values())[::-1]


def kept_lines(keep: Sequence[str], paths: Collection[str]) -> Kept:
    """Parse FILE:LINE arguments into lines of the imported files."""
    found = set()
    for given in keep:
        path, _, line = given.rpartition(":")
        if path not in paths or not line.isdecimal():
            hint = "name a line of an imported file, such as AGENTS.md:12"
            raise UsageError(f"no such line: {given}", where="--keep", hint=hint)
        found.add((path, int(line)))
    return frozenset(found)


def refuse_kept(kept: Kept, secret: Sequence[Skipped]) -> None:
    """Refuse to keep what looks like a secret."""
    for one in secret:
        if (one.source.path, one.source.first_line) in kept:
            raise UsageError(one.reason, where=str(one.source))


def list_hidden(source: Source) -> Iterator[Hidden]:
    """List the invisible characters of a source, line by line."""
    for number, codes in find_hidden(source.text).items():
        yield Hidden(SourceRef(source.path, number, number), tuple(codes))


def hides(memory: Memory) -> bool:
    """Return whether a memory has invisible characters: in its path, or by YAML escapes."""
    names = (*memory.tags, *memory.aliases, *memory.supersedes, *memory.related)
    text = "\n".join((memory.title, memory.body, *names))
    return bool(find_hidden(text))


def is_there(path: Path) -> bool:
    """Return whether a file exists."""
    try:
        return path.exists()
    except OSError:
        # A name that no file can have.
        return False
