"""Resolve files of a .dmm folder that Git left in two versions.

This completes a merge in the working tree, as Git's own merge would have written it: no proposal
is made, and what instructs or configures still needs the user's consent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dmm.domain.markers import WHAT, find_marker
from dmm.errors import MemoryFileError
from dmm.files.consents import FILES, MAX_BYTES
from dmm.files.durable import write_atomic
from dmm.files.markdown import decode, plain
from dmm.merge.notes import Note, find_notes
from dmm.merge.sides import read_sides
from dmm.merge.three_way import merge_texts
from dmm.reading import read_regular
from dmm.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Result = Literal["merged", "both kept", "left"]

FOLDERS = ("memory", "rules")
_BY_HAND = "keep the lines you want and delete the marker lines"
_REMOVED = (
    "one branch removed it, the other changed it",
    "keep it with git add, or remove it with git rm",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: merged, merged with both versions kept, or left to a person."""

    path: str
    result: Result
    line: int | None = None
    why: str = ""
    hint: str | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What became of every file that was in conflict, and what an earlier merge left undecided."""

    outcomes: tuple[Outcome, ...]
    undecided: tuple[Outcome, ...] = ()

    @property
    def left(self) -> list[Outcome]:
        """The files that a person has to merge."""
        return [one for one in self.outcomes if one.result == "left"]

    @property
    def kept(self) -> list[Outcome]:
        """The files that hold both versions of something."""
        return [one for one in self.outcomes if one.result == "both kept"]


def resolve(folder: Path, *, dry: bool = False) -> MergeReport:
    """Merge all files of a .dmm folder that hold conflict markers; dry: only report."""
    unmerged = _stages(folder)
    texts = {path: text for path in _list(folder) if (text := _read(folder, path)) is not None}
    torn = {path: text for path, text in texts.items() if find_marker(plain(text)) is not None}
    undecided = [
        Outcome(path, "both kept", notes=tuple(notes))
        for path, text in texts.items()
        if path not in torn and (notes := find_notes(plain(text)))
    ]
    done = [
        _resolve(folder, path, text, _read_base(folder, unmerged.get(path, {})), dry=dry)
        for path, text in torn.items()
    ]
    removed = [path for path, stages in unmerged.items() if not {"2", "3"} <= stages.keys()]
    left = [Outcome(path, "left", None, *_REMOVED) for path in removed]
    return MergeReport((*done, *left), tuple(undecided))


def _resolve(folder: Path, path: str, text: str, base: str, *, dry: bool) -> Outcome:
    """Merge one file."""
    line = find_marker(plain(text))
    if not path.endswith(".md"):
        return Outcome(path, "left", line, WHAT, _BY_HAND)
    try:
        sides = read_sides(path, text)
        merged = merge_texts(path, sides.base or base, sides.ours, sides.theirs)
    except MemoryFileError as error:
        return Outcome(path, "left", error.line or line, error.what, error.hint)
    if not dry:
        write_atomic(folder / path, merged.encode())
    notes = tuple(find_notes(plain(merged)))
    return Outcome(path, "both kept" if notes else "merged", notes=notes)


def _list(folder: Path) -> Iterator[str]:
    """List the files that a person or Git writes; links are left out."""
    yield from (name for name in FILES if (folder / name).is_file())
    for top in FOLDERS:
        for path in sorted((folder / top).rglob("*.md")):
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(folder).as_posix()


def _read(folder: Path, path: str) -> str | None:
    """Read a file; None where that is not possible."""
    try:
        return decode(path, read_regular(folder / path, MAX_BYTES)[0])
    except (OSError, MemoryFileError):
        return None


def _stages(folder: Path) -> dict[str, dict[str, str]]:
    """Read the blobs of each unmerged file by stage: 1 the base, 2 ours, 3 theirs."""
    stages: dict[str, dict[str, str]] = {}
    for entry in (git.text(folder, "ls-files", "-u", "-z", "--", ".") or "").split("\0"):
        about, _, path = entry.partition("\t")
        if path:
            _, blob, stage = about.split()
            stages.setdefault(path, {})[stage] = blob
    return stages


def _read_base(folder: Path, stages: dict[str, str]) -> str:
    """Read what both sides of an unmerged file come from; empty where there is none."""
    return git.text(folder, "cat-file", "blob", stages.get("1", "")) or ""


def merge_files(base: Path, ours: Path, theirs: Path, name: str) -> tuple[Note, ...]:
    """Merge three files as Git's merge driver: the result is written into `ours`."""
    texts = [decode(name, read_regular(path, MAX_BYTES)[0]) for path in (base, ours, theirs)]
    # Git gives an empty file where the two sides have no common base.
    merged = merge_texts(name, texts[0], texts[1], texts[2])
    write_atomic(ours, merged.encode())
    return tuple(find_notes(plain(merged)))
