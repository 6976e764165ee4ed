"""Turn notes into memories: id, file name, budget and provenance."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.domain.memory import (
    DEPRECATED_DIRECTORY,
    ID_PATTERN,
    Confidence,
    Memory,
    Scope,
    Status,
    free_ids,
)
from dmm.domain.pack import DEFAULT_BASELINE_BUDGET
from dmm.importer.bearing import BASELINE_TOPICS, CONSTRAINTS, IDENTITY, PROJECT_SCOPE, fallback
from dmm.importer.notes import HARD_LIMIT, WANTED_TOKENS, Count, Note
from dmm.importer.sources import FileImport, SourceRef, line_range
from dmm.importer.topics import GENERAL
from dmm.redaction.clean import clean

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

    from dmm.importer.conflicts import Conflict
    from dmm.importer.documents import Skipped
    from dmm.importer.imperatives import Imperative
    from dmm.importer.merge import Merged

_SLUG_LENGTH = 48
_MOST_RANGES = 8
_MOST_SOURCES = 6
_SAFE_PATH = re.compile(
    r"(baseline|global|agent|project|ephemeral|deprecated)(/[a-z0-9][a-z0-9_-]*)*/[a-z0-9_]+\.md"
)
_PROVENANCE = re.compile(r"Source: \S.*:\d+(-\d+)?\S*")
_PART = re.compile(r" \(part \d+\)$")
_DEVICES = re.compile(r"con|prn|aux|nul|(com|lpt)\d?")
# The baseline knows these files by name and puts the first two in front.
_BASELINE_NAMES = {
    (Scope.BASELINE, IDENTITY): "identity",
    (Scope.BASELINE, CONSTRAINTS): "hard_constraints",
    (Scope.BASELINE, PROJECT_SCOPE): "project_scope",
}
# Topics that name no folder.
_UNNAMED = dict.fromkeys((*BASELINE_TOPICS, ""), GENERAL)


@dataclass(frozen=True, slots=True)
class PlannedMemory:
    """A memory to be written, with its size, its source lines and warnings."""

    memory: Memory
    tokens: int
    sources: tuple[SourceRef, ...]
    warnings: tuple[str, ...] = ()

    def moved(self) -> PlannedMemory:
        """Return it in a folder whose name ignore lists rarely contain."""
        folder, _, name = self.memory.path.rpartition("/")
        path = f"{folder}_notes/{name}" if "/" in folder else self.memory.path
        return replace(self, memory=replace(self.memory, path=path))


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The memories that an import would write, and everything that it leaves out.

    `left` are rules without room in the baseline: only a search finds them. `baseline_room` is what
    was planned beyond the budget of the baseline, in all; 0 where nothing was.
    """

    memories: tuple[PlannedMemory, ...]
    merged: tuple[Merged, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    imports: tuple[FileImport, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    left: tuple[Imperative, ...] = ()
    monolith_tokens: int = 0
    always_tokens: int = 0
    baseline_room: int = 0

    @property
    def baseline_tokens(self) -> int:
        """The number of tokens that the memories add to the baseline."""
        served = [one for one in self.memories if one.memory.in_force]
        return sum(one.tokens for one in served if one.memory.scope is Scope.BASELINE)


def propose(
    notes: Sequence[Note],
    *,
    day: dt.date,
    taken_ids: set[str],
    taken_paths: set[str],
    count: Count,
    baseline_budget: int = DEFAULT_BASELINE_BUDGET,
) -> ImportPlan:
    """Return a memory for each note, with ids and paths that are free."""
    kept = _within_baseline(notes, baseline_budget, count)
    paths = _Paths({path.casefold() for path in taken_paths})
    planned = []
    for note, memory in zip(kept, _identified(kept, day, taken_ids), strict=True):
        path = _free_path(note, paths)
        tokens = count(memory.body)
        placed = replace(memory, path=path)
        planned.append(PlannedMemory(placed, tokens, note.sources, _warnings(tokens)))
    return ImportPlan(memories=tuple(planned))


def _identified(notes: Sequence[Note], day: dt.date, taken: set[str]) -> list[Memory]:
    """Return the memories with ids (the old ones if free) and valid links."""
    ids = set(taken)
    chosen: list[str] = []
    wanted = {note.old_id for note in notes if ID_PATTERN.fullmatch(note.old_id)}
    fresh = free_ids(day, taken | wanted)
    for note in notes:
        chosen.append(note.old_id if note.old_id in wanted - ids else next(fresh))
        ids.add(chosen[-1])
    became = {note.old_id: identity for note, identity in zip(notes, chosen, strict=True)}
    by_title = dict(zip((note.title for note in notes), chosen, strict=True))
    made = zip(notes, chosen, strict=True)
    return [_memory(note, identity, became, by_title, day) for note, identity in made]


def provenance(refs: Sequence[SourceRef]) -> str:
    """Return the line with a memory's sources: `Source: CLAUDE.md:12-40, AGENTS.md:3`."""
    by_path: dict[str, list[SourceRef]] = {}
    for ref in refs:
        by_path.setdefault(ref.path, []).append(ref)
    named = [_place(path, found) for path, found in by_path.items()]
    more = len(named) - _MOST_SOURCES
    rest = f" and {more} more" if more > 0 else ""
    return "Source: " + ", ".join(named[:_MOST_SOURCES]) + rest


def slug(title: str) -> str:
    """Return a safe file name for a title, without extension."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().casefold()
    text = re.sub(r"[^a-z0-9]+", "_", plain.replace("'", "")).strip("_")
    if len(text) > _SLUG_LENGTH:
        text = text[:_SLUG_LENGTH].rpartition("_")[0] or text[:_SLUG_LENGTH]
    return f"note_{text}" if _DEVICES.fullmatch(text) else text


def _within_baseline(notes: Sequence[Note], budget: int, count: Count) -> list[Note]:
    """Keep the strongest notes in the baseline while they fit; give the others a high priority."""
    wanted = [number for number, note in enumerate(notes) if _directory(note) == Scope.BASELINE]
    # What was in a baseline before goes first, then the strongest, then the first in the text.
    wanted.sort(key=lambda n: (notes[n].mark is None, -notes[n].priority, n))
    result = list(notes)
    for number in wanted:
        note = notes[number]
        tokens = count(whole_body(note))
        if tokens <= budget:
            budget -= tokens
            continue
        found = fallback(note.topic, note.title, note.body, users=note.users)
        result[number] = replace(
            note, scope=found.scope, topic=found.topic, priority=max(found.priority, 0.9)
        )
    return result


@dataclass(slots=True)
class _Paths:
    """The paths in use; a path that is wanted again gets the next number."""

    taken: set[str]
    _numbers: dict[str, int] = field(default_factory=dict)

    def take(self, path: str) -> str:
        """Reserve and return a path, or the first free one with a number."""
        stem, free = path.removesuffix(".md"), path
        while free.casefold() in self.taken:
            # What was taken once stays taken, so no number is tried twice.
            number = self._numbers[stem] = self._numbers.get(stem, 1) + 1
            free = f"{stem}_{number}.md"
        self.taken.add(free)
        return free


def _free_path(note: Note, paths: _Paths) -> str:
    path = f"{_directory(note)}/{_name(note, paths.taken)}.md"
    if clean(path) != path:
        # Words joined to a file name can look like a token, which no path may hold.
        path = f"{note.scope.value}/{GENERAL}/note.md"
    if note.mark is not None and _SAFE_PATH.fullmatch(note.mark.path):
        top = note.mark.path.partition("/")[0]
        path = note.mark.path if top in (note.scope, DEPRECATED_DIRECTORY) else path
    return paths.take(path)


def _directory(note: Note) -> str:
    if note.mark is not None and not note.mark.in_force:
        return DEPRECATED_DIRECTORY
    if note.scope is Scope.BASELINE:
        return note.scope.value
    topic = _UNNAMED.get(note.topic, note.topic)
    return f"{note.scope.value}/{slug(note.subject) or topic}"


def _name(note: Note, taken: set[str]) -> str:
    known = _BASELINE_NAMES.get((note.scope, note.topic), "")
    if known and f"baseline/{known}.md" not in taken:
        return known
    return slug(note.title) or slug("_".join(note.tags)) or "note"


def _memory(
    note: Note,
    identity: str,
    became: Mapping[str, str],
    by_title: Mapping[str, str],
    day: dt.date,
) -> Memory:
    whole = _PART.sub("", note.title)
    made = Memory(
        id=identity,
        path="",
        title=note.title,
        body=whole_body(note),
        tags=note.tags,
        scope=note.scope,
        priority=note.priority,
        confidence=Confidence.ACTIVE,
        status=Status.ACTIVE,
        created=day,
        paths=note.globs,
        related=(by_title[whole],) if whole != note.title and whole in by_title else (),
    )
    mark = note.mark
    if mark is None:
        return made
    return replace(
        mark,
        id=made.id,
        path=made.path,
        title=made.title,
        body=made.body,
        tags=made.tags,
        scope=made.scope,
        priority=made.priority,
        # An id that is not in the same file may be that of another memory here.
        supersedes=tuple(became[old] for old in mark.supersedes if old in became),
        related=tuple(became[old] for old in mark.related if old in became),
    )


def whole_body(note: Note) -> str:
    """Return the body of a note with its line of sources."""
    last = note.body.rstrip().rpartition("\n")[2]
    if note.mark is not None or _PROVENANCE.fullmatch(last):
        return note.body.rstrip()
    return f"{note.body.rstrip()}\n\n{provenance(note.sources)}"


def _place(path: str, refs: Sequence[SourceRef]) -> str:
    if len(refs) > _MOST_RANGES:
        refs = [SourceRef(path, min(r.first_line for r in refs), max(r.last_line for r in refs))]
    ranges = ",".join(line_range(ref.first_line, ref.last_line) for ref in refs)
    return f"{path}:{ranges}"


def _warnings(tokens: int) -> tuple[str, ...]:
    if tokens > HARD_LIMIT:
        return (f"{tokens} tokens: above the limit of {HARD_LIMIT}",)
    if tokens > WANTED_TOKENS:
        return (f"{tokens} tokens: more than the recommended {WANTED_TOKENS}",)
    return ()
