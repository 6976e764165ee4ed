"""Packs that were served as lines of at most 80 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.packs.served import PackRow, ServedEntry, ServedPack

LONGEST_TASK = 40
WHY = {
    "start": "session start",
    "prompt": "prompt",
    "files": "files of a call",
    "asked": "asked",
}


def list_packs(packs: Sequence[PackRow]) -> Iterator[str]:
    """List packs, the newest first."""
    if not packs:
        yield "No pack has been served yet."
    for one in packs:
        task = textwrap.shorten(one.task, LONGEST_TASK, placeholder=" ...")
        what = f'{WHY[one.why]} "{task}"' if task else WHY[one.why]
        memories = counted(one.entries, "memory", "memories")
        told = f"{what}: {memories}, {one.tokens} tokens"
        yield from wrapped(told, f"{one.seq:>8}  {one.at[:16]}  ")


def show_pack(pack: ServedPack) -> Iterator[str]:
    """Show a pack with its receipt."""
    yield from wrapped(f"{WHY[pack.why]}, {pack.client}, {pack.at[:16]}", f"Pack {pack.seq}: ")
    if pack.task:
        yield from wrapped(pack.task, "Task: ")
    if pack.files:
        yield from wrapped(", ".join(pack.files), "Files: ")
    yield from wrapped(_tokens(pack), "Tokens: ")
    if not pack.receipt:
        yield "No receipt was kept of this pack."
    for entry in pack.entries:
        yield from _entry(entry)
    for one in pack.excluded:
        yield f"out {one.score:.3f}  {one.path}  ({one.tokens} tokens; {one.why})"
    if pack.excluded_more:
        yield f"{counted(pack.excluded_more, 'more candidate')} left out"


def _tokens(pack: ServedPack) -> str:
    tokens = pack.tokens
    parts = [str(tokens.total)]
    if tokens.baseline is not None:
        parts.append(f"baseline {tokens.baseline}, retrieved {tokens.retrieved}")
    if pack.budget is not None:
        parts.append(f"budget {pack.budget}")
    if pack.memory_tokens is not None:
        parts.append(f"all memory {pack.memory_tokens:,}")
    return "; ".join(parts)


def _entry(entry: ServedEntry) -> Iterator[str]:
    if entry.score is None:
        yield f"in  {entry.path}"
        return
    found = " and ".join(entry.lanes)
    size = "" if entry.tokens is None else f"  ({entry.tokens} tokens; {found})"
    yield f"in  {entry.score:.3f}  {entry.path}{size}"
    for label in entry.labels:
        yield from wrapped(label, " " * 11)
