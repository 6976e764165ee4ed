"""Detect the client, session and folder of a transcript from its first lines."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

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
    """Return what a file is; None if it is not a readable transcript."""
    lines = (line for line in islice(read_lines(stream), LOOKED_AT) if isinstance(line, Line))
    heads = (reader.head(line.values) for line in lines for reader in READERS.values())
    return next((head for head in heads if head is not None), None)


def read_transcript(client: str, stream: BinaryIO) -> Iterator[Read]:
    """Read a transcript, entry by entry."""
    reading = READERS[client]()
    for line in read_lines(stream):
        if isinstance(line, Fault):
            yield line
        else:
            yield from reading.read(line)
    yield from reading.close()
