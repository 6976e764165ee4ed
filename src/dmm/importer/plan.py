"""The import plan: sources → documents → merge → split → gather → memories."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope
from dmm.domain.pack import DEFAULT_BASELINE_BUDGET
from dmm.importer.bearing import IDENTITY
from dmm.importer.conflicts import find_conflicts
from dmm.importer.counting import count_once
from dmm.importer.documents import Document, read_document
from dmm.importer.gather import gather
from dmm.importer.memories import ImportPlan, propose, whole_body
from dmm.importer.merge import Merged, merge
from dmm.importer.sources import Source, SourceKind, SourceLines, SourceRef, kinds_of
from dmm.importer.split import split
from dmm.importer.standing import Held, find_standing
from dmm.importer.titles import tell_apart

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from dmm.importer.notes import Count, Note

    # Lines that a person wants to keep, by path and number.
    Kept = frozenset[tuple[str, int]]

NOTHING_HELD = Held()


def plan_import(
    sources: Sequence[Source],
    *,
    count: Count,
    day: dt.date,
    taken_ids: set[str],
    taken_paths: set[str],
    baseline_budget: int = DEFAULT_BASELINE_BUDGET,
    most_baseline: int = 0,
    held: Held = NOTHING_HELD,
    kept: Kept = frozenset(),
) -> ImportPlan:
    """Plan the memories that replace some instruction files; whatever is left out is reported.

    The budget of the baseline grows to `most_baseline` if the instructions need it.
    """
    count = count_once(count)
    documents = read_all(sources, kept)
    trees, merged = merge([(d.tree, _realm(d)) for d in documents])
    left = [replace(d, tree=tree) for d, tree in zip(documents, trees, strict=True)]
    cut = [note for document in left for note in split(document, count=count)]
    tidy = partial(_tidied, content=_number_content(documents))
    first = sum(count(whole_body(tidy(note))) for note in cut if _goes_first(note))
    stand = partial(find_standing, left, held, count=count, tidy=tidy)
    standing, needed = stand(baseline_budget - first), 0
    if standing.lacking and most_baseline > baseline_budget:
        standing = stand(most_baseline - first)
        baseline_budget = needed = max(baseline_budget, first + standing.tokens)
    cut = [standing.take_from(note) for note in cut if any(standing.leave(note.sources))]
    notes = [tidy(note) for note in tell_apart([*standing.notes, *gather(cut, count=count)])]
    plan = propose(
        notes,
        day=day,
        taken_ids=taken_ids,
        taken_paths=taken_paths,
        count=count,
        baseline_budget=baseline_budget,
    )
    lines = SourceLines.of({p.memory.path: p.sources for p in plan.memories})
    return replace(
        plan,
        conflicts=find_conflicts([(d.tree, _realm(d)) for d in left], lines),
        merged=tuple(_located(item, lines) for item in merged),
        skipped=tuple(item for document in documents for item in document.skipped),
        left=standing.left,
        baseline_room=needed,
        imports=tuple(item for document in documents for item in document.imports),
        monolith_tokens=sum(count(document.text) for document in documents),
        always_tokens=_always_loaded(documents, count),
    )


def _number_content(documents: Sequence[Document]) -> dict[str, dict[int, int]]:
    """Number the lines with content of each document."""
    return {
        document.path: {line: number for number, line in enumerate(document.content)}
        for document in documents
    }


def _realm(document: Document) -> tuple[str, ...]:
    """Return the scope within which a document's rules are merged; a skill has its own."""
    return (document.path,) if document.voice.kind is SourceKind.SKILL else document.voice.reach


def _goes_first(note: Note) -> bool:
    """Return whether a note precedes the rules in the baseline: identity and exports."""
    return note.scope is Scope.BASELINE and (note.topic == IDENTITY or note.mark is not None)


def _always_loaded(documents: Sequence[Document], count: Count) -> int:
    """Count the tokens that a session loads at its start, for the client that loads the most."""
    sizes: Counter[SourceKind] = Counter()
    for one in documents:
        if one.voice.is_always and one.voice.kind is not SourceKind.MARKDOWN:
            sizes[one.voice.kind] += count(one.text)
    return max(sizes.values(), default=0)


def read_all(sources: Sequence[Source], kept: Kept = frozenset()) -> list[Document]:
    """Read sources that are imported together, each path once; `kept` lines are never skipped."""
    unique = {source.path: source for source in sources}
    kinds = kinds_of(tuple(unique))
    together = frozenset(path.replace("\\", "/") for path in unique)
    return [read_document(one, kinds[path], together, kept) for path, one in unique.items()]


def _tidied(note: Note, content: dict[str, dict[int, int]]) -> Note:
    """Join the source lines of a note if no line of another note is between them."""
    by_path: dict[str, set[int]] = {}
    for ref in note.sources:
        lines = range(ref.first_line, ref.last_line + 1)
        by_path.setdefault(ref.path, set()).update(lines)
    refs = [ref for path, lines in by_path.items() for ref in _runs(path, lines, content[path])]
    return replace(note, sources=tuple(refs))


def _runs(path: str, lines: set[int], content: dict[int, int]) -> Iterator[SourceRef]:
    """Join lines that are adjacent among the lines with content."""
    held = sorted(line for line in lines if line in content)
    if not held:
        yield SourceRef(path, min(lines), max(lines))
        return
    start = end = held[0]
    for line in held[1:]:
        if content[line] != content[end] + 1:
            yield SourceRef(path, start, end)
            start = line
        end = line
    yield SourceRef(path, start, end)


def _located(item: Merged, lines: SourceLines) -> Merged:
    memory = next(iter(lines.memories_at(item.kept)), None)
    return item if memory is None else replace(item, memory=memory)
