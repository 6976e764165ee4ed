"""The baseline: its files, their order, and notices when it grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.memory import Origin, Scope
from dmm.domain.pack import (
    BASELINE_LEVEL,
    ENTRY_END,
    Baseline,
    PackEntry,
    entry_heading,
    label_line,
)
from dmm.domain.text import neutralise, shield, tell_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

FIRST = ("identity.md", "hard_constraints.md")


def order(paths: Iterable[str]) -> list[str]:
    """Put identity first, hard constraints second, the rest by file name."""

    def rank(path: str) -> tuple[int, str, str]:
        name = path.rpartition("/")[2]
        return FIRST.index(name) if name in FIRST else len(FIRST), name, path

    return sorted(paths, key=rank)


def compile_entry(
    path: str,
    title: str,
    text: str,
    *,
    memory_id: str = "",
    labels: tuple[str, ...] = (),
    count: Callable[[str], int],
) -> PackEntry:
    """Make a baseline entry of a file's text, with its tokens counted."""
    content = shield(tell_once(title, neutralise(text).strip()))
    labels = tuple(neutralise(label).replace("\n", " ") for label in labels)
    tokens = count(content)
    heading = entry_heading(path, "baseline", BASELINE_LEVEL) + "".join(map(label_line, labels))
    return PackEntry(
        id=memory_id,
        path=path,
        title=title,
        content=content,
        token_count=tokens,
        heading_tokens=count(heading + content + ENTRY_END) - tokens,
        source="baseline",
        scope=Scope.BASELINE,
        origin=Origin.PROJECT,
        labels=labels,
    )


def overflow(entries: Sequence[PackEntry], budget: int) -> list[PackEntry]:
    """Name the fewest entries to demote so that the rest fits, largest first.

    Identity and hard constraints are named only if nothing else is left.
    """
    excess = sum(entry.token_count for entry in entries) - budget
    demoted: list[PackEntry] = []

    def dear(place: int) -> tuple[bool, int, int]:
        entry = entries[place]
        return entry.path.rpartition("/")[2] in FIRST, -entry.token_count, -place

    for entry in (entries[place] for place in sorted(range(len(entries)), key=dear)):
        if excess <= 0:
            break
        demoted.append(entry)
        excess -= entry.token_count
    return demoted


def overflow_notice(baseline: Baseline, budget: int) -> str | None:
    """Return the warning that the baseline exceeds its budget, with files to demote."""
    demoted = overflow(baseline.entries, budget)
    if not demoted:
        return None
    names = ", ".join(f"{entry.path} ({entry.token_count})" for entry in demoted)
    return (
        f"the baseline has {baseline.tokens} tokens, its budget is {budget};"
        f" move to global/ or project/: {names}"
    )
