"""Detect the client, session and folder of a transcript from its first lines."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dmm.errors import UsageError
from dmm.sessions.transcripts import claude, codex, generic
from dmm.sessions.transcripts.entry import Fault
from dmm.sessions.transcripts.lines import Line, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from dmm.sessions.transcripts.entry import Head, Read
    from dmm.sessions.transcripts.telling import Reading

READERS: dict[str, type[Reading]] = {
    claude.CLIENT: claude.ClaudeReading,
    codex.CLIENT: codex.CodexReading,
    generic.CLIENT: generic.GenericReading,
}
LOOKED_AT = 40


def recognise(stream: BinaryIO) -> Head | None:
    """Return the client and head of a file, or None if it is not a transcript."""
    lines = (line for line in islice(read_lines(stream), LOOKED_AT) if isinstance(line, Line))
    head: Head | None = None
    for told in filter(None, map(_read_head, lines)):
        head = told if head is None else head.joined(told)
        if head.cwd or head.client != claude.CLIENT:
            break
    return head


def _read_head(line: Line) -> Head | None:
    # Claude Code is known by less than the others, so it comes last.
    heads = (reader.head(line.values) for reader in reversed(READERS.values()))
    return next(filter(None, heads), None)


def read_transcript(client: str, stream: BinaryIO) -> Iterator[Read]:
    """Read a transcript, entry by entry."""
    reading = READERS[client]()
    for line in read_lines(stream):
        if isinstance(line, Fault):
            yield line
        else:
            try:
                yield from reading.read(line)
            except UsageError as error:
                yield Fault(line.number, error.what)
    yield from reading.close()
