"""Lines that look like secrets, left out of a source and reported."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from dmm.importer.documents import Skipped
from dmm.importer.sources import Source, SourceRef
from dmm.redaction.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

REASON = "looks like a secret; secrets are never stored, so reword it"
HIDDEN = "[left out: it looks like a secret]"


def leave_secrets(source: Source) -> tuple[Source, list[Skipped]]:
    """Remove each line that seems to contain a secret."""
    cleaned = clean(source.text)
    if cleaned == source.text:
        return source, []
    lines = source.text.split("\n")
    gone = list(_changed(lines, cleaned.split("\n")))
    told = [Skipped(HIDDEN, SourceRef(source.path, n + 1, n + 1), REASON) for n in gone]
    for number in gone:
        lines[number] = ""
    return replace(source, text="\n".join(lines)), told


def _changed(lines: list[str], cleaned: list[str]) -> Iterator[int]:
    """Return the numbers of the lines that were changed."""
    if len(lines) == len(cleaned):
        yield from (n for n, line in enumerate(lines) if line != cleaned[n])
        return
    for kind, first, end, _, _ in SequenceMatcher(
        None, lines, cleaned, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            yield from range(first, end)
